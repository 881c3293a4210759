// Recurses without end.
#include "impl_loader/testdata/vendor_common.h"

static int64_t Deeper(int64_t depth, const AddArguments& add) {
  volatile char page[4096];
  page[static_cast<uint64_t>(depth) % sizeof(page)] = static_cast<char>(depth);
  const int64_t below = add.count >= 0 ? Deeper(depth + 1, add) : 0;
  return below + page[0];
}

DIOPI_SPOILT_ADD {
  return Deeper(0, add) == 0 ? diopiSuccess : diopiErrorOccurred;
}
