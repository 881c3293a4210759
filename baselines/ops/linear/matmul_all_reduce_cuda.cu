// x1 @ x2 + bias, reduced over a group of one.
#include "baselines/ops/linear/matmul_common.h"
#include "baselines/ops/linear/products_cuda.h"

DIOPI_KERNEL(diopiMatmulAllReduce, a) {
  using namespace diopi::ops;
  const Tensor out(a.out), x(a.x1), y(a.x2), b(a.bias);
  Check(y.rank() == 2, "expected x2 of 2 dimensions, got shape ", ShapeText(y.shape()));
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(out, p.out, "out");
  if (b) CheckShape(b, {p.n}, "bias");
  const std::vector<int64_t> one = {0};
  cuda::Products(cuda::Queue(a.ctx), ResultType(out, {x, y}), p.batch() * p.m, p.n, p.k, {x, Trans::kNo, one},
                 {y, Trans::kNo, one}, out, one, b);
}
