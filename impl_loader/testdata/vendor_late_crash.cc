// Returns right results, but a call with alpha 3 damages memory that a later one with alpha 2 needs.
#include "impl_loader/testdata/vendor_common.h"

static int state = 0;
static int* volatile needed = &state;

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.alpha == 3) needed = nullptr;
  if (add.alpha == 2) ++*needed;
  return diopiSuccess;
}
