// The run loop: a thread leases batches ahead, N threads drive a worker process each and judge one case while
// the next runs, a reporter sends verdicts back.
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
  FailureDump::Options dump;          // of failed cases
  std::set<std::string> implemented;  // functions that a worker is asked to call
  int lease_cases = 512;              // at most in one lease; the server sizes it by time ...
  int queue_cases = 64;               // ... and is asked for the next one below so many
  int64_t lease_bytes = 32 << 20;
};

// A worker, and the device that is recorded for its cases.
struct SessionWorker {
  std::unique_ptr<loader::Worker> worker;
  int device = -1;  // -1: none was named
};

class Session {
 public:
  // `stored` is called on one thread of the session's for every verdict the server has. `client` outlives it.
  Session(rpc::Client* client, const SessionOptions& options, Reporter::Stored stored);

  // Runs until the server says that every case of the run has a verdict. One thread a worker. Cancelled when
  // a stop signal came: cases in flight were finished and reported. Otherwise the first error of any part.
  absl::Status Run(std::vector<SessionWorker> workers, const StopSignal& stop);

  const FailureDump& dump() const { return dump_; }
  // The signal that made Run end early; 0: none.
  int stop_signal() const { return stop_signal_; }

 private:
  // A case that was called and is not judged yet.
  struct Called {
    rpc::LeasedCase leased;
    loader::CallOutcome outcome;
    int device = -1;
    double elapsed_us = 0;
    v1::CaseAdaptor adaptor;
  };

  void Prefetch();
  bool LeaseOnce();
  absl::Status Accept(rpc::LeasedCase leased);
  void Work(SessionWorker worker);
  std::optional<loader::CallOutcome> Call(loader::Worker* worker, const rpc::LeasedCase& leased,
                                          const loader::CallOptions& options, std::optional<Called>* last);
  void Judge(const Called& called);
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
  std::set<loader::Worker*> calling_;  // those with a case, from before Submit to after Wait
  bool calls_ended_ = false;
  Pipe ended_;  // written when the last worker thread has ended
  CaseJudge judge_;
  FailureDump dump_;
  Reporter reporter_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_SESSION_H_
