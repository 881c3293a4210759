// beta * input + alpha * (a @ b): see addmm_cpu.cc. Everything is in the compute type until it is rounded
// once.
#include "baselines/ops/linear/matmul_common.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/gemm.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/scratch.h"

namespace diopi::ops::cuda {
namespace {

// The elements of a tensor that is broadcast to `shape`, row-major.
template <typename C>
C* DenseCopy(const Queue& queue, const Tensor& tensor, const Shape& shape) {
  C* const dense = queue.Buffer<C>(Numel(shape));
  Copy(queue, Numel(shape), ScratchOut(dense, shape), In<C>(tensor, shape));
  return dense;
}

void AddProduct(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, const Tensor& a,
                const Tensor& b, int64_t rank, double beta, double alpha) {
  CheckRanks(a, b, rank);
  const MatrixProduct p = PlanProduct(a.shape(), b.shape());
  CheckShape(out, p.out, "out");
  const Queue queue(ctx);
  DispatchFloating(ResultType(out, {input, a, b}), [&]<typename C>() {
    const C* const left = DenseCopy<C>(queue, a, a.shape());
    const C* const right = DenseCopy<C>(queue, b, b.shape());
    const C* const result = DenseCopy<C>(queue, input, p.out);
    Gemm(queue, kDtypeOf<C>, kDtypeOf<C>, p.batch(), p.m, p.n, p.k, MatricesOf(left, p.k, 1, p.m * p.k),
         MatricesOf(right, p.n, 1, p.k * p.n), MatricesOf(result, p.n, 1, p.m * p.n), alpha, beta);
    Copy(queue, out.numel(), Out<C>(out), ScratchIn(result, p.out));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiAddmm, a) {
  cuda::AddProduct(a.ctx, a.out, a.input, a.mat1, a.mat2, 2, ScalarAsDouble(a.beta), ScalarAsDouble(a.alpha));
}
DIOPI_KERNEL(diopiBaddbmm, a) {
  cuda::AddProduct(a.ctx, a.out, a.input, a.batch1, a.batch2, 3, a.beta, a.alpha);
}
DIOPI_KERNEL(diopiBaddbmmInp, a) {
  cuda::AddProduct(a.ctx, a.input, a.input, a.batch1, a.batch2, 3, a.beta, a.alpha);
}
