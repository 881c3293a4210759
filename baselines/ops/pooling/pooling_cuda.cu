// Pooling of planes: one thread per output forwards, or several where few outputs have large windows; one
// thread per input backwards, so that no two threads add to one element. cuDNN's pooling is not used: its
// maximum starts at the lowest finite number, so that a window of -infinity has a wrong one, and its
// functions are deprecated.
#include <cmath>

#include "baselines/ops/pooling/pooling_calls.h"
#include "baselines/ops/support/cuda/quotients.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::both {
namespace {

using cuda::Quotients;

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

// Windows as rows of a reduction: as many places for each as the largest has.
struct WindowRows {
  PoolGrid grid;
  int64_t depths, rows, columns;

  explicit WindowRows(const PoolGrid& pool)
      : grid(pool), depths(Longest(pool.depth)), rows(Longest(pool.rows)), columns(Longest(pool.columns)) {}
  int64_t length() const { return depths * rows * columns; }
  // One thread would be too slow for each of so few outputs.
  bool Suit(int64_t outputs) const { return length() > 32 && (outputs < 1 << 12 || length() > 1024); }

  // The input at place j of output i's window; -1: this window has no such place.
  DIOPI_HD int64_t At(int64_t i, int64_t j) const {
    const Windows windows = grid.At(i);
    const int64_t w = windows.column.begin + j % columns * windows.column.step;
    const int64_t h = windows.row.begin + j / columns % rows * windows.row.step;
    const int64_t d = windows.depth.begin + j / columns / rows * windows.depth.step;
    if (w >= windows.column.end || h >= windows.row.end || d >= windows.depth.end) return -1;
    return i / grid.out_plane() * grid.plane() + grid.IndexOf(d, h, w);
  }

 private:
  static int64_t Longest(const PoolAxis& axis) {
    if (!axis.adaptive) return axis.kernel;
    return axis.count == 0 ? 0 : (axis.size + axis.count - 1) / axis.count + (axis.size % axis.count != 0);
  }
};

template <typename C>
struct AveragesOfRows {
  using State = C;
  Out<C> out;
  In<C> x;
  WindowRows windows;
  Divisor divisor;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t i, int64_t j) const {
    const int64_t at = windows.At(i, j);
    return at < 0 ? C(0) : x[at];
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t i, State sum) const {
    out.Set(i, divisor.Divide(sum, windows.grid, windows.grid.At(i)));
  }
};

template <typename C>
struct Found {
  C value;
  int64_t at;  // -1: nothing yet
};

// As Greatest has it: NaN above all, the last of several; else the first of equal ones.
template <typename C>
struct GreatestOfRows {
  using State = Found<C>;
  Out<C> out;
  Out<int64_t> indices;
  bool with_indices;
  In<C> x;
  WindowRows windows;
  DIOPI_HD State Empty() const { return {static_cast<C>(-HUGE_VAL), -1}; }
  DIOPI_HD State Load(int64_t i, int64_t j) const {
    const int64_t at = windows.At(i, j);
    return at < 0 ? Empty() : State{x[at], at};
  }
  DIOPI_HD State Combine(State a, State b) const {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    const bool later = a.at < b.at;  // of two NaN, b
    if (a.value != a.value) return b.value != b.value && later ? b : a;
    if (b.value != b.value || b.value > a.value) return b;
    return a.value > b.value || later ? a : b;
  }
  DIOPI_HD void Finish(int64_t i, State best) const {
    const PoolGrid& grid = windows.grid;
    out.Set(i, best.value);
    if (with_indices) indices.Set(i, best.at < 0 ? grid.First(grid.At(i)) : best.at % grid.plane());
  }
};

// The windows of an axis that element h may belong to, from first to last, and whether it does belong to one
// of them.
struct WindowsWith {
  PoolAxis axis;
  Quotients by;
  explicit WindowsWith(const PoolAxis& a) : axis(a), by(a.adaptive ? a.size : a.stride) {}

  DIOPI_HD int64_t First(int64_t h) const {
    if (axis.adaptive) return by.Of(h * axis.count);
    const int64_t beyond = h + axis.pad - (axis.kernel - 1) * axis.dilation;
    return beyond > 0 ? by.Of(beyond + axis.stride - 1) : 0;
  }
  DIOPI_HD int64_t Last(int64_t h) const {
    const int64_t last = by.Of(axis.adaptive ? (h + 1) * axis.count - 1 : h + axis.pad);
    return last < axis.count ? last : axis.count - 1;
  }
  DIOPI_HD bool Has(int64_t i, int64_t h) const {
    return axis.adaptive || axis.dilation == 1 || (h + axis.pad - i * axis.stride) % axis.dilation == 0;
  }
};

