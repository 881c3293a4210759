// The cases of a run as the rows of a table.
#ifndef REPORTS_MODEL_CASES_TABLE_H_
#define REPORTS_MODEL_CASES_TABLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How long the case's call took, in microseconds; NaN where no time was taken.
double TimeOf(const server::CaseRow& row);

// `run_id` may be "latest". Errors are the database's.
absl::StatusOr<v1::CasesTable> LoadCases(server::Queries& queries, const std::string& run_id,
                                         const server::CaseFilter& filter);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_CASES_TABLE_H_
