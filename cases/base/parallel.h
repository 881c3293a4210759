// Splits work on memory over the processors that this process may use.
#ifndef CASES_BASE_PARALLEL_H_
#define CASES_BASE_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace diopi {

// Calls `work` for parts of [0, count) that cover it, which begin at multiples of `grain`, on this thread
// and, where there are many grains, on others. It must not throw. Returns when all is done. The other threads
// are made for this call and are gone from the process when it returns: this thread never calls a library
// beside them, a forked copy misses none of them, and who counts the process's threads sees none. Where the
// system gives no thread, this one does the work. Thread-safe.
void ForRanges(int64_t count, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> work);

// The bytes of a pass over memory that are worth a part of their own.
inline constexpr int64_t kParallelBytes = int64_t{1} << 20;

}  // namespace diopi

#endif  // CASES_BASE_PARALLEL_H_
