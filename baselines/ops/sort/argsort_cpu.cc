// argsort along one dimension, by default the last one; always stable, even if not requested.
#include "baselines/ops/support/sort_lines.h"

DIOPI_KERNEL(diopiArgsort, a) {
  using namespace diopi::ops;
  const Tensor out(a.out), x(a.input);
  CheckShape(out, x.shape(), "out");
  const Axis axis = SplitAxis(x.shape(), WrapDim(a.dim == nullptr ? -1 : *a.dim, x.rank()));
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<int64_t> positions(values.size());
    for (int64_t line = 0; line < (values.empty() ? 0 : axis.outer * axis.inner); ++line) {
      const int64_t start = line / axis.inner * axis.size * axis.inner + line % axis.inner;
      const std::vector<int64_t> order = SortedOrder(values, start, axis.inner, axis.size, a.descending);
      for (int64_t i = 0; i < axis.size; ++i) {
        positions[static_cast<size_t>(start + i * axis.inner)] = order[static_cast<size_t>(i)];
      }
    }
    Store(out, positions);
  });
}
