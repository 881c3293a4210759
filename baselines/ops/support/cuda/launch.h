// What the launching headers of this folder (for_each.h, reduce.h, scan.h) need from their backend. Operators
// include those headers, not this one.
#ifndef BASELINES_OPS_SUPPORT_CUDA_LAUNCH_H_
#define BASELINES_OPS_SUPPORT_CUDA_LAUNCH_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "baselines/ops/support/cuda/queue.h"

#if !defined(DIOPI_CUDA_EMULATED)
#include <cuda_runtime_api.h>
#endif

namespace diopi::ops::cuda {

#if defined(DIOPI_CUDA_EMULATED)

// While one lives, the emulated device's memory may be touched. Thread-safe.
class DeviceMemoryOpen {
 public:
  DeviceMemoryOpen();
  ~DeviceMemoryOpen();
  DeviceMemoryOpen(const DeviceMemoryOpen&) = delete;
  DeviceMemoryOpen& operator=(const DeviceMemoryOpen&) = delete;
};

// Copies between host and emulated device in any direction.
void CopyAnywhere(void* dst, const void* src, int64_t bytes);

#else

inline cudaStream_t StreamOf(const Queue& queue) {
  return static_cast<cudaStream_t>(queue.stream());
}

// Blocks for n threads' work; the kernel's loop covers what exceeds a device.
inline unsigned Blocks(int64_t n, int64_t per_block) {
  return static_cast<unsigned>(std::min<int64_t>((n + per_block - 1) / per_block, int64_t{1} << 20));
}

// Fail, with CUDA's own name and text, unless `error` is cudaSuccess.
void CheckCuda(cudaError_t error, const char* what);

// kernel<<<blocks, threads>>>(arguments...) on the queue's stream.
template <typename... Parameters>
void Launch(const Queue& queue, unsigned blocks, unsigned threads, void (*kernel)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  CheckCuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), pointers, 0,
                             StreamOf(queue)),
            "kernel launch");
}

#endif

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_LAUNCH_H_
