// Overwrites one element of an input.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.count > 1) const_cast<float*>(add.other)[1] *= 2;
  return diopiSuccess;
}
