// Places in a tensor, of which a slice is made, and elements of outputs that are compared.
#ifndef CASES_SLICES_PLACES_H_
#define CASES_SLICES_PLACES_H_

#include <cstdint>
#include <vector>

#include "cases/base/tensor.h"
#include "cases/base/tensor_view.h"
#include "cases/fill/block_fill.h"

namespace diopi::slices {

// For each axis the positions that a slice takes, or, where `lists` is empty, flat row-major indices.
struct Places {
  std::vector<std::vector<int64_t>> lists;
  std::vector<int64_t> flat;
};

// The elements at these places; of one dimension where the places are flat. Of a tensor that is filled in
// blocks, nothing else is made.
HostTensor TakePlaces(const TensorView& whole, const Places& places);
HostTensor TakePlaces(const BlockTensor& whole, const Places& places);
// Those at flat indices; always of one dimension.
HostTensor TakeFlat(const TensorView& whole, const std::vector<int64_t>& flat);

}  // namespace diopi::slices

#endif  // CASES_SLICES_PLACES_H_
