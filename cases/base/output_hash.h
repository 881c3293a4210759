// The hash of an output, which several threads compute.
#ifndef CASES_BASE_OUTPUT_HASH_H_
#define CASES_BASE_OUTPUT_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace diopi {

// An output of at most kWholeHashBytes is hashed by Xxh64; a larger one by the Xxh64 of the little-endian
// XXH3 hashes of its blocks.
inline constexpr size_t kWholeHashBytes = size_t{1} << 20;
inline constexpr size_t kHashBlock = size_t{64} << 10;

uint64_t HashOutput(std::string_view data);
// Calls `then` for every block after its hash, while it is in the processor's caches, from several threads.
uint64_t HashOutput(std::string_view data, absl::FunctionRef<void(size_t begin, size_t bytes)> then);

}  // namespace diopi

#endif  // CASES_BASE_OUTPUT_HASH_H_
