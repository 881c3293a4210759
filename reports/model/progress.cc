#include "reports/model/progress.h"

#include <algorithm>

namespace diopi::reports {
namespace {

constexpr size_t kRecent = 20;
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

absl::StatusOr<Progress> LoadProgress(server::Queries& queries, const std::string& run_id, int64_t since,
                                      absl::Time now) {
  const absl::StatusOr<server::RunRow> run = queries.RunCounts(run_id);
  if (!run.ok()) return run.status();
  absl::StatusOr<std::vector<server::RecentVerdict>> newest = queries.Recent(run->facts.run_id, 0, kMeasured);
  if (!newest.ok()) return newest.status();
  Progress progress;
  progress.run_id = run->facts.run_id;
  progress.state = run->facts.state;
  progress.cases = std::max(run->facts.cases, run->totals.done);
  progress.done = run->totals.done;
  progress.outcomes = run->totals.outcomes;
  progress.cursor = newest->empty() ? since : std::max(since, newest->front().cursor);
  if (progress.state == v1::RUN_STATE_RUNNING) progress.cases_per_s = RateOf(*newest, now);
  if (progress.cases_per_s.value_or(0) > 0) {
    progress.left_s = static_cast<double>(progress.cases - progress.done) / *progress.cases_per_s;
  }
  for (const server::RecentVerdict& verdict : *newest) {
    if (verdict.cursor > since && progress.recent.size() < kRecent) progress.recent.push_back(verdict);
  }
  return progress;
}

}  // namespace diopi::reports
