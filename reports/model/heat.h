// A run as a map of operator by dtype.
#ifndef REPORTS_MODEL_HEAT_H_
#define REPORTS_MODEL_HEAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/queries.h"

namespace diopi::reports {

struct HeatCell {
  int op = 0;     // index into Heat::operators
  int dtype = 0;  // index into Heat::dtypes
  int64_t cases = 0;
  int64_t passed = 0;
  int64_t failed = 0;  // IsFailure
  int64_t other = 0;   // the rest: not_implemented, unsupported_dtype, skipped, waived, harness_error
};

struct Heat {
  std::string run_id;
  std::vector<std::string> operators;   // by name
  std::vector<v1::Dtype::Code> dtypes;  // by code
  std::vector<HeatCell> cells;          // by operator, then dtype; only those with cases
};

// Leaves out the checks of the library as a whole, which have no dtype.
Heat BuildHeat(const std::string& run_id, const std::vector<server::TallyRow>& tallies);

absl::StatusOr<Heat> LoadHeat(server::Queries& queries, const std::string& run_id);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_HEAT_H_
