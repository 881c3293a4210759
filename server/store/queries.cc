// Queries about runs: rows, totals, tallies. case_queries.cc has those about verdicts. Figures that belong
// together are read in one Snapshot. Totals of a run in progress are counted from its verdicts and remembered
// with their number (`live_`); as verdicts are never changed, an equal number means equal totals.
#include "server/store/queries.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "server/store/run_rows.h"
#include "server/store/schema.h"
#include "server/store/snapshot.h"
#include "server/store/sqlite.h"
#include "server/store/totals.h"

namespace diopi::server {
namespace {

// Both bounds of a TimeRange; a text is greater than every time.
constexpr char kAfterAllTimes[] = "~";
constexpr char kOfAll[] = "SELECT r.id FROM runs r WHERE ";
constexpr char kOfChip[] = "SELECT r.id FROM devices d JOIN runs r ON r.device = d.id WHERE d.chip = ?7 AND ";
// ?3 is a RunKind: 0 selects runs of cases, 1 explorations, 2 both.
constexpr char kFiltered[] = R"sql(
r.created >= ?1 AND r.created < ?2 AND ?3 IN (r.exploration IS NOT NULL, 2)
AND (?4 = '' OR EXISTS (SELECT 1 FROM run_labels WHERE run = r.id AND key = ?4 AND value = ?5))
ORDER BY r.id DESC LIMIT ?6)sql";
constexpr char kSelectChips[] = R"sql(
SELECT c.chip, c.runs, r.run_id
FROM (SELECT d.chip, count(*) AS runs, max(r.id) AS newest
      FROM devices d JOIN runs r ON r.device = d.id WHERE r.created >= ? AND r.created < ? AND r.exploration IS NULL
      GROUP BY d.chip HAVING max(EXISTS (SELECT 1 FROM verdicts WHERE run = r.id))) c
     JOIN runs r ON r.id = c.newest
ORDER BY c.chip)sql";
constexpr char kSelectTallies[] = R"sql(
SELECT operator, function, dtype, outcome, cases FROM run_tallies
WHERE run = ?1 AND EXISTS (SELECT 1 FROM run_totals WHERE run = ?1))sql";
constexpr char kSelectExported[] = "SELECT function FROM run_functions WHERE run = ? ORDER BY function";
constexpr char kSelectDevices[] = R"sql(
SELECT ifnull(device_index, -1) AS device, count(*), sum(outcome = 1) FROM verdicts WHERE run = ?
GROUP BY device ORDER BY device)sql";

std::string UpperBound(const TimeRange& range) {
  return range.to.empty() ? kAfterAllTimes : range.to;
}

absl::StatusOr<std::vector<TallyRow>> SelectTallies(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectTallies));
  select.Bind(run);
  std::vector<TallyRow> rows;
  absl::Status status = ForEachRow(&select, [&rows](const Statement& row) {
    rows.push_back({row.Text(0), row.Text(1), static_cast<v1::Dtype::Code>(row.Int(2)),
                    static_cast<v1::Outcome>(row.Int(3)), row.Int(4)});
  });
  if (!status.ok()) return status;
  return rows;
}

// An exploration has outcomes, but no figures about cases.
absl::StatusOr<RunTotals> TotalsOfExploration(Connection* connection, int64_t run) {
  ASSIGN_OR_RETURN(const v1::RunInfo info, ReadRunRow(connection, run));
  RunTotals totals;
  totals.done = info.done();
  totals.outcomes = OutcomesOf(info.exploration());
  return totals;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Queries>> Queries::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                   Connection::Open(path, Connection::Mode::kReadOnly));
  absl::Status status = CheckSchema(connection.get());
  // 32 MiB, which keep the pages of the last few runs that were looked at.
  if (status.ok()) status = connection->Execute("PRAGMA cache_size = -32768");
  if (!status.ok()) return status;
  return std::unique_ptr<Queries>(new Queries(std::move(connection)));
}

Queries::Queries(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

Queries::~Queries() = default;

void Queries::End() {
  connection_->End();
}

absl::Status Queries::NoSuchRun(const std::string& run_id) {
  ASSIGN_OR_RETURN(const std::string others, RunsThatThereAre(connection_.get()));
  if (others.empty())
    return absl::NotFoundError(absl::StrCat("no run '", run_id, "': there are no runs yet"));
  return absl::NotFoundError(absl::StrCat("no run '", run_id, "'; ", others));
}

absl::StatusOr<int64_t> Queries::RowidOf(const std::string& run_id) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> run, FindRun(connection_.get(), run_id));
  if (!run.has_value()) return NoSuchRun(run_id);
  return *run;
}

absl::StatusOr<std::vector<int64_t>> Queries::RowidsOf(const RunFilter& filter) {
  ASSIGN_OR_RETURN(Statement select,
                   connection_->Prepare(absl::StrCat(filter.chip.has_value() ? kOfChip : kOfAll, kFiltered)));
  const std::string to = UpperBound(filter.range);
  const auto [key, value] = filter.label.value_or(Labels::value_type());
  select.Bind(filter.range.from, to, static_cast<int>(filter.kind), key, value,
              filter.limit > 0 ? filter.limit : -1);
  if (filter.chip.has_value()) select.BindAt(7, *filter.chip);
  std::vector<int64_t> ids;
  absl::Status status = ForEachRow(&select, [&ids](const Statement& row) { ids.push_back(row.Int(0)); });
  if (!status.ok()) return status;
  return ids;
}

