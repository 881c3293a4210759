// Stretches of a random output that occur twice in it, and runs of equal numbers: what threads that share a
// generator's state leave behind, or blocks that no thread wrote.
#ifndef BASELINES_COMPARE_REPEATS_H_
#define BASELINES_COMPARE_REPEATS_H_

#include <optional>

#include "cases/base/tensor_view.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

// The first repetition. `one_value`: at least the probability of any number of the output, below 1. Good
// numbers have a finding with a probability of at most 1e-7. Where the output has R times 2^20 elements, a
// stretch of 16 R elements, and a window more, that occurs twice, at any distance, is missed with a
// probability below 1e-7; a window is as many elements as carry 80 bits.
std::optional<v1::Finding> CheckRepeats(const TensorView& actual, double one_value);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_REPEATS_H_
