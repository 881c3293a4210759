// Writes 64 bytes past the end of its output.
#include <cstring>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  std::memset(add.out + add.count, 0, 64);
  return diopiSuccess;
}
