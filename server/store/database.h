// The results database: the only owner of the SQLite handle. WAL mode, versioned schema, append-only
// verdicts.
#ifndef SERVER_STORE_DATABASE_H_
#define SERVER_STORE_DATABASE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "diopi/v1/performance.pb.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/performance_rows.h"
#include "server/store/quota.h"

namespace diopi::server {

// The schema this program writes; an older file is migrated on Open, a newer one refused.
inline constexpr int kSchemaVersion = 5;

// What a run covers, fixed when it is created so that a resumed run is the same run.
struct RunCase {
  std::string case_id;
  std::string case_hash;
  std::string function;
  std::string op;
};

// OK while the result of a long piece of work is still wanted; otherwise the status to end it with. Called
// often, and on any thread.
using StillWanted = std::function<absl::Status()>;

// What is stored with a new run in one transaction: all of it, or nothing.
struct NewRun {
  const v1::Submission* submission = nullptr;       // not null: a submitted run, which is queued
  absl::Duration alive_for = absl::ZeroDuration();  // see KeepAlive; zero: not called
  // QuotaError when the runs of the run's owner take as much already.
  Quota quota = {};
  // Makes what must exist when the run does. Called before the commit, with the database locked; if it fails,
  // so does CreateRun.
  std::function<absl::Status(const std::string& run_id)> before_commit = nullptr;
  // Asked now and then while the cases are stored; its error ends CreateRun. Null: not asked.
  StillWanted still_wanted = nullptr;
};

// Changes to a run, made in one transaction; what is not set stays.
struct RunChange {
  std::optional<v1::RunState> state = std::nullopt;  // any but RUN_STATE_STALLED
  std::optional<v1::Submission> submission = std::nullopt;
  std::optional<v1::Finding> aborted = std::nullopt;  // RunOptions.aborted; empty: clears it
};

struct AppendResult {
  int stored = 0;
  int duplicates = 0;  // a verdict for (run, case) was there already; the first one stays
};

// How many runs CaseSeconds looks back: a few runs of parts of a suite cover all of it.
inline constexpr int kTimedRuns = 4;

struct KnownAgent {
  v1::AgentFacts facts;
  std::string seen;  // when it last gave a sign of life; RFC 3339, UTC
};

struct DatabaseStats {
  using Counts = std::map<std::string, std::map<std::string, int64_t>>;  // by chip and state, 0 included
  Counts runs;                                                           // without explorations
  Counts explorations;
  int64_t bytes = 0;  // the file and its write-ahead log
};

// Selects verdicts of a run.
struct VerdictFilter {
  std::vector<v1::Outcome> outcomes;  // empty: all
  std::string case_id;                // empty: all
  bool with_outputs = true;           // per-output statistics too
};

// Some of a run's verdicts, in the order of their case ids.
struct VerdictPage {
  std::vector<v1::Verdict> verdicts;
  std::vector<int64_t> positions;  // the place of each in its run
  std::string next;                // the next page is after this case; empty: there is none
};

// Thread-safe: one connection behind a mutex. Statuses: NotFound, ResourceExhausted (disk full),
// DataLoss (not a database, damaged), FailedPrecondition (newer schema), Internal; each names the file.
class Database {
 public:
  struct Options {
    bool read_only = false;
    // The file cannot grow beyond this size: writing is then ResourceExhausted. 0: no limit but the disk's.
    int64_t max_bytes = 0;
    // Called with a sentence for the log before and after a migration, which may take long.
    std::function<void(const std::string&)> on_progress = {};
    // Looks for damage for at most this long before anything is written; zero: not at all. A file that could
    // not be read to its end in that time is opened, and `log` is called with a sentence about it.
    absl::Duration check_for = absl::ZeroDuration();
    std::function<void(const std::string&)> log = {};
  };
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, const Options& options);
  virtual ~Database() = default;

