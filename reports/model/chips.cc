#include "reports/model/chips.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "reports/model/coverage.h"

namespace diopi::reports {
namespace {

constexpr size_t kFlakyListed = 50;

v1::TrendPoint PointOf(const v1::RunSummary& run) {
  v1::TrendPoint point;
  point.set_run_id(run.run_id());
  point.set_created(run.created());
  point.set_variant(run.variant());
  *point.mutable_correctness() = run.correctness();
  *point.mutable_coverage() = run.coverage();
  point.set_failed(run.failed());
  return point;
}

absl::StatusOr<v1::KnownFunctions> Summarize(const absl::StatusOr<CoverageCells>& cells) {
  if (!cells.ok()) return cells.status();
  v1::KnownFunctions known;
  for (const auto& [function, cell] : *cells) {
    if (!cell.tested()) continue;
    known.set_tested(known.tested() + 1);
    if (cell.passed() == cell.cases()) known.set_passing(known.passing() + 1);
    if (known.oldest().empty() || cell.created() < known.oldest()) known.set_oldest(cell.created());
    known.set_newest(std::max(known.newest(), cell.created()));
  }
  return known;
}

absl::Status AddKnown(const absl::StatusOr<CoverageCells>& cells, v1::ChipPage* page) {
  if (!cells.ok()) return cells.status();
  for (const auto& [function, cell] : *cells) {
    if (!cell.has_run_id()) continue;
    v1::KnownFunction& known = *page->add_known();
    known.set_name(function);
    *known.mutable_cell() = cell;
  }
  return absl::OkStatus();
}

absl::Status NoSuchChip(server::Queries& queries, const std::string& chip) {
  ASSIGN_OR_RETURN(const std::vector<server::ChipRow> chips, queries.Chips());
  if (chips.empty()) return absl::NotFoundError(absl::StrCat("no chip '", chip, "': there are no runs yet"));
  return absl::NotFoundError(
      absl::StrCat("no runs on a chip '", chip, "'; there are runs on ",
                   absl::StrJoin(chips, ", ", [](std::string* out, const server::ChipRow& row) {
                     absl::StrAppend(out, row.chip.empty() ? "(no name)" : row.chip);
                   })));
}

}  // namespace

absl::Status VisitCompleteRuns(server::Queries& queries, const server::RunFilter& filter,
                               const std::function<bool(v1::RunSummary)>& visit) {
  ASSIGN_OR_RETURN(const std::vector<server::RunFacts> facts, queries.RunsFacts(filter));
  for (const server::RunFacts& run : facts) {
    if (!WhyPartial(run.scope, run.state, 0, 0).parts().empty()) continue;
    ASSIGN_OR_RETURN(v1::RunSummary summary, LoadSummary(queries, run.run_id));
    if (summary.done() == 0 || !summary.partial().empty()) continue;
    if (!visit(std::move(summary))) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<v1::RunSummary>> CompleteRuns(server::Queries& queries, const std::string& chip,
                                                         size_t limit, const server::TimeRange& range) {
  std::vector<v1::RunSummary> runs;
  absl::Status status = VisitCompleteRuns(queries, {chip, 0, range}, [&](v1::RunSummary run) {
    runs.push_back(std::move(run));
    return runs.size() < limit;
  });
  if (!status.ok()) return status;
  return runs;
}

absl::StatusOr<v1::ChipsPage> LoadChips(server::Queries& queries, const server::TimeRange& range) {
  ASSIGN_OR_RETURN(const std::vector<server::ChipRow> chips, queries.Chips(range));
  v1::ChipsPage page;
  for (const server::ChipRow& chip : chips) {
    ASSIGN_OR_RETURN(v1::RunSummary latest, LoadSummary(queries, chip.latest));
    ASSIGN_OR_RETURN(std::vector<v1::RunSummary> runs, CompleteRuns(queries, chip.chip, kTrendRuns, range));
    v1::ChipRow& row = *page.add_chips();
    row.set_chip(chip.chip);
    row.set_runs(chip.runs);
    row.set_vendor_name(latest.vendor_name());
    *row.mutable_latest() = std::move(latest);
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) *row.add_trend() = PointOf(*run);
    if (!runs.empty()) {
      *row.mutable_complete() = std::move(runs.front());
      continue;
    }
    ASSIGN_OR_RETURN(v1::KnownFunctions known, Summarize(LoadCells(queries, chip.chip)));
    *row.mutable_known() = std::move(known);
  }
  return page;
}

absl::StatusOr<v1::ChipPage> LoadChip(server::Queries& queries, const std::string& chip) {
  ASSIGN_OR_RETURN(v1::RunsPage runs, LoadRuns(queries, {chip, kTrendRuns, {}}));
  if (runs.runs().empty()) return NoSuchChip(queries, chip);
  v1::ChipPage page;
  page.set_chip(chip);
  *page.mutable_latest() = runs.runs(0);
  ASSIGN_OR_RETURN(std::vector<v1::RunSummary> complete, CompleteRuns(queries, chip, 1));
  if (!complete.empty()) *page.mutable_complete() = std::move(complete.front());
  page.mutable_heat();
  if (page.has_complete()) {
    ASSIGN_OR_RETURN(v1::Heat heat, LoadHeat(queries, page.complete().run_id()));
    *page.mutable_heat() = std::move(heat);
  } else if (absl::Status added = AddKnown(LoadCells(queries, chip), &page); !added.ok()) {
    return added;
  }
  const v1::RunOptions& scope = (page.has_complete() ? page.complete() : page.latest()).scope();
  if (scope.has_machine()) *page.mutable_machine() = scope.machine();
  *page.mutable_runs() = std::move(*runs.mutable_runs());
  ASSIGN_OR_RETURN(const std::vector<v1::FlakyCase> flaky,
                   FindFlaky(queries, chip, kTrendRuns, kFlakyListed));
  page.mutable_flaky()->Assign(flaky.begin(), flaky.end());
  return page;
}

}  // namespace diopi::reports
