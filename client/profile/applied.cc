#include "client/profile/applied.h"

#include "absl/strings/str_cat.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "client/profile/match.h"
#include "client/profile/waivers.h"

namespace diopi::profile {

std::optional<v1::Finding> AppliedProfile::SkipReason(const v1::Case& c) const {
  for (int i = 0; i < rules().skip_size(); ++i) {
    const v1::Skip& skip = rules().skip(i);
    if (!Matches(skip.match(), c)) continue;
    const std::string issue = skip.issue().empty() ? "" : absl::StrCat(" (", skip.issue(), ")");
    return Found(v1::Finding::SKIPPED_BY)
        .Word(profile_.skip_at[static_cast<size_t>(i)])
        .Said(absl::StrCat(skip.reason(), issue));
  }
  return std::nullopt;
}

std::optional<double> AppliedProfile::TimeoutOf(const v1::Case& c) const {
  for (int i = rules().timeout_size(); i-- > 0;) {
    if (Matches(rules().timeout(i).match(), c)) return rules().timeout(i).seconds();
  }
  return std::nullopt;
}

bool AppliedProfile::Expired(const v1::ToleranceWaiver& waiver) const {
  const std::optional<absl::CivilDay> last = ParseDay(waiver.expires());
  return !last.has_value() || *last < today_;
}

void AppliedProfile::Waive(const v1::Case& c, const TensorMap& references, const TensorMap& actual,
                           v1::Verdict* verdict) const {
  if (verdict->outcome() != v1::OUTCOME_FAIL) return;
  const google::protobuf::RepeatedPtrField<v1::Finding> without = verdict->findings();
  for (int i = 0; i < rules().waiver_size(); ++i) {
    const v1::ToleranceWaiver& waiver = rules().waiver(i);
    if (!Matches(waiver.match(), c)) continue;
    const std::string& id = profile_.waiver_at[static_cast<size_t>(i)];
    if (Expired(waiver)) {
      *verdict->add_findings() =
          Found(v1::Finding::WAIVER_EXPIRED).Word(id).Limit(waiver.expires()).Said(waiver.issue());
      continue;
    }
    std::optional<v1::Finding> beyond = WhyBeyond(waiver.tolerance(), c, references, actual, *verdict);
    if (beyond.has_value()) {
      beyond->set_word(id);
      *verdict->add_findings() = *std::move(beyond);
      continue;
    }
    verdict->clear_findings();
    *verdict->add_findings() = Found(v1::Finding::WAIVED_BY)
                                   .Word(id)
                                   .Limit(waiver.expires())
                                   .Said(waiver.reason())
                                   .Got(absl::StrCat(waiver.issue(), "; ", ToleranceText(waiver.tolerance())))
                                   .Parts(without);
    verdict->set_outcome(v1::OUTCOME_WAIVED);
    verdict->set_waiver(id);
    break;
  }
  Describe(verdict);
}

v1::RunProfile AppliedProfile::ForRun() const {
  v1::RunProfile run;
  run.set_file(profile_.file);
  run.set_hash(profile_.hash);
  run.set_skips(rules().skip_size());
  *run.mutable_environment() = rules().environment();
  for (int i = 0; i < rules().waiver_size(); ++i) {
    const v1::ToleranceWaiver& waiver = rules().waiver(i);
    v1::RunProfile::Waiver& kept = *run.add_waiver();
    kept.set_id(profile_.waiver_at[static_cast<size_t>(i)]);
    kept.set_match(MatchText(waiver.match()));
    *kept.mutable_tolerance() = waiver.tolerance();
    kept.set_reason(waiver.reason());
    kept.set_issue(waiver.issue());
    kept.set_expires(waiver.expires());
    kept.set_expired(Expired(waiver));
  }
  return run;
}

}  // namespace diopi::profile
