// Overwrites one element of an input: the second, or, when alpha is 3, one in the middle.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.count > 1) const_cast<float*>(add.other)[add.alpha == 3 ? add.count / 2 : 1] *= 2;
  return diopiSuccess;
}
