#include "server/store/performance_rows.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "server/store/run_bytes.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

constexpr char kInsertMeasurement[] =
    "INSERT OR IGNORE INTO measurements (run, case_id, body) VALUES (?, ?, ?)";
constexpr char kInsertMachine[] = "INSERT OR IGNORE INTO run_machines (run, body) VALUES (?, ?)";
constexpr char kSelectMeasurements[] =
    "SELECT case_id, body FROM measurements WHERE run = ? ORDER BY case_id";
constexpr char kCountMeasurements[] = "SELECT count(*) FROM measurements WHERE run = ?";
constexpr char kSelectMachine[] = "SELECT body FROM run_machines WHERE run = ?";
constexpr char kSelectMeasured[] = R"sql(
SELECT id FROM runs WHERE EXISTS (SELECT 1 FROM measurements m WHERE m.run = runs.id)
ORDER BY id DESC LIMIT ?)sql";

absl::Status Damaged(Connection* connection, int64_t run, const std::string& what) {
  return absl::DataLossError(
      absl::StrCat(connection->path(), ": the ", what, " of runs row ", run, " cannot be read"));
}

}  // namespace

absl::Status WritePerformance(Connection* connection, int64_t run,
                              absl::Span<const v1::Measurement* const> measurements,
                              const v1::MachineFacts* machine) {
  ASSIGN_OR_RETURN(Statement insert, connection->Prepare(kInsertMeasurement));
  int64_t bytes = 0;
  for (const v1::Measurement* measurement : measurements) {
    const std::string body = measurement->SerializeAsString();
    insert.Bind(run, measurement->case_id());
    insert.BindBytes(3, body);
    ASSIGN_OR_RETURN(const int inserted, insert.Run());
    bytes += inserted * static_cast<int64_t>(measurement->case_id().size() + body.size());
  }
  RETURN_IF_ERROR(AddBytes(connection, run, bytes));
  if (machine == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(Statement facts, connection->Prepare(kInsertMachine));
  const std::string body = machine->SerializeAsString();
  facts.Bind(run);
  facts.BindBytes(2, body);
  return facts.Run().status();
}

absl::StatusOr<StoredPerformance> ReadPerformance(Connection* connection, int64_t run) {
  StoredPerformance stored;
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectMeasurements));
  select.Bind(run);
  bool whole = true;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    v1::Measurement measurement;
    whole = measurement.ParseFromString(row.Text(1)) && measurement.case_id() == row.Text(0) && whole;
    stored.measurements.push_back(std::move(measurement));
  });
  if (!status.ok()) return status;
  if (!whole) return Damaged(connection, run, "measurements");
  ASSIGN_OR_RETURN(Statement machine, connection->Prepare(kSelectMachine));
  machine.Bind(run);
  status = ForEachRow(&machine, [&](const Statement& row) {
    whole = stored.machine.emplace().ParseFromString(row.Text(0)) && whole;
  });
  if (!status.ok()) return status;
  if (!whole) return Damaged(connection, run, "facts about the machine");
  return stored;
}

absl::StatusOr<int64_t> CountMeasurements(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kCountMeasurements));
  select.Bind(run);
  int64_t count = 0;
  absl::Status status = ForEachRow(&select, [&count](const Statement& row) { count = row.Int(0); });
  if (!status.ok()) return status;
  return count;
}

absl::StatusOr<std::vector<int64_t>> MeasuredRuns(Connection* connection, int limit) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectMeasured));
  select.Bind(limit > 0 ? limit : -1);
  std::vector<int64_t> runs;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) { runs.push_back(row.Int(0)); });
  if (!status.ok()) return status;
  return runs;
}

}  // namespace diopi::server
