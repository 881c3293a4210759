// ForEach(queue, n, f): calls f(i) for every i below n, in any order, in parallel or one after the other.
//
// `f` is a functor: a struct of plain values with `DIOPI_HD void operator()(int64_t i) const`, no lambda. No
// two calls may write the same element, and none may read what another writes.
#ifndef BASELINES_OPS_SUPPORT_CUDA_FOR_EACH_H_
#define BASELINES_OPS_SUPPORT_CUDA_FOR_EACH_H_

#include <cstdint>

#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/queue.h"

namespace diopi::ops::cuda {

#if defined(DIOPI_CUDA_EMULATED)

template <typename F>
void ForEach(const Queue&, int64_t n, const F& f) {
  const DeviceMemoryOpen open;
  for (int64_t i = 0; i < n; ++i) f(i);
}

#else

inline constexpr int kForEachThreads = 256;

template <typename F>
__global__ void __launch_bounds__(kForEachThreads) ForEachKernel(int64_t n, F f) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kForEachThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kForEachThreads + threadIdx.x; i < n; i += step) f(i);
}

template <typename F>
void ForEach(const Queue& queue, int64_t n, const F& f) {
  if (n <= 0) return;
  Launch(queue, Blocks(n, kForEachThreads), kForEachThreads, ForEachKernel<F>, n, f);
}

#endif

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_FOR_EACH_H_
