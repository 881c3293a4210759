// Applies a waiver's tolerance to a verdict.
#ifndef CLIENT_PROFILE_WAIVERS_H_
#define CLIENT_PROFILE_WAIVERS_H_

#include <optional>
#include <string>

#include "absl/time/civil_time.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/profile.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::profile {

// Parses "2026-12-31". Nullopt for an invalid date.
std::optional<absl::CivilDay> ParseDay(const std::string& text);
// Today, in UTC.
absl::CivilDay Today();

// Checks that each failing output of the verdict lies within `tolerance` of the reference: |out - ref| <=
// atol + rtol |ref|, NaN where the reference has NaN, infinities exactly, for all elements but a share of
// mismatch_ratio. Returns nullopt when it does, otherwise BEYOND_WAIVER with an output that is not judged by
// a tolerance, or with what each output is beyond: another shape or dtype, the elements outside.
std::optional<v1::Finding> WhyBeyond(const v1::Tolerance& tolerance, const v1::Case& c,
                                     const TensorMap& references, const TensorMap& actual,
                                     const v1::Verdict& verdict);

// "atol 0.001, rtol 0.01, 0.1 % of the elements"
std::string ToleranceText(const v1::Tolerance& tolerance);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_WAIVERS_H_
