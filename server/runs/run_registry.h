// The runs being worked on: their cases and schedulers in memory, made again from the database when needed.
#ifndef SERVER_RUNS_RUN_REGISTRY_H_
#define SERVER_RUNS_RUN_REGISTRY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cases/core/catalog.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/service.pb.h"
#include "server/runs/baseline_cache.h"
#include "server/runs/run_changes.h"
#include "server/scheduler/scheduler.h"
#include "server/store/database.h"
#include "server/store/quota.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// Loaded with the first run: a server must be ready long before the operators' files are parsed.
class LazyCatalog {
 public:
  using Loader = std::function<absl::StatusOr<std::unique_ptr<cases::Catalog>>()>;
  explicit LazyCatalog(Loader load) : load_(std::move(load)) {}
  absl::StatusOr<const cases::Catalog*> Get();

 private:
  const Loader load_;
  std::mutex mutex_;
  std::unique_ptr<cases::Catalog> catalog_ ABSL_GUARDED_BY(mutex_);
};

// A case of a run as the server keeps it: what scheduling needs, and the case itself serialised, which takes
// a third of a message's memory.
struct PackedCase {
  RunCase row;
  int64_t streamed_bytes = 0;
  bool library_check = false;
  std::string serialized;
};

// A run in memory. Thread-safe: immutable, except for members that are thread-safe themselves.
struct ActiveRun {
  ActiveRun(const v1::RunInfo& info, std::vector<ScheduledCase> scheduled,
            const std::vector<std::string>& done, const SchedulerOptions& options, const Clock* clock)
      : run_id(info.run_id()),
        chip(info.options().chip()),
        owner(info.options().owner()),
        exploration(info.options().has_exploration()),
        scheduler(std::move(scheduled), done, options, clock) {}

  absl::StatusOr<v1::Case> CaseAt(size_t index) const;

  const std::string run_id;
  const std::string chip;           // RunOptions.chip
  const std::string owner;          // RunOptions.owner
  const bool exploration;           // it has no cases
  std::vector<std::string> cases;   // serialised: a third of the size of messages
  std::vector<std::string> hashes;  // of the cases
  Scheduler scheduler;
  std::atomic<int64_t> next_sign_of_life_ms = 0;  // when to tell the database again, by the registry's clock
};

// Whether the caller may work on the run that this owner made: OK, or the status to answer.
using RunAccess = std::function<absl::Status(const std::string& run_id, const std::string& owner)>;

// Thread-safe.
class RunRegistry {
 public:
  struct Options {
    absl::Duration lease = absl::Seconds(30);
    absl::Duration batch;        // SchedulerOptions.batch
    std::string cases_folder;    // of the catalog; runs remember it
    Metrics* metrics = nullptr;  // null: nothing is counted; otherwise it outlives the registry
  };
  // All must outlive the registry.
  RunRegistry(Database* database, RunChanges* changes, LazyCatalog* catalog, BaselineCache* baselines,
              const Clock* clock, const Options& options)
      : database_(database),
        changes_(changes),
        catalog_(catalog),
        baselines_(baselines),
        clock_(clock),
        options_(options) {}

  // InvalidArgument for options that make no sense; the catalog's statuses for the selection; `quota` as
  // in NewRun.
  absl::StatusOr<v1::CreateRunResponse> Create(const v1::RunOptions& options, const Quota& quota = {});

  // The same for standing agents: the run is queued. FailedPrecondition, and no run, when baselines are
  // missing. `more` is stored in the same transaction.
  absl::StatusOr<v1::RunInfo> Submit(const v1::RunOptions& options, const NewRun& more);

  // Continues a run, even an aborted one, with the cases it lacks. FailedPrecondition when chip, library or
  // cases are not the same; with `join`, also when it is not running.
  absl::StatusOr<v1::CreateRunResponse> Resume(const std::string& run_id, const v1::RunOptions& options,
                                               bool join, const RunAccess& access);

  // The run in memory, loaded from the database if needed. NotFound; FailedPrecondition when its cases have
  // changed.
  absl::StatusOr<std::shared_ptr<ActiveRun>> Find(const std::string& run_id, const RunAccess& access);

  // Runs that nobody has worked on for this long, by the database and, where they are in memory, by the
  // clock.
  absl::StatusOr<std::vector<v1::RunInfo>> Abandoned(absl::Duration stalled_for);

  // An agent has called about the run: records in the database, every so often, that the run is alive.
  void KeepAlive(ActiveRun* run);

  // Summed over the runs in memory.
  SchedulerCounts Counts();

  // Frees the memory of a run with nothing left to do. The database keeps the run.
  void Forget(const std::string& run_id);

 private:
  absl::Status CheckContracts(const v1::RunOptions& options);
  // The shard's part of the selection, and the hash of the whole selection.
  absl::StatusOr<std::vector<PackedCase>> SelectCases(const v1::RunOptions& options, std::string* whole_hash);
  // Stores a new run and takes it into memory. `check` sees its cases before.
  using CheckCases = std::function<absl::Status(const std::vector<PackedCase>&)>;
  struct Made {
    v1::RunInfo info;
    std::shared_ptr<ActiveRun> run;
  };
  absl::StatusOr<Made> Make(const v1::RunOptions& asked, const NewRun& more, const CheckCases& check);
  absl::StatusOr<std::shared_ptr<ActiveRun>> Load(const v1::RunInfo& info);
  // Gives a queued run the library of its first agent.
  absl::Status Begin(v1::RunInfo* info, const v1::RunOptions& options);
  std::shared_ptr<ActiveRun> Activate(const v1::RunInfo& info, std::vector<PackedCase> cases,
                                      const std::vector<std::string>& done);
  // Times of the chip's earlier runs; empty where batches are not sized by time.
  std::map<std::string, double> CaseSeconds(const std::string& chip);
  absl::StatusOr<v1::CreateRunResponse> Describe(const v1::RunInfo& info, const ActiveRun& run);
  // Adds the case's operator to `without` unless its baseline is there.
  absl::Status CheckBaseline(const std::string& serialized, std::set<std::string>* without);

  Database* const database_;
  RunChanges* const changes_;
  LazyCatalog* const catalog_;
  BaselineCache* const baselines_;
  const Clock* const clock_;
  const Options options_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ActiveRun>> active_ ABSL_GUARDED_BY(mutex_);
};

// Bytes of the case's tensors, inputs and references, as they are streamed.
int64_t StreamedBytes(const v1::Case& c);

}  // namespace diopi::server

#endif  // SERVER_RUNS_RUN_REGISTRY_H_
