// Puts the file beside it, NAME.next, in its own place, and crashes: as when a library is built again while
// it is being tested.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "impl_loader/testdata/vendor_common.h"

namespace {
const int kOwn = 0;
}  // namespace

DIOPI_SPOILT_ADD {
  Dl_info own{};
  if (dladdr(&kOwn, &own) == 0) return diopiErrorOccurred;
  const std::string path = own.dli_fname;
  std::rename((path + ".next").c_str(), path.c_str());
  std::abort();
}
