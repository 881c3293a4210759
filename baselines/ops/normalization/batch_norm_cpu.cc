// (x - mean) * invstd * weight + bias for each channel, with the batch's statistics in training and the
// running ones otherwise.
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

// running = momentum * now + (1 - momentum) * running, the variance unbiased.
template <typename C>
void UpdateRunning(const Tensor& running_mean, const Tensor& running_var, double momentum,
                   const std::vector<Moments<C>>& moments) {
  const C now = Rounded<C>(momentum), before = Rounded<C>(1 - momentum);
  const auto update = [&](const Tensor& running, auto&& value) {
    if (!running) return;
    std::vector<C> r = Load<C>(running);
    for (size_t i = 0; i < r.size(); ++i) r[i] = now * value(moments[i]) + before * r[i];
    Store(running, r);
  };
  update(running_mean, [](const Moments<C>& m) { return m.mean; });
  update(running_var, [](const Moments<C>& m) { return m.squares / C(m.count - 1); });
}

// PyTorch saves nothing outside training, so the host may give tensors of another size then.
template <typename C>
void StoreSaved(const Tensor& saved, bool training, const std::vector<C>& values) {
  if (training || (saved && saved.numel() == static_cast<int64_t>(values.size()))) Store(saved, values);
}

template <typename C>
struct ChannelStats {
  std::vector<C> mean, invstd;
};

template <typename C>
ChannelStats<C> RunningStats(const Tensor& mean, const Tensor& var, double eps) {
  ChannelStats<C> stats{Load<C>(mean), Load<C>(var)};
  for (C& v : stats.invstd) v = InverseStd(v, eps);
  return stats;
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiBatchNorm, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), saved_mean(a.save_mean), saved_invstd(a.save_invstd), x(a.input), w(a.weight),
      b(a.bias);
  const Tensor mean(a.running_mean), var(a.running_var);
  const Channels s = SplitChannels(x);
  CheckShape(result, x.shape(), "out");
  CheckRunning(mean, var, a.training, s.channels);
  CheckOptionalShape(w, {s.channels}, "weight");
  CheckOptionalShape(b, {s.channels}, "bias");
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    const std::vector<C> gamma = LoadOr<C>(w, s.channels, 1), beta = LoadOr<C>(b, s.channels, 0);
    ChannelStats<C> stats;
    if (a.training) {
      std::vector<Moments<C>> moments;
      for (int64_t c = 0; c < s.channels; ++c) {
        moments.push_back(MomentsOf(values, s.length(), [&](int64_t i) { return s.At(c, i); }));
        stats.mean.push_back(moments.back().mean);
        stats.invstd.push_back(InverseStd(moments.back().variance(), a.eps));
      }
      UpdateRunning(mean, var, a.momentum, moments);
    } else {
      stats = RunningStats<C>(mean, var, a.eps);
    }
    std::vector<C> y(values.size());
    for (int64_t c = 0; c < s.channels; ++c) {
      for (int64_t i = 0; i < s.length(); ++i) {
        const int64_t k = s.At(c, i);
        y[k] = (values[k] - stats.mean[c]) * stats.invstd[c] * gamma[c] + beta[c];
      }
    }
    Store(result, y);
    StoreSaved(saved_mean, a.training, stats.mean);
    StoreSaved(saved_invstd, a.training, stats.invstd);
  });
}

// With p = sum(grad * (x - mean)) over a channel: grad_weight = p * invstd, grad_bias = sum(grad), and
// grad_input = (grad - mean(grad) - (x - mean) * p * invstd^2 / length) * invstd * weight in training, where
// the statistics depend on x; grad * invstd * weight otherwise.
DIOPI_KERNEL(diopiBatchNormBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const Tensor mean(a.running_mean), var(a.running_var);
  const Channels s = SplitChannels(x);
  CheckShape(grad, x.shape(), "grad_output");
  CheckOptionalShape(dx, x.shape(), "grad_input");
  for (const Tensor& t : {w, dw, db}) CheckOptionalShape(t, {s.channels}, "weight or its gradient");
  CheckRunning(mean, var, a.training, s.channels);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(w, s.channels, 1);
    const ChannelStats<C> stats = a.training ? ChannelStats<C>{LoadAs<C>(Tensor(a.save_mean), {s.channels}),
                                                               LoadAs<C>(Tensor(a.save_invstd), {s.channels})}
                                             : RunningStats<C>(mean, var, a.eps);
    std::vector<C> d(g.size()), d_gamma, d_beta;
    for (int64_t c = 0; c < s.channels; ++c) {
      const C mu = stats.mean[c], invstd = stats.invstd[c];
      Sum<C> grads, projected;
      for (int64_t i = 0; i < s.length(); ++i) {
        const int64_t k = s.At(c, i);
        grads += g[k];
        projected += g[k] * (values[k] - mu);
      }
      const C sum = grads.total(), projection = projected.total();
      d_gamma.push_back(projection * invstd);
      d_beta.push_back(sum);
      const C mean_grad = sum / C(s.length()), slope = projection * invstd * invstd / C(s.length());
      for (int64_t i = 0; i < s.length(); ++i) {
        const int64_t k = s.At(c, i);
        const C centred = a.training ? g[k] - mean_grad - (values[k] - mu) * slope : g[k];
        d[k] = centred * invstd * gamma[c];
      }
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, d_gamma);
    StoreIfGiven(db, d_beta);
  });
}
