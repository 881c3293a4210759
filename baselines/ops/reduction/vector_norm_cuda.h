// The p-norms of rows on the device, for norm, linalg_vec_norm and foreach_norm.
#ifndef BASELINES_OPS_REDUCTION_VECTOR_NORM_CUDA_H_
#define BASELINES_OPS_REDUCTION_VECTOR_NORM_CUDA_H_

#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {

// A sum of powers, or for an infinite p the greatest or least magnitude, where below 0 means: of no element.
template <typename C>
struct VectorNorms {
  using State = C;
  In<C> x;
  Out<C> out;
  double p;
  DIOPI_HD State Empty() const { return InfinitePower(p) ? C(-1) : C(0); }
  DIOPI_HD State Of(int64_t, int64_t, C element) const {
    return InfinitePower(p) ? Magnitude(element) : NormTerm(element, p);
  }
  DIOPI_HD State Combine(State a, State b) const {
    if (!InfinitePower(p)) return a + b;
    if (a < C(0) || b < C(0)) return a < C(0) ? b : a;
    return MoreExtreme(b, a, p > 0) ? b : a;
  }
  DIOPI_HD void Finish(int64_t row, State s) const { out.Set(row, InfinitePower(p) ? s : NormOfSum(s, p)); }
};

// out = the norms of x over `dims` (none: all).
inline void VectorNorm(const Queue& queue, const Tensor& out, const Tensor& x, const diopiScalar_t* ord,
                       const Shape& dims) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  const double p = ScalarAsDouble(ord);
  Check(rows.length > 0 || rows.count == 0 || (p >= 0 && !InfinitePower(p)), "cannot compute the ", p,
        " norm over an empty dimension: there is no identity");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ReduceRows(queue, rows.count, rows.length, VectorNorms<C>{In<C>(x, rows), Out<C>(out), p}, OrderOf(rows));
  });
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_REDUCTION_VECTOR_NORM_CUDA_H_
