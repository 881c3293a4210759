// Dropout's output, given which elements it keeps.
#ifndef BASELINES_COMPARE_DROPPED_H_
#define BASELINES_COMPARE_DROPPED_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "cases/base/tensor_view.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// Whether the case's dropout drops at all: argument train, true where there is none.
bool Training(const v1::Case& c);

// The probability with which the case's dropout drops an element: argument p, p_dropout or dropout_p.
double DropRate(const v1::Case& c);

// What is wrong with the elements of `actual`; nothing where each is input / keep where it is kept, and 0
// elsewhere. With `keep` 1 all are kept. Adds the first mismatches and their number to `stats`. Both
// tensors have one shape and may be of any size.
std::optional<v1::Finding> CheckDropped(const TensorView& input, const TensorView& actual, double keep,
                                        absl::FunctionRef<bool(int64_t)> kept, v1::OutputStats* stats);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_DROPPED_H_
