// (x - mean) * rstd * weight + bias over the last dimensions, with the statistics of each row. The GB forms
// name the first of these dimensions, and their running_var and running_std are rstd.
#include "baselines/ops/normalization/normalization_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct NormalizeRows {
  Out<C> out;
  In<C> x, weight, bias;
  const C* mean;
  const C* rstd;
  int64_t width;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / width, j = i % width;
    out.Set(i, weight[j] * (rstd[row] * (x[i] - mean[row])) + bias[j]);
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
struct LayerInputs {
  In<C> grad, x, weight, mean, rstd;
  int64_t width;

  DIOPI_HD C Normalized(int64_t row, int64_t j) const { return (x[row * width + j] - mean[row]) * rstd[row]; }
  DIOPI_HD C Scaled(int64_t row, int64_t j) const { return weight[j] * grad[row * width + j]; }
};
// Sums over a row: of d = weight * grad, and of d * h.
template <typename C>
struct RowTerms {
  LayerInputs<C> in;
  DIOPI_HD TwoSums<C> operator()(int64_t row, int64_t j) const {
    const C scaled = in.Scaled(row, j);
    return {scaled, scaled * in.Normalized(row, j)};
  }
};
// Sums over a column: of grad * h, and of grad.
template <typename C>
struct ColumnTerms {
  LayerInputs<C> in;
  DIOPI_HD TwoSums<C> operator()(int64_t j, int64_t row) const {
    const C g = in.grad[row * in.width + j];
    return {g * in.Normalized(row, j), g};
  }
};
template <typename C>
struct LayerGradient {
  Out<C> out;
  LayerInputs<C> in;
  const TwoSums<C>* sums;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / in.width, j = i % in.width;
    const C width = C(in.width), h = in.Normalized(row, j);
    const TwoSums<C> s = sums[row];
    out.Set(i, (width * in.Scaled(row, j) - h * s.second - s.first) * (in.rstd[row] / width));
  }
};

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
    ForEach(
        queue, x.numel(),
        NormalizeRows<C>{Out<C>(out), In<C>(x), InOr<C>(w, 1), InOr<C>(b, 0), moments.mean, rstd, r.width});
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
    const LayerInputs<C> in{In<C>(grad),       In<C>(x),          InOr<C>(w, 1),
                            In<C>(saved_mean), In<C>(saved_rstd), r.width};
    if (dx) {
      const TwoSums<C>* sums = RowSums(queue, r.rows, r.width, RowTerms<C>{in});
      ForEach(queue, dx.numel(), LayerGradient<C>{Out<C>(dx), in, sums});
    }
    if (dw || db) {
      const TwoSums<C>* sums = RowSums(queue, r.width, r.rows, ColumnTerms<C>{in}, ReadOrder::kAcrossRows);
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
