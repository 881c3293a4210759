// Shared by the normalizations on a GPU: statistics of rows, optional tensors.
#ifndef BASELINES_OPS_NORMALIZATION_NORMALIZATION_CUDA_H_
#define BASELINES_OPS_NORMALIZATION_NORMALIZATION_CUDA_H_

#include <cmath>

#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/row_sums.h"

namespace diopi::ops::cuda {

template <typename C>
struct MeanOfRows {
  using State = C;
  In<C> x;
  C* mean;
  int64_t length;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Of(int64_t, int64_t, C x_j) const { return x_j; }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { mean[row] = sum / C(length); }
};
template <typename C>
struct SquaredDistance {
  In<C> x;
  const C* mean;
  DIOPI_HD C Of(int64_t row, int64_t, C x_j) const {
    const C distance = x_j - mean[row];
    return distance * distance;
  }
};

// Means of the rows of x, [row * length + j], and sums of squared distances from them. On the device.
template <typename C>
struct RowMoments {
  C* mean;
  C* squares;
};
template <typename C>
RowMoments<C> MomentsOfRows(const Queue& queue, int64_t rows, int64_t length, const In<C>& x) {
  C* mean = queue.Buffer<C>(rows);
  ReduceRows(queue, rows, length, MeanOfRows<C>{x, mean, length});
  return {mean, RowSums(queue, rows, length, SquaredDistance<C>{x, mean})};
}

// An output that the host may leave out.
template <typename C>
struct OptionalOut {
  Out<C> out;
  bool given;

  OptionalOut() : given(false) {}
  OptionalOut(const Tensor& tensor)  // NOLINT: tensors turn into it where functors expect it
      : out(tensor ? Out<C>(tensor) : Out<C>()), given(static_cast<bool>(tensor)) {}
  DIOPI_HD void Set(int64_t i, C value) const {
    if (given) out.Set(i, value);
  }
};

// A weight or bias, or the neutral value.
template <typename C>
In<C> InOr(const Tensor& tensor, double neutral) {
  return tensor ? In<C>(tensor) : In<C>::Constant(C(neutral));
}

// Two sums of a row as a weight's and a bias's gradients.
template <typename C>
struct StoreTwoSums {
  OptionalOut<C> first, second;
  const TwoSums<C>* sums;
  DIOPI_HD void operator()(int64_t i) const {
    first.Set(i, sums[i].first);
    second.Set(i, sums[i].second);
  }
};

// The saved statistics of the rows that layer_norm and group_norm normalize: rstd is made here.
template <typename C>
struct SaveMoments {
  Out<C> saved_mean, saved_rstd;
  RowMoments<C> moments;
  C* rstd;
  int64_t length;
  double eps;
  DIOPI_HD void operator()(int64_t row) const {
    rstd[row] = InverseStd(moments.squares[row] / C(length), eps);
    saved_mean.Set(row, moments.mean[row]);
    saved_rstd.Set(row, rstd[row]);
  }
};

// The tensor's elements as rows, one per channel.
inline RowView ChannelRows(const Tensor& tensor) {
  Shape dims;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  return RowsOf(tensor, dims);
}

// The sums, per channel, of y, a gradient, and of y * (x - mean); `mean` has one element per channel.
template <typename C, typename Means = In<C>>
struct ChannelTerms {
  In<C> x, y;
  Means mean;
  DIOPI_HD TwoSums<C> Of(int64_t channel, int64_t, C x_i, C grad) const {
    return {grad, grad * (x_i - mean[channel])};
  }
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_NORMALIZATION_NORMALIZATION_CUDA_H_
