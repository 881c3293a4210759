// How runs change, and what of that the database could not take at once: a disk that is full for a minute
// must not leave a run "running" for ever.
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
  // A run has changed in the database; `ended`: it is finished or aborted. Called without a lock, by who
  // stored the change.
  using Stored = std::function<void(const std::string& run_id, bool ended)>;
  // The database must outlive this.
  RunChanges(Database* database, Stored stored) : database_(database), stored_(std::move(stored)) {}

  // For the next Flush to store. What it sets replaces what was put before.
  void Put(const std::string& run_id, const RunChange& change);
  // Stores all that was put. What the database cannot take now stays for the next Flush; what it can never
  // take (there is no such run) is dropped. The first failure.
  absl::Status Flush();
  // Puts it, stores it now, and says whether that succeeded. If not, a later Flush does it.
  absl::Status Store(const std::string& run_id, const RunChange& change);
  // The run goes on: a state that was put about it no longer holds, nor what came with that.
  void Withdraw(const std::string& run_id);

 private:
  using Told = std::vector<std::pair<std::string, bool>>;  // of `stored_`
  absl::Status StoreOne(const std::string& run_id, Told* told) ABSL_EXCLUSIVE_LOCKS_REQUIRED(order_);
  void Tell(const Told& told);

  Database* const database_;
  const Stored stored_;
  std::mutex order_;  // held while changes are written, so that the newest is written last; before mutex_
  std::set<std::string> failing_ ABSL_GUARDED_BY(order_);  // the log has it
  std::mutex mutex_;
  std::map<std::string, RunChange> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_RUN_CHANGES_H_
