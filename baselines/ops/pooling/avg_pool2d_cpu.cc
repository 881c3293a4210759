// The average of each window: its sum over the number of its elements, padding included where
// count_include_pad says so, or over divisor_override.
#include "baselines/ops/pooling/pooling_common.h"

extern "C" diopiError_t diopiAvgPool2d(diopiContextHandle_t, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiSize_t kernel_size,
                                       diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                                       bool count_include_pad, const int64_t* divisor_override) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input);
    const Pool2d pool = PlanPool2d(x, kernel_size, stride, padding, kNoDilation, ceil_mode);
    const Divisor divisor = ReadDivisor(count_include_pad, divisor_override);
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
  });
}

extern "C" diopiError_t diopiAvgPool2dBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                               diopiConstTensorHandle_t grad_output,
                                               diopiConstTensorHandle_t input, diopiSize_t kernel_size,
                                               diopiSize_t stride, diopiSize_t padding, bool ceil_mode,
                                               bool count_include_pad, const int64_t* divisor_override) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), grad(grad_output), x(input);
    const Pool2d pool = PlanPool2d(x, kernel_size, stride, padding, kNoDilation, ceil_mode);
    const Divisor divisor = ReadDivisor(count_include_pad, divisor_override);
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
  });
}
