// A profile as one run applies it. docs: client/profile/GUIDE.md
#ifndef CLIENT_PROFILE_APPLIED_H_
#define CLIENT_PROFILE_APPLIED_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/civil_time.h"
#include "cases/base/tensor.h"
#include "client/profile/profile.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/profile.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::profile {

// Immutable: thread-safe.
class AppliedProfile {
 public:
  AppliedProfile() = default;  // no profile: skips, waives and limits nothing
  // `today` decides which waivers have expired, for the whole run.
  AppliedProfile(Profile profile, absl::CivilDay today) : profile_(std::move(profile)), today_(today) {}

  const v1::DeviceProfile& rules() const { return profile_.rules; }
  bool has_waivers() const { return !profile_.rules.waiver().empty(); }

  // SKIPPED_BY the first rule that matches the case.
  std::optional<v1::Finding> SkipReason(const v1::Case& c) const;

  // Seconds, from the last rule that matches the case. Nullopt: the run's own limit applies.
  std::optional<double> TimeoutOf(const v1::Case& c) const;

  // Changes a verdict `fail` that a waiver in force covers completely to `waived`, with the waiver in
  // `waiver` and WAIVED_BY it. Where a waiver does not cover the verdict or has expired, only adds that to
  // the findings. Leaves any other verdict unchanged.
  void Waive(const v1::Case& c, const TensorMap& references, const TensorMap& actual,
             v1::Verdict* verdict) const;

  // For the records; empty without a profile.
  v1::RunProfile ForRun() const;

 private:
  bool Expired(const v1::ToleranceWaiver& waiver) const;

  Profile profile_;
  absl::CivilDay today_;
};

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_APPLIED_H_
