// Sorting along one dimension, shared by sort and topk.
#ifndef BASELINES_OPS_SUPPORT_SORT_LINES_H_
#define BASELINES_OPS_SUPPORT_SORT_LINES_H_

#include <algorithm>
#include <numeric>
#include <vector>

#include "baselines/ops/support/less.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// The positions of a line's elements (x[start + i * step]) in sorted order; equals keep their order.
template <typename C>
std::vector<int64_t> SortedOrder(const std::vector<C>& x, int64_t start, int64_t step, int64_t length,
                                 bool descending) {
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const C& a = x[static_cast<size_t>(start + i * step)];
    const C& b = x[static_cast<size_t>(start + j * step)];
    return descending ? Less(b, a) : Less(a, b);
  });
  return order;
}

// The first `count` of each line along `dim` in sorted order, with their positions.
inline void SortLines(const Tensor& values, const Tensor& indices, const Tensor& input, int64_t dim,
                      int64_t count, bool descending) {
  Shape shape = input.shape();
  const int64_t axis_dim = WrapDim(dim, input.rank());
  const Axis axis = SplitAxis(shape, axis_dim);
  Check(count >= 0 && count <= axis.size, "k (", count, ") is out of range for a dimension of size ",
        axis.size);
  if (!shape.empty()) shape[static_cast<size_t>(axis_dim)] = count;
  Check(!shape.empty() || count == 1, "the results of a 0-d tensor have one element, not ", count);
  CheckShape(values, shape, "values");
  CheckShape(indices, shape, "indices");
  DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> sorted(static_cast<size_t>(Numel(shape)));
    std::vector<int64_t> positions(sorted.size());
    for (int64_t line = 0; line < (sorted.empty() ? 0 : axis.outer * axis.inner); ++line) {
      const int64_t outer = line / axis.inner, inner = line % axis.inner;
      const int64_t start = outer * axis.size * axis.inner + inner;
      const std::vector<int64_t> order = SortedOrder(x, start, axis.inner, axis.size, descending);
      for (int64_t i = 0; i < count; ++i) {
        const size_t at = static_cast<size_t>((outer * count + i) * axis.inner + inner);
        positions[at] = order[static_cast<size_t>(i)];
        sorted[at] = x[static_cast<size_t>(start + positions[at] * axis.inner)];
      }
    }
    Store(values, sorted);
    Store(indices, positions);
  });
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_SORT_LINES_H_
