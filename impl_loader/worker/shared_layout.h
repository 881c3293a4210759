// The memory that agent and worker share: a crash report, then the tensors of the case as the library sees
// them, with the canaries around them, then inputs, then outputs.
#ifndef IMPL_LOADER_WORKER_SHARED_LAYOUT_H_
#define IMPL_LOADER_WORKER_SHARED_LAYOUT_H_

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace diopi::loader {

inline constexpr int kSocketDescriptor = 3;  // of the worker
inline constexpr int kMemoryDescriptor = 4;
inline constexpr int kKeeperDescriptor = 5;     // of the worker's keeper (keeper.h)
inline constexpr int kKeepersSignal = SIGUSR1;  // makes the keeper kill the worker

inline constexpr size_t kCrashBytes = size_t{1} << 20;
inline constexpr size_t kFrameOffset = kCrashBytes;
inline constexpr size_t kPageBytes = size_t{64} << 10;  // a multiple of every page size
inline constexpr size_t kTensorAlignment = 64;
inline constexpr size_t kMaxFrames = 128;

// The worker's signal handler writes it field by field, so that it is of use wherever the handler stops.
// Nobody trusts it: the vendor's code could have written it.
struct CrashReport {
  int32_t signal = 0;  // 0: no crash
  int32_t code = 0;    // si_code
  uint64_t address = 0;
  uint64_t pc = 0;
  int32_t main_thread = 0;  // 1: the thread that calls the library
  uint32_t frame_count = 0;
  uint64_t frames[kMaxFrames] = {};
  uint64_t maps_bytes = 0;
  char maps[kCrashBytes - 8 * kMaxFrames - 64] = {};  // /proc/self/maps
};
static_assert(sizeof(CrashReport) <= kCrashBytes);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SHARED_LAYOUT_H_
