// Pooling of planes: one thread per output forwards, one thread per input backwards, so that no two threads
// add to one element. cuDNN's pooling is not used: its maximum starts at the lowest finite number, so that a
// window of -infinity has a wrong one, and its functions are deprecated.
#include <cmath>

#include "baselines/ops/pooling/pooling_calls.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct Averages {
  Out<C> out;
  In<C> x;
  PoolGrid grid;
  Divisor divisor;
  DIOPI_HD void operator()(int64_t i) const {
    const Windows windows = grid.At(i);
    const Window &depth = windows.depth, &row = windows.row, &column = windows.column;
    const int64_t start = i / grid.out_plane() * grid.plane();
    C sum = C(0);
    for (int64_t d = depth.begin; d < depth.end; d += depth.step) {
      for (int64_t h = row.begin; h < row.end; h += row.step) {
        C line = C(0);
        for (int64_t w = column.begin; w < column.end; w += column.step)
          line += x[start + grid.IndexOf(d, h, w)];
        sum += line;
      }
    }
    out.Set(i, divisor.Divide(sum, grid, windows));
  }
};

// The greatest element and its index in the plane; the first of equal ones, NaN above all.
template <typename C>
struct Greatest {
  Out<C> out;
  Out<int64_t> indices;
  bool with_indices;
  In<C> x;
  PoolGrid grid;
  DIOPI_HD void operator()(int64_t i) const {
    const Windows windows = grid.At(i);
    const Window &depth = windows.depth, &row = windows.row, &column = windows.column;
    const int64_t start = i / grid.out_plane() * grid.plane();
    C best = static_cast<C>(-HUGE_VAL);
    int64_t where = grid.First(windows);
    for (int64_t d = depth.begin; d < depth.end; d += depth.step) {
      for (int64_t h = row.begin; h < row.end; h += row.step) {
        for (int64_t w = column.begin; w < column.end; w += column.step) {
          const int64_t at = grid.IndexOf(d, h, w);
          const C value = x[start + at];
          if (!(value > best) && value == value) continue;
          best = value;
          where = at;
        }
      }
    }
    out.Set(i, best);
    if (with_indices) indices.Set(i, where);
  }
};

// For one input: the gradients of the outputs that chose it, or its share of those that it was averaged into.
template <typename C>
struct PoolGradient {
  Out<C> out;
  In<C> grad;
  In<int64_t> indices;
  bool by_index;
  PoolGrid grid;
  Divisor divisor;

  DIOPI_HD void operator()(int64_t i) const {
    const PoolAxis &depths = grid.depth, &rows = grid.rows, &columns = grid.columns;
    const int64_t at = i % grid.plane(), w = at % columns.size;
    const int64_t h = at / columns.size % rows.size, d = at / columns.size / rows.size;
    const int64_t start = i / grid.plane() * grid.out_plane();
    C sum = C(0);
    for (int64_t a = depths.FirstWith(d); a <= depths.LastWith(d); ++a) {
      if (!depths.Has(a, d)) continue;
      for (int64_t b = rows.FirstWith(h); b <= rows.LastWith(h); ++b) {
        if (!rows.Has(b, h)) continue;
        for (int64_t c = columns.FirstWith(w); c <= columns.LastWith(w); ++c) {
          if (!columns.Has(c, w)) continue;
          const int64_t output = start + (a * rows.count + b) * columns.count + c;
          if (!by_index) {
            sum += divisor.Divide(C(grad[output]), grid, Windows{depths.At(a), rows.At(b), columns.At(c)});
          } else if (indices[output] == at) {
            sum += grad[output];
          }
        }
      }
    }
    out.Set(i, sum);
  }
};

}  // namespace

void MaxPool(const Queue& queue, const Tensor& out, const Tensor& indices, const Tensor& x,
             const Pool& pool) {
  CheckShape(out, pool.out(), "out");
  if (indices) CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Out<int64_t> index = indices ? Out<int64_t>(indices) : Out<int64_t>();
    ForEach(queue, out.numel(), Greatest<C>{Out<C>(out), index, static_cast<bool>(indices), In<C>(x), pool});
  });
}

void MaxPoolBackward(const Queue& queue, const Tensor& dx, const Tensor& grad, const Tensor& x,
                     const Tensor& indices, const Pool& pool) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    ForEach(queue, dx.numel(),
            PoolGradient<C>{Out<C>(dx), In<C>(grad), In<int64_t>(indices), true, pool, Divisor()});
  });
}

void AveragePool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool,
                 const Divisor& divisor) {
  CheckShape(out, pool.out(), "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(queue, out.numel(), Averages<C>{Out<C>(out), In<C>(x), pool, divisor});
  });
}

void AveragePoolBackward(const Queue& queue, const Tensor& dx, const Tensor& grad, const Tensor& x,
                         const Pool& pool, const Divisor& divisor) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    ForEach(queue, dx.numel(), PoolGradient<C>{Out<C>(dx), In<C>(grad), In<int64_t>(), false, pool, divisor});
  });
}

}  // namespace diopi::ops::both
