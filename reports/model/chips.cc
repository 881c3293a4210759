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

absl::StatusOr<std::vector<ChipOverview>> LoadChips(server::Queries& queries) {
  const absl::StatusOr<std::vector<server::ChipRow>> chips = queries.Chips();
  if (!chips.ok()) return chips.status();
  std::vector<ChipOverview> overview;
  for (const server::ChipRow& chip : *chips) {
    absl::StatusOr<std::vector<RunSummary>> runs = LoadRuns(queries, {chip.chip, kTrendRuns});
    if (!runs.ok()) return runs.status();
    if (runs->empty()) continue;
    ChipOverview& row = overview.emplace_back();
    row.chip = chip.chip;
    row.runs = chip.runs;
    for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
      if (run->done > 0) row.trend.push_back(PointOf(*run));
    }
    row.latest = std::move(runs->front());
  }
  return overview;
}

absl::StatusOr<ChipDetail> LoadChip(server::Queries& queries, const std::string& chip) {
  absl::StatusOr<std::vector<RunSummary>> runs = LoadRuns(queries, {chip, kTrendRuns});
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return NoSuchChip(queries, chip);
  ChipDetail detail;
  detail.chip = chip;
  detail.latest = runs->front();
  const auto judged =
      std::find_if(runs->begin(), runs->end(), [](const RunSummary& run) { return run.done > 0; });
  if (judged != runs->end()) {
    absl::StatusOr<Heat> heat = LoadHeat(queries, judged->facts.run_id);
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
