// Averages of windows that divide the plane into a given number of rows and columns.
#include "baselines/ops/pooling/pooling_common.h"

namespace diopi::ops {
namespace {

constexpr auto kDivide = []<typename C>(const C& sum, const Window& row, const Window& column) {
  return sum / C(row.size()) / C(column.size());
};

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;

DIOPI_KERNEL(diopiAdaptiveAvgPool2d, a) {
  const Tensor x(a.input);
  AverageWindows(Tensor(a.out), x, PlanAdaptive(x, Sizes(a.output_size)), kDivide);
}

DIOPI_KERNEL(diopiAdaptiveAvgPool2dBackward, a) {
  const Tensor grad(a.grad_output), x(a.input);
  CheckPoolInput(grad);
  AverageWindowsBackward(Tensor(a.grad_input), grad, x, PlanAdaptive(x, {grad.size(-2), grad.size(-1)}),
                         kDivide);
}
