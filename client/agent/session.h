// The run loop: one thread leases batches ahead, N threads each drive a worker process and judge one case
// while the next one runs, and a reporter sends verdicts back.
#ifndef CLIENT_AGENT_SESSION_H_
#define CLIENT_AGENT_SESSION_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cases/base/process.h"
#include "cases/base/stop_signal.h"
#include "client/agent/failure_dump.h"
#include "client/agent/reporter.h"
#include "client/agent/work_queue.h"
#include "client/judge/case_judge.h"
#include "client/rpc/client.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

struct SessionOptions {
  std::string run_id;
  std::string agent_id;
  CaseJudgeOptions judge;             // calls, contracts, adaptor, profile
  FailureDump::Options dump;          // for failed cases
  std::set<std::string> implemented;  // functions that workers may call
  int lease_cases = 512;              // most cases per lease, which the server sizes by time ...
  int queue_cases = 64;               // ... and the next lease is requested below this many
  int64_t lease_bytes = 32 << 20;
};

// A worker, and the device recorded for its cases.
struct SessionWorker {
  std::unique_ptr<loader::Worker> worker;
  int device = -1;  // -1: none was given
};

class Session {
 public:
  // Calls `stored` on one of its threads for every verdict that the server has stored. `client` must outlive
  // the session.
  Session(rpc::Client* client, const SessionOptions& options, Reporter::Stored stored);

  // Runs until the server says that every case of the run has a verdict, with one thread per worker.
  // Cancelled after a stop signal: cases in flight were finished and reported. Otherwise the first error of
  // any part.
  absl::Status Run(std::vector<SessionWorker> workers, const StopSignal& stop);

  const FailureDump& dump() const { return dump_; }
  // The signal that ended Run early; 0: none.
  int stop_signal() const { return stop_signal_; }

 private:
  // A case that was called but is not judged yet.
  struct Called {
    rpc::LeasedCase leased;
    loader::CallOutcome outcome;
    int device = -1;
    double elapsed_us = 0;
    loader::CallOptions options;
    baselines::SlicePlaces places;
    std::optional<profile::JudgedCase> converted = std::nullopt;  // what was judged instead, once it is
  };

  void Prefetch();
  bool LeaseOnce();
  absl::Status Accept(rpc::LeasedCase leased);
  void Work(SessionWorker worker);
  std::optional<loader::CallOutcome> Call(loader::Worker* worker, const rpc::LeasedCase& leased,
                                          const loader::CallOptions& options, std::optional<Called>* last,
                                          baselines::SlicePlaces* places);
  void Judge(Called called);
  void JudgeInPlace(loader::Worker* worker, Called called);
  v1::Verdict VerdictOn(Called* called);
  void Report(Called called, v1::Verdict verdict);
  static void MakeWhole(Called* called);
  bool SettledWithoutWorker(const rpc::LeasedCase& leased);
  void Fail(const absl::Status& status);
  void EndCalls();
  void WaitForEnd(const StopSignal& stop);

  rpc::Client* const client_;
  const SessionOptions options_;
  WorkQueue queue_;
  int workers_ = 1;
  std::atomic<bool> stopping_{false};
  std::atomic<int> stop_signal_{0};
  std::mutex mutex_;
  absl::Status status_;
  std::set<loader::Worker*> calling_;  // workers with a case, from before Submit to after Wait
  bool calls_ended_ = false;
  Pipe ended_;  // written when the last worker thread has ended
  CaseJudge judge_;
  FailureDump dump_;
  Reporter reporter_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_SESSION_H_
