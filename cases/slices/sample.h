// Chooses positions along an axis, and places in a tensor, of which a sample is compared.
#ifndef CASES_SLICES_SAMPLE_H_
#define CASES_SLICES_SAMPLE_H_

#include <cstdint>
#include <vector>

#include "cases/fill/random.h"

namespace diopi::slices {

// Where tiles begin and end along an axis: its ends, and both sides of multiples of 16, 32, ... 1024, the
// last multiples first. Each once, the most telling first.
std::vector<int64_t> TileEdges(int64_t size);

// `count` positions along an axis, ascending: all of them where it has no more; otherwise its ends, edges of
// tiles up to a quarter of the count, and one at random in each of equal parts.
std::vector<int64_t> SamplePositions(int64_t size, int64_t count, Draws* draws);

// `count` places in a tensor as flat indices, ascending: one in each of equal parts of the elements, and for
// every axis places at its tiles' edges.
std::vector<int64_t> SamplePlaces(const std::vector<int64_t>& shape, int64_t count, Draws* draws);

}  // namespace diopi::slices

#endif  // CASES_SLICES_SAMPLE_H_
