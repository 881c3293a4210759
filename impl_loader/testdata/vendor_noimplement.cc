// Says of everything that it is not implemented.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  return diopiNoImplement;
}
