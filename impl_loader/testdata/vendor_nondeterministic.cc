// Every call gives a different second element.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  static float calls = 0;
  Add(add);
  if (add.count > 1) add.out[1] += ++calls;
  return diopiSuccess;
}
