// The runs being worked on: their cases and schedulers in memory, made again from the database when needed.
#ifndef SERVER_RUNS_RUN_REGISTRY_H_
#define SERVER_RUNS_RUN_REGISTRY_H_

#include <atomic>
#include <condition_variable>
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
#include "server/runs/admission.h"
#include "server/runs/baseline_cache.h"
#include "server/runs/run_changes.h"
#include "server/runs/suite_cache.h"
#include "server/scheduler/scheduler.h"
#include "server/store/database.h"
#include "server/store/quota.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// The cases of a run, in its order: some of its selection's, or all.
struct RunCases {
  std::shared_ptr<const SuiteList> list;
  std::vector<uint32_t> positions;  // in the list

  size_t size() const { return positions.size(); }
  const PackedCase& at(size_t index) const { return list->cases[positions[index]]; }
};

// A run in memory. Thread-safe: immutable, except for members that are thread-safe themselves.
struct ActiveRun {
  ActiveRun(const v1::RunInfo& info, RunCases covered, std::vector<ScheduledCase> scheduled,
            const std::vector<std::string>& done, const SchedulerOptions& options, const Clock* clock)
      : run_id(info.run_id()),
        chip(info.options().chip()),
        owner(info.options().owner()),
        exploration(info.options().has_exploration()),
        cases(std::move(covered)),
        scheduler(std::move(scheduled), done, options, clock) {}

  absl::StatusOr<v1::Case> CaseAt(size_t index) const;
  const std::string& HashAt(size_t index) const { return cases.at(index).row.case_hash; }

  const std::string run_id;
  const std::string chip;   // RunOptions.chip
  const std::string owner;  // RunOptions.owner
  const bool exploration;   // it has no cases
  const RunCases cases;
  Scheduler scheduler;
  std::atomic<int64_t> next_sign_of_life_ms = 0;  // when to tell the database again, by the registry's clock
};

// Whether the caller may work on the run that this owner made: OK, or the status to answer.
using RunAccess = std::function<absl::Status(const std::string& run_id, const std::string& owner)>;

// A call that needs a run.
struct RunCaller {
  RunAccess access;
  StillWanted wanted;
};

// Thread-safe. Where a run has to be made or loaded, few calls work at once and a bounded number waits
// (Admission); the caller's `wanted` ends both.
class RunRegistry {
 public:
  struct Options {
    absl::Duration lease = absl::Seconds(30);
    absl::Duration batch;              // SchedulerOptions.batch
    std::string cases_folder;          // of the catalog; runs remember it
    Metrics* metrics = nullptr;        // null: nothing is counted; otherwise it outlives the registry
    int prepared_at_once = 2;          // runs that are made or loaded at once
    int prepared_later = 24;           // others that may wait for them
    int64_t keep_lists = 192LL << 20;  // bytes of lists of cases that are kept without a run
  };
  // All must outlive the registry.
  RunRegistry(Database* database, RunChanges* changes, LazyCatalog* catalog, BaselineCache* baselines,
              const Clock* clock, const Options& options)
      : database_(database),
        changes_(changes),
        catalog_(catalog),
        baselines_(baselines),
        clock_(clock),
        options_(options),
        suites_(catalog, options.keep_lists),
        admission_(options.prepared_at_once, options.prepared_later) {}

  // InvalidArgument for options that make no sense; the catalog's statuses for the selection; `quota` as
  // in NewRun.
  absl::StatusOr<v1::CreateRunResponse> Create(const v1::RunOptions& options, const Quota& quota,
                                               const StillWanted& wanted);

  // The same for standing agents: the run is queued. FailedPrecondition, and no run, when baselines are
  // missing. `more` is stored in the same transaction.
  absl::StatusOr<v1::RunInfo> Submit(const v1::RunOptions& options, const NewRun& more,
                                     const StillWanted& wanted);

  // Continues a run, even an aborted one, with the cases it lacks. FailedPrecondition when chip, library or
  // cases are not the same; with `join`, also when it is not running.
  absl::StatusOr<v1::CreateRunResponse> Resume(const std::string& run_id, const v1::RunOptions& options,
                                               bool join, const RunCaller& caller);

  // The run in memory, loaded from the database if needed. NotFound; FailedPrecondition when its cases have
  // changed.
  absl::StatusOr<std::shared_ptr<ActiveRun>> Find(const std::string& run_id, const RunCaller& caller);

  // Runs that nobody has worked on for this long, by the database and, where they are in memory, by the
  // clock.
  absl::StatusOr<std::vector<v1::RunInfo>> Abandoned(absl::Duration stalled_for);

  // An agent has called about the run: records in the database, every so often, that the run is alive.
  void KeepAlive(ActiveRun* run);

  // SuiteCache::expansions.
  int64_t expansions() { return suites_.expansions(); }

  // Summed over the runs in memory.
  SchedulerCounts Counts();

  // Frees the memory of a run with nothing left to do. The database keeps the run.
  void Forget(const std::string& run_id);

 private:
  absl::Status CheckContracts(const v1::RunOptions& options);
  // The shard's part of the selection, and the hash of the whole selection.
  absl::StatusOr<RunCases> SelectCases(const v1::RunOptions& options, const StillWanted& wanted,
                                       std::string* whole_hash);
  // Stores a new run and takes it into memory. `check` sees its cases before.
  using CheckCases = std::function<absl::Status(const RunCases&)>;
  struct Made {
    v1::RunInfo info;
    std::shared_ptr<ActiveRun> run;
  };
  absl::StatusOr<Made> Make(const v1::RunOptions& asked, const NewRun& more, const StillWanted& wanted,
                            const CheckCases& check);
  absl::StatusOr<std::shared_ptr<ActiveRun>> Load(const v1::RunInfo& info, const StillWanted& wanted);
  // The run in memory; null: there is none.
  absl::StatusOr<std::shared_ptr<ActiveRun>> InMemory(const std::string& run_id, const RunCaller& caller);
  // Gives a queued run the library of its first agent.
  absl::Status Begin(v1::RunInfo* info, const v1::RunOptions& options);
  std::shared_ptr<ActiveRun> Activate(const v1::RunInfo& info, RunCases cases,
                                      const std::vector<std::string>& done);
  // Times of the chip's earlier runs; empty where batches are not sized by time.
  std::map<std::string, double> CaseSeconds(const std::string& chip);
  v1::CreateRunResponse Describe(const v1::RunInfo& info, const ActiveRun& run);
  // The operators of which a case has no baseline.
  std::set<std::string> WithoutBaseline(const RunCases& cases);

  Database* const database_;
  RunChanges* const changes_;
  LazyCatalog* const catalog_;
  BaselineCache* const baselines_;
  const Clock* const clock_;
  const Options options_;
  SuiteCache suites_;
  Admission admission_;
  std::mutex mutex_;
  std::condition_variable loaded_;
  std::map<std::string, std::shared_ptr<ActiveRun>> active_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> loading_ ABSL_GUARDED_BY(mutex_);  // runs that a call loads
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_RUN_REGISTRY_H_
