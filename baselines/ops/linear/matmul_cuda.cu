// out = input @ other: vectors, matrices, and stacks of matrices with broadcast batches; bmm and mm, which do
// not broadcast.
#include <numeric>

#include "baselines/ops/linear/matmul_common.h"
#include "baselines/ops/linear/products_cuda.h"
#include "baselines/ops/support/cuda/compute.h"

namespace diopi::ops::cuda {
namespace {

// 0, 1, ...: every product has its own matrix.
std::vector<int64_t> Count(const MatrixProduct& p) {
  std::vector<int64_t> index(static_cast<size_t>(p.batch()));
  std::iota(index.begin(), index.end(), int64_t{0});
  return index;
}

void Multiply(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Tensor& y, int64_t rank) {
  CheckRanks(x, y, rank);
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(out, p.out, "out");
  Products(Queue(ctx), ResultType(out, {x, y}), p.m, p.n, p.k, {x, Trans::kNo, p.a_index},
           {y, Trans::kNo, p.b_index}, out, Count(p));
}

// dx = grad @ y^T and dy = x^T @ grad, each summed over the batches to which its operand was broadcast.
void MultiplyBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& dy, const Tensor& grad,
                      const Tensor& x, const Tensor& y) {
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(grad, p.out, "grad_out");
  if (dx) CheckShape(dx, x.shape(), "grad_input");
  if (dy) CheckShape(dy, y.shape(), "grad_other");
  const diopiDtype_t dtype = ResultType(grad, {grad, x, y});
  const std::vector<int64_t> each = Count(p);
  const Queue queue(ctx);
  if (dx) {
    Products(queue, dtype, p.m, p.k, p.n, {grad, Trans::kNo, each}, {y, Trans::kYes, p.b_index}, dx,
             p.a_index);
  }
  if (dy) {
    Products(queue, dtype, p.k, p.n, p.m, {x, Trans::kYes, p.a_index}, {grad, Trans::kNo, each}, dy,
             p.b_index);
  }
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiBmm, a) {
  cuda::Multiply(a.ctx, a.out, a.input, a.mat2, 3);
}
DIOPI_KERNEL(diopiMm, a) {
  cuda::Multiply(a.ctx, a.out, a.input, a.mat2, 2);
}
DIOPI_KERNEL(diopiMatmul, a) {
  cuda::Multiply(a.ctx, a.out, a.input, a.other, -1);
}
DIOPI_KERNEL(diopiMatmulBackward, a) {
  cuda::MultiplyBackward(a.ctx, a.grad_input, a.grad_other, a.grad_out, a.input, a.other);
}
