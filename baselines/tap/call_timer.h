// How long a library's call takes.
#ifndef BASELINES_TAP_CALL_TIMER_H_
#define BASELINES_TAP_CALL_TIMER_H_

#include <chrono>
#include <memory>

#include "baselines/tap/host_runtime.h"
#include "impl_loader/library/cuda_events.h"

namespace diopi::tap {

// Measures from its construction, after the stream's earlier work, to Stop, after the call's own. Lives
// within the call, on its thread.
class CallTimer {
 public:
  // `by_device`: by the device's clock, with events of NVIDIA's driver, where the process has it and it takes
  // the stream; by the host's clock otherwise.
  CallTimer(const TensorMemory& memory, void* stream, bool by_device);

  struct Time {
    double microseconds = 0;
    bool by_device = false;
  };
  Time Stop();

 private:
  const TensorMemory& memory_;
  void* const stream_;
  std::unique_ptr<loader::CudaEvents> events_;  // null: the host's clock
  std::chrono::steady_clock::time_point start_;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_CALL_TIMER_H_
