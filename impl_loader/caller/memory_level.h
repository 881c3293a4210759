// How much memory the process holds: for telling leaks.
#ifndef IMPL_LOADER_CALLER_MEMORY_LEVEL_H_
#define IMPL_LOADER_CALLER_MEMORY_LEVEL_H_

#include <cstdint>

namespace diopi::loader {

struct MemoryLevel {
  int64_t allocated = 0;  // through malloc
  int64_t mapped = 0;     // address space that malloc has nothing to do with

  bool Above(const MemoryLevel& other) const { return Growth(other) > 0; }
  int64_t Growth(const MemoryLevel& since) const {
    const int64_t heap = allocated - since.allocated;
    return heap > 0 ? heap : mapped - since.mapped;
  }
};

// Under a sanitizer, whose allocator keeps what was freed, always zero: leaks are then not looked for.
MemoryLevel CurrentMemoryLevel();

// Threads of this process; 1 when that cannot be read.
int64_t CurrentThreads();

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_MEMORY_LEVEL_H_
