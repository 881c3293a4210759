// (x - mean) * rstd * weight + bias over the last dimensions, with the statistics of each row.
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/sum.h"

extern "C" diopiError_t diopiLayerNorm(diopiContextHandle_t, diopiTensorHandle_t out,
                                       diopiTensorHandle_t save_mean, diopiTensorHandle_t save_invstd,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                       diopiConstTensorHandle_t bias, diopiSize_t normalized_shape,
                                       double eps) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), saved_mean(save_mean), saved_rstd(save_invstd), x(input), w(weight), b(bias);
    const Shape normalized = Sizes(normalized_shape);
    const RowShape r = SplitRows(x, normalized);
    CheckShape(result, x.shape(), "out");
    CheckSaved(saved_mean, r, "save_mean");
    CheckSaved(saved_rstd, r, "save_invstd");
    CheckOptionalShape(w, normalized, "weight");
    CheckOptionalShape(b, normalized, "bias");
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
  });
}

// With h = (x - mean) * rstd and d = weight * grad:
// grad_input = (width * d - h * sum(d * h) - sum(d)) * rstd / width; grad_weight = sum of grad * h over rows.
extern "C" diopiError_t diopiLayerNormBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                               diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                               diopiConstTensorHandle_t grad_output,
                                               diopiConstTensorHandle_t input,
                                               diopiConstTensorHandle_t weight, diopiConstTensorHandle_t,
                                               diopiConstTensorHandle_t mean, diopiConstTensorHandle_t rstd,
                                               diopiSize_t normalized_shape) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), dw(grad_weight), db(grad_bias), grad(grad_output), x(input), w(weight);
    const Tensor saved_mean(mean), saved_rstd(rstd);
    const Shape normalized = Sizes(normalized_shape);
    const RowShape r = SplitRows(x, normalized);
    CheckShape(grad, x.shape(), "grad_output");
    CheckOptionalShape(dx, x.shape(), "grad_input");
    for (const Tensor& t : {w, dw, db}) CheckOptionalShape(t, normalized, "weight or its gradient");
    CheckSaved(saved_mean, r, "mean");
    CheckSaved(saved_rstd, r, "rstd");
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
  });
}
