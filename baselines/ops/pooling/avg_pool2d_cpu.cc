// The average of each window: its sum over the number of its elements, padding included where
// count_include_pad says so, or over divisor_override.
#include "baselines/ops/pooling/pooling_common.h"

namespace diopi::ops {
namespace {

auto DivideBy(const Divisor& divisor) {
  return [divisor]<typename C>(const C& sum, const Window& row, const Window& column) {
    return sum / divisor.Of<C>(row, column);
  };
}

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;

DIOPI_KERNEL(diopiAvgPool2d, a) {
  const Tensor x(a.input);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  AverageWindows(Tensor(a.out), x, pool, DivideBy(ReadDivisor(a.count_include_pad, a.divisor_override)));
}

DIOPI_KERNEL(diopiAvgPool2dBackward, a) {
  const Tensor x(a.input);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  AverageWindowsBackward(Tensor(a.grad_input), Tensor(a.grad_output), x, pool,
                         DivideBy(ReadDivisor(a.count_include_pad, a.divisor_override)));
}
