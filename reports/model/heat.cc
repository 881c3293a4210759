#include "reports/model/heat.h"

#include <map>
#include <utility>

#include "cases/core/library_checks.h"
#include "reports/model/outcome.h"

namespace diopi::reports {

Heat BuildHeat(const std::string& run_id, const std::vector<server::TallyRow>& tallies) {
  std::map<std::string, int> operators;
  std::map<v1::Dtype::Code, int> dtypes;
  for (const server::TallyRow& tally : tallies) {
    if (tally.op == cases::kLibraryOperator) continue;
    operators.emplace(tally.op, 0);
    dtypes.emplace(tally.dtype, 0);
  }
  Heat heat;
  heat.run_id = run_id;
  for (auto& [name, index] : operators) {
    index = static_cast<int>(heat.operators.size());
    heat.operators.push_back(name);
  }
  for (auto& [dtype, index] : dtypes) {
    index = static_cast<int>(heat.dtypes.size());
    heat.dtypes.push_back(dtype);
  }
  std::map<std::pair<int, int>, HeatCell> cells;
  for (const server::TallyRow& tally : tallies) {
    if (tally.op == cases::kLibraryOperator) continue;
    const std::pair<int, int> at(operators[tally.op], dtypes[tally.dtype]);
    HeatCell& cell = cells[at];
    cell.op = at.first;
    cell.dtype = at.second;
    cell.cases += tally.cases;
    if (tally.outcome == v1::OUTCOME_PASS) {
      cell.passed += tally.cases;
    } else if (IsFailure(tally.outcome)) {
      cell.failed += tally.cases;
    } else {
      cell.other += tally.cases;
    }
  }
  heat.cells.reserve(cells.size());
  for (const auto& [at, cell] : cells) heat.cells.push_back(cell);
  return heat;
}

absl::StatusOr<Heat> LoadHeat(server::Queries& queries, const std::string& run_id) {
  const absl::StatusOr<std::vector<server::TallyRow>> tallies = queries.Tallies(run_id);
  if (!tallies.ok()) return tallies.status();
  return BuildHeat(run_id, *tallies);
}

}  // namespace diopi::reports
