// Stores changes of runs, and keeps those that the database could not take at once: a disk that is full for a
// minute must not leave a run "running" for ever.
#ifndef SERVER_RUNS_RUN_CHANGES_H_
#define SERVER_RUNS_RUN_CHANGES_H_

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "server/store/database.h"

namespace diopi::server {

// Thread-safe. Blocks as long as the database does, except for Put.
class RunChanges {
 public:
  // Called, without a lock, when a change of a run has been stored. `ended`: the run is finished or aborted.
  using Stored = std::function<void(const std::string& run_id, bool ended)>;
  // The database must outlive this.
  RunChanges(Database* database, Stored stored) : database_(database), stored_(std::move(stored)) {}

  // Leaves the change to the next Flush. What it sets replaces what was put before.
  void Put(const std::string& run_id, const RunChange& change);
  // Stores all that was put. What the database cannot take now stays for the next Flush; what it can never
  // take (there is no such run) is dropped. Returns the first failure.
  absl::Status Flush();
  // Puts the change and tries to store it now. If that fails, returns why, and a later Flush stores it.
  absl::Status Store(const std::string& run_id, const RunChange& change);
  // The run goes on: drops a state that was put for it, and what came with that state.
  void Withdraw(const std::string& run_id);

 private:
  using Changed = std::vector<std::pair<std::string, bool>>;  // arguments of `stored_`
  absl::Status StoreOne(const std::string& run_id, Changed* changed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_);
  void Notify(const Changed& changed);

  Database* const database_;
  const Stored stored_;
  // Held while changes are written, so that the newest is written last. Taken before mutex_.
  std::mutex order_;
  std::set<std::string> failing_ ABSL_GUARDED_BY(order_);  // these have been logged
  std::mutex mutex_;
  std::map<std::string, RunChange> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_RUN_CHANGES_H_
