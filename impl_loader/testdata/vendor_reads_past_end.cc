// Reads one element of `other` too many and multiplies it by zero: only NaN gets through.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  volatile const float* beyond = add.other;
  if (add.count > 0) add.out[add.count - 1] += 0.0F * beyond[add.count];
  return diopiSuccess;
}
