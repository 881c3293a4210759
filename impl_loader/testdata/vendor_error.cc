// Returns an error with a text that is not valid UTF-8.
#include "impl_loader/testdata/vendor_common.h"

const char* diopiGetLastErrorString() {
  return "out of cheese \xff";
}

DIOPI_SPOILT_ADD {
  return diopiErrorOccurred;
}
