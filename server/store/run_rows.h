// Rows of `runs`: finds them, and reads them as RunFacts and RunInfo. Private to this folder.
#ifndef SERVER_STORE_RUN_ROWS_H_
#define SERVER_STORE_RUN_ROWS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "server/store/queries.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// The state of a row of `runs`, as r: a running run is stalled when it gave no sign of life in time.
#define DIOPI_RUN_STATE                                        \
  "CASE WHEN r.state = 'running' AND r.alive_until <> '' AND " \
  "r.alive_until < strftime('%Y-%m-%dT%H:%M:%fZ', 'now') THEN 'stalled' ELSE r.state END"

// The columns that RunFactsOf reads, of `runs` as r and `devices` as d.
#define DIOPI_RUN_COLUMNS                                                                                  \
  "r.run_id, d.chip, d.vendor_name, d.impl_version, d.dialect, r.impl_sha256, r.suite_hash, r.contracts, " \
  "r.impl_path, r.agent_version, r.host, r.created, r.finished, " DIOPI_RUN_STATE                          \
  ", r.cases, r.environment, r.adaptor, r.options"

// The state that DIOPI_RUN_STATE yields.
v1::RunState StateNamed(const std::string& name);

// A run's values for the columns of these names.
std::string ContractsColumn(const v1::RunOptions& options);
std::string EnvironmentColumn(const v1::RunOptions& options);
std::string AdaptorColumn(const v1::RunOptions& options);

// What the column `options` holds: the options without their labels, which have a table of their own.
std::string OptionsColumn(v1::RunOptions options);

// The labels of a run, and new ones beside them; one with an empty value is removed. `run` is the row's id.
absl::StatusOr<Labels> ReadLabels(Connection* connection, int64_t run);
absl::Status WriteLabels(Connection* connection, int64_t run, const Labels& labels);

// How many verdicts the run has; `run` is the row's id.
absl::StatusOr<int64_t> CountDone(Connection* connection, int64_t run);
// Calls `found` with each outcome of the run's verdicts and how many have it. Does not read the rows of
// passes.
absl::Status ForEachOutcome(Connection* connection, int64_t run,
                            const std::function<void(v1::Outcome, int64_t)>& found);

// The row's id of a run, given by its id, a tag, or "latest" for the newest that is no exploration; nullopt
// when there is none.
absl::StatusOr<std::optional<int64_t>> FindRun(Connection* connection, const std::string& run_id);

// For errors about a run that is not there: "there are A, B", "the newest are A, B, C, D, E"; empty when
// there are no runs.
absl::StatusOr<std::string> RunsThatThereAre(Connection* connection);

// `first`: where DIOPI_RUN_COLUMNS begin in the row.
RunFacts RunFactsOf(const Statement& row, int first);

// `run` is the row's id. NotFound.
absl::StatusOr<RunFacts> ReadRunFacts(Connection* connection, int64_t run);

// A run with its options, state and submission; ReadRunInfo adds its counts of outcomes. `run` is the row's
// id. DataLoss.
absl::StatusOr<v1::RunInfo> ReadRunRow(Connection* connection, int64_t run);
absl::StatusOr<v1::RunInfo> ReadRunInfo(Connection* connection, int64_t run);
// Leaves out what a list does not need: most of what is stored of an exploration.
void Shorten(v1::RunInfo* info);

}  // namespace diopi::server

#endif  // SERVER_STORE_RUN_ROWS_H_