// Of windows that do not overlap: each output's gradient goes to the element that it chose.
template <typename C>
struct PutGradients {
  Out<C> out;
  In<C> grad;
  In<int64_t> indices;
  int64_t plane;
  Quotients by_out_plane;
  DIOPI_HD void operator()(int64_t output) const {
    const int64_t at = indices[output];
    if (at >= 0 && at < plane) out.Set(by_out_plane.Of(output) * plane + at, grad[output]);
  }
};
bool Overlap(const PoolAxis& axis) {
  return axis.adaptive || axis.stride < (axis.kernel - 1) * axis.dilation + 1;
}

// For one input: the gradients of the outputs that chose it, or its share of those that it was averaged into.
template <typename C>
struct PoolGradient {
  Out<C> out;
  In<C> grad;
  In<int64_t> indices;
  bool by_index;
  PoolGrid grid;
  Divisor divisor;
  WindowsWith depths, rows, columns;
  Quotients by_plane, by_rows, by_columns;

  PoolGradient(const Out<C>& out_in, const In<C>& grad_in, const In<int64_t>& indices_in, bool by_index_in,
               const PoolGrid& pool, const Divisor& divisor_in)
      : out(out_in),
        grad(grad_in),
        indices(indices_in),
        by_index(by_index_in),
        grid(pool),
        divisor(divisor_in),
        depths(pool.depth),
        rows(pool.rows),
        columns(pool.columns),
        by_plane(pool.plane()),
        by_rows(pool.rows.size),
        by_columns(pool.columns.size) {}

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = by_plane.Of(i), at = i - plane * grid.plane();
    const int64_t line = by_columns.Of(at), w = at - line * grid.columns.size;
    const int64_t d = by_rows.Of(line), h = line - d * grid.rows.size;
    const int64_t start = plane * grid.out_plane();
    C sum = C(0);
    for (int64_t a = depths.First(d), last_a = depths.Last(d); a <= last_a; ++a) {
      if (!depths.Has(a, d)) continue;
      for (int64_t b = rows.First(h), last_b = rows.Last(h); b <= last_b; ++b) {
        if (!rows.Has(b, h)) continue;
        for (int64_t c = columns.First(w), last_c = columns.Last(w); c <= last_c; ++c) {
          if (!columns.Has(c, w)) continue;
          const int64_t output = start + (a * grid.rows.count + b) * grid.columns.count + c;
          if (!by_index) {
            sum += divisor.Divide(C(grad[output]), grid,
                                  Windows{grid.depth.At(a), grid.rows.At(b), grid.columns.At(c)});
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
    const bool wanted = static_cast<bool>(indices);
    const WindowRows rows(pool);
    if (rows.Suit(out.numel())) {
      cuda::ReduceRows(queue, out.numel(), rows.length(),
                       GreatestOfRows<C>{Out<C>(out), index, wanted, In<C>(x), rows});
    } else {
      ForEach(queue, out.numel(), Greatest<C>{Out<C>(out), index, wanted, In<C>(x), pool});
    }
  });
}

void MaxPoolBackward(const Queue& queue, const Tensor& dx, const Tensor& grad, const Tensor& x,
                     const Tensor& indices, const Pool& pool) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    const In<C> g(grad);
    const In<int64_t> index(indices);
    const Out<C> out(dx);
    if (Overlap(pool.depth) || Overlap(pool.rows) || Overlap(pool.columns)) {
      return ForEach(queue, dx.numel(), PoolGradient<C>(out, g, index, true, pool, Divisor()));
    }
    Map(queue, dx.numel(), out, Same(), In<C>::Constant(C(0)));
    ForEach(queue, grad.numel(), PutGradients<C>{out, g, index, pool.plane(), Quotients(pool.out_plane())});
  });
}

void AveragePool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool,
                 const Divisor& divisor) {
  CheckShape(out, pool.out(), "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const WindowRows rows(pool);
    if (rows.Suit(out.numel())) {
      cuda::ReduceRows(queue, out.numel(), rows.length(),
                       AveragesOfRows<C>{Out<C>(out), In<C>(x), rows, divisor});
    } else {
      ForEach(queue, out.numel(), Averages<C>{Out<C>(out), In<C>(x), pool, divisor});
    }
  });
}

void AveragePoolBackward(const Queue& queue, const Tensor& dx, const Tensor& grad, const Tensor& x,
                         const Pool& pool, const Divisor& divisor) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    ForEach(queue, dx.numel(), PoolGradient<C>(Out<C>(dx), In<C>(grad), In<int64_t>(), false, pool, divisor));
  });
}

}  // namespace diopi::ops::both
