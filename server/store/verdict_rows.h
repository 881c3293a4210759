// Verdicts to rows and back. Private to this folder.
#ifndef SERVER_STORE_VERDICT_ROWS_H_
#define SERVER_STORE_VERDICT_ROWS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/database.h"
#include "server/store/message_columns.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// What `results` and `result_outputs` have of a verdict and of its outputs.
const MessageColumns& VerdictColumns();
const MessageColumns& OutputColumns();

// Writes verdicts of one run inside a transaction, and does not outlive it: what it remembers is not there
// after a rollback. One at a time on a connection.
class VerdictWriter {
 public:
  // `connection` must outlive it; `now` goes into each row.
  static absl::StatusOr<VerdictWriter> Make(Connection* connection, int64_t run, const std::string& now);
  // The verdict and its outputs; false when (run, case) has one already. InvalidArgument when the case is not
  // in the run.
  absl::StatusOr<bool> Insert(const v1::Verdict& verdict);

 private:
  VerdictWriter(Connection* connection, int64_t run, std::string now, Statement result, Statement output)
      : connection_(connection),
        run_(run),
        now_(std::move(now)),
        result_(std::move(result)),
        output_(std::move(output)) {}
  absl::StatusOr<int64_t> ProvenanceId(const v1::Verdict& verdict);

  Connection* connection_;
  int64_t run_;
  std::string now_;
  Statement result_;
  Statement output_;
  // Of the verdict before: nearly always all of a batch were judged by one reference.
  std::string reference_;
  std::string device_reference_;
  int64_t provenance_id_ = 0;
};

absl::StatusOr<std::vector<v1::Verdict>> SelectVerdicts(Connection* connection, int64_t run,
                                                        const VerdictFilter& filter);

// See Database::PageOfVerdicts.
absl::StatusOr<VerdictPage> SelectVerdictPage(Connection* connection, int64_t run,
                                              const VerdictFilter& filter, const std::string& after,
                                              size_t max_bytes);

}  // namespace diopi::server

#endif  // SERVER_STORE_VERDICT_ROWS_H_
