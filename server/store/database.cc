// One connection behind one mutex: each function locks it, and one that writes several rows does so in one
// transaction, so nobody sees half a change. Functions here choose locks and transactions; the SQL for rows
// is in run_rows, run_writer, verdict_rows and totals. A state that ends a run stores its totals in the same
// transaction, and a new verdict deletes them, so stored totals are never stale.
#include "server/store/database.h"

#include <filesystem>
#include <limits>
#include <mutex>
#include <random>
#include <system_error>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/status_macros.h"
#include "proto/enum_name.h"
#include "server/store/agent_rows.h"
#include "server/store/run_bytes.h"
#include "server/store/run_rows.h"
#include "server/store/run_state.h"
#include "server/store/run_writer.h"
#include "server/store/schema.h"
#include "server/store/sqlite.h"
#include "server/store/totals.h"
#include "server/store/verdict_rows.h"

namespace diopi::server {
namespace {

constexpr char kSelectCases[] = R"sql(
SELECT c.case_id, c.case_hash, c.function, c.operator
FROM suite_cases s CROSS JOIN cases c ON c.id = s.case_row
WHERE s.suite = (SELECT suite FROM runs WHERE id = ?1) ORDER BY s.position)sql";
constexpr char kSelectDone[] = R"sql(
SELECT c.case_id FROM suite_cases s CROSS JOIN verdicts v ON v.run = ?1 AND v.case_row = s.case_row
     CROSS JOIN cases c ON c.id = s.case_row
WHERE s.suite = (SELECT suite FROM runs WHERE id = ?1) ORDER BY s.position)sql";
constexpr char kUpdateState[] = "UPDATE runs SET state = ?, finished = ? WHERE id = ?";
constexpr char kSubmit[] = R"sql(
UPDATE runs SET submission = ?, state = CASE WHEN submission IS NULL THEN 'queued' ELSE state END
WHERE id = ?)sql";
constexpr char kSelectOpen[] =
    "SELECT id FROM runs WHERE submission IS NOT NULL AND state IN ('queued', 'running') ORDER BY id";
constexpr char kSelectStates[] =
    "SELECT r.exploration IS NOT NULL AS explores, d.chip, " DIOPI_RUN_STATE
    " AS now, count(*) FROM runs r JOIN devices d ON d.id = r.device GROUP BY explores, d.chip, now";
constexpr char kUpdateAlive[] = "UPDATE runs SET alive_until = ? WHERE id = ?";
constexpr char kSelectAbandoned[] =
    "SELECT id FROM runs WHERE state = 'running' AND alive_until <> '' AND alive_until < ? ORDER BY id";
constexpr char kSelectTimedRuns[] = R"sql(
SELECT r.id FROM runs r JOIN devices d ON d.id = r.device
WHERE d.chip = ? AND r.state = 'finished' AND r.exploration IS NULL ORDER BY r.id DESC LIMIT ?)sql";
constexpr char kSelectTimes[] = R"sql(
SELECT c.case_id, v.elapsed_time FROM verdicts v CROSS JOIN cases c ON c.id = v.case_row
WHERE v.run = ? AND v.elapsed_time > 0)sql";
constexpr char kSelectIds[] = R"sql(
SELECT r.id FROM runs r JOIN devices d ON d.id = r.device
WHERE (?1 = '' OR d.chip = ?1) AND r.id < ?3 AND r.exploration IS NULL ORDER BY r.id DESC LIMIT ?2)sql";
constexpr char kUpdateExploration[] =
    "UPDATE runs SET bytes = bytes + length(?1) - length(exploration), exploration = ?1 "
    "WHERE id = ?2 AND exploration IS NOT NULL AND state = 'running'";

constexpr int kWalAttempts = 500;

std::string UtcNow() {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
}

// Compared as text with SQLite's own clock (DIOPI_RUN_STATE).
std::string UtcIn(absl::Duration from_now) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now() + from_now, absl::UTCTimeZone());
}

