// Writes through a null pointer.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  volatile float* volatile nowhere = nullptr;
  *nowhere = add.alpha;
  return diopiSuccess;
}
