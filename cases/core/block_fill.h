// How the inputs of large cases are made: by another version of the generator than all others' (fill.h).
//
// A tensor of more than kPoolElements elements is filled in blocks of kBlockElements. Each block is copied
// from a place at random in a pool, which the ordinary generator fills under the same key. So filling takes
// hardly longer than copying, any slice can still be computed alone, and a block nearly never equals another
// one. Fills whose values depend on their places (values, range, permutation), and smaller tensors, are as in
// all other cases.
#ifndef CASES_CORE_BLOCK_FILL_H_
#define CASES_CORE_BLOCK_FILL_H_

#include <cstdint>

namespace diopi {

// Case.generator_version of such cases.
inline constexpr uint32_t kBlockGeneratorVersion = 2;

inline constexpr int64_t kPoolElements = int64_t{1} << 16;
inline constexpr int64_t kBlockElements = 512;

}  // namespace diopi

#endif  // CASES_CORE_BLOCK_FILL_H_
