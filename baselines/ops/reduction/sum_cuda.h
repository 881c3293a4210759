// The sum of a row, for sum and mean.
#ifndef BASELINES_OPS_REDUCTION_SUM_CUDA_H_
#define BASELINES_OPS_REDUCTION_SUM_CUDA_H_

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {

template <typename C>
struct SumRows {
  using State = C;
  In<C> x;
  Out<C> out;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Of(int64_t, int64_t, C x_j) const { return x_j; }
  DIOPI_HD State Combine(State a, State b) const { return WrapAdd(a, b); }
  DIOPI_HD void Finish(int64_t row, State sum) const { out.Set(row, sum); }
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_REDUCTION_SUM_CUDA_H_
