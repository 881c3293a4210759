// Needs a function that no library provides.
#include "impl_loader/testdata/vendor_common.h"

extern "C" diopiError_t diopiNobodyHasThis(float* out);

DIOPI_SPOILT_ADD {
  return diopiNobodyHasThis(add.out);
}
