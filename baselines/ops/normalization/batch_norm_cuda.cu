// (x - mean) * invstd * weight + bias for each channel, with the batch's statistics in training and the
// running ones otherwise.
#include "baselines/ops/normalization/batch_norm_dnn.h"
#include "baselines/ops/normalization/normalization_cuda.h"
#include "baselines/ops/support/cuda/quotients.h"

namespace diopi::ops::cuda {
namespace {

// The statistics that normalize a channel, on the device.
template <typename C>
struct ChannelStats {
  C* mean;
  C* invstd;
};

// From the batch: running = momentum * now + (1 - momentum) * running, the variance unbiased.
template <typename C>
struct BatchStats {
  ChannelStats<C> stats;
  RowMoments<C> moments;
  OptionalOut<C> running_mean, running_var;
  C now, before;
  int64_t length;
  double eps;
  DIOPI_HD void operator()(int64_t c) const {
    stats.mean[c] = moments.mean[c];
    stats.invstd[c] = InverseStd(moments.squares[c] / C(length), eps);
    Update(running_mean, c, moments.mean[c]);
    Update(running_var, c, moments.squares[c] / C(length - 1));
  }

 private:
  DIOPI_HD void Update(const OptionalOut<C>& running, int64_t c, C value) const {
    if (running.given) running.out.Set(c, now * value + before * running.out[c]);
  }
};

// Given ones: a running mean and variance, or what training saved.
template <typename C>
struct GivenStats {
  ChannelStats<C> stats;
  In<C> mean, spread;
  bool saved;
  double eps;
  DIOPI_HD void operator()(int64_t c) const {
    stats.mean[c] = mean[c];
    stats.invstd[c] = saved ? spread[c] : InverseStd(spread[c], eps);
  }
};

template <typename C>
struct SaveStats {
  OptionalOut<C> saved_mean, saved_invstd;
  ChannelStats<C> stats;
  DIOPI_HD void operator()(int64_t c) const {
    saved_mean.Set(c, stats.mean[c]);
    saved_invstd.Set(c, stats.invstd[c]);
  }
};

// Elements of a channel are a row of x and of out.
template <typename C>
struct NormalizeChannels {
  In<C> weight, bias;
  ChannelStats<C> stats;
  Quotients by_length;
  DIOPI_HD C operator()(int64_t i, C x) const {
    const int64_t c = by_length.Of(i);
    return (x - stats.mean[c]) * stats.invstd[c] * weight[c] + bias[c];
  }
};

template <typename C>
struct ChannelGradient {
  In<C> weight;
  ChannelStats<C> stats;
  const TwoSums<C>* sums;
  int64_t length;
  Quotients by_length;
  bool training;
  DIOPI_HD C operator()(int64_t i, C grad, C x) const {
    const int64_t c = by_length.Of(i);
    const C invstd = stats.invstd[c];
    C centred = grad;
    if (training) {
      const C mean_grad = sums[c].first / C(length), slope = sums[c].second * invstd * invstd / C(length);
      centred = grad - mean_grad - (x - stats.mean[c]) * slope;
    }
    return centred * invstd * weight[c];
  }
};
template <typename C>
struct ParameterGradients {
  OptionalOut<C> grad_weight, grad_bias;
  ChannelStats<C> stats;
  const TwoSums<C>* sums;
  DIOPI_HD void operator()(int64_t c) const {
    grad_weight.Set(c, sums[c].second * stats.invstd[c]);
    grad_bias.Set(c, sums[c].first);
  }
};

template <typename C>
ChannelStats<C> NewStats(const Queue& queue, int64_t channels) {
  return {queue.Buffer<C>(channels), queue.Buffer<C>(channels)};
}

// PyTorch saves nothing outside training, so the host may give tensors of another size then.
Tensor ToSave(const Tensor& saved, bool training, int64_t channels) {
  Check(!training || saved, "a required tensor is null");
  if (!saved || saved.numel() == channels) return saved;
  Check(!training, "the output holds ", saved.numel(), " elements, the result has ", channels);
  return Tensor();
}

struct Running {
  Tensor mean, var;
  bool training;
};

void BatchNorm(diopiContextHandle_t ctx, const Tensor& out, const Tensor& saved_mean,
               const Tensor& saved_invstd, const Tensor& x, const Tensor& w, const Tensor& b,
               const Running& running, double momentum, double eps) {
  const Channels s = SplitChannels(x);
  CheckShape(out, x.shape(), "out");
  CheckRunning(running.mean, running.var, running.training, s.channels);
  CheckOptionalShape(w, {s.channels}, "weight");
  CheckOptionalShape(b, {s.channels}, "bias");
  const Tensor save_mean = ToSave(saved_mean, running.training, s.channels);
  const Tensor save_invstd = ToSave(saved_invstd, running.training, s.channels);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    const BatchNormTensors tensors{out, save_mean, save_invstd, x, w, b, running.mean, running.var};
    if (running.training && TryBatchNorm(queue, s, tensors, momentum, eps)) return;
    const In<C> in(x, ChannelRows(x));
    const ChannelStats<C> stats = NewStats<C>(queue, s.channels);
    if (running.training) {
      const RowMoments<C> moments = MomentsOfRows(queue, s.channels, s.length(), in);
      ForEach(queue, s.channels,
              BatchStats<C>{stats, moments, running.mean, running.var, Rounded<C>(momentum),
                            Rounded<C>(1 - momentum), s.length(), eps});
    } else {
      ForEach(queue, s.channels, GivenStats<C>{stats, In<C>(running.mean), In<C>(running.var), false, eps});
    }
    const NormalizeChannels<C> normalize{InOr<C>(w, 1), InOr<C>(b, 0), stats, Quotients(s.length())};
    Map(queue, x.numel(), Out<C>(out, ChannelRows(out)), AtIndex{normalize}, in);
    ForEach(queue, s.channels, SaveStats<C>{save_mean, save_invstd, stats});
  });
}

