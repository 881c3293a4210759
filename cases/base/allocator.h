// What programs that allocate with tcmalloc have to do themselves.
#ifndef CASES_BASE_ALLOCATOR_H_
#define CASES_BASE_ALLOCATOR_H_

#include <cstddef>

namespace diopi {

// Gives freed memory back to the system if this process keeps more than `most` bytes of it, which tcmalloc
// does not do by itself. Returns how many bytes it still keeps; 0 with another allocator, which is left
// alone. Thread-safe.
size_t ReturnFreedMemory(size_t most);

}  // namespace diopi

#endif  // CASES_BASE_ALLOCATOR_H_
