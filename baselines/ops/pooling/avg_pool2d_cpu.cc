// The average of each window: its sum over the number of its elements, padding included where
// count_include_pad says so, or over divisor_override.
#include "baselines/ops/pooling/pooling_common.h"

DIOPI_KERNEL(diopiAvgPool2d, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  const Divisor divisor = ReadDivisor(a.count_include_pad, a.divisor_override);
  CheckShape(result, pool.out(), "out");
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> mean(static_cast<size_t>(result.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      C sum = C(0);
      pool.ForEachInput(p, row, column, [&](int64_t i) { sum += values[i]; });
      mean[at] = sum / divisor.Of<C>(row, column);
    });
    Store(result, mean);
  });
}

DIOPI_KERNEL(diopiAvgPool2dBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), grad(a.grad_output), x(a.input);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  const Divisor divisor = ReadDivisor(a.count_include_pad, a.divisor_override);
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<C> d(static_cast<size_t>(x.numel()), C(0));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      const C share = g[at] / divisor.Of<C>(row, column);
      pool.ForEachInput(p, row, column, [&](int64_t i) { d[i] += share; });
    });
    Store(dx, d);
  });
}
