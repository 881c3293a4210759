// A run as a map of operator by dtype.
#ifndef REPORTS_MODEL_HEAT_H_
#define REPORTS_MODEL_HEAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// Leaves out the checks of the library as a whole, which have no dtype.
v1::Heat BuildHeat(const std::string& run_id, const std::vector<server::TallyRow>& tallies);

absl::StatusOr<v1::Heat> LoadHeat(server::Queries& queries, const std::string& run_id);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_HEAT_H_
