// Matrix products: cuBLASLt on a GPU.
#ifndef BASELINES_OPS_SUPPORT_CUDA_GEMM_H_
#define BASELINES_OPS_SUPPORT_CUDA_GEMM_H_

#include <cstdint>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/cuda/queue.h"

namespace diopi::ops::cuda {

// One matrix, or a batch of them, in device memory; element (i, j) of matrix b lies b * batch_stride +
// i * row_stride + j * column_stride elements after the first. Stride 0 repeats (not in a result).
struct Matrices {
  void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t batch_stride = 0;
};
// Inputs are not written.
inline Matrices MatricesOf(const void* data, int64_t row_stride, int64_t column_stride,
                           int64_t batch_stride) {
  return {const_cast<void*>(data), row_stride, column_stride, batch_stride};
}

// c[m,n] = alpha * a[m,k] * b[k,n] + beta * c, `batches` times; a and b of `dtype`, c of `result`: the same,
// or float32 for float16 and bfloat16, which accumulate in float. With beta other than 0, cuBLASLt rounds a
// 16-bit product before it adds, and again afterwards, so callers ask for a float32 result then. float32
// takes TF32 only where the environment has DIOPI_CUDA_TF32=1. FailDtype for others (integers), for which
// PyTorch has no GPU product either. With beta 0 the contents of c do not matter. Sizes may be 0.
// Deterministic. Matrices whose strides cuBLASLt does not support are made dense first. Where cuBLASLt has no
// algorithm or fails, or the environment has DIOPI_CUDA_LT=0, our own kernel computes.
void Gemm(const Queue& queue, diopiDtype_t dtype, diopiDtype_t result, int64_t batches, int64_t m, int64_t n,
          int64_t k, const Matrices& a, const Matrices& b, const Matrices& c, double alpha = 1,
          double beta = 0);

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_GEMM_H_
