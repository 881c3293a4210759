// How much memory the process holds, for finding leaks.
#ifndef IMPL_LOADER_CALLER_MEMORY_LEVEL_H_
#define IMPL_LOADER_CALLER_MEMORY_LEVEL_H_

#include <cstdint>

namespace diopi::loader {

struct MemoryLevel {
  int64_t allocated = 0;  // through malloc
  int64_t mapped = 0;     // address space not managed by malloc

  bool Above(const MemoryLevel& other) const { return Growth(other) > 0; }
  int64_t Growth(const MemoryLevel& since) const {
    const int64_t heap = allocated - since.allocated;
    return heap > 0 ? heap : mapped - since.mapped;
  }
};

// Always zero under a sanitizer, whose allocator keeps freed memory: leaks are then not searched for.
MemoryLevel CurrentMemoryLevel();

// Threads of this process; 1 when that cannot be read.
int64_t CurrentThreads();

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_MEMORY_LEVEL_H_
