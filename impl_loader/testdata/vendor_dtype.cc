// Supports no dtype.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  return diopiDtypeNotSupported;
}
