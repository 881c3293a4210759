#include "reports/model/heat.h"

#include <map>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"

namespace diopi::reports {

v1::Heat BuildHeat(const std::string& run_id, const std::vector<server::TallyRow>& tallies) {
  std::map<std::string, int> operators;
  std::map<v1::Dtype::Code, int> dtypes;
  for (const server::TallyRow& tally : tallies) {
    if (tally.op == cases::kLibraryOperator) continue;
    operators.emplace(tally.op, 0);
    dtypes.emplace(tally.dtype, 0);
  }
  v1::Heat heat;
  heat.set_run_id(run_id);
  for (auto& [name, index] : operators) {
    index = heat.operators_size();
    heat.add_operators(name);
  }
  for (auto& [dtype, index] : dtypes) {
    index = heat.dtypes_size();
    heat.add_dtypes(dtype);
  }
  std::map<std::pair<int, int>, v1::HeatCell> cells;
  for (const server::TallyRow& tally : tallies) {
    if (tally.op == cases::kLibraryOperator) continue;
    const std::pair<int, int> at(operators[tally.op], dtypes[tally.dtype]);
    v1::HeatCell& cell = cells[at];
    cell.set_operator_(at.first);
    cell.set_dtype(at.second);
    cell.set_cases(cell.cases() + tally.cases);
    if (tally.outcome == v1::OUTCOME_PASS) {
      cell.set_passed(cell.passed() + tally.cases);
    } else if (IsFailure(tally.outcome)) {
      cell.set_failed(cell.failed() + tally.cases);
    } else {
      cell.set_other(cell.other() + tally.cases);
    }
  }
  for (const auto& [at, cell] : cells) *heat.add_cells() = cell;
  return heat;
}

absl::StatusOr<v1::Heat> LoadHeat(server::Queries& queries, const std::string& run_id) {
  ASSIGN_OR_RETURN(const std::vector<server::TallyRow> tallies, queries.Tallies(run_id));
  return BuildHeat(run_id, tallies);
}

}  // namespace diopi::reports
