#include "reports/model/coverage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "proto/abi/abi.h"
#include "reports/model/completeness.h"
#include "reports/model/suite.h"

namespace diopi::reports {
namespace {

std::map<std::string, CallTally> TalliesOf(const std::vector<server::TallyRow>& rows) {
  std::map<std::string, CallTally> tallies;
  for (const server::TallyRow& row : rows) {
    if (!row.function.empty()) tallies[row.function].Add(row.outcome, row.cases);
  }
  return tallies;
}

// The runs, newest first, with the library of the newest run that has verdicts; at most kCoverageRuns.
// Partial runs come last: a run of a single dtype must not hide a complete run's result for a function.
std::vector<const server::RunRow*> RunsOfNewestLibrary(const std::vector<server::RunRow>& runs) {
  std::vector<const server::RunRow*> chosen;
  for (const server::RunRow& run : runs) {
    if (run.totals.done == 0) continue;
    if (!chosen.empty() && run.facts.impl_sha256 != chosen.front()->facts.impl_sha256) continue;
    chosen.push_back(&run);
    if (chosen.size() == static_cast<size_t>(kCoverageRuns)) break;
  }
  std::stable_partition(chosen.begin(), chosen.end(), [](const server::RunRow* run) {
    return WhyPartial(run->facts.scope, run->facts.state, run->facts.cases, run->totals.done).parts().empty();
  });
  return chosen;
}

}  // namespace

absl::StatusOr<CoverageCells> LoadCells(server::Queries& queries, const std::string& chip) {
  // Reads a few more runs than needed: other libraries' runs may lie between.
  ASSIGN_OR_RETURN(const std::vector<server::RunRow> runs, queries.Runs({chip, 4 * kCoverageRuns}));
  const std::vector<const server::RunRow*> chosen = RunsOfNewestLibrary(runs);
  CoverageCells cells;
  if (chosen.empty()) return cells;
  ASSIGN_OR_RETURN(const std::vector<std::string> exported,
                   queries.ExportedFunctions(chosen.front()->facts.run_id));
  for (const std::string& function : exported) cells[function].set_implemented(true);
  for (const server::RunRow* run : chosen) {
    ASSIGN_OR_RETURN(const std::vector<server::TallyRow> rows, queries.Tallies(run->facts.run_id));
    for (const auto& [function, tally] : TalliesOf(rows)) {
      v1::CoverageCell& cell = cells[function];
      if (cell.has_run_id()) continue;  // a newer run has a result
      cell.set_run_id(run->facts.run_id);
      cell.set_created(run->facts.created);
      cell.set_tested(tally.tested());
      cell.set_cases(tally.called);
      cell.set_passed(tally.passed);
      if (tally.hollow()) cell.set_implemented(false);
    }
  }
  return cells;
}

absl::StatusOr<v1::CoveragePage> LoadCoverage(server::Queries& queries) {
  ASSIGN_OR_RETURN(const std::vector<server::ChipRow> chips, queries.Chips());
  v1::CoveragePage page;
  std::vector<CoverageCells> columns;
  for (const server::ChipRow& chip : chips) {
    ASSIGN_OR_RETURN(CoverageCells cells, LoadCells(queries, chip.chip));
    page.add_chips(chip.chip);
    columns.push_back(std::move(cells));
  }
  page.set_abi_functions(static_cast<int64_t>(abi::Functions().size()));
  const SuiteIndex& suite = BuiltinSuite();
  for (const abi::Function* function : abi::Functions()) {
    v1::FunctionCoverage& row = *page.add_functions();
    row.set_name(function->name());
    row.set_header(std::string(abi::HeaderOf(function->name())));
    if (const auto place = suite.find(row.name()); place != suite.end()) row.set_family(place->second.family);
    for (const CoverageCells& cells : columns) {
      const auto cell = cells.find(row.name());
      *row.add_cells() = cell == cells.end() ? v1::CoverageCell() : cell->second;
    }
  }
  return page;
}

}  // namespace diopi::reports
