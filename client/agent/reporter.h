// Sends verdicts to the server in batches while the run goes on, and keeps leases alive.
#ifndef CLIENT_AGENT_REPORTER_H_
#define CLIENT_AGENT_REPORTER_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "diopi/v1/service.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::agent {

// Thread-safe. Has its own thread, which Stop joins.
class Reporter {
 public:
  struct Options {
    std::string run_id;
    std::string agent_id;
    int batch = 64;                               // sends after this many verdicts ...
    std::chrono::milliseconds batch_wait{200};    // ... or after this long, whichever comes first
    std::chrono::milliseconds renew_every{5000};  // while leases are held
  };
  // Sends one batch, including retries.
  using Send = std::function<absl::Status(const v1::ReportRequest&)>;
  // Called on the reporter's thread for every verdict that the server has stored.
  using Stored = std::function<void(const v1::Verdict&)>;
  // Called once, on the reporter's thread, when a batch could not be sent; nothing is sent after it.
  using Failed = std::function<void(const absl::Status&)>;

  Reporter(const Options& options, Send send, Stored stored, Failed failed);
  ~Reporter();

  // Holds a case of this lease until its verdict is added. False when the case is held already, by this or
  // another lease: it must not run again.
  bool Take(const std::string& lease_id, const std::string& case_id);
  void SetRenewEvery(std::chrono::milliseconds period);

  void Add(v1::Verdict verdict);

  // Waits at most `limit` until no case is held; false when the time is up.
  bool WaitUntilIdle(std::chrono::milliseconds limit);
  // The same, but waits for all of `limit` when no case is held at the start. False after Abandon.
  bool PauseUntilIdle(std::chrono::milliseconds limit);
  // Gives up the held cases that have no verdict yet, and lets WaitUntilIdle return.
  void Abandon();

  // Sends the remaining verdicts and ends the thread. Returns the first error of any batch.
  absl::Status Stop();

 private:
  void Loop();
  bool BatchIsDue() const;
  void SendBatch(std::unique_lock<std::mutex>* lock);

  const Options options_;
  const Send send_;
  const Stored stored_;
  const Failed failed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::milliseconds renew_every_;
  std::map<std::string, std::string> held_;  // case -> lease, until the server has its verdict
  std::vector<v1::Verdict> waiting_;
  bool stop_ = false;
  bool abandoned_ = false;
  absl::Status status_;
  std::thread thread_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_REPORTER_H_
