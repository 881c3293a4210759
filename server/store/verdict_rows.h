// Writes verdicts as rows, and reads them back. Private to this folder.
//
// A row of `verdicts` has what differs from run to run: outcome, times, device. All else is in a row of
// `contents`, which runs share: its body is the verdict's difference (message_delta.h) from a verdict with
// only its case's facts, or from that of another row, its base. A base has no base itself.
#ifndef SERVER_STORE_VERDICT_ROWS_H_
#define SERVER_STORE_VERDICT_ROWS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/database.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// The columns that ReadVerdict reads, of `verdicts` as v and of the tables that DIOPI_VERDICT_JOINS joins to
// it.
#define DIOPI_VERDICT_COLUMNS                                                                \
  "c.case_id, c.case_hash, c.function, c.operator, v.outcome, v.call_time, v.elapsed_time, " \
  "v.device_index, x.body, b.body"
#define DIOPI_VERDICT_JOINS                                                             \
  " CROSS JOIN cases c ON c.id = v.case_row CROSS JOIN contents x ON x.id = v.content " \
  "LEFT JOIN contents b ON b.id = x.base "
inline constexpr int kVerdictColumns = 10;
// The place of v's case in the suite of run ?1, as s.
#define DIOPI_PLACE_JOIN                                                                            \
  " CROSS JOIN suite_cases s ON s.suite = (SELECT suite FROM runs WHERE id = ?1) AND s.case_row = " \
  "v.case_row "

// Reads all but the references. `first`: where DIOPI_VERDICT_COLUMNS begin in the row. DataLoss, with the
// file's name.
absl::Status ReadVerdict(const Statement& row, int first, const std::string& path, v1::Verdict* verdict);

// A column call_time or elapsed_time, in microseconds. Whole nanoseconds are stored as INTEGER, other times
// as REAL microseconds, so that what is read is exactly what was measured.
std::optional<double> MicrosecondsOf(const Statement& row, int column);

// Writes verdicts of one run inside a transaction, which it must not outlive: after a rollback the rows that
// it remembers are gone. A connection has one writer at a time.
class VerdictWriter {
 public:
  // `connection` must outlive it; `now` is when the verdicts are stored.
  static absl::StatusOr<VerdictWriter> Make(Connection* connection, int64_t run, const std::string& now);
  // False when (run, case) has a verdict already. InvalidArgument when the case is not in the run.
  absl::StatusOr<bool> Insert(const v1::Verdict& verdict);
  // Call it after the last one: stores which verdicts came, in their order.
  absl::Status Finish();
  // How many bytes the inserted rows take, approximately.
  int64_t bytes() const { return bytes_; }

 private:
  // What is known about a verdict's case before the verdict is stored.
  struct Known {
    int64_t case_row = 0;
    bool duplicate = false;
    v1::Verdict start;    // the case's facts alone
    int64_t content = 0;  // the run alike's; 0: there is none
    std::optional<int64_t> base;
    std::string body;
    std::string base_body;
  };

  VerdictWriter(Connection* connection, int64_t run, std::string now)
      : connection_(connection), run_(run), now_(std::move(now)) {}
  absl::StatusOr<Known> Look(const std::string& case_id);
  absl::StatusOr<int64_t> ContentOf(const Known& known, const v1::Verdict& verdict);
  absl::StatusOr<int64_t> ProvenanceId(const v1::Verdict& verdict);

  Connection* connection_;
  int64_t run_;
  std::string now_;
  int64_t suite_ = 0;
  int64_t alike_ = 0;  // the run whose contents are likely the same
  std::vector<int64_t> case_rows_;
  int64_t bytes_ = 0;
  // The previous verdict's: one reference nearly always judges a whole batch.
  std::string reference_;
  std::string device_reference_;
  int64_t provenance_id_ = 0;
};

// The rows of cases that a row of `appends` holds, in the order in which their verdicts came. DataLoss
// without the file's name.
absl::StatusOr<std::vector<int64_t>> CaseRowsOf(std::string_view bytes);

// Sorted by position in the run.
absl::StatusOr<std::vector<v1::Verdict>> SelectVerdicts(Connection* connection, int64_t run,
                                                        const VerdictFilter& filter);

// See Database::PageOfVerdicts.
absl::StatusOr<VerdictPage> SelectVerdictPage(Connection* connection, int64_t run,
                                              const VerdictFilter& filter, const std::string& after,
                                              size_t max_bytes);

}  // namespace diopi::server

#endif  // SERVER_STORE_VERDICT_ROWS_H_
