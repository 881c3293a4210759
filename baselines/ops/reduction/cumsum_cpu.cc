// cumsum along one dimension, and its backward, the same sum from the other end.
#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {
namespace {

void Accumulate(const Tensor& out, const Tensor& input, int64_t dim, bool from_end) {
  CheckShape(out, input.shape(), "out");
  const Axis axis = SplitAxis(input.shape(), WrapDim(dim, input.rank()));
  DispatchAny(IsFloating(input.dtype()) ? input.dtype() : out.dtype(), [&]<typename C>() {
    std::vector<C> x = Load<C>(input);
    std::vector<C> terms(static_cast<size_t>(axis.size));
    for (int64_t line = 0; line < (x.empty() ? 0 : axis.outer * axis.inner); ++line) {
      const int64_t start = line / axis.inner * axis.size * axis.inner + line % axis.inner;
      const auto at = [&](int64_t i) -> C& {
        return x[static_cast<size_t>(start + (from_end ? axis.size - 1 - i : i) * axis.inner)];
      };
      for (int64_t i = 0; i < axis.size; ++i) terms[static_cast<size_t>(i)] = at(i);
      const std::vector<C> totals = RunningTotals(terms);
      for (int64_t i = 0; i < axis.size; ++i) at(i) = totals[static_cast<size_t>(i)];
    }
    Store(out, x);
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiCumsum, a) {
  using namespace diopi::ops;
  Accumulate(a.out, a.input, a.dim, false);
}

DIOPI_KERNEL(diopiCumsumBackward, a) {
  using namespace diopi::ops;
  Accumulate(a.grad_input, a.grad_output, a.dim, true);
}
