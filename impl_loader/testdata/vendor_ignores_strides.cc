// Writes its output as if it were contiguous.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  return diopiSuccess;
}
