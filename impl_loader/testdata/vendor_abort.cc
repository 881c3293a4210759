// Writes a message to standard error and aborts.
#include <cstdio>
#include <cstdlib>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  std::fputs("assertion failed: the moon is full\n", stderr);
  std::abort();
}
