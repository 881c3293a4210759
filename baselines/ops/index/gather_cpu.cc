// gather: out[i][j][k] = input[index[i][j][k]][j][k] for dim 0, and so on.
#include "baselines/ops/index/index_common.h"

DIOPI_KERNEL(diopiGather, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input), at(a.index);
  CheckShape(result, at.shape(), "out");
  const std::vector<int64_t> positions =
      PositionsAlong(x.shape(), at.shape(), WrapDim(a.dim, x.rank()), Load<int64_t>(at));
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> picked(positions.size());
    for (size_t i = 0; i < picked.size(); ++i) picked[i] = values[static_cast<size_t>(positions[i])];
    Store(result, picked);
  });
}

// An element that was picked several times gets the sum of the gradients.
DIOPI_KERNEL(diopiGatherBackward, a) {
  using namespace diopi::ops;
  const Tensor result(a.grad_input), grad(a.grad_output), x(a.input), at(a.index);
  CheckShape(result, x.shape(), "grad_input");
  CheckShape(grad, at.shape(), "grad_output");
  const std::vector<int64_t> positions =
      PositionsAlong(x.shape(), at.shape(), WrapDim(a.dim, x.rank()), Load<int64_t>(at));
  DispatchAny(ResultType(result, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<C> sums(static_cast<size_t>(x.numel()), Exact<C>(0));
    for (size_t i = 0; i < g.size(); ++i) {
      C& sum = sums[static_cast<size_t>(positions[i])];
      sum = WrapAdd(sum, g[i]);
    }
    Store(result, sums);
  });
}
