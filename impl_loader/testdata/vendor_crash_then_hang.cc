// A call with alpha 3 damages memory that a later one with alpha 2 needs, and that one crashes. Where nothing
// is damaged, it opens the FIFO that DIOPI_TEST_GATE names, for the test to see, and never returns.
#include <fcntl.h>

#include <cstdlib>

#include "impl_loader/testdata/vendor_common.h"

static int state = 0;
static int* volatile needed = &state;

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.alpha == 3) needed = nullptr;
  if (add.alpha != 2) return diopiSuccess;
  ++*needed;
  const char* gate = std::getenv("DIOPI_TEST_GATE");
  if (gate != nullptr) open(gate, O_WRONLY | O_CLOEXEC);
  volatile bool forever = true;
  while (forever) {
  }
  return diopiSuccess;
}