std::vector<const v1::Verdict*> Pointers(absl::Span<const v1::Verdict> verdicts) {
  std::vector<const v1::Verdict*> pointers;
  pointers.reserve(verdicts.size());
  for (const v1::Verdict& verdict : verdicts) pointers.push_back(&verdict);
  return pointers;
}

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  using Database::CreateRun;
  absl::StatusOr<v1::RunInfo> CreateRun(const v1::RunOptions& options, const std::string& suite_hash,
                                        absl::Span<const RunCase> cases, const NewRun& more) override;
  absl::StatusOr<std::vector<RunCase>> CasesOf(const std::string& run_id) override;
  absl::StatusOr<std::vector<std::string>> DoneCases(const std::string& run_id) override;
  absl::StatusOr<AppendResult> Append(const std::string& run_id,
                                      absl::Span<const v1::Verdict> verdicts) override;
  absl::StatusOr<AppendResult> AppendEach(const std::string& run_id,
                                          absl::Span<const v1::Verdict* const> verdicts) override;
  absl::Status AppendPerformance(const std::string& run_id,
                                 absl::Span<const v1::Measurement* const> measurements,
                                 const v1::MachineFacts* machine) override;
  absl::StatusOr<StoredPerformance> Performance(const std::string& run_id) override;
  absl::Status WriteExploration(const std::string& run_id, const v1::Exploration& exploration) override;
  absl::StatusOr<v1::RunInfo> AddFinishedRun(const v1::RunOptions& options, const std::string& suite_hash,
                                             absl::Span<const RunCase> cases,
                                             absl::Span<const v1::Verdict> verdicts) override;
  absl::Status ChangeRun(const std::string& run_id, const RunChange& change) override;
  absl::Status KeepAlive(const std::string& run_id, absl::Duration alive_for) override;
  absl::StatusOr<std::vector<v1::RunInfo>> AbandonedRuns(absl::Duration stalled_for) override;
  absl::Status AdoptLibrary(const std::string& run_id, const v1::RunOptions& library) override;
  absl::StatusOr<std::vector<v1::RunInfo>> OpenSubmissions() override;
  absl::Status KeepAgent(const KnownAgent& agent) override;
  absl::Status ForgetAgent(const std::string& agent_id) override;
  absl::Status Checkpoint() override;
  absl::Status TryWriting() override;
  absl::StatusOr<std::vector<KnownAgent>> KnownAgents() override;
  absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) override;
  using Database::ListRuns;
  absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip, int limit,
                                                    const std::string& before) override;
  absl::StatusOr<std::vector<v1::Verdict>> Verdicts(const std::string& run_id,
                                                    const VerdictFilter& filter) override;
  absl::StatusOr<VerdictPage> PageOfVerdicts(const std::string& run_id, const VerdictFilter& filter,
                                             const std::string& after, size_t max_bytes) override;
  absl::StatusOr<DatabaseStats> Stats() override;
  absl::StatusOr<std::map<std::string, double>> CaseSeconds(const std::string& chip) override;

 private:
  absl::StatusOr<int64_t> RowidOf(const std::string& run_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The runs whose row ids `select` gives.
  absl::StatusOr<std::vector<v1::RunInfo>> InfosOf(Statement* select) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteSubmission(int64_t run, const v1::Submission& submission)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoSuchRun(const std::string& run_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Both in the caller's transaction. WriteState also stores or deletes the totals.
  absl::StatusOr<AppendResult> WriteVerdicts(int64_t run, absl::Span<const v1::Verdict* const> verdicts)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteState(int64_t run, v1::RunState state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::mutex mutex_;
  const std::unique_ptr<Connection> connection_ ABSL_PT_GUARDED_BY(mutex_);
  std::random_device entropy_ ABSL_GUARDED_BY(mutex_);
};

absl::Status SqliteDatabase::NoSuchRun(const std::string& run_id) {
  ASSIGN_OR_RETURN(const std::string others, RunsThatThereAre(connection_.get()));
  if (others.empty())
    return absl::NotFoundError(absl::StrCat(connection_->path(), ": no run '", run_id, "': it has no runs"));
  return absl::NotFoundError(absl::StrCat(connection_->path(), ": no run '", run_id, "'; ", others));
}

absl::StatusOr<int64_t> SqliteDatabase::RowidOf(const std::string& run_id) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> run, FindRun(connection_.get(), run_id));
  if (!run.has_value()) return NoSuchRun(run_id);
  return *run;
}

