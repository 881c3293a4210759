// index_select: the slices of the input along dim that a 1-d index names, in its order.
#include "baselines/ops/index/index_common.h"

namespace diopi::ops {
namespace {

// Calls f(position in the selected tensor, position in the whole one) for every element selected.
template <typename F>
void ForEachSelected(const Shape& whole, int64_t dim, const std::vector<int64_t>& index, F&& f) {
  const Axis axis = SplitAxis(whole, WrapDim(dim, static_cast<int64_t>(whole.size())));
  const int64_t count = static_cast<int64_t>(index.size());
  for (int64_t o = 0; o < axis.outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = (o * axis.size + WrapIndex(index[static_cast<size_t>(i)], axis.size)) * axis.inner;
      for (int64_t k = 0; k < axis.inner; ++k) {
        f(static_cast<size_t>((o * count + i) * axis.inner + k), static_cast<size_t>(from + k));
      }
    }
  }
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiIndexSelect, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input), at(a.index);
  const std::vector<int64_t> indices = Load<int64_t>(at);
  CheckShape(result, SelectedShape(x.shape(), a.dim, at), "out");
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> selected(static_cast<size_t>(result.numel()));
    ForEachSelected(x.shape(), a.dim, indices, [&](size_t to, size_t from) { selected[to] = values[from]; });
    Store(result, selected);
  });
}

DIOPI_KERNEL(diopiIndexSelectBackward, a) {
  using namespace diopi::ops;
  const Tensor result(a.grad_input), g(a.grad);
  const Shape shape = Sizes(a.input_sizes);
  CheckShape(result, shape, "grad_input");
  const Tensor at(a.index);
  const std::vector<int64_t> indices = Load<int64_t>(at);
  CheckShape(g, SelectedShape(shape, a.dim, at), "grad");
  DispatchFloating(ResultType(result, {g}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(g);
    std::vector<C> sums(static_cast<size_t>(result.numel()), Exact<C>(0));
    ForEachSelected(shape, a.dim, indices, [&](size_t from, size_t to) { sums[to] += values[from]; });
    Store(result, sums);
  });
}
