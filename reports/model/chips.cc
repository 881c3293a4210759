#include "reports/model/chips.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::reports {
namespace {

constexpr size_t kFlakyListed = 50;

TrendPoint PointOf(const RunSummary& run) {
  return {run.facts.run_id, run.facts.created, run.variant, run.correctness, run.coverage, run.failed};
}

absl::Status NoSuchChip(server::Queries& queries, const std::string& chip) {
  const absl::StatusOr<std::vector<server::ChipRow>> chips = queries.Chips();
  if (!chips.ok()) return chips.status();
  if (chips->empty()) return absl::NotFoundError(absl::StrCat("no chip '", chip, "': there are no runs yet"));
  return absl::NotFoundError(
      absl::StrCat("no runs on a chip '", chip, "'; there are runs on ",
                   absl::StrJoin(*chips, ", ", [](std::string* out, const server::ChipRow& row) {
                     absl::StrAppend(out, row.chip.empty() ? "(no name)" : row.chip);
                   })));
}

}  // namespace

absl::Status VisitCompleteRuns(server::Queries& queries, const server::RunFilter& filter,
                               const std::function<bool(RunSummary)>& visit) {
  const absl::StatusOr<std::vector<server::RunFacts>> facts = queries.RunsFacts(filter);
  if (!facts.ok()) return facts.status();
  for (const server::RunFacts& run : *facts) {
    if (!PartialText(run.scope, run.state, 0, 0).empty()) continue;
    absl::StatusOr<RunSummary> summary = LoadSummary(queries, run.run_id);
    if (!summary.ok()) return summary.status();
    if (summary->done == 0 || !summary->partial.empty()) continue;
    if (!visit(*std::move(summary))) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<RunSummary>> CompleteRuns(server::Queries& queries, const std::string& chip,
                                                     size_t limit, const server::TimeRange& range) {
  std::vector<RunSummary> runs;
  absl::Status status = VisitCompleteRuns(queries, {chip, 0, range}, [&](RunSummary run) {
    runs.push_back(std::move(run));
    return runs.size() < limit;
  });
  if (!status.ok()) return status;
  return runs;
}

absl::StatusOr<std::vector<ChipOverview>> LoadChips(server::Queries& queries,
                                                    const server::TimeRange& range) {
  const absl::StatusOr<std::vector<server::ChipRow>> chips = queries.Chips(range);
  if (!chips.ok()) return chips.status();
  std::vector<ChipOverview> overview;
  for (const server::ChipRow& chip : *chips) {
    absl::StatusOr<RunSummary> latest = LoadSummary(queries, chip.latest);
    if (!latest.ok()) return latest.status();
    absl::StatusOr<std::vector<RunSummary>> runs = CompleteRuns(queries, chip.chip, kTrendRuns, range);
    if (!runs.ok()) return runs.status();
    ChipOverview& row = overview.emplace_back();
    row.chip = chip.chip;
    row.runs = chip.runs;
    row.latest = *std::move(latest);
    for (auto run = runs->rbegin(); run != runs->rend(); ++run) row.trend.push_back(PointOf(*run));
    if (!runs->empty()) row.complete = std::move(runs->front());
  }
  return overview;
}

absl::StatusOr<ChipDetail> LoadChip(server::Queries& queries, const std::string& chip) {
  absl::StatusOr<std::vector<RunSummary>> runs = LoadRuns(queries, {chip, kTrendRuns, {}});
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return NoSuchChip(queries, chip);
  ChipDetail detail;
  detail.chip = chip;
  detail.latest = runs->front();
  absl::StatusOr<std::vector<RunSummary>> complete = CompleteRuns(queries, chip, 1);
  if (!complete.ok()) return complete.status();
  if (!complete->empty()) detail.complete = std::move(complete->front());
  const auto judged =
      std::find_if(runs->begin(), runs->end(), [](const RunSummary& run) { return run.done > 0; });
  if (detail.complete.has_value() || judged != runs->end()) {
    const RunSummary& shown = detail.complete.has_value() ? *detail.complete : *judged;
    absl::StatusOr<Heat> heat = LoadHeat(queries, shown.facts.run_id);
    if (!heat.ok()) return heat.status();
    detail.heat = *std::move(heat);
  }
  detail.runs = *std::move(runs);
  absl::StatusOr<std::vector<FlakyCase>> flaky = FindFlaky(queries, chip, kTrendRuns, kFlakyListed);
  if (!flaky.ok()) return flaky.status();
  detail.flaky = *std::move(flaky);
  return detail;
}

}  // namespace diopi::reports
