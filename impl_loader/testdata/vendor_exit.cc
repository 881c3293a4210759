// Ends the process, successfully.
#include <unistd.h>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  _exit(0);
}