absl::StatusOr<v1::RunInfo> SqliteDatabase::CreateRun(const v1::RunOptions& options,
                                                      const std::string& suite_hash,
                                                      absl::Span<const RunCase> cases, const NewRun& more) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection_.get()));
  absl::Status status = CheckQuota(connection_.get(), options.owner(), more.quota);
  if (!status.ok()) return status;
  const std::string alive_until = more.alive_for > absl::ZeroDuration() ? UtcIn(more.alive_for) : "";
  ASSIGN_OR_RETURN(const int64_t run, InsertRun(connection_.get(), options, suite_hash, cases, UtcNow(),
                                                &entropy_, alive_until, more.still_wanted));
  if (more.submission != nullptr) status = WriteSubmission(run, *more.submission);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(v1::RunInfo info, ReadRunInfo(connection_.get(), run));
  if (more.before_commit) status = more.before_commit(info.run_id());
  if (status.ok()) status = transaction.Commit();
  if (!status.ok()) return status;
  return info;
}

absl::StatusOr<v1::RunInfo> SqliteDatabase::AddFinishedRun(const v1::RunOptions& options,
                                                           const std::string& suite_hash,
                                                           absl::Span<const RunCase> cases,
                                                           absl::Span<const v1::Verdict> verdicts) {
  const std::vector<const v1::Verdict*> each = Pointers(verdicts);
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run,
                   InsertRun(connection_.get(), options, suite_hash, cases, UtcNow(), &entropy_));
  ASSIGN_OR_RETURN(const AppendResult added, WriteVerdicts(run, each));
  if (added.duplicates > 0 || static_cast<size_t>(added.stored) != cases.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a finished run of ", cases.size(),
                                                   " cases needs one verdict on each; there are verdicts on ",
                                                   added.stored, " and ", added.duplicates, " duplicates"));
  }
  RETURN_IF_ERROR(WriteState(run, v1::RUN_STATE_FINISHED));
  ASSIGN_OR_RETURN(v1::RunInfo info, ReadRunInfo(connection_.get(), run));
  RETURN_IF_ERROR(transaction.Commit());
  connection_->Checkpoint().IgnoreError();  // it is stored; an error shows in the next write
  return info;
}

absl::StatusOr<std::vector<RunCase>> SqliteDatabase::CasesOf(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectCases));
  select.Bind(run);
  std::vector<RunCase> cases;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    cases.push_back({row.Text(0), row.Text(1), row.Text(2), row.Text(3)});
  });
  if (!status.ok()) return status;
  return cases;
}

absl::StatusOr<std::vector<std::string>> SqliteDatabase::DoneCases(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectDone));
  select.Bind(run);
  std::vector<std::string> done;
  absl::Status status = ForEachRow(&select, [&](const Statement& row) { done.push_back(row.Text(0)); });
  if (!status.ok()) return status;
  return done;
}

absl::StatusOr<AppendResult> SqliteDatabase::Append(const std::string& run_id,
                                                    absl::Span<const v1::Verdict> verdicts) {
  return AppendEach(run_id, Pointers(verdicts));
}

