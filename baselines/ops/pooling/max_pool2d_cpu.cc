// The greatest element of each window and its index in the plane; the first of equal ones, NaN above all.
#include <limits>

#include "baselines/ops/pooling/pooling_common.h"

namespace diopi::ops {
namespace {

void MaxPool(const Tensor& out, const Tensor& indices, const Tensor& input, const Pool2d& pool) {
  CheckShape(out, pool.out(), "out");
  if (indices) CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> greatest(static_cast<size_t>(out.numel()));
    std::vector<int64_t> index(greatest.size());
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      C best = -std::numeric_limits<C>::infinity();
      int64_t where = p * pool.plane() + row.begin * pool.width() + column.begin;
      pool.ForEachInput(p, row, column, [&](int64_t i) {
        if (!(x[i] > best) && x[i] == x[i]) return;
        best = x[i];
        where = i;
      });
      greatest[at] = best;
      index[at] = where - p * pool.plane();
    });
    Store(out, greatest);
    if (indices) Store(indices, index);
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiMaxPool2d, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  MaxPool(a.out, Tensor(), x, PlanPool2d(x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}

DIOPI_KERNEL(diopiMaxPool2dWithIndices, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  MaxPool(a.out, a.indices, x, PlanPool2d(x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}

DIOPI_KERNEL(diopiMaxPool2dBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), grad(a.grad_output), x(a.input), index(a.indices);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode);
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  CheckShape(index, pool.out(), "indices");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    const std::vector<int64_t> where = Load<int64_t>(index);
    std::vector<C> d(static_cast<size_t>(x.numel()), C(0));
    for (int64_t i = 0; i < grad.numel(); ++i) {
      Check(where[i] >= 0 && where[i] < pool.plane(), "index ", where[i], " is outside a plane of ",
            pool.plane(), " elements");
      d[i / pool.out_plane() * pool.plane() + where[i]] += g[i];
    }
    Store(dx, d);
  });
}
