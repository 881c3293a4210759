// The emulated device: host memory that only kernels and copies of the emulated library may touch, and
// streams that do everything immediately.
#include "baselines/ops/support/cuda/device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/recovery.h"
#include "baselines/ops/support/op.h"
#include "diopi/diopi_device.h"

namespace diopi::ops::cuda {
namespace {

// One range of addresses, inaccessible while no DeviceMemoryOpen lives, and a second one over the same memory
// for copies, because closing costs time for every page that was touched through the first. Never freed,
// because tensors may outlive the library's own data.
class DeviceMemory {
 public:
  static DeviceMemory& Get() {
    static auto* memory = [] {
      auto* made = new DeviceMemory;
      if (made->start_ == MAP_FAILED || made->alias_ == MAP_FAILED) made->gaps_.clear();
      mprotect(made->start_, kBytes, PROT_NONE);
      return made;
    }();
    return *memory;
  }

  // First fit; null when nothing fits.
  void* Allocate(uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t rounded = bytes > kBytes
                                 ? kBytes + 1
                                 : std::max<uint64_t>((bytes + kAlignment - 1) / kAlignment, 1) * kAlignment;
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < rounded) continue;
      const uint64_t at = gap->first, rest = gap->second - rounded;
      gaps_.erase(gap);
      if (rest > 0) gaps_[at + rounded] = rest;
      taken_[at] = rounded;
      return start_ + at;
    }
    return nullptr;
  }

  void Free(void* pointer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = taken_.find(static_cast<uint64_t>(static_cast<char*>(pointer) - start_));
    if (block == taken_.end()) return;
    uint64_t at = block->first, bytes = block->second;
    taken_.erase(block);
    const auto after = gaps_.lower_bound(at);
    if (after != gaps_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == at) {
        at = before->first;
        bytes += before->second;
        gaps_.erase(before);
      }
    }
    if (after != gaps_.end() && at + bytes == after->first) {
      bytes += after->second;
      gaps_.erase(after);
    }
    gaps_[at] = bytes;
  }

  // The address at which a copy accesses this address, whether it is the device's or not.
  template <typename T>
  T* ForCopy(T* pointer) const {
    const auto at = reinterpret_cast<uint64_t>(pointer) - reinterpret_cast<uint64_t>(start_);
    return at < kBytes ? reinterpret_cast<T*>(alias_ + at) : pointer;
  }

  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (users_++ == 0) mprotect(start_, kBytes, PROT_READ | PROT_WRITE);
  }
  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--users_ == 0) mprotect(start_, kBytes, PROT_NONE);
  }

 private:
  static constexpr uint64_t kBytes = uint64_t{2} << 30;
  static constexpr uint64_t kAlignment = 256;  // as cudaMalloc's

  std::mutex mutex_;
  char* start_ = static_cast<char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  // An old size of 0 maps the same pages once more.
  char* alias_ = static_cast<char*>(mremap(start_, 0, kBytes, MREMAP_MAYMOVE));
  std::map<uint64_t, uint64_t> gaps_ = {{0, kBytes}};  // offset, bytes
  std::map<uint64_t, uint64_t> taken_;
  int users_ = 0;
};

}  // namespace

DeviceMemoryOpen::DeviceMemoryOpen() {
  DeviceMemory::Get().Open();
}
DeviceMemoryOpen::~DeviceMemoryOpen() {
  DeviceMemory::Get().Close();
}

void CopyAnywhere(void* dst, const void* src, int64_t bytes) {
  const DeviceMemory& memory = DeviceMemory::Get();
  std::memcpy(memory.ForCopy(static_cast<char*>(dst)), memory.ForCopy(static_cast<const char*>(src)),
              static_cast<size_t>(bytes));
}

void UseDevice() {}

bool DeviceWorks() {
  const char* fault = std::getenv("DIOPI_CUDA_EMULATED_FAULT");
  return fault == nullptr || std::strcmp(fault, "sticky") != 0;
}

std::string DeviceText() {
  return "emulated on the host";
}

}  // namespace diopi::ops::cuda

using diopi::ops::cuda::CopyAnywhere;
using diopi::ops::cuda::DeviceMemory;

void* device_malloc(uint64_t bytes) {
  return DeviceMemory::Get().Allocate(bytes);
}
void device_free(void* ptr) {
  DeviceMemory::Get().Free(ptr);
}
// No device_memcpy_d2d_async: hosts use it to keep a stream busy and see what overtakes it, but these streams
// are done before that.
diopiError_t device_memcpy_h2d_async(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  CopyAnywhere(dst, src, static_cast<int64_t>(bytes));
  return diopiSuccess;
}
diopiError_t device_memcpy_d2h_async(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  CopyAnywhere(dst, src, static_cast<int64_t>(bytes));
  return diopiSuccess;
}
diopiError_t device_make_stream(diopiStreamHandle_t* stream) {
  *stream = &DeviceMemory::Get();  // one for all
  return diopiSuccess;
}
diopiError_t device_destroy_stream(diopiStreamHandle_t) {
  return diopiSuccess;
}
diopiError_t device_synchronize_stream(diopiStreamHandle_t) {
  return diopiSuccess;
}
