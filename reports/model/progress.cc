#include "reports/model/progress.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cases/base/status_macros.h"
#include "reports/model/report.h"

namespace diopi::reports {
namespace {

constexpr int kRecent = 20;
constexpr int kMeasured = 256;
constexpr double kShortestSeconds = 2;

// Verdicts per second since the oldest of `recent`.
std::optional<double> RateOf(const std::vector<server::RecentVerdict>& recent, absl::Time now) {
  if (recent.size() < 2) return std::nullopt;
  absl::Time oldest;
  if (!absl::ParseTime(absl::RFC3339_full, recent.back().stored, &oldest, nullptr)) return std::nullopt;
  const double seconds = absl::ToDoubleSeconds(now - oldest);
  if (seconds < kShortestSeconds) return std::nullopt;
  return static_cast<double>(recent.size() - 1) / seconds;
}

}  // namespace

absl::StatusOr<v1::Progress> LoadProgress(server::Queries& queries, const std::string& run_id, int64_t since,
                                          absl::Time now) {
  ASSIGN_OR_RETURN(const server::RunRow run, queries.RunCounts(run_id));
  ASSIGN_OR_RETURN(std::vector<server::RecentVerdict> newest, queries.Recent(run.facts.run_id, 0, kMeasured));
  v1::Progress progress;
  progress.set_run_id(run.facts.run_id);
  progress.set_state(run.facts.state);
  progress.set_cases(std::max(run.facts.cases, run.totals.done));
  progress.set_done(run.totals.done);
  *progress.mutable_outcomes() = CountsOf(run.totals.outcomes);
  progress.set_since(newest.empty() ? since : std::max(since, newest.front().cursor));
  const std::optional<double> rate =
      run.facts.state == v1::RUN_STATE_RUNNING ? RateOf(newest, now) : std::nullopt;
  if (rate.has_value()) progress.set_cases_per_s(*rate);
  if (rate.value_or(0) > 0)
    progress.set_left_s(static_cast<double>(progress.cases() - progress.done()) / *rate);
  for (server::RecentVerdict& verdict : newest) {
    if (verdict.cursor <= since || progress.recent_size() == kRecent) continue;
    v1::NewVerdict& recent = *progress.add_recent();
    recent.set_case_id(verdict.case_id);
    recent.set_outcome(verdict.outcome);
    recent.set_reason(verdict.reason);
    *recent.mutable_findings() = std::move(verdict.parts.findings);
    *recent.mutable_cause() = std::move(verdict.parts.cause);
  }
  return progress;
}

}  // namespace diopi::reports
