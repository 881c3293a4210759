// A number that a kernel computed, where the shape of a result, or a result in the host's memory, depends on
// it.
#ifndef BASELINES_OPS_HOST_NUMBER_H_
#define BASELINES_OPS_HOST_NUMBER_H_

#include "baselines/ops/both.h"

namespace diopi::ops::both {

// The only number of a tensor of int64.
#if defined(__CUDACC__) || defined(DIOPI_CUDA_EMULATED)
inline int64_t HostNumber(const Queue& queue, const Tensor& tensor) {
  int64_t number = 0;
  queue.CopyToHost(&number, tensor.data(), sizeof(number));
  return number;
}
#else
inline int64_t HostNumber(const Queue&, const Tensor& tensor) {
  return Load<int64_t>(tensor).at(0);
}
#endif

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_HOST_NUMBER_H_
