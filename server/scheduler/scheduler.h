// Who runs which case of a run: leases with deadlines. Pure logic in memory; the database is the truth about
// what is done, and a starting server makes its scheduler from it.
#ifndef SERVER_SCHEDULER_SCHEDULER_H_
#define SERVER_SCHEDULER_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/scheduler/batch_size.h"

namespace diopi::server {

// Time that only moves forward. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Duration Now() const = 0;  // since any fixed moment
};

class SteadyClock final : public Clock {
 public:
  absl::Duration Now() const override;
};

// A lease that was neither renewed nor reported on in time.
struct ExpiredLease {
  std::string agent;
  std::string lease_id;
  size_t cases = 0;  // given back
};

struct SchedulerOptions {
  // A lease that is neither renewed nor reported on for this long gives its cases back.
  absl::Duration lease = absl::Seconds(30);
  // 0: the order of the cases given; otherwise a permutation that depends on the seed and the cases' number.
  uint64_t shuffle_seed = 0;
  // The name of the first lease. Each scheduler of a run starts at another one, which tells their leases
  // apart.
  uint64_t first_lease = 1;
  // An agent that gets nothing waits this long at most before it asks again.
  absl::Duration max_retry = absl::Milliseconds(250);
  // How long a batch should take, by the cost of its cases and the speed of its agent (batch_size.h); the
  // first and the last batches are smaller. Zero: every batch is as large as the limits allow.
  absl::Duration batch = absl::ZeroDuration();
  // Called for every lease that expires, when the next call notices it. Must not call the scheduler.
  std::function<void(const ExpiredLease&)> on_expired;
};

struct LeaseLimits {
  int max_cases = 16;     // at least 1 counts
  int64_t max_bytes = 0;  // 0: no limit; one case is always given, however large
  int workers = 1;        // processes that work on them at once
};

struct LeaseBatch {
  std::string lease_id;       // empty when there are no cases
  std::vector<size_t> cases;  // indices into the cases the scheduler was made with
  absl::Duration expires_in;  // from now
  bool complete = false;      // every case is done
  absl::Duration retry_in;    // when there are no cases: the agent has enough, or others hold the rest
};

struct SchedulerCounts {
  size_t total = 0;
  size_t done = 0;
  size_t leased = 0;
  size_t waiting = 0;
  size_t leases = 0;
};

// Thread-safe.
class Scheduler {
 public:
  // `done`: ids that have a verdict already; unknown ones are ignored. `clock` must outlive the scheduler.
  Scheduler(std::vector<ScheduledCase> cases, absl::Span<const std::string> done,
            const SchedulerOptions& options, const Clock* clock);

  // The next cases in order. Cases of expired leases come last, so that a case that kills its agents does not
  // block the others. With SchedulerOptions.batch and without a seed, cases known to be slow come first, and
  // a batch has one slow case at most; with a seed the order is the seed's alone. Cases marked `last` follow
  // all others either way.
  LeaseBatch Lease(const std::string& agent, const LeaseLimits& limits);

  // Restarts the lease's time. False when the lease has expired (others may have its cases) or is not this
  // agent's.
  bool Renew(const std::string& agent, const std::string& lease_id);

  // The case has a verdict: from the agent that holds it, from one whose lease has expired, or a second time.
  // False when it had one already or is not in this run. Renews the lease that holds the case, if that lease
  // is `agent`'s. `seconds`: how long the case took, if that was measured.
  bool MarkDone(const std::string& agent, const std::string& case_id, double seconds = 0);

  // Whether one of these leases brought the case. Also true for a lease of an earlier scheduler, and for a
  // case that this scheduler has given to nobody: an earlier scheduler may have, before the server restarted.
  bool WasLeased(const std::string& case_id, absl::Span<const std::string> lease_ids) const;

  // Takes back all cases that the agent holds, as it has signed off. Returns how many.
  size_t Release(const std::string& agent);

  // Takes back some cases of a lease that never reached its agent, except those that are done or no longer in
  // the lease.
  void Return(const std::string& lease_id, absl::Span<const size_t> cases);

  // The index of a case of this run.
  std::optional<size_t> IndexOf(const std::string& case_id) const;
  SchedulerCounts Counts();

 private:
  enum class State : uint8_t { kWaiting, kLeased, kDone };
  struct Entry {
    ScheduledCase c;
    State state = State::kWaiting;
    uint64_t lease = 0;
    std::vector<uint64_t> leases;  // all that ever held the case
  };
  struct LeaseRecord {
    std::string agent;
    absl::Duration deadline;
    std::vector<size_t> cases;
    size_t open = 0;  // of these, not done
  };
  using Leases = std::map<uint64_t, LeaseRecord>;

  void ExpireOld(absl::Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddWaiting(size_t index) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The answer to an agent that gets no case now.
  LeaseBatch Nothing(absl::Duration now, absl::Duration retry_in) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops the lease; its open cases wait again. Returns how many.
  size_t GiveBack(Leases::iterator lease) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  LeaseRecord Take(const std::string& agent, const LeaseLimits& limits, const Allowance& allowance,
                   uint64_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const SchedulerOptions options_;
  const Clock* const clock_;
  absl::flat_hash_map<std::string, size_t> index_;  // immutable after construction
  mutable std::mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::deque<size_t> waiting_ ABSL_GUARDED_BY(mutex_);  // may hold entries that are done by now
  Leases leases_ ABSL_GUARDED_BY(mutex_);
  BatchSizer batch_sizer_ ABSL_GUARDED_BY(mutex_);
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t leased_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_lease_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::server

#endif  // SERVER_SCHEDULER_SCHEDULER_H_
