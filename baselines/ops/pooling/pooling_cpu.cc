// Pooling on the CPU: forwards window by window, backwards by scattering each window's gradient.
#include <limits>
#include <vector>

#include "baselines/ops/pooling/pooling_calls.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {

void MaxPool(const Queue&, const Tensor& out, const Tensor& indices, const Tensor& input, const Pool& pool) {
  CheckShape(out, pool.out(), "out");
  if (indices) CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> greatest(static_cast<size_t>(out.numel()));
    std::vector<int64_t> index(greatest.size());
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      C best = -std::numeric_limits<C>::infinity();
      int64_t where = p * pool.plane() + pool.First(windows);
      pool.ForEachInput(p, windows, [&](int64_t i) {
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

void MaxPoolBackward(const Queue&, const Tensor& dx, const Tensor& grad, const Tensor& x,
                     const Tensor& indices, const Pool& pool) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    const std::vector<int64_t> where = Load<int64_t>(indices);
    std::vector<Sum<C>> d(static_cast<size_t>(x.numel()));
    for (int64_t i = 0; i < grad.numel(); ++i) {
      Check(where[i] >= 0 && where[i] < pool.plane(), "index ", where[i], " is outside a plane of ",
            pool.plane(), " elements");
      d[i / pool.out_plane() * pool.plane() + where[i]] += g[i];
    }
    Store(dx, Totals(d));
  });
}

void AveragePool(const Queue&, const Tensor& out, const Tensor& x, const Pool& pool, const Divisor& divisor) {
  CheckShape(out, pool.out(), "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> mean(static_cast<size_t>(out.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      Sum<C> sum;
      pool.ForEachInput(p, windows, [&](int64_t i) { sum += values[i]; });
      mean[at] = divisor.Divide(sum.total(), pool, windows);
    });
    Store(out, mean);
  });
}

// Every element of a window gets its share of the window's gradient.
void AveragePoolBackward(const Queue&, const Tensor& dx, const Tensor& grad, const Tensor& x,
                         const Pool& pool, const Divisor& divisor) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<Sum<C>> d(static_cast<size_t>(x.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      const C share = divisor.Divide(g[at], pool, windows);
      pool.ForEachInput(p, windows, [&](int64_t i) { d[i] += share; });
    });
    Store(dx, Totals(d));
  });
}

}  // namespace diopi::ops::both
