// Averages of windows that divide the plane into a given number of rows and columns.
#include "baselines/ops/pooling/pooling_common.h"

DIOPI_KERNEL(diopiAdaptiveAvgPool2d, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Pool2d pool = PlanAdaptive(x, Sizes(a.output_size));
  CheckShape(result, pool.out(), "out");
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> mean(static_cast<size_t>(result.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      C sum = C(0);
      pool.ForEachInput(p, row, column, [&](int64_t i) { sum += values[i]; });
      mean[at] = sum / C(row.size()) / C(column.size());
    });
    Store(result, mean);
  });
}

DIOPI_KERNEL(diopiAdaptiveAvgPool2dBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), grad(a.grad_output), x(a.input);
  CheckPoolInput(grad);
  const Pool2d pool = PlanAdaptive(x, {grad.size(-2), grad.size(-1)});
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<C> d(static_cast<size_t>(x.numel()), C(0));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      const C share = g[at] / C(row.size()) / C(column.size());
      pool.ForEachInput(p, row, column, [&](int64_t i) { d[i] += share; });
    });
    Store(dx, d);
  });
}
