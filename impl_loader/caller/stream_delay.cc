#include "impl_loader/caller/stream_delay.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace diopi::loader {
namespace {

constexpr uint64_t kCopyBytes = uint64_t{16} << 20;
constexpr int kMaxCopies = 64;
// Long enough for a kernel on another stream to run, short enough for thousands of cases.
constexpr double kMinSeconds = 0.5e-3;
constexpr double kMaxSeconds = 5e-3;

}  // namespace

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
  // The first copy touches the memory, the second one is measured.
  for (int i = 0; i < 2; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!Copy(stream) || functions_.stream_synchronize(stream) != 0) return false;
    seconds_per_copy_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  seconds_per_copy_ = std::max(seconds_per_copy_, 1e-6);
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
