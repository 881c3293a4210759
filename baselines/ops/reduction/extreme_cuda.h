// Extremes over dimensions, with their positions: argmax and max.
#ifndef BASELINES_OPS_REDUCTION_EXTREME_CUDA_H_
#define BASELINES_OPS_REDUCTION_EXTREME_CUDA_H_

#include "baselines/ops/reduction/extreme.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {

// The first of equals: the position decides, not the order of the reduction.
template <typename C>
struct ExtremeRows {
  struct State {
    C value;
    int64_t at;  // below 0: of no element
  };
  In<C> x;
  Out<C> values;
  Out<int64_t> indices;
  bool has_values, has_indices, greatest;

  DIOPI_HD State Empty() const { return State{C(0), -1}; }
  DIOPI_HD State Of(int64_t, int64_t j, C x_j) const { return State{x_j, j}; }
  DIOPI_HD State Combine(State a, State b) const {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    if (MoreExtreme(b.value, a.value, greatest)) return b;
    if (MoreExtreme(a.value, b.value, greatest)) return a;
    return a.at < b.at ? a : b;
  }
  DIOPI_HD void Finish(int64_t row, State s) const {
    if (has_values) values.Set(row, s.value);
    if (has_indices) indices.Set(row, s.at);
  }
};

// Values and positions of the extremes over `dims`; either tensor may be absent.
inline void Extremes(diopiContextHandle_t ctx, const Tensor& values, const Tensor& indices,
                     const Tensor& input, const Shape& dims, bool greatest) {
  const RowView rows = RowsOf(input, dims);
  if (values) CheckReduced(values, rows);
  if (indices) CheckReduced(indices, rows);
  Check(rows.count == 0 || rows.length > 0, "cannot reduce an empty dimension: there is no identity");
  DispatchAny(input.dtype(), [&]<typename C>() {
    ExtremeRows<C> op{In<C>(input, rows),         {},      {}, static_cast<bool>(values),
                      static_cast<bool>(indices), greatest};
    if (values) op.values = Out<C>(values);
    if (indices) op.indices = Out<int64_t>(indices);
    ReduceRows(Queue(ctx), rows.count, rows.length, op, OrderOf(rows));
  });
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_REDUCTION_EXTREME_CUDA_H_
