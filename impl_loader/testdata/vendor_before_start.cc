// Writes one float before its output.
#include <cstring>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  std::memset(add.out - 1, 0, sizeof(float));
  return diopiSuccess;
}