absl::StatusOr<AppendResult> SqliteDatabase::WriteVerdicts(int64_t run,
                                                           absl::Span<const v1::Verdict* const> verdicts) {
  ASSIGN_OR_RETURN(VerdictWriter writer, VerdictWriter::Make(connection_.get(), run, UtcNow()));
  AppendResult result;
  for (const v1::Verdict* verdict : verdicts) {
    ASSIGN_OR_RETURN(const bool stored, writer.Insert(*verdict));
    ++(stored ? result.stored : result.duplicates);
  }
  absl::Status status = writer.Finish();
  if (status.ok()) status = AddBytes(connection_.get(), run, writer.bytes());
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<AppendResult> SqliteDatabase::AppendEach(const std::string& run_id,
                                                        absl::Span<const v1::Verdict* const> verdicts) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  RETURN_IF_ERROR(DropTotals(connection_.get(), run));
  ASSIGN_OR_RETURN(AppendResult result, WriteVerdicts(run, verdicts));
  RETURN_IF_ERROR(transaction.Commit());
  return result;
}

absl::Status SqliteDatabase::AppendPerformance(const std::string& run_id,
                                               absl::Span<const v1::Measurement* const> measurements,
                                               const v1::MachineFacts* machine) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  RETURN_IF_ERROR(WritePerformance(connection_.get(), run, measurements, machine));
  return transaction.Commit();
}

absl::StatusOr<StoredPerformance> SqliteDatabase::Performance(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return ReadPerformance(connection_.get(), run);
}

absl::Status SqliteDatabase::WriteExploration(const std::string& run_id, const v1::Exploration& exploration) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement update, connection_->Prepare(kUpdateExploration));
  const std::string blob = exploration.SerializeAsString();
  update.BindBytes(1, blob);
  update.BindAt(2, run);
  const absl::StatusOr<int> updated = update.Run();
  if (!updated.ok() || *updated > 0) return updated.status();
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run_id, " is not an exploration that is running"));
}

absl::Status SqliteDatabase::WriteState(int64_t run, v1::RunState state) {
  ASSIGN_OR_RETURN(Statement update, connection_->Prepare(kUpdateState));
  const bool open = !IsOver(state);
  const std::string finished = open ? std::string() : UtcNow();
  const std::string name = EnumName(state);
  update.Bind(name, finished, run);
  RETURN_IF_ERROR(update.Run().status());
  return open ? DropTotals(connection_.get(), run) : KeepTotals(connection_.get(), run);
}

absl::Status SqliteDatabase::WriteSubmission(int64_t run, const v1::Submission& submission) {
  ASSIGN_OR_RETURN(Statement update, connection_->Prepare(kSubmit));
  const std::string blob = submission.SerializeAsString();
  update.Bind(blob, run);
  return update.Run().status();
}

absl::Status SqliteDatabase::ChangeRun(const std::string& run_id, const RunChange& change) {
  if (change.state.has_value() && !IsStored(*change.state)) {
    return absl::InvalidArgumentError(absl::StrCat("a run cannot be set to state ", EnumName(*change.state)));
  }
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  absl::Status status = absl::OkStatus();
  if (change.submission.has_value()) status = WriteSubmission(run, *change.submission);
  if (status.ok() && change.aborted.has_value())
    status = WriteAborted(connection_.get(), run, *change.aborted);
  if (status.ok() && change.state.has_value()) status = WriteState(run, *change.state);
  if (!status.ok()) return status;
  return transaction.Commit();
}

absl::Status SqliteDatabase::KeepAlive(const std::string& run_id, absl::Duration alive_for) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  ASSIGN_OR_RETURN(Statement update, connection_->Prepare(kUpdateAlive));
  const std::string until = UtcIn(alive_for);
  update.Bind(until, run);
  return update.Run().status();
}

absl::StatusOr<std::vector<v1::RunInfo>> SqliteDatabase::AbandonedRuns(absl::Duration stalled_for) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectAbandoned));
  const std::string before = UtcIn(-stalled_for);
  select.Bind(before);
  return InfosOf(&select);
}

