// Judges a large call by the elements that slices compute (cases/slices/slices.h), and by what holds for all
// of its outputs' elements.
#ifndef BASELINES_COMPARE_COMPARE_SLICES_H_
#define BASELINES_COMPARE_COMPARE_SLICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "baselines/compare/compare.h"
#include "cases/base/tensor_view.h"

namespace diopi::baselines {

// Flat indices of the elements that are compared, by output: slices::ComparedPlaces.
using SlicePlaces = std::map<std::string, std::vector<int64_t>>;

// The compared elements of these outputs, in one dimension each; an output of another shape than the case's,
// or than its reference's where the library makes it, as it is.
TensorMap TakeCompared(const v1::Case& c, const SlicePlaces& places, const TensorMap& references,
                       const TensorViews& outputs);

// Whether CompareSlices looks at whole inputs. Otherwise it needs those alone that are outputs, too, whole or
// only their compared elements, in one dimension.
bool NeedsWholeInputs(const v1::Case& c);

// The verdict of a case that is compared on slices, as CompareCase and AddWouldPassUnder give it.
// `references` hold one element for each place, `inputs` and `actual` are whole; inputs that are not needed
// may be missing (NeedsWholeInputs). Places in the verdict are those of whole outputs; its counts of elements
// are of compared ones. Where every term of a sum is finite, all of its elements must be finite, too; a
// product of matrices is probed as a whole (product_probe.h). Random outputs and indices are judged as wholes
// (large_random.h, large_picks.h), and outputs that are only moved have a hash of all elements.
v1::Verdict CompareSlices(const v1::Case& c, const SlicePlaces& places, const TensorViews& inputs,
                          const TensorMap& references, const TensorViews& actual,
                          const CompareOptions& options = {});
inline v1::Verdict CompareSlices(const v1::Case& c, const SlicePlaces& places, const TensorMap& inputs,
                                 const TensorMap& references, const TensorMap& actual,
                                 const CompareOptions& options = {}) {
  return CompareSlices(c, places, ViewsOf(inputs), references, ViewsOf(actual), options);
}

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_COMPARE_SLICES_H_
