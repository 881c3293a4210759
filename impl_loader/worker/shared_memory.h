// The parent's side of the memory it shares with a worker.
#ifndef IMPL_LOADER_WORKER_SHARED_MEMORY_H_
#define IMPL_LOADER_WORKER_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"
#include "cases/base/tensor.h"
#include "cases/base/tensor_view.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {

// An anonymous file sealed at a fixed size: no process can make another's access to it fail, nor fill more of
// the machine's memory through it than the agent wanted. Untouched pages take no memory. Move-only; not
// thread-safe.
class SharedMemory {
 public:
  // Has at least `frame_bytes` for the tensors that a library sees, and `data_bytes` for inputs and outputs.
  // ResourceExhausted when the system refuses.
  static absl::StatusOr<SharedMemory> Create(size_t frame_bytes, size_t data_bytes);
  SharedMemory() = default;  // none
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  int descriptor() const { return file_.get(); }
  // The memory from kFrameOffset on.
  std::byte* frames() const { return reinterpret_cast<std::byte*>(base_ + kFrameOffset); }
  size_t frame_bytes() const { return data_offset_ - kFrameOffset; }
  size_t data_offset() const { return data_offset_; }
  size_t data_bytes() const { return bytes_ - data_offset_; }

  // Returns the memory beyond these many bytes of frames and data to the system; its content becomes zeros.
  void Release(size_t frame_bytes, size_t data_bytes) const;

  void Write(size_t offset, std::string_view data);
  // A tensor that the worker claims to have placed at or after `first`: where it lies. DataLoss when it
  // cannot be there.
  absl::StatusOr<TensorView> View(const v1::ShmTensor& placed, size_t first) const;
  // The same as a copy. A large one's memory is given back to the system while it is read.
  absl::StatusOr<HostTensor> Take(const v1::ShmTensor& placed, size_t first) const;

  void ClearCrash();
  struct Crash {
    int signal = 0;
    uint64_t address = 0;
    uint64_t pc = 0;
    bool main_thread = false;
    std::vector<uint64_t> frames;
    std::string maps;
  };
  Crash ReadCrash() const;

 private:
  void PunchHole(size_t from, size_t to) const;

  Descriptor file_;
  char* base_ = nullptr;
  size_t bytes_ = 0;
  size_t data_offset_ = kFrameOffset;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SHARED_MEMORY_H_
