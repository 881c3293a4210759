// Returns NoImplement from every function.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  return diopiNoImplement;
}
