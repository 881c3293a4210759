// Buffers of a call (Queue::Buffer) as kernels read and write tensors: dense, in the compute type.
#ifndef BASELINES_OPS_SUPPORT_CUDA_SCRATCH_H_
#define BASELINES_OPS_SUPPORT_CUDA_SCRATCH_H_

#include "baselines/ops/support/cuda/access.h"

namespace diopi::ops::cuda {

// The element type of memory that holds C.
template <typename C>
inline constexpr diopiDtype_t kDtypeOf = std::is_same_v<C, double>    ? diopi_dtype_float64
                                         : std::is_same_v<C, int64_t> ? diopi_dtype_int64
                                                                      : diopi_dtype_float32;

template <typename C>
In<C> ScratchIn(const C* data, const Shape& shape = {}) {
  return In<C>(data, kDtypeOf<C>, shape, DenseStrides(shape));
}
template <typename C>
Out<C> ScratchOut(C* data, const Shape& shape = {}) {
  return Out<C>(data, kDtypeOf<C>, shape, DenseStrides(shape));
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_SCRATCH_H_
