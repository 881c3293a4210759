// Keeps a stream busy for a while, so that work that ignores the stream overtakes the work queued on it.
#ifndef IMPL_LOADER_CALLER_STREAM_DELAY_H_
#define IMPL_LOADER_CALLER_STREAM_DELAY_H_

#include <cstdint>

#include "impl_loader/runtime/device_functions.h"

namespace diopi::loader {

// Queues the library's own copies between two blocks of device memory on the stream, so that a vendor need
// provide nothing more. Not thread-safe. The functions must outlive it.
class StreamDelay {
 public:
  // `now`: seconds, for tests.
  explicit StreamDelay(const runtime::DeviceFunctions& functions, double (*now)() = Now)
      : functions_(functions), now_(now) {}
  ~StreamDelay();
  StreamDelay(const StreamDelay&) = delete;
  StreamDelay& operator=(const StreamDelay&) = delete;

  // Whether this library has the functions needed: streams, device memory, and copies inside it.
  bool Possible() const;

  // Queues copies that take about `seconds`, limited to kMinSeconds to kMaxSeconds and to kMaxCopies copies,
  // and does not wait for them. The first call measures how long one copy takes on the device, without the
  // host's way to it and back, and waits for that. False: nothing was queued, because there is no memory for
  // it or a copy failed.
  bool Hold(void* stream, double seconds);

 private:
  static double Now();
  bool Prepare(void* stream);
  bool Copy(void* stream) const;
  bool TimeCopies(void* stream, int copies, double* seconds) const;

  const runtime::DeviceFunctions& functions_;
  double (*now_)();
  void* from_ = nullptr;
  void* to_ = nullptr;
  bool failed_ = false;
  double seconds_per_copy_ = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_STREAM_DELAY_H_
