// sort along one dimension; always stable, even if not requested.
#include "baselines/ops/support/sort_lines.h"

DIOPI_KERNEL(diopiSort, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  SortLines(a.values, a.indices, x, a.dim, SplitAxis(x.shape(), WrapDim(a.dim, x.rank())).size, a.descending);
}

// grad_input[indices[i]] = grad_output[i] along dim.
DIOPI_KERNEL(diopiSortBackward, a) {
  using namespace diopi::ops;
  const Tensor result(a.grad_input), grad(a.grad_output), index(a.indices);
  const Shape shape = Sizes(a.sizes);
  CheckShape(result, shape, "grad_input");
  CheckShape(index, grad.shape(), "indices");
  const int64_t wrapped = WrapDim(a.dim, static_cast<int64_t>(shape.size()));
  const Axis to = SplitAxis(shape, wrapped), from = SplitAxis(grad.shape(), wrapped);
  const std::vector<int64_t> positions = Load<int64_t>(index);
  DispatchFloating(ResultType(result, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<C> values(static_cast<size_t>(result.numel()), Exact<C>(0));
    for (size_t i = 0; i < g.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      const int64_t outer = at / (from.size * from.inner), inner = at % from.inner;
      Check(positions[i] >= 0 && positions[i] < to.size, "index ", positions[i], " is out of bounds for ",
            to.size);
      values[static_cast<size_t>((outer * to.size + positions[i]) * to.inner + inner)] = g[i];
    }
    Store(result, values);
  });
}
