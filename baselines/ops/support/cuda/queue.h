// The stream of one call, the memory that it may use, and copies on that stream.
//
// With nvcc this is a GPU's stream. Compiled as C++ (DIOPI_CUDA_EMULATED), everything happens immediately, in
// memory that only "kernels" and these copies may touch, so that an operator that reads device memory on the
// host crashes in a test and not on a user's GPU.
#ifndef BASELINES_OPS_SUPPORT_CUDA_QUEUE_H_
#define BASELINES_OPS_SUPPORT_CUDA_QUEUE_H_

#include <cstdint>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/op.h"

namespace diopi::ops::cuda {

class Queue {
 public:
  // Fail: no device, or the host gives no stream.
  explicit Queue(diopiContextHandle_t ctx);

  // The host's handle: a cudaStream_t on a GPU.
  diopiStreamHandle_t stream() const { return stream_; }
  diopiContextHandle_t context() const { return ctx_; }

  // Memory on the device for `count` numbers, aligned for all of them and not initialised; the host's, until
  // the call's context ends. Null for none.
  template <typename T>
  T* Buffer(int64_t count) const {
    return static_cast<T*>(Bytes(count * static_cast<int64_t>(sizeof(T))));
  }

  // On the stream; `src` of CopyToDevice may be reused at once.
  void CopyToDevice(void* dst, const void* src, int64_t bytes) const;
  void CopyOnDevice(void* dst, const void* src, int64_t bytes) const;
  void Zero(void* dst, int64_t bytes) const;
  // Waits for the stream; only for cases where the size of a result or a host pointer depends on data.
  void CopyToHost(void* dst, const void* src, int64_t bytes) const;

 private:
  void* Bytes(int64_t bytes) const;

  diopiContextHandle_t ctx_;
  diopiStreamHandle_t stream_ = nullptr;
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_QUEUE_H_