absl::Status SqliteDatabase::AdoptLibrary(const std::string& run_id, const v1::RunOptions& library) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(connection_.get()));
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  RETURN_IF_ERROR(Adopt(connection_.get(), run, library));
  return transaction.Commit();
}

absl::StatusOr<std::vector<v1::RunInfo>> SqliteDatabase::OpenSubmissions() {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectOpen));
  return InfosOf(&select);
}

absl::StatusOr<std::vector<v1::RunInfo>> SqliteDatabase::InfosOf(Statement* select) {
  std::vector<v1::RunInfo> runs;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, select->Step());
    if (!row) return runs;
    ASSIGN_OR_RETURN(v1::RunInfo info, ReadRunInfo(connection_.get(), select->Int(0)));
    Shorten(&info);
    runs.push_back(std::move(info));
  }
}

absl::Status SqliteDatabase::KeepAgent(const KnownAgent& agent) {
  const std::lock_guard lock(mutex_);
  return WriteAgent(connection_.get(), agent);
}

absl::Status SqliteDatabase::Checkpoint() {
  const std::lock_guard lock(mutex_);
  return connection_->Checkpoint();
}

absl::Status SqliteDatabase::TryWriting() {
  const std::lock_guard lock(mutex_);
  absl::StatusOr<Transaction> transaction = Transaction::Begin(connection_.get());
  absl::Status status = transaction.status();
  if (status.ok()) status = WriteAgent(connection_.get(), {});
  if (status.ok()) status = DeleteAgent(connection_.get(), "");
  return status.ok() ? transaction->Commit() : status;
}

absl::Status SqliteDatabase::ForgetAgent(const std::string& agent_id) {
  const std::lock_guard lock(mutex_);
  return DeleteAgent(connection_.get(), agent_id);
}

absl::StatusOr<std::vector<KnownAgent>> SqliteDatabase::KnownAgents() {
  const std::lock_guard lock(mutex_);
  return ReadAgents(connection_.get());
}

absl::StatusOr<v1::RunInfo> SqliteDatabase::GetRun(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return ReadRunInfo(connection_.get(), run);
}

absl::StatusOr<std::vector<v1::RunInfo>> SqliteDatabase::ListRuns(const std::string& chip, int limit,
                                                                  const std::string& before) {
  const std::lock_guard lock(mutex_);
  int64_t end = std::numeric_limits<int64_t>::max();
  if (!before.empty()) {
    ASSIGN_OR_RETURN(const int64_t run, RowidOf(before));
    end = run;
  }
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectIds));
  select.Bind(chip, limit > 0 ? limit : -1, end);
  return InfosOf(&select);
}

absl::StatusOr<std::vector<v1::Verdict>> SqliteDatabase::Verdicts(const std::string& run_id,
                                                                  const VerdictFilter& filter) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return SelectVerdicts(connection_.get(), run, filter);
}

absl::StatusOr<VerdictPage> SqliteDatabase::PageOfVerdicts(const std::string& run_id,
                                                           const VerdictFilter& filter,
                                                           const std::string& after, size_t max_bytes) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const int64_t run, RowidOf(run_id));
  return SelectVerdictPage(connection_.get(), run, filter, after, max_bytes);
}

absl::StatusOr<DatabaseStats> SqliteDatabase::Stats() {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectStates));
  DatabaseStats stats;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(connection_->path() + suffix, error);
    if (!error) stats.bytes += static_cast<int64_t>(size);
  }
  absl::Status status = ForEachRow(&select, [&](const Statement& row) {
    std::map<std::string, int64_t>& states = (row.Int(0) != 0 ? stats.explorations : stats.runs)[row.Text(1)];
    for (int number = v1::RUN_STATE_QUEUED; number <= v1::RunState_MAX; ++number) {
      states.try_emplace(EnumName(static_cast<v1::RunState>(number)));
    }
    states[row.Text(2)] = row.Int(3);
  });
  if (!status.ok()) return status;
  return stats;
}

