// One call in 40 gives a different first element.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  static int calls = 0;
  Add(add);
  if (++calls % 40 == 0 && add.count > 0) add.out[0] += 1;
  return diopiSuccess;
}
