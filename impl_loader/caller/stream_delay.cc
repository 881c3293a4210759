#include "impl_loader/caller/stream_delay.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace diopi::loader {
namespace {

constexpr uint64_t kCopyBytes = uint64_t{16} << 20;
// A driver queues about a thousand things before the host has to wait; the call needs its share.
constexpr int kMaxCopies = 256;
constexpr int kMeasuredCopies = 8;
// Long enough for a kernel on another stream to start, which takes 10 us, short enough for thousands of
// cases: on an H200, half a millisecond was most of a small case's time.
constexpr double kMinSeconds = 0.2e-3;
constexpr double kMaxSeconds = 5e-3;

}  // namespace

double StreamDelay::Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

StreamDelay::~StreamDelay() {
  if (functions_.memory_free == nullptr) return;
  if (from_ != nullptr) functions_.memory_free(from_);
  if (to_ != nullptr) functions_.memory_free(to_);
}

bool StreamDelay::Possible() const {
  return !failed_ && functions_.HasMemory() && functions_.copy_d2d != nullptr &&
         functions_.stream_create != nullptr && functions_.stream_synchronize != nullptr;
}

bool StreamDelay::Copy(void* stream) const {
  return functions_.copy_d2d(stream, to_, from_, kCopyBytes) == 0;
}

bool StreamDelay::Prepare(void* stream) {
  if (seconds_per_copy_ > 0) return true;
  from_ = functions_.memory_malloc(kCopyBytes);
  to_ = functions_.memory_malloc(kCopyBytes);
  if (from_ == nullptr || to_ == nullptr) return false;
  // The first copy touches the memory. Both measurements include one way to the device and back.
  double one = 0, more = 0;
  if (!TimeCopies(stream, 1, &one) || !TimeCopies(stream, 1, &one)) return false;
  if (!TimeCopies(stream, 1 + kMeasuredCopies, &more)) return false;
  seconds_per_copy_ = std::max((more - one) / kMeasuredCopies, 1e-6);
  return true;
}

bool StreamDelay::TimeCopies(void* stream, int copies, double* seconds) const {
  const double start = now_();
  for (int i = 0; i < copies; ++i) {
    if (!Copy(stream)) return false;
  }
  if (functions_.stream_synchronize(stream) != 0) return false;
  *seconds = now_() - start;
  return true;
}

bool StreamDelay::Hold(void* stream, double seconds) {
  if (!Possible()) return false;
  failed_ = !Prepare(stream);
  if (failed_) return false;
  const double wanted = std::clamp(seconds, kMinSeconds, kMaxSeconds);
  const int copies = std::clamp(static_cast<int>(std::ceil(wanted / seconds_per_copy_)), 1, kMaxCopies);
  for (int i = 0; i < copies; ++i) {
    if (!Copy(stream)) {
      failed_ = true;
      return i > 0;
    }
  }
  return true;
}

}  // namespace diopi::loader
