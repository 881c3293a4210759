// (x - mean) * invstd * scale + bias with the statistics of each instance, as batch_norm has it for channels.
#include "baselines/ops/normalization/instance_norm_common.h"

DIOPI_KERNEL(diopiInstanceNorm, a) {
  using namespace diopi::ops;
  const Tensor result(a.output), x(a.input), w(a.scale), b(a.bias);
  const Instances s = PlanInstanceNorm(result, x, w, b, a.axis);
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    const std::vector<C> gamma = LoadOr<C>(w, s.channels, 1), beta = LoadOr<C>(b, s.channels, 0);
    std::vector<C> y(values.size());
    for (int64_t row = 0; row < s.count(); ++row) {
      const int64_t start = row * s.length, channel = row % s.channels;
      const Moments<C> m = MomentsOf(values, s.length, [&](int64_t i) { return start + i; });
      const C invstd = InverseStd(m.variance(), a.eps);
      for (int64_t k = start; k < start + s.length; ++k) {
        y[k] = (values[k] - m.mean) * invstd * gamma[channel] + beta[channel];
      }
    }
    Store(result, y);
  });
}

// With p = sum(grad * (x - mean)) over an instance: grad_scale is the sum of p * invstd over the samples, and
// grad_input = (grad - mean(grad) - (x - mean) * p * invstd^2 / length) * invstd * scale.
DIOPI_KERNEL(diopiInstanceNormBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dw(a.grad_scale), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.scale);
  const Instances s = PlanInstanceNormBackward(dx, dw, db, grad, x, w, a.axis);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(w, s.channels, 1);
    std::vector<C> d(g.size());
    std::vector<Sum<C>> d_gamma(gamma.size()), d_beta(gamma.size());
    for (int64_t row = 0; row < s.count(); ++row) {
      const int64_t start = row * s.length, channel = row % s.channels;
      const Moments<C> m = MomentsOf(values, s.length, [&](int64_t i) { return start + i; });
      const C invstd = InverseStd(m.variance(), a.eps);
      Sum<C> grads, projected;
      for (int64_t k = start; k < start + s.length; ++k) {
        grads += g[k];
        projected += g[k] * (values[k] - m.mean);
      }
      const C sum = grads.total(), projection = projected.total();
      d_gamma[channel] += projection * invstd;
      d_beta[channel] += sum;
      const C mean_grad = sum / C(s.length), slope = projection * invstd * invstd / C(s.length);
      for (int64_t k = start; k < start + s.length; ++k) {
        d[k] = (g[k] - mean_grad - (values[k] - m.mean) * slope) * invstd * gamma[channel];
      }
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, Totals(d_gamma));
    StoreIfGiven(db, Totals(d_beta));
  });
}
