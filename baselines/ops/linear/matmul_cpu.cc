// out = input @ other: vectors, matrices, and stacks of matrices with broadcast batches.
#include "baselines/ops/linear/matmul_common.h"

DIOPI_KERNEL(diopiMatmul, a) {
  diopi::ops::MultiplyTensors(a.out, a.input, a.other);
}

// grad_input = grad_out @ other^T and grad_other = input^T @ grad_out, each summed over the batches to which
// its operand was broadcast.
DIOPI_KERNEL(diopiMatmulBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dy(a.grad_other), grad(a.grad_out), x(a.input), y(a.other);
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(grad, p.out, "grad_out");
  DispatchFloating(ResultType(grad, {grad, x, y}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    if (dx) {
      CheckShape(dx, x.shape(), "grad_input");
      const std::vector<C> b = Load<C>(y);
      std::vector<C> sum(static_cast<size_t>(x.numel()), C(0));
      for (int64_t i = 0; i < p.batch(); ++i) {
        Gemm(Trans::kNo, Trans::kYes, p.m, p.k, p.n, g.data() + i * p.m * p.n,
             b.data() + p.b_index[i] * p.k * p.n, sum.data() + p.a_index[i] * p.m * p.k, true);
      }
      Store(dx, sum);
    }
    if (dy) {
      CheckShape(dy, y.shape(), "grad_other");
      const std::vector<C> left = Load<C>(x);
      std::vector<C> sum(static_cast<size_t>(y.numel()), C(0));
      for (int64_t i = 0; i < p.batch(); ++i) {
        Gemm(Trans::kYes, Trans::kNo, p.k, p.n, p.m, left.data() + p.a_index[i] * p.m * p.k,
             g.data() + i * p.m * p.n, sum.data() + p.b_index[i] * p.k * p.n, true);
      }
      Store(dy, sum);
    }
  });
}
