// (x - mean) * rstd * weight + bias over the last dimensions, with the statistics of each row. The GB forms
// name the first of these dimensions, and their running_var and running_std are rstd.
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

void LayerNorm(const Tensor& result, const Tensor& saved_mean, const Tensor& saved_rstd, const Tensor& x,
               const Tensor& w, const Tensor& b, const Shape& normalized, double eps) {
  const RowShape r = PlanLayerNorm(result, saved_mean, saved_rstd, x, w, b, normalized);
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x), gamma = LoadOr<C>(w, r.width, 1),
                         beta = LoadOr<C>(b, r.width, 0);
    std::vector<C> y(values.size()), mean, rstd;
    for (int64_t start = 0; start < r.rows * r.width; start += r.width) {
      const Moments<C> m = MomentsOf(values, r.width, [&](int64_t i) { return start + i; });
      mean.push_back(m.mean);
      rstd.push_back(InverseStd(m.variance(), eps));
      for (int64_t i = 0; i < r.width; ++i) {
        y[start + i] = gamma[i] * (rstd.back() * (values[start + i] - m.mean)) + beta[i];
      }
    }
    mean.resize(static_cast<size_t>(r.rows), C(0));  // rows without elements
    rstd.resize(static_cast<size_t>(r.rows), C(0));
    Store(result, y);
    Store(saved_mean, mean);
    Store(saved_rstd, rstd);
  });
}

// With h = (x - mean) * rstd and d = weight * grad:
// grad_input = (width * d - h * sum(d * h) - sum(d)) * rstd / width; grad_weight = sum of grad * h over rows.
void LayerNormBackward(const Tensor& dx, const Tensor& dw, const Tensor& db, const Tensor& grad,
                       const Tensor& x, const Tensor& w, const Tensor& saved_mean, const Tensor& saved_rstd,
                       const Shape& normalized) {
  const RowShape r = PlanLayerNormBackward(dx, dw, db, grad, x, w, saved_mean, saved_rstd, normalized);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(w, r.width, 1);
    const std::vector<C> mu = Load<C>(saved_mean), rs = Load<C>(saved_rstd);
    const C width = C(r.width);
    std::vector<C> d(g.size());
    std::vector<Sum<C>> d_gamma(gamma.size()), d_beta(gamma.size());
    for (int64_t row = 0; row < r.rows; ++row) {
      const int64_t start = row * r.width;
      Sum<C> scaled_sum, projected;
      for (int64_t i = 0; i < r.width; ++i) {
        const C h = (values[start + i] - mu[row]) * rs[row], scaled = gamma[i] * g[start + i];
        scaled_sum += scaled;
        projected += scaled * h;
        d_gamma[i] += g[start + i] * h;
        d_beta[i] += g[start + i];
      }
      const C sum = scaled_sum.total(), projection = projected.total();
      for (int64_t i = 0; i < r.width; ++i) {
        const C h = (values[start + i] - mu[row]) * rs[row];
        d[start + i] = (width * (gamma[i] * g[start + i]) - h * projection - sum) * (rs[row] / width);
      }
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, Totals(d_gamma));
    StoreIfGiven(db, Totals(d_beta));
  });
}

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;

DIOPI_KERNEL(diopiLayerNorm, a) {
  LayerNorm(a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, Sizes(a.normalized_shape), a.eps);
}
DIOPI_KERNEL(diopiLayerNormBackward, a) {
  LayerNormBackward(a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight, a.mean,
                    a.rstd, Sizes(a.normalized_shape));
}
DIOPI_KERNEL(diopiLayerNormGB, a) {
  LayerNorm(a.out, a.running_mean, a.running_var, a.input, a.weight, a.bias,
            DimsFrom(a.input, a.begin_norm_axis), a.eps);
}
DIOPI_KERNEL(diopiLayerNormGBBackward, a) {
  LayerNormBackward(a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                    a.running_mean, a.running_std, DimsFrom(a.input, a.begin_norm_axis));
}
