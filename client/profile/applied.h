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
  AppliedProfile() = default;  // no profile: nothing is skipped, waived or limited
  // `today` decides which waivers have expired, for the whole run.
  AppliedProfile(Profile profile, absl::CivilDay today) : profile_(std::move(profile)), today_(today) {}

  const v1::DeviceProfile& rules() const { return profile_.rules; }
  bool has_waivers() const { return !profile_.rules.waiver().empty(); }

  // "skipped by a100.textproto:12: no 5-d kernels (https://...)", of the first rule that is about the case.
  std::optional<std::string> SkipReason(const v1::Case& c) const;

  // The last rule that is about the case. Seconds; nothing: the run's own limit holds.
  std::optional<double> TimeoutOf(const v1::Case& c) const;

  // A verdict `fail` that a waiver in force covers completely becomes `waived`, with the waiver in `waiver`
  // and in the reason. Where one does not cover it, or has expired, the verdict stays and its reason says so.
  // Any other verdict is left alone.
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
