// How much work an agent gets at once: batches that take every agent about the same time, from the cost of
// the cases and the measured speed of the agent. Pure arithmetic over the times that callers pass in.
//
// The cost of a case is in seconds: as measured before, else the mean of its group in this run, else the mean
// of all. An agent's speed is cost per second of wall time while it held work, whatever its machine and
// workers are.
#ifndef SERVER_SCHEDULER_BATCH_SIZE_H_
#define SERVER_SCHEDULER_BATCH_SIZE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace diopi::server {

struct ScheduledCase {
  std::string id;          // unique
  int64_t bytes = 0;       // what its tensors take, for LeaseLimits.max_bytes
  double seconds = 0;      // it took before; 0: not known
  std::string group = "";  // cases of a group take about as long as each other: the function
  bool last = false;       // handed out after all others: it would cost the agent a fresh worker in between
};

struct BatchSizerOptions {
  // How long a batch should take. Zero: an agent gets as much as it asks for.
  absl::Duration target = absl::ZeroDuration();
  // An agent that holds nothing and has sent nothing for this long no longer counts as sharing the work.
  absl::Duration forget = absl::Seconds(30);
  absl::Duration max_retry = absl::Milliseconds(250);
};

// What an agent may have now.
struct Allowance {
  int cases = 0;            // 0: nothing now
  double cost = 0;          // a batch ends before the case that exceeds it; one case is always allowed
  double slow = 0;          // a batch has at most one case that costs this or more
  int at_least = 1;         // cases that the batch has whatever they cost, so that no worker idles
  absl::Duration retry_in;  // when cases is 0
};

// Not thread-safe.
class BatchSizer {
 public:
  // An agent's first batch, and the most that it may hold until its first report shows how fast it is.
  static constexpr int kFirstCases = 4;
  static constexpr int kUnmeasuredCases = 16;

  BatchSizer(const BatchSizerOptions& options, absl::Span<const ScheduledCase> cases);

  double Cost(size_t index) const;
  // Whether the case is known to be slow for any batch: slow cases are handed out first.
  bool IsSlow(size_t index) const;
  // The case took `seconds`, on whichever agent; not positive: it was not measured.
  void Learn(size_t index, double seconds);

  // The case now waits to be leased, or no longer does.
  void Enter(size_t index) { Count(index, 1); }
  void Leave(size_t index) { Count(index, -1); }

  // An agent with `workers` processes asks for at most `max_cases`.
  Allowance Allow(const std::string& agent, int max_cases, int workers, absl::Duration now);
  // The agent was given the case.
  void Give(const std::string& agent, size_t index, absl::Duration now);
  // The agent no longer holds it: done by it, done by another, or taken back.
  enum class End { kDone, kDoneByAnother, kTakenBack };
  void Take(const std::string& agent, size_t index, End end, absl::Duration now);
  // The agent is gone, or its leases expired: its speed is no longer known.
  void Forget(const std::string& agent);

  // Cost per second; 0: not known yet.
  double SpeedOf(const std::string& agent) const;

 private:
  struct Agent {
    double work = 0;  // cost of what it has done lately ...
    double busy = 0;  // ... and the seconds that took
    double open_cost = 0;
    int open_cases = 0;
    int most = kFirstCases;  // cases of its next batch; grows with its reports
    bool reported = false;   // since `most` grew
    absl::Duration mark;     // its time up to here is in `busy`
    absl::Duration seen;     // when it last called
    double speed() const { return busy > 0 ? work / busy : 0; }
  };
  struct Mean {
    double sum = 0;
    int64_t count = 0;
  };

  void Count(size_t index, int by);
  double MeanCost() const;
  double UsualSpeed() const;
  // Seconds until everything is done if every agent keeps busy, and whether another agent shares the work.
  double SecondsLeft(const std::string& agent, absl::Duration now, bool* shared) const;
  Allowance AllowUnmeasured(Agent* agent, int max_cases) const;

  const BatchSizerOptions options_;
  std::vector<double> seconds_;  // by case; 0: not known
  std::vector<uint32_t> group_of_;
  std::vector<double> charged_;  // the cost assumed for each case that is held
  std::vector<Mean> groups_;
  Mean all_;
  double waiting_known_ = 0;     // cost of the waiting cases whose cost is known
  int64_t waiting_unknown_ = 0;  // how many have no known cost
  double open_cost_ = 0;         // of all agents
  std::map<std::string, Agent> agents_;
};

}  // namespace diopi::server

#endif  // SERVER_SCHEDULER_BATCH_SIZE_H_
