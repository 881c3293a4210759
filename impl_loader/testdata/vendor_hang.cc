// Never returns.
#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  volatile bool forever = true;
  while (forever) {
  }
  return diopiSuccess;
}
