// Pooling of planes: one thread an output forwards, one thread an input backwards, so that no two threads add
// to one element.
#include <cmath>

#include "baselines/ops/pooling/pooling_common.h"
#include "baselines/ops/pooling/pooling_dnn.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {
namespace {

// Pool2d as kernels see it, and what an average is divided by (adaptive ones by their windows' sizes).
struct Planes {
  PoolAxis rows, columns;
  Divisor divisor;

  Planes(const Pool2d& pool, const Divisor& by) : rows(pool.rows), columns(pool.columns), divisor(by) {}

  DIOPI_HD int64_t plane() const { return rows.size * columns.size; }
  DIOPI_HD int64_t out_plane() const { return rows.count * columns.count; }
  DIOPI_HD Window RowsOf(int64_t output) const { return rows.At(output % out_plane() / columns.count); }
  DIOPI_HD Window ColumnsOf(int64_t output) const { return columns.At(output % columns.count); }
  template <typename C>
  DIOPI_HD C Divided(C sum, const Window& row, const Window& column) const {
    return rows.adaptive ? sum / C(row.size()) / C(column.size()) : sum / divisor.Of<C>(row, column);
  }
};
constexpr Divisor kNone{true, 0};

template <typename C>
struct Averages {
  Out<C> out;
  In<C> x;
  Planes planes;
  DIOPI_HD void operator()(int64_t i) const {
    const Window row = planes.RowsOf(i), column = planes.ColumnsOf(i);
    const int64_t start = i / planes.out_plane() * planes.plane();
    C sum = C(0);
    for (int64_t h = row.begin; h < row.end; h += row.step) {
      C line = C(0);
      for (int64_t w = column.begin; w < column.end; w += column.step)
        line += x[start + h * planes.columns.size + w];
      sum += line;
    }
    out.Set(i, planes.Divided(sum, row, column));
  }
};

// The greatest element and its index in the plane; the first of equal ones, NaN above all.
template <typename C>
struct Greatest {
  Out<C> out;
  Out<int64_t> indices;
  bool with_indices;
  In<C> x;
  Planes planes;
  DIOPI_HD void operator()(int64_t i) const {
    const Window row = planes.RowsOf(i), column = planes.ColumnsOf(i);
    const int64_t start = i / planes.out_plane() * planes.plane();
    C best = static_cast<C>(-HUGE_VAL);
    int64_t where = row.begin * planes.columns.size + column.begin;
    for (int64_t h = row.begin; h < row.end; h += row.step) {
      for (int64_t w = column.begin; w < column.end; w += column.step) {
        const int64_t at = h * planes.columns.size + w;
        const C value = x[start + at];
        if (!(value > best) && value == value) continue;
        best = value;
        where = at;
      }
    }
    out.Set(i, best);
    if (with_indices) indices.Set(i, where);
  }
};

// Of one input: the gradients of the outputs that chose it, or its shares in those that it was averaged into.
template <typename C>
struct PoolGradient {
  Out<C> out;
  In<C> grad;
  In<int64_t> indices;
  bool by_index;
  Planes planes;
  DIOPI_HD void operator()(int64_t i) const {
    const PoolAxis &rows = planes.rows, &columns = planes.columns;
    const int64_t at = i % planes.plane(), h = at / columns.size, w = at % columns.size;
    const int64_t start = i / planes.plane() * planes.out_plane();
    C sum = C(0);
    for (int64_t a = rows.FirstWith(h); a <= rows.LastWith(h); ++a) {
      if (!rows.Has(a, h)) continue;
      for (int64_t b = columns.FirstWith(w); b <= columns.LastWith(w); ++b) {
        if (!columns.Has(b, w)) continue;
        const int64_t output = start + a * columns.count + b;
        if (!by_index) {
          sum += planes.Divided(grad[output], rows.At(a), columns.At(b));
        } else if (indices[output] == at) {
          sum += grad[output];
        }
      }
    }
    out.Set(i, sum);
  }
};

void MaxPool(diopiContextHandle_t ctx, const Tensor& out, const Tensor& indices, const Tensor& x,
             const Pool2d& pool) {
  CheckShape(out, pool.out(), "out");
  if (indices) CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    if (!indices && TryMaxPool(queue, out, x, pool)) return;
    const Out<int64_t> index = indices ? Out<int64_t>(indices) : Out<int64_t>();
    ForEach(queue, out.numel(),
            Greatest<C>{Out<C>(out), index, static_cast<bool>(indices), In<C>(x), Planes(pool, kNone)});
  });
}

// An index that is not in its output's window, of which there is none after the forward, counts nowhere.
void MaxPoolBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& grad, const Tensor& x,
                     const Tensor& indices, const Pool2d& pool) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  CheckShape(indices, pool.out(), "indices");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    ForEach(Queue(ctx), dx.numel(),
            PoolGradient<C>{Out<C>(dx), In<C>(grad), In<int64_t>(indices), true, Planes(pool, kNone)});
  });
}

void AvgPool(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Pool2d& pool,
             const Divisor& divisor) {
  CheckShape(out, pool.out(), "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    if (TryAveragePool(queue, out, x, pool, divisor)) return;
    ForEach(queue, out.numel(), Averages<C>{Out<C>(out), In<C>(x), Planes(pool, divisor)});
  });
}

void AvgPoolBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& grad, const Tensor& x,
                     const Pool2d& pool, const Divisor& divisor) {
  CheckShape(dx, x.shape(), "grad_input");
  CheckShape(grad, pool.out(), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    ForEach(Queue(ctx), dx.numel(),
            PoolGradient<C>{Out<C>(dx), In<C>(grad), In<int64_t>(), false, Planes(pool, divisor)});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiMaxPool2d, a) {
  const Tensor x(a.input);
  cuda::MaxPool(a.ctx, a.out, Tensor(), x,
                PlanPool2d(x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}
DIOPI_KERNEL(diopiMaxPool2dWithIndices, a) {
  const Tensor x(a.input);
  cuda::MaxPool(a.ctx, a.out, a.indices, x,
                PlanPool2d(x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}
DIOPI_KERNEL(diopiMaxPool2dBackward, a) {
  const Tensor x(a.input);
  cuda::MaxPoolBackward(a.ctx, a.grad_input, a.grad_output, x, a.indices,
                        PlanPool2d(x, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}

DIOPI_KERNEL(diopiAvgPool2d, a) {
  const Tensor x(a.input);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  cuda::AvgPool(a.ctx, a.out, x, pool, ReadDivisor(a.count_include_pad, a.divisor_override));
}
DIOPI_KERNEL(diopiAvgPool2dBackward, a) {
  const Tensor x(a.input);
  const Pool2d pool = PlanPool2d(x, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  const Divisor divisor = ReadDivisor(a.count_include_pad, a.divisor_override);
  cuda::AvgPoolBackward(a.ctx, a.grad_input, a.grad_output, x, pool, divisor);
}

DIOPI_KERNEL(diopiAdaptiveAvgPool2d, a) {
  const Tensor x(a.input);
  cuda::AvgPool(a.ctx, a.out, x, PlanAdaptive(x, Sizes(a.output_size)), cuda::kNone);
}
DIOPI_KERNEL(diopiAdaptiveAvgPool2dBackward, a) {
  const Tensor grad(a.grad_output), x(a.input);
  CheckPoolInput(grad);
  const Pool2d pool = PlanAdaptive(x, {grad.size(-2), grad.size(-1)});
  cuda::AvgPoolBackward(a.ctx, a.grad_input, grad, x, pool, cuda::kNone);
}
