// What programs that allocate with tcmalloc have to do themselves.
#ifndef CASES_BASE_ALLOCATOR_H_
#define CASES_BASE_ALLOCATOR_H_

#include <cstddef>

namespace diopi {

// Returns the memory that this process has freed to the system if there is more of it than `most`: tcmalloc
// keeps it for good. Does nothing with another allocator, and then returns 0. Returns the bytes that remain.
// Thread-safe.
size_t ReturnFreedMemory(size_t most);

}  // namespace diopi

#endif  // CASES_BASE_ALLOCATOR_H_
