// Verdicts to rows and back. Private to this folder.
#ifndef SERVER_STORE_VERDICT_ROWS_H_
#define SERVER_STORE_VERDICT_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/database.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Inserts the verdict and its outputs; false when (run, case) has one already. InvalidArgument when the case
// is not in the run. Call it inside a transaction.
absl::StatusOr<bool> InsertVerdict(Connection* connection, int64_t run, const v1::Verdict& verdict,
                                   const std::string& now);

absl::StatusOr<std::vector<v1::Verdict>> SelectVerdicts(Connection* connection, int64_t run,
                                                        const VerdictFilter& filter);

}  // namespace diopi::server

#endif  // SERVER_STORE_VERDICT_ROWS_H_
