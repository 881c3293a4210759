// cumsum along one dimension, and its backward, the same sum from the other end.
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {
namespace {

void Accumulate(const Tensor& out, const Tensor& input, int64_t dim, bool from_end) {
  CheckShape(out, input.shape(), "out");
  const Axis axis = SplitAxis(input.shape(), WrapDim(dim, input.rank()));
  DispatchAny(IsFloating(input.dtype()) ? input.dtype() : out.dtype(), [&]<typename C>() {
    std::vector<C> x = Load<C>(input);
    for (int64_t line = 0; line < (x.empty() ? 0 : axis.outer * axis.inner); ++line) {
      const int64_t start = line / axis.inner * axis.size * axis.inner + line % axis.inner;
      C sum = Exact<C>(0);
      for (int64_t i = 0; i < axis.size; ++i) {
        C& element = x[static_cast<size_t>(start + (from_end ? axis.size - 1 - i : i) * axis.inner)];
        sum = i == 0 ? element : WrapAdd(sum, element);
        element = sum;
      }
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
