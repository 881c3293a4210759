// Products of stacks of matrices in tensors of any dtype and strides, by gemm.h.
#ifndef BASELINES_OPS_LINEAR_PRODUCTS_CUDA_H_
#define BASELINES_OPS_LINEAR_PRODUCTS_CUDA_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/cuda/queue.h"
#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops::cuda {

// A stack of row-major matrices, one after the other in the order of the tensor's shape: matrix index[i]
// makes the i-th product, as it is or transposed.
struct Factor {
  const Tensor& tensor;
  Trans trans;
  const std::vector<int64_t>& index;
};

// Matrix index[i] of out, [m, n], takes the product of a's i-th, [m, k], and b's, [k, n], in the arithmetic
// of `dtype`. Products that go to one matrix are added up, before any rounding to 16 bits; matrices that get
// none are zero. With a bias, it is broadcast to `out` and added.
void Products(const Queue& queue, diopiDtype_t dtype, int64_t m, int64_t n, int64_t k, const Factor& a,
              const Factor& b, const Tensor& out, const std::vector<int64_t>& index,
              const Tensor& bias = Tensor());

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_LINEAR_PRODUCTS_CUDA_H_
