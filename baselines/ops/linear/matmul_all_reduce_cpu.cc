// x1 @ x2 + bias, reduced over a group of one.
#include "baselines/ops/linear/matmul_common.h"

DIOPI_KERNEL(diopiMatmulAllReduce, a) {
  using namespace diopi::ops;
  const Tensor out(a.out), x(a.x1), y(a.x2), b(a.bias);
  Check(y.rank() == 2, "expected x2 of 2 dimensions, got shape ", ShapeText(y.shape()));
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(out, p.out, "out");
  if (b) CheckShape(b, {p.n}, "bias");
  DispatchFloating(ResultType(out, {x, y}), [&]<typename C>() {
    std::vector<C> sums(static_cast<size_t>(out.numel()), C(0));
    if (b) sums = LoadAs<C>(b, p.out);
    Gemm(Trans::kNo, Trans::kNo, p.batch() * p.m, p.n, p.k, Load<C>(x).data(), Load<C>(y).data(), sums.data(),
         static_cast<bool>(b));
    Store(out, sums);
  });
}
