// Handles of NVIDIA's libraries (cuBLASLt, cuDNN, cuSOLVER): expensive to make, and used by one thread at a
// time.
#ifndef BASELINES_OPS_SUPPORT_CUDA_HANDLES_H_
#define BASELINES_OPS_SUPPORT_CUDA_HANDLES_H_

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <vector>

#include "baselines/ops/support/cuda/launch.h"

namespace diopi::ops::cuda {

// A handle of the calling thread's device, borrowed for one call. As many are made as calls run at once, and
// they live as long as the process, because threads come and go, and CUDA may be gone when the library is
// unloaded. `Handle` is a pointer type; make() returns a new one, or Fails.
template <typename Handle>
class Borrowed {
 public:
  template <typename Make>
  explicit Borrowed(Make make) {
    CheckCuda(cudaGetDevice(&device_), "getting the device");
    {
      const std::lock_guard<std::mutex> lock(Spare().mutex);
      std::vector<Handle>& spare = Spare().handles[device_];
      if (!spare.empty()) {
        handle_ = spare.back();
        spare.pop_back();
      }
    }
    if (handle_ == nullptr) handle_ = make();
  }
  ~Borrowed() {
    const std::lock_guard<std::mutex> lock(Spare().mutex);
    Spare().handles[device_].push_back(handle_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  Handle get() const { return handle_; }
  int device() const { return device_; }

 private:
  struct Pool {
    std::mutex mutex;
    std::map<int, std::vector<Handle>> handles;  // by device
  };
  static Pool& Spare() {
    static auto* pool = new Pool;
    return *pool;
  }

  int device_ = 0;
  Handle handle_ = nullptr;
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_HANDLES_H_
