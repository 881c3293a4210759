// (x - mean) * rstd * weight + bias over the last dimensions, with the statistics of each row. The GB forms
// name the first of these dimensions, and their running_var and running_std are rstd.
#include "baselines/ops/normalization/normalization_cuda.h"
#include "baselines/ops/support/cuda/quotients.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct NormalizeRows {
  const C* mean;
  const C* rstd;
  Quotients by_width;
  DIOPI_HD C operator()(int64_t i, C x, C weight, C bias) const {
    const int64_t row = by_width.Of(i);
    return weight * (rstd[row] * (x - mean[row])) + bias;
  }
};

// Rows without elements have no mean.
template <typename C>
struct SaveZeros {
  Out<C> saved_mean, saved_rstd;
  DIOPI_HD void operator()(int64_t row) const {
    saved_mean.Set(row, C(0));
    saved_rstd.Set(row, C(0));
  }
};

template <typename C>
struct RowStats {
  const C *mean, *rstd;
  DIOPI_HD C Normalized(int64_t row, C x) const { return (x - mean[row]) * rstd[row]; }
};
// Sums over a row: of d = weight * grad, and of d * h. y is the gradient.
template <typename C>
struct RowTerms {
  In<C> x, y, weight;
  RowStats<C> stats;
  DIOPI_HD TwoSums<C> Of(int64_t row, int64_t j, C x_j, C grad) const {
    const C scaled = weight[j] * grad;
    return {scaled, scaled * stats.Normalized(row, x_j)};
  }
};
// Sums over a column: of grad * h, and of grad.
template <typename C>
struct ColumnTerms {
  In<C> x, grad;
  RowStats<C> stats;
  int64_t width;
  DIOPI_HD TwoSums<C> operator()(int64_t j, int64_t row) const {
    const C g = grad[row * width + j];
    return {g * stats.Normalized(row, x[row * width + j]), g};
  }
};
template <typename C>
struct LayerGradient {
  RowStats<C> stats;
  const TwoSums<C>* sums;
  int64_t width;
  Quotients by_width;
  DIOPI_HD C operator()(int64_t i, C grad, C x, C weight) const {
    const int64_t row = by_width.Of(i);
    const C h = stats.Normalized(row, x);
    const TwoSums<C> s = sums[row];
    return (C(width) * (weight * grad) - h * s.second - s.first) * (stats.rstd[row] / C(width));
  }
};

template <typename C>
struct ReadStats {
  In<C> mean, rstd;
  C *to_mean, *to_rstd;
  DIOPI_HD void operator()(int64_t row) const {
    to_mean[row] = mean[row];
    to_rstd[row] = rstd[row];
  }
};
// As numbers of the compute type, because each is read for every element of its row.
template <typename C>
RowStats<C> StatsOf(const Queue& queue, const Tensor& mean, const Tensor& rstd, int64_t rows) {
  C *const to_mean = queue.Buffer<C>(rows), *const to_rstd = queue.Buffer<C>(rows);
  ForEach(queue, rows, ReadStats<C>{In<C>(mean), In<C>(rstd), to_mean, to_rstd});
  return {to_mean, to_rstd};
}

// A weight or bias over all rows.
template <typename C>
In<C> OfRows(const Tensor& tensor, double neutral, const RowShape& r) {
  if (!tensor) return In<C>::Constant(C(neutral));
  Shape shape = tensor.shape(), strides = tensor.strides();
  shape.insert(shape.begin(), r.rows);
  strides.insert(strides.begin(), 0);
  return In<C>(tensor.data(), tensor.dtype(), shape, strides);
}

void LayerNorm(diopiContextHandle_t ctx, const Tensor& out, const Tensor& saved_mean,
               const Tensor& saved_rstd, const Tensor& x, const Tensor& w, const Tensor& b,
               const Shape& normalized, double eps) {
  const RowShape r = PlanLayerNorm(out, saved_mean, saved_rstd, x, w, b, normalized);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    const Out<C> mean_out(saved_mean), rstd_out(saved_rstd);
    if (r.width == 0) return ForEach(queue, r.rows, SaveZeros<C>{mean_out, rstd_out});
    const RowMoments<C> moments = MomentsOfRows(queue, r.rows, r.width, In<C>(x));
    C* rstd = queue.Buffer<C>(r.rows);
    ForEach(queue, r.rows, SaveMoments<C>{mean_out, rstd_out, moments, rstd, r.width, eps});
    const NormalizeRows<C> normalize{moments.mean, rstd, Quotients(r.width)};
    Map(queue, x.numel(), Out<C>(out), AtIndex{normalize}, In<C>(x), OfRows<C>(w, 1, r), OfRows<C>(b, 0, r));
  });
}

// With h = (x - mean) * rstd and d = weight * grad:
// grad_input = (width * d - h * sum(d * h) - sum(d)) * rstd / width; grad_weight = sum of grad * h over rows.
void LayerNormBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& dw, const Tensor& db,
                       const Tensor& grad, const Tensor& x, const Tensor& w, const Tensor& saved_mean,
                       const Tensor& saved_rstd, const Shape& normalized) {
  const RowShape r = PlanLayerNormBackward(dx, dw, db, grad, x, w, saved_mean, saved_rstd, normalized);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> g(grad), in(x);
    const RowStats<C> stats = StatsOf<C>(queue, saved_mean, saved_rstd, r.rows);
    if (dx) {
      const TwoSums<C>* sums = RowSums(queue, r.rows, r.width, RowTerms<C>{in, g, InOr<C>(w, 1), stats});
      const LayerGradient<C> gradient{stats, sums, r.width, Quotients(r.width)};
      Map(queue, dx.numel(), Out<C>(dx), AtIndex{gradient}, g, in, OfRows<C>(w, 1, r));
    }
    if (dw || db) {
      const TwoSums<C>* sums =
          RowSums(queue, r.width, r.rows, ColumnTerms<C>{in, g, stats, r.width}, ReadOrder::kAcrossRows);
      ForEach(queue, r.width, StoreTwoSums<C>{dw, db, sums});
    }
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiLayerNorm, a) {
  cuda::LayerNorm(a.ctx, a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias,
                  Sizes(a.normalized_shape), a.eps);
}
DIOPI_KERNEL(diopiLayerNormBackward, a) {
  cuda::LayerNormBackward(a.ctx, a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                          a.mean, a.rstd, Sizes(a.normalized_shape));
}
DIOPI_KERNEL(diopiLayerNormGB, a) {
  cuda::LayerNorm(a.ctx, a.out, a.running_mean, a.running_var, a.input, a.weight, a.bias,
                  DimsFrom(a.input, a.begin_norm_axis), a.eps);
}
DIOPI_KERNEL(diopiLayerNormGBBackward, a) {
  cuda::LayerNormBackward(a.ctx, a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                          a.running_mean, a.running_std, DimsFrom(a.input, a.begin_norm_axis));
}