// With p = sum(grad * (x - mean)) over a channel: grad_weight = p * invstd, grad_bias = sum(grad), and
// grad_input = (grad - mean(grad) - (x - mean) * p * invstd^2 / length) * invstd * weight in training, where
// the statistics depend on x; grad * invstd * weight otherwise.
void BatchNormBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& dw, const Tensor& db,
                       const Tensor& grad, const Tensor& x, const Tensor& w, const Running& running,
                       const Tensor& saved_mean, const Tensor& saved_invstd, double eps) {
  const Channels s = SplitChannels(x);
  CheckShape(grad, x.shape(), "grad_output");
  CheckOptionalShape(dx, x.shape(), "grad_input");
  for (const Tensor& t : {w, dw, db}) CheckOptionalShape(t, {s.channels}, "weight or its gradient");
  CheckRunning(running.mean, running.var, running.training, s.channels);
  const Shape each = {s.channels};
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const Queue queue(ctx);
    const BatchNormGradients tensors{dx, dw, db, grad, x, w, saved_mean, saved_invstd};
    if (running.training && TryBatchNormBackward(queue, s, tensors, eps)) return;
    const In<C> g(grad, ChannelRows(grad)), in(x, ChannelRows(x));
    const ChannelStats<C> stats = NewStats<C>(queue, s.channels);
    const bool training = running.training;
    ForEach(queue, s.channels,
            GivenStats<C>{stats, In<C>(training ? saved_mean : running.mean, each),
                          In<C>(training ? saved_invstd : running.var, each), training, eps});
    const TwoSums<C>* sums =
        RowSums(queue, s.channels, s.length(), ChannelTerms<C, const C*>{in, g, stats.mean});
    if (dx) {
      const ChannelGradient<C> gradient{InOr<C>(w, 1),         stats,   sums, s.length(),
                                        Quotients(s.length()), training};
      Map(queue, dx.numel(), Out<C>(dx, ChannelRows(dx)), AtIndex{gradient}, g, in);
    }
    ForEach(queue, s.channels, ParameterGradients<C>{dw, db, stats, sums});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiBatchNorm, a) {
  const cuda::Running running{a.running_mean, a.running_var, a.training};
  cuda::BatchNorm(a.ctx, a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, running, a.momentum,
                  a.eps);
}
DIOPI_KERNEL(diopiBatchNormBackward, a) {
  const cuda::Running running{a.running_mean, a.running_var, a.training};
  cuda::BatchNormBackward(a.ctx, a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                          running, a.save_mean, a.save_invstd, a.eps);
}
