// Leaks 8 MB a call.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  Add(add);
  auto* volatile leaked = new char[8 << 20];
  return leaked != nullptr ? diopiSuccess : diopiErrorOccurred;
}
