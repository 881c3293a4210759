// A run's totals: computed from its verdicts, and stored once the run is over. Private to this folder.
#ifndef SERVER_STORE_TOTALS_H_
#define SERVER_STORE_TOTALS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/queries.h"
#include "server/store/sqlite.h"

namespace diopi::server {

struct Counted {
  RunTotals totals;
  std::vector<int64_t> references;  // rows of provenances
  std::vector<TallyRow> tallies;    // by operator, function, dtype, outcome
};

// Reads every verdict, about 8 us each.
absl::StatusOr<Counted> CountVerdicts(Connection* connection, int64_t run);

// Writes the run's rows of run_totals, run_outcomes, run_references and run_tallies anew. In the caller's
// transaction.
absl::Status KeepTotals(Connection* connection, int64_t run);
// Deletes those rows: the run goes on, or has a new verdict.
absl::Status DropTotals(Connection* connection, int64_t run);
// Stores the totals of every run that is over and has none, because a verdict came late. One transaction per
// run.
absl::Status KeepMissingTotals(Connection* connection);

// nullopt where none are stored.
absl::StatusOr<std::optional<RunTotals>> ReadTotals(Connection* connection, int64_t run);

}  // namespace diopi::server

#endif  // SERVER_STORE_TOTALS_H_
