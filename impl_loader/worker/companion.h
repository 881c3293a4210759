// A case that is called again and again on a thread of its own while another one is judged: what two calls of
// a library share by mistake, scratch memory or a plan, shows in the other one.
#ifndef IMPL_LOADER_WORKER_COMPANION_H_
#define IMPL_LOADER_WORKER_COMPANION_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "diopi/v1/worker.pb.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/caller/case_runner.h"
#include "impl_loader/caller/fork_guard.h"
#include "impl_loader/caller/vendor_library.h"

namespace diopi::loader {

// Not thread-safe itself.
class Companion {
 public:
  using RunCall = RunResult (*)(const v1::WorkerCall&, const std::vector<InputView>&, const RunOptions&,
                                CaseRunner*);

  // Copies the case and its inputs, which are those that the call names. `run` makes its calls.
  Companion(const v1::WorkerCall& call, const std::vector<InputView>& inputs, RunCall run);
  ~Companion() { Stop(); }
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  // Returns once the first call is about to begin. Both must outlive Stop. If no thread can be created,
  // nothing runs.
  void Start(VendorLibrary* vendor, const ForkGuard* forks);
  // How often it has gone through a few calls since Start. Without a thread, more than any caller waits for.
  int rounds() const { return rounds_; }
  // Waits until the call in progress has ended.
  void Stop();

 private:
  v1::WorkerCall call_;
  std::vector<std::string> data_;
  std::vector<InputView> inputs_;
  RunCall run_;
  std::unique_ptr<CaseRunner> runner_;
  std::atomic<bool> begun_ = false, stop_ = false;
  std::atomic<int> rounds_ = 0;
  std::thread thread_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_COMPANION_H_
