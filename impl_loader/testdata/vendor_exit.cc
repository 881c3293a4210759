// Ends the process with exit status 0; not with alpha 41, nor with alpha 42 before a call with alpha 41.
#include <unistd.h>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  static bool called = false;
  if (add.alpha == 41) called = true;
  if (add.alpha != 41 && (add.alpha != 42 || called)) _exit(0);
  Add(add);
  return diopiSuccess;
}
