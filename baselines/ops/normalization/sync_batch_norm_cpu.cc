// The sums of batch normalization across devices: a device's own statistics, and those of the gradient.
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/sum.h"

DIOPI_KERNEL(diopiBatchNormStats, a) {
  using namespace diopi::ops;
  const Tensor mean(a.mean), invstd(a.invstd), x(a.input);
  const Channels s = SplitChannels(x);
  CheckShape(mean, {s.channels}, "mean");
  CheckShape(invstd, {s.channels}, "invstd");
  DispatchFloating(ResultType(mean, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> means, invstds;
    for (int64_t c = 0; c < s.channels; ++c) {
      const Moments<C> moments = MomentsOf(values, s.length(), [&](int64_t i) { return s.At(c, i); });
      means.push_back(moments.mean);
      invstds.push_back(InverseStd(moments.variance(), a.eps));
    }
    Store(mean, means);
    Store(invstd, invstds);
  });
}

DIOPI_KERNEL(diopiBatchNormBackwardReduce, a) {
  using namespace diopi::ops;
  const Tensor sum_dy(a.sum_dy), sum_dy_xmu(a.sum_dy_xmu), dw(a.grad_weight), db(a.grad_bias),
      grad(a.grad_out), x(a.input), mean(a.mean), invstd(a.invstd);
  const Channels s = SplitChannels(x);
  CheckShape(grad, x.shape(), "grad_out");
  for (const Tensor& t : {sum_dy, sum_dy_xmu, dw, db}) CheckOptionalShape(t, {s.channels}, "a sum");
  DispatchFloating(ResultType(sum_dy, {grad, x}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), mu = LoadAs<C>(mean, {s.channels}),
                         spread = LoadAs<C>(invstd, {s.channels});
    std::vector<C> sums, projections, d_gamma;
    for (int64_t c = 0; c < s.channels; ++c) {
      Sum<C> grads, projected;
      for (int64_t i = 0; i < s.length(); ++i) {
        const int64_t k = s.At(c, i);
        grads += g[k];
        projected += g[k] * (values[k] - mu[c]);
      }
      sums.push_back(grads.total());
      projections.push_back(projected.total());
      d_gamma.push_back(projections.back() * spread[c]);
    }
    if (a.input_g) Store(sum_dy, sums);
    if (a.input_g) Store(sum_dy_xmu, projections);
    if (a.weight_g) StoreIfGiven(dw, d_gamma);
    if (a.bias_g) StoreIfGiven(db, sums);
  });
}
