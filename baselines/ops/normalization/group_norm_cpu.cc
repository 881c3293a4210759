// Channels in groups, normalized with the statistics of each group of each sample. Written as PyTorch has it,
// folded into one multiplication and addition per element: x * (rstd * weight) + (bias - mean * rstd *
// weight).
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/sum.h"

DIOPI_KERNEL(diopiGroupNorm, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), saved_mean(a.save_mean), saved_rstd(a.save_invstd), x(a.input), w(a.weight),
      b(a.bias);
  const Groups s = PlanGroupNorm(result, saved_mean, saved_rstd, x, w, b, a.num_groups);
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    const std::vector<C> gamma = LoadOr<C>(w, s.channels, 1), beta = LoadOr<C>(b, s.channels, 0);
    std::vector<C> y(values.size()), mean, rstd;
    for (int64_t group = 0; group < s.batch * s.groups; ++group) {
      const Moments<C> m = MomentsOf(values, s.length(), [&](int64_t i) { return group * s.length() + i; });
      mean.push_back(m.mean);
      rstd.push_back(InverseStd(m.variance(), a.eps));
      for (int64_t i = 0; i < s.per_group(); ++i) {
        const int64_t channel = group % s.groups * s.per_group() + i;
        const C scale = rstd.back() * gamma[channel];
        const C shift = beta[channel] - scale * m.mean;
        const int64_t start = (group * s.per_group() + i) * s.area;
        for (int64_t k = start; k < start + s.area; ++k) y[k] = values[k] * scale + shift;
      }
    }
    Store(result, y);
    Store(saved_mean, mean);
    Store(saved_rstd, rstd);
  });
}

// grad_input = grad * (rstd * weight) + x * c2 + c3 with c2, c3 of each group, from the sums of grad * x and
// grad over each channel.
DIOPI_KERNEL(diopiGroupNormBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const Tensor saved_mean(a.mean), saved_rstd(a.rstd);
  const Groups s = PlanGroupNormBackward(dx, dw, db, grad, x, w, saved_mean, saved_rstd, a.num_groups);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(w, s.channels, 1);
    const std::vector<C> mu = Load<C>(saved_mean), rs = Load<C>(saved_rstd);
    std::vector<C> d(g.size());
    std::vector<Sum<C>> d_gamma(gamma.size()), d_beta(gamma.size());
    for (int64_t group = 0; group < s.batch * s.groups; ++group) {
      const int64_t first = group % s.groups * s.per_group();  // channel
      Sum<C> group_gx_sum, group_g_sum;
      for (int64_t i = 0; i < s.per_group(); ++i) {
        const int64_t start = (group * s.per_group() + i) * s.area;
        Sum<C> area_gx, area_g;
        for (int64_t k = start; k < start + s.area; ++k) {
          area_gx += g[k] * values[k];
          area_g += g[k];
        }
        const C sum_gx = area_gx.total(), sum_g = area_g.total();
        group_gx_sum += sum_gx * gamma[first + i];
        group_g_sum += sum_g * gamma[first + i];
        d_gamma[first + i] += (sum_gx - sum_g * mu[group]) * rs[group];
        d_beta[first + i] += sum_g;
      }
      const C group_gx = group_gx_sum.total(), group_g = group_g_sum.total();
      const C share = C(1) / C(s.length());
      const C c2 = (group_g * mu[group] - group_gx) * rs[group] * rs[group] * rs[group] * share;
      const C c3 = -c2 * mu[group] - group_g * rs[group] * share;
      for (int64_t j = 0; j < s.length(); ++j) {
        const int64_t k = group * s.length() + j;
        d[k] = g[k] * (rs[group] * gamma[first + j / s.area]) + values[k] * c2 + c3;
      }
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, Totals(d_gamma));
    StoreIfGiven(db, Totals(d_beta));
  });
}
