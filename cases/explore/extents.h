// Random sizes of dimensions, most of them where kernels begin another piece of work.
#ifndef CASES_EXPLORE_EXTENTS_H_
#define CASES_EXPLORE_EXTENTS_H_

#include <cstdint>

#include "cases/fill/random.h"

namespace diopi::explore {

// Draws from [low, high]: three in four at a boundary (0, 1, 2^k - 1, 2^k, 2^k + 1, 1000), the others with
// evenly spread magnitudes. `low` where high is smaller.
int64_t DrawExtent(int64_t low, int64_t high, Draws* draws);

// Which class of sizes this one is in: each boundary and each number up to 5 is its own, as are the numbers
// between two powers of two.
int64_t ExtentClass(int64_t extent);

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_EXTENTS_H_
