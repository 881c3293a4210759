// The parent's side of the memory it shares with a worker.
#ifndef IMPL_LOADER_WORKER_SHARED_MEMORY_H_
#define IMPL_LOADER_WORKER_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {

// An anonymous file that can grow and never shrinks, and whose seals are final, so that no process can make
// another's access to it fail. Move-only; not thread-safe.
class SharedMemory {
 public:
  static absl::StatusOr<SharedMemory> Create(size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) = delete;
  ~SharedMemory();

  int descriptor() const { return file_.get(); }

  // Makes it at least that large. ResourceExhausted when it cannot be.
  absl::Status Grow(size_t bytes);
  // Gives memory beyond `bytes` back to the system; its content becomes zeros.
  void Release(size_t bytes) const;

  void Write(size_t offset, const std::string& data);
  // A tensor that the worker says it has placed at or after `first`. DataLoss when what it says is not so.
  absl::StatusOr<HostTensor> Read(const v1::ShmTensor& placed, size_t first);

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
  explicit SharedMemory(Descriptor file) : file_(std::move(file)) {}
  absl::Status Map(size_t bytes);

  Descriptor file_;
  char* base_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SHARED_MEMORY_H_
