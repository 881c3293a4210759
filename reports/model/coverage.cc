#include "reports/model/coverage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "proto/abi/abi.h"
#include "reports/model/completeness.h"
#include "reports/model/outcome.h"
#include "reports/model/suite.h"

namespace diopi::reports {
namespace {

using Cells = std::map<std::string, v1::CoverageCell>;  // by function

// One run's result for a function that its cases call.
struct Word {
  int64_t called = 0;
  int64_t passed = 0;
  int64_t not_implemented = 0;
};

std::map<std::string, Word> WordsOf(const std::vector<server::TallyRow>& tallies) {
  std::map<std::string, Word> words;
  for (const server::TallyRow& tally : tallies) {
    if (tally.function.empty()) continue;
    Word& word = words[tally.function];
    if (IsCalled(tally.outcome)) word.called += tally.cases;
    if (tally.outcome == v1::OUTCOME_PASS) word.passed += tally.cases;
    if (tally.outcome == v1::OUTCOME_NOT_IMPLEMENTED) word.not_implemented += tally.cases;
  }
  return words;
}

// The runs, newest first, with the library of the newest run that has verdicts; at most kCoverageRuns.
// Partial runs come last: a run of a single dtype must not hide a complete run's result for a function.
std::vector<std::string> RunsOfNewestLibrary(const std::vector<server::RunRow>& runs) {
  std::vector<const server::RunRow*> chosen;
  for (const server::RunRow& run : runs) {
    if (run.totals.done == 0) continue;
    if (!chosen.empty() && run.facts.impl_sha256 != chosen.front()->facts.impl_sha256) continue;
    chosen.push_back(&run);
    if (chosen.size() == static_cast<size_t>(kCoverageRuns)) break;
  }
  std::stable_partition(chosen.begin(), chosen.end(), [](const server::RunRow* run) {
    return PartialText(run->facts.scope, run->facts.state, run->facts.cases, run->totals.done).empty();
  });
  std::vector<std::string> ids;
  ids.reserve(chosen.size());
  for (const server::RunRow* run : chosen) ids.push_back(run->facts.run_id);
  return ids;
}

absl::StatusOr<Cells> CellsOf(server::Queries& queries, const std::string& chip) {
  // Reads a few more runs than needed: other libraries' runs may lie between.
  const absl::StatusOr<std::vector<server::RunRow>> runs = queries.Runs({chip, 4 * kCoverageRuns});
  if (!runs.ok()) return runs.status();
  const std::vector<std::string> ids = RunsOfNewestLibrary(*runs);
  Cells cells;
  if (ids.empty()) return cells;
  const absl::StatusOr<std::vector<std::string>> exported = queries.ExportedFunctions(ids.front());
  if (!exported.ok()) return exported.status();
  for (const std::string& function : *exported) cells[function].set_implemented(true);
  for (const std::string& id : ids) {
    const absl::StatusOr<std::vector<server::TallyRow>> tallies = queries.Tallies(id);
    if (!tallies.ok()) return tallies.status();
    for (const auto& [function, word] : WordsOf(*tallies)) {
      v1::CoverageCell& cell = cells[function];
      if (cell.has_run_id()) continue;  // a newer run has a result
      cell.set_run_id(id);
      cell.set_tested(word.called > 0);
      cell.set_cases(word.called);
      cell.set_passed(word.passed);
      // Exported, but every call returned NoImplement: not implemented.
      if (word.called == 0 && word.not_implemented > 0) cell.set_implemented(false);
    }
  }
  return cells;
}

}  // namespace

absl::StatusOr<v1::CoveragePage> LoadCoverage(server::Queries& queries) {
  const absl::StatusOr<std::vector<server::ChipRow>> chips = queries.Chips();
  if (!chips.ok()) return chips.status();
  v1::CoveragePage page;
  std::vector<Cells> columns;
  for (const server::ChipRow& chip : *chips) {
    absl::StatusOr<Cells> cells = CellsOf(queries, chip.chip);
    if (!cells.ok()) return cells.status();
    page.add_chips(chip.chip);
    columns.push_back(*std::move(cells));
  }
  page.set_abi_functions(static_cast<int64_t>(abi::Functions().size()));
  const SuiteIndex& suite = BuiltinSuite();
  for (const abi::Function* function : abi::Functions()) {
    v1::FunctionCoverage& row = *page.add_functions();
    row.set_name(function->name());
    row.set_header(std::string(abi::HeaderOf(function->name())));
    if (const auto place = suite.find(row.name()); place != suite.end()) row.set_family(place->second.family);
    for (const Cells& cells : columns) {
      const auto cell = cells.find(row.name());
      *row.add_cells() = cell == cells.end() ? v1::CoverageCell() : cell->second;
    }
  }
  return page;
}

}  // namespace diopi::reports
