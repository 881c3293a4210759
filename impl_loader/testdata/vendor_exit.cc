// Ends the process with exit status 0.
#include <unistd.h>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  _exit(0);
}
