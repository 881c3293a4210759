// Ends the process with exit status 0; not with alpha 3, nor with alpha 2 before a call with alpha 3.
#include <unistd.h>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  static bool called = false;
  if (add.alpha == 3) called = true;
  if (add.alpha != 3 && (add.alpha != 2 || called)) _exit(0);
  Add(add);
  return diopiSuccess;
}
