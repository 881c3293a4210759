#include "baselines/tap/call_timer.h"

namespace diopi::tap {

CallTimer::CallTimer(const TensorMemory& memory, void* stream, bool by_device)
    : memory_(memory), stream_(stream) {
  if (by_device) events_ = loader::CudaEvents::OfThisProcess();
  memory_.Synchronize(stream_).IgnoreError();
  if (events_ != nullptr && !events_->Start(stream_)) events_ = nullptr;
  start_ = std::chrono::steady_clock::now();
}

CallTimer::Time CallTimer::Stop() {
  const bool stamped = events_ != nullptr && events_->Stop(stream_);
  memory_.Synchronize(stream_).IgnoreError();
  const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - start_;
  const double device = stamped ? events_->Microseconds() : -1;
  return device >= 0 ? Time{device, true} : Time{host.count(), false};
}

}  // namespace diopi::tap
