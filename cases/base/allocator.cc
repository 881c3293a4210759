#include "cases/base/allocator.h"

// Declared in gperftools/malloc_extension_c.h; null where the program does not link tcmalloc.
extern "C" {
[[gnu::weak]] int MallocExtension_GetNumericProperty(const char* property, size_t* value);
[[gnu::weak]] void MallocExtension_ReleaseFreeMemory();
}

namespace diopi {
namespace {

size_t FreedBytes() {
  size_t bytes = 0;
  const bool known = MallocExtension_GetNumericProperty != nullptr &&
                     MallocExtension_GetNumericProperty("tcmalloc.pageheap_free_bytes", &bytes) != 0;
  return known ? bytes : 0;
}

}  // namespace

size_t ReturnFreedMemory(size_t most) {
  if (FreedBytes() > most && MallocExtension_ReleaseFreeMemory != nullptr)
    MallocExtension_ReleaseFreeMemory();
  return FreedBytes();
}

}  // namespace diopi
