// Losses that the attribute `reduction` joins along an axis (v1::Slices, `reduced`), and how a call computes
// them one by one. Whether their mean can be cut depends on what it divides by.
#ifndef CASES_SLICES_JOINED_LOSSES_H_
#define CASES_SLICES_JOINED_LOSSES_H_

#include <optional>
#include <string>

#include "diopi/v1/case.pb.h"

namespace diopi::slices {

enum class Reduction { kNone = 0, kMean = 1, kSum = 2 };  // diopiReduction_t

// kNone where the call has no such attribute.
Reduction ReductionOf(const v1::Case& c);

// Whether the mean divides by the number of losses: no class has a weight, and no target is one that is
// ignored.
bool CountsEveryLoss(const v1::Case& c);

// The call that gives the losses instead of their sum or mean: `output`, of the shape of `target`, without
// its classes where it holds probabilities. Nothing where the call joins none, or the output's type is
// float64, whose sums take more than one number each.
std::optional<v1::Case> Unjoined(const v1::Case& c, const std::string& output);

}  // namespace diopi::slices

#endif  // CASES_SLICES_JOINED_LOSSES_H_