absl::StatusOr<RunTotals> Queries::TotalsOf(int64_t run) {
  ASSIGN_OR_RETURN(std::optional<RunTotals> kept, ReadTotals(connection_.get(), run));
  if (kept.has_value()) {
    live_.erase(run);
    return *std::move(kept);
  }
  ASSIGN_OR_RETURN(const int64_t done, CountDone(connection_.get(), run));
  const auto found = live_.find(run);
  if (found != live_.end() && found->second.done == done) return found->second;
  ASSIGN_OR_RETURN(Counted counted, CountVerdicts(connection_.get(), run));
  live_[run] = counted.totals;
  return std::move(counted.totals);
}

absl::StatusOr<RunRow> Queries::RowOf(int64_t run) {
  ASSIGN_OR_RETURN(RunFacts facts, ReadRunFacts(connection_.get(), run));
  ASSIGN_OR_RETURN(RunTotals totals, facts.scope.has_exploration()
                                         ? TotalsOfExploration(connection_.get(), run)
                                         : TotalsOf(run));
  return RunRow{std::move(facts), std::move(totals)};
}

absl::StatusOr<RunRow> Queries::Run(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return RowOf(run);
}

absl::StatusOr<RunRow> Queries::RunCounts(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(RunFacts facts, ReadRunFacts(connection_.get(), run));
  RunTotals totals;
  absl::Status status = ForEachOutcome(connection_.get(), run, [&totals](v1::Outcome outcome, int64_t count) {
    totals.outcomes[outcome] = count;
    totals.done += count;
  });
  if (!status.ok()) return status;
  return RunRow{std::move(facts), std::move(totals)};
}

absl::StatusOr<std::vector<RunRow>> Queries::Runs(const RunFilter& filter) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, RowidsOf(filter));
  std::vector<RunRow> rows;
  rows.reserve(ids.size());
  for (const int64_t id : ids) {
    ASSIGN_OR_RETURN(RunRow row, RowOf(id));
    rows.push_back(std::move(row));
  }
  return rows;
}

absl::StatusOr<std::vector<RunFacts>> Queries::RunsFacts(const RunFilter& filter) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, RowidsOf(filter));
  return FactsOf(ids);
}

absl::StatusOr<std::vector<RunFacts>> Queries::FactsOf(const std::vector<int64_t>& runs) {
  std::vector<RunFacts> rows;
  rows.reserve(runs.size());
  for (const int64_t run : runs) {
    ASSIGN_OR_RETURN(RunFacts facts, ReadRunFacts(connection_.get(), run));
    rows.push_back(std::move(facts));
  }
  return rows;
}

absl::StatusOr<StoredPerformance> Queries::Performance(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return ReadPerformance(connection_.get(), run);
}

absl::StatusOr<int64_t> Queries::MeasuredCalls(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return CountMeasurements(connection_.get(), run);
}

absl::StatusOr<std::vector<RunFacts>> Queries::MeasuredRunsFacts(int limit) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, MeasuredRuns(connection_.get(), limit));
  return FactsOf(ids);
}

absl::StatusOr<v1::RunInfo> Queries::Describe(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return ReadRunRow(connection_.get(), run);
}

absl::StatusOr<std::vector<v1::RunInfo>> Queries::Explorations(RunFilter filter) {
  filter.kind = RunKind::kExploration;
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, RowidsOf(filter));
  std::vector<v1::RunInfo> runs;
  for (const int64_t id : ids) {
    ASSIGN_OR_RETURN(v1::RunInfo info, ReadRunInfo(connection_.get(), id));
    Shorten(&info);
    runs.push_back(std::move(info));
  }
  return runs;
}

absl::StatusOr<std::vector<ChipRow>> Queries::Chips(const TimeRange& range) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectChips));
  const std::string to = UpperBound(range);
  select.Bind(range.from, to);
  std::vector<ChipRow> chips;
  absl::Status status = ForEachRow(&select, [&chips](const Statement& row) {
    chips.push_back({row.Text(0), row.Int(1), row.Text(2)});
  });
  if (!status.ok()) return status;
  return chips;
}

absl::StatusOr<std::vector<TallyRow>> Queries::Tallies(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const Snapshot moment, Snapshot::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  absl::StatusOr<std::vector<TallyRow>> kept = SelectTallies(connection_.get(), run);
  if (!kept.ok() || !kept->empty()) return kept;
  ASSIGN_OR_RETURN(Counted counted, CountVerdicts(connection_.get(), run));
  return std::move(counted.tallies);
}

absl::StatusOr<std::vector<std::string>> Queries::ExportedFunctions(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectExported));
  select.Bind(run);
  std::vector<std::string> names;
  absl::Status status = ForEachRow(&select, [&names](const Statement& row) { names.push_back(row.Text(0)); });
  if (!status.ok()) return status;
  return names;
}

absl::StatusOr<std::vector<DeviceRow>> Queries::Devices(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectDevices));
  select.Bind(run);
  std::vector<DeviceRow> devices;
  absl::Status status = ForEachRow(&select, [&devices](const Statement& row) {
    devices.push_back({row.Int(0), row.Int(1), row.Int(2)});
  });
  if (!status.ok()) return status;
  return devices;
}

}  // namespace diopi::server