absl::StatusOr<std::map<std::string, double>> SqliteDatabase::CaseSeconds(const std::string& chip) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Statement runs, connection_->Prepare(kSelectTimedRuns));
  runs.Bind(chip, kTimedRuns);
  std::map<std::string, double> seconds;
  for (;;) {
    ASSIGN_OR_RETURN(const bool run, runs.Step());
    if (!run) return seconds;
    ASSIGN_OR_RETURN(Statement times, connection_->Prepare(kSelectTimes));
    times.Bind(runs.Int(0));
    absl::Status status = ForEachRow(&times, [&seconds](const Statement& row) {
      seconds.emplace(row.Text(0), *MicrosecondsOf(row, 1) * 1e-6);
    });
    if (!status.ok()) return status;
  }
}

absl::Status LimitSize(Connection* connection, int64_t max_bytes) {
  if (max_bytes <= 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t page, connection->QueryInt("PRAGMA page_size"));
  return connection->Execute(absl::StrCat("PRAGMA max_page_count = ", max_bytes / page));
}

absl::Status Damaged(const Connection& connection, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(connection.path(), ": damaged: ", what));
}

absl::Status LookForDamage(Connection* connection, const Database::Options& options) {
  const absl::StatusOr<std::string> found = connection->QuickCheck(options.check_for);
  if (absl::IsDeadlineExceeded(found.status())) {
    if (options.log) {
      options.log(absl::StrCat(found.status().message(),
                               "; no damage was found until then. diopi-server check reads "
                               "all of it"));
    }
    return absl::OkStatus();
  }
  if (!found.ok()) return found.status();
  return found->empty() ? absl::OkStatus() : Damaged(*connection, *found);
}

// Lets a new file shrink while a server uses it (upkeep.h); does not change an existing file.
absl::Status PrepareFile(Connection* connection, const std::function<void(const std::string&)>& on_progress) {
  absl::Status status = connection->Execute("PRAGMA auto_vacuum = INCREMENTAL");
  if (!status.ok()) return status;
  // NORMAL: in WAL mode a commit survives the death of the process, and a power cut costs the newest commits
  // at most, never the file; a resumed run does those cases again. SQLite's busy timeout does not cover two
  // processes that switch the same new file to WAL.
  for (int attempt = 0; attempt < kWalAttempts; ++attempt) {
    if (attempt > 0) absl::SleepFor(absl::Milliseconds(10));
    status = connection->Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    if (!absl::IsUnavailable(status)) break;
  }
  if (!status.ok()) return status;
  status = Migrate(connection, on_progress);
  // A new file has nothing but its log until then.
  if (status.ok()) connection->Checkpoint().IgnoreError();
  // Without the totals (on a full disk, say) everything works, but lists of runs take longer.
  if (status.ok()) KeepMissingTotals(connection).IgnoreError();
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path, const Options& options) {
  if (!options.read_only) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": its folder cannot be created: ", error.message()));
    }
  }
  ASSIGN_OR_RETURN(
      std::unique_ptr<Connection> connection,
      Connection::Open(path, options.read_only ? Connection::Mode::kReadOnly : Connection::Mode::kReadWrite));
  absl::Status status = LimitSize(connection.get(), options.max_bytes);
  if (status.ok() && options.check_for > absl::ZeroDuration())
    status = LookForDamage(connection.get(), options);
  if (status.ok()) {
    status = options.read_only ? CheckSchema(connection.get())
                               : PrepareFile(connection.get(), options.on_progress);
  }
  if (!status.ok()) return status;
  return std::make_unique<SqliteDatabase>(std::move(connection));
}

std::string DatabasePath(const std::string& data_folder) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(data_folder, ignored)) return data_folder;
  return (std::filesystem::path(data_folder) / "results.db").string();
}

}  // namespace diopi::server
