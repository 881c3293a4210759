// Reads one element too many of `other` and multiplies it by zero, so that only NaN shows.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  volatile const float* beyond = add.other;
  if (add.count > 0) add.out[add.count - 1] += 0.0F * beyond[add.count];
  return diopiSuccess;
}
