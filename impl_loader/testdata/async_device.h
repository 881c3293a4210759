// A device as real as it can be without hardware: the host cannot reach its memory (a load or store by the
// host is a SIGSEGV), and each stream is a thread that works through a queue. Copies return at once.
//
// Events, never a clock, determine the timing: a large copy between device buffers ends only when the host
// waits for its stream and the library's own stream is idle. Work on the library's stream therefore always
// overtakes the copy.
#ifndef IMPL_LOADER_TESTDATA_ASYNC_DEVICE_H_
#define IMPL_LOADER_TESTDATA_ASYNC_DEVICE_H_

#include <sys/mman.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#define DIOPI_STRONG
#include "diopi/diopi_device.h"

// The addresses given to callers, and the memory behind them, which only work on streams may touch.
class DeviceMemory {
 public:
  static DeviceMemory& Get() {
    static DeviceMemory* memory = new DeviceMemory;
    return *memory;
  }
  void* Allocate(uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t rounded = (bytes + 255) / 256 * 256;
    const char* fault = std::getenv("DIOPI_TEST_FAULT");
    const bool little = fault != nullptr && std::strcmp(fault, "little_memory") == 0;
    if (fault != nullptr && std::strcmp(fault, "no_memory") == 0) return nullptr;
    if (rounded > (little ? kLittleBytes : kBytes) - used_) return nullptr;
    used_ += rounded;
    return addresses_ + used_ - rounded;
  }
  // The memory behind an address; null for one that is not the device's.
  template <typename T>
  T* Behind(T* address) const {
    const auto* at = reinterpret_cast<const char*>(address);
    if (at < addresses_ || at >= addresses_ + kBytes) return nullptr;
    return reinterpret_cast<T*>(memory_ + (at - addresses_));
  }

 private:
  static constexpr uint64_t kBytes = uint64_t{2} << 30;
  static constexpr uint64_t kLittleBytes = uint64_t{120} << 20;
  static char* Map(int access) {
    return static_cast<char*>(
        mmap(nullptr, kBytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  std::mutex mutex_;
  uint64_t used_ = 0;
  char* addresses_ = Map(PROT_NONE);
  char* memory_ = Map(PROT_READ | PROT_WRITE);
};

class Stream {
 public:
  Stream() : thread_([this] { Work(); }) {}
  ~Stream() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void Queue(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }
  // Waits until nothing is left to do.
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiters_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return queue_.empty(); });
    --waiters_;
  }
  // For work on this stream: returns when the host waits for the stream.
  void AwaitWaiter() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return waiters_ > 0 || ending_; });
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()> work = queue_.front();
      lock.unlock();
      work();
      lock.lock();
      queue_.pop_front();
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // the front one is at work
  int waiters_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

// The streams the host has made, and one that the library keeps for itself.
class Streams {
 public:
  static Streams& Get() {
    static Streams* streams = new Streams;
    return *streams;
  }
  Stream* Make() {
    const std::lock_guard<std::mutex> lock(mutex_);
    newest_ = new Stream;
    made_.insert(newest_);
    return newest_;
  }
  // Null: not one of these streams.
  Stream* Find(void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = made_.find(static_cast<Stream*>(handle));
    return at == made_.end() ? nullptr : *at;
  }
  void Destroy(Stream* stream) {
    std::deque<std::function<void()>> late;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      made_.erase(stream);
      late.swap(late_);
    }
    for (const std::function<void()>& work : late) work();
    delete stream;
  }
  Stream* own() { return &own_; }
  Stream* newest() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return newest_;
  }
  // Queues work on the library's own stream that lasts until a stream is destroyed.
  void RunBeforeNextDestroy(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    late_.push_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::set<Stream*> made_;
  Stream* newest_ = nullptr;
  std::deque<std::function<void()>> late_;
  Stream own_;
};

inline constexpr uint64_t kSlowCopyBytes = uint64_t{4} << 20;

// True after a fault that ended the device's context: streams cannot be synchronised, and the next one cannot
// be made. That failure sets it back, for the tests that follow in this process.
inline std::atomic<bool> lost{false};

// Copies to the device that the host has asked for.
inline std::atomic<int> uploads{0};

inline diopiError_t QueueCopy(diopiStreamHandle_t handle, void* dst, const void* src, uint64_t bytes) {
  Stream* stream = Streams::Get().Find(handle);
  if (stream == nullptr || dst == nullptr || src == nullptr) return diopiErrorOccurred;
  stream->Queue([=] {
    if (bytes >= kSlowCopyBytes) {
      stream->AwaitWaiter();
      Streams::Get().own()->Wait();
    }
    std::memcpy(dst, src, bytes);
  });
  return diopiSuccess;
}

void* device_malloc(uint64_t bytes) {
  return DeviceMemory::Get().Allocate(bytes);
}
void device_free(void* ptr) {
  (void)ptr;  // tests are short
}
diopiError_t device_memcpy_h2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  ++uploads;
  return QueueCopy(stream, DeviceMemory::Get().Behind(dst), src, bytes);
}
diopiError_t device_memcpy_d2h_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return QueueCopy(stream, dst, DeviceMemory::Get().Behind(src), bytes);
}
diopiError_t device_memcpy_d2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return QueueCopy(stream, DeviceMemory::Get().Behind(dst), DeviceMemory::Get().Behind(src), bytes);
}
diopiError_t device_make_stream(diopiStreamHandle_t* stream) {
  if (lost.exchange(false)) return diopiErrorOccurred;
  *stream = Streams::Get().Make();
  return diopiSuccess;
}
diopiError_t device_destroy_stream(diopiStreamHandle_t handle) {
  Stream* stream = Streams::Get().Find(handle);
  if (stream == nullptr) return diopiErrorOccurred;
  Streams::Get().Destroy(stream);
  return diopiSuccess;
}
diopiError_t device_synchronize_stream(diopiStreamHandle_t handle) {
  Stream* stream = Streams::Get().Find(handle);
  if (stream == nullptr) return diopiErrorOccurred;
  stream->Wait();
  return lost ? diopiErrorOccurred : diopiSuccess;
}

#endif  // IMPL_LOADER_TESTDATA_ASYNC_DEVICE_H_