  // `run.run_id` and `created` are assigned here: an id like 20261120-101502-7f3a.
  virtual absl::StatusOr<v1::RunInfo> CreateRun(const v1::RunOptions& options, const std::string& suite_hash,
                                                absl::Span<const RunCase> cases, const NewRun& more) = 0;
  absl::StatusOr<v1::RunInfo> CreateRun(const v1::RunOptions& options, const std::string& suite_hash,
                                        absl::Span<const RunCase> cases) {
    return CreateRun(options, suite_hash, cases, {});
  }
  virtual absl::StatusOr<std::vector<RunCase>> CasesOf(const std::string& run_id) = 0;
  virtual absl::StatusOr<std::vector<std::string>> DoneCases(const std::string& run_id) = 0;
  // One transaction: all or nothing.
  virtual absl::StatusOr<AppendResult> Append(const std::string& run_id,
                                              absl::Span<const v1::Verdict> verdicts) = 0;
  // The same for verdicts that are parts of a message.
  virtual absl::StatusOr<AppendResult> AppendEach(const std::string& run_id,
                                                  absl::Span<const v1::Verdict* const> verdicts) = 0;
  // One transaction: all or nothing. A measurement of a call that the run has measured already is ignored, as
  // are facts about the machine (may be null) where the run has some.
  virtual absl::Status AppendPerformance(const std::string& run_id,
                                         absl::Span<const v1::Measurement* const> measurements,
                                         const v1::MachineFacts* machine) = 0;
  virtual absl::StatusOr<StoredPerformance> Performance(const std::string& run_id) = 0;
  // Replaces what an exploration has done so far. FailedPrecondition when the run is none, or not running.
  virtual absl::Status WriteExploration(const std::string& run_id, const v1::Exploration& exploration) = 0;
  // Adds a run that was done elsewhere, with a verdict on each of its cases, in state "finished": all of it
  // or nothing. InvalidArgument when a verdict is missing or given twice.
  virtual absl::StatusOr<v1::RunInfo> AddFinishedRun(const v1::RunOptions& options,
                                                     const std::string& suite_hash,
                                                     absl::Span<const RunCase> cases,
                                                     absl::Span<const v1::Verdict> verdicts) = 0;
  // InvalidArgument for RUN_STATE_STALLED, which is never stored: a running run has that state when it was
  // not kept alive in time.
  virtual absl::Status ChangeRun(const std::string& run_id, const RunChange& change) = 0;
  absl::Status SetState(const std::string& run_id, v1::RunState state) {
    return ChangeRun(run_id, {.state = state});
  }
  // Brings what has been committed into the file, where a copy of the file alone has it, and onto the disk,
  // where a power cut leaves it. Called at the end of each run.
  virtual absl::Status Checkpoint() = 0;
  // Whether rows can be written: commits the pages of one that comes and goes in the same transaction.
  virtual absl::Status TryWriting() = 0;

  // Runs for standing agents. Turns a run into a submitted one, in state queued. If it is one already,
  // replaces the submission and leaves the state.
  absl::Status SetSubmission(const std::string& run_id, const v1::Submission& submission) {
    return ChangeRun(run_id, {.submission = submission});
  }
  // Gives a queued run the library of its first agent: the run takes over the facts and is "running".
  // FailedPrecondition when the run is not queued.
  virtual absl::Status AdoptLibrary(const std::string& run_id, const v1::RunOptions& library) = 0;
  // Submitted runs that are neither finished nor aborted, oldest first.
  virtual absl::StatusOr<std::vector<v1::RunInfo>> OpenSubmissions() = 0;

  // Standing agents, so that a restarted server knows which ones are missing.
  virtual absl::Status KeepAgent(const KnownAgent& agent) = 0;
  virtual absl::Status ForgetAgent(const std::string& agent_id) = 0;
  virtual absl::StatusOr<std::vector<KnownAgent>> KnownAgents() = 0;

  // "latest" is the newest that is no exploration; NotFound names the ids that exist.
  virtual absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) = 0;
  // Newest first, without explorations; `chip` empty: every chip; `limit` 0: all; `before` not empty: only
  // runs older than this one, NotFound when there is no such run.
  virtual absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip, int limit,
                                                            const std::string& before) = 0;
  absl::StatusOr<std::vector<v1::RunInfo>> ListRuns(const std::string& chip, int limit) {
    return ListRuns(chip, limit, "");
  }
  // Sorted by position in the run.
  virtual absl::StatusOr<std::vector<v1::Verdict>> Verdicts(const std::string& run_id,
                                                            const VerdictFilter& filter) = 0;
  // A page of the same, by case id: starts after case `after` (empty: with the first) and ends when the
  // verdicts take `max_bytes` or more as messages, or many rows were read. Locks the database only for that
  // page.
  virtual absl::StatusOr<VerdictPage> PageOfVerdicts(const std::string& run_id, const VerdictFilter& filter,
                                                     const std::string& after, size_t max_bytes) = 0;
  virtual absl::StatusOr<DatabaseStats> Stats() = 0;
  // How many seconds each case took, from the newest of the chip's last `kTimedRuns` finished runs that
  // measured it; other cases are left out.
  virtual absl::StatusOr<std::map<std::string, double>> CaseSeconds(const std::string& chip) = 0;
  // An agent is at work on the run: unless this is called again, the run is stalled after `alive_for`. A run
  // for which it was never called is never stalled.
  virtual absl::Status KeepAlive(const std::string& run_id, absl::Duration alive_for) = 0;
  // Runs that have been stalled for this long, oldest first.
  virtual absl::StatusOr<std::vector<v1::RunInfo>> AbandonedRuns(absl::Duration stalled_for) = 0;
};

// DATA/results.db, or `data_folder` itself if it is a file, such as an archive.
std::string DatabasePath(const std::string& data_folder);

}  // namespace diopi::server

#endif  // SERVER_STORE_DATABASE_H_
