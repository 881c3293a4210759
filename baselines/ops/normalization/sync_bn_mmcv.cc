// MMCV's batch normalization across devices, for inputs [samples, channels, places]: a channel's mean, and
// its mean squared distance from a given mean; norm = (x - mean) / sqrt(var + eps), and norm * weight + bias;
// backward the sums of grad * norm and of grad, and weight * (grad - (grad_weight * norm + grad_bias) /
// count) / std.
#include "baselines/ops/both.h"
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct MmcvBnMean {
  Out<C> mean;
  In<C> x;
  Channels s;
  DIOPI_HD void operator()(int64_t c) const {
    Sum<C> sum;
    for (int64_t i = 0; i < s.length(); ++i) sum += x[s.At(c, i)];
    mean.Set(c, sum.total() / C(s.length()));
  }
};

template <typename C>
struct MmcvBnVar {
  Out<C> var;
  In<C> x, mean;
  Channels s;
  DIOPI_HD void operator()(int64_t c) const {
    Sum<C> sum;
    for (int64_t i = 0; i < s.length(); ++i) {
      const C distance = x[s.At(c, i)] - mean[c];
      sum += distance * distance;
    }
    var.Set(c, sum.total() / C(s.length()));
  }
};

// The elements of one channel, and its statistics.
template <typename C>
struct MmcvBnOutput {
  Out<C> out, norm, std, running_mean, running_var;
  In<C> x, mean, var, weight, bias;
  C eps, momentum;
  Channels s;
  int64_t count;  // of all devices
  bool affine, running;
  DIOPI_HD void operator()(int64_t c) const {
    using std::sqrt;
    const C deviation = sqrt(var[c] + eps);
    std.Set(c, deviation);
    for (int64_t i = 0; i < s.length(); ++i) {
      const int64_t at = s.At(c, i);
      const C normal = (x[at] - mean[c]) / deviation;
      norm.Set(at, normal);
      out.Set(at, affine ? normal * weight[c] + bias[c] : normal);
    }
    if (!running) return;
    const C unbiased = count > 1 ? var[c] * C(count) / C(count - 1) : var[c];
    running_mean.Set(c, momentum * mean[c] + (C(1) - momentum) * running_mean[c]);
    running_var.Set(c, momentum * unbiased + (C(1) - momentum) * running_var[c]);
  }
};

template <typename C>
struct MmcvBnSums {
  Out<C> of_weight, of_bias;
  In<C> g, norm;
  Channels s;
  DIOPI_HD void operator()(int64_t c) const {
    Sum<C> weighted, plain;
    for (int64_t i = 0; i < s.length(); ++i) {
      const int64_t at = s.At(c, i);
      weighted += g[at] * norm[at];
      plain += g[at];
    }
    of_weight.Set(c, weighted.total());
    of_bias.Set(c, plain.total());
  }
};

template <typename C>
struct MmcvBnGradient {
  Out<C> out;
  In<C> g, weight, of_weight, of_bias, norm, std;
  Channels s;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t c = i / s.area % s.channels;
    const C mean = (of_weight[c] * norm[i] + of_bias[c]) / C(s.length());
    out.Set(i, weight[c] * (g[i] - mean) / std[c]);
  }
};

Channels MmcvBnChannels(const Tensor& x, std::initializer_list<Tensor> of_channels) {
  Check(x.rank() == 3, "expected 3 dimensions, got shape ", ShapeText(x.shape()));
  const Channels s = SplitChannels(x);
  for (const Tensor& tensor : of_channels) CheckOptionalShape(tensor, {s.channels}, "a channel's number");
  return s;
}

}  // namespace

DIOPI_KERNEL(diopiSyncBnMeanMmcv, a) {
  const Tensor mean(a.mean), x(a.input);
  const Channels s = MmcvBnChannels(x, {mean});
  DispatchFloating(ResultType(mean, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), s.channels, MmcvBnMean<C>{Out<C>(mean), In<C>(x), s});
  });
}

DIOPI_KERNEL(diopiSyncBnVarMmcv, a) {
  const Tensor var(a.var), x(a.input), mean(a.mean);
  const Channels s = MmcvBnChannels(x, {var, mean});
  DispatchFloating(ResultType(var, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), s.channels, MmcvBnVar<C>{Out<C>(var), In<C>(x), In<C>(mean), s});
  });
}

DIOPI_KERNEL(diopiSyncBnOutputMmcv, a) {
  const Tensor out(a.output), norm(a.norm), std(a.std), x(a.input), mean(a.mean), var(a.var), w(a.weight),
      b(a.bias), running_mean(a.running_mean), running_var(a.running_var);
  const Channels s = MmcvBnChannels(x, {std, mean, var, w, b, running_mean, running_var});
  CheckShape(out, x.shape(), "output");
  CheckShape(norm, x.shape(), "norm");
  const bool affine = w && b, running = running_mean && running_var;
  DispatchFloating(ResultType(norm, {x, mean}), [&]<typename C>() {
    ForEach(Queue(a.ctx), s.channels,
            MmcvBnOutput<C>{Out<C>(out), Out<C>(norm), Out<C>(std), running ? Out<C>(running_mean) : Out<C>(),
                            running ? Out<C>(running_var) : Out<C>(), In<C>(x), In<C>(mean), In<C>(var),
                            affine ? In<C>(w) : In<C>::Constant(C(1)),
                            affine ? In<C>(b) : In<C>::Constant(C(0)), Exact<C>(a.eps), Exact<C>(a.momentum),
                            s, s.length() * a.group_size, affine, running});
  });
}

DIOPI_KERNEL(diopiSyncBnBackwardParamMmcv, a) {
  const Tensor dw(a.grad_weight), db(a.grad_bias), g(a.grad_output), norm(a.norm);
  const Channels s = MmcvBnChannels(g, {dw, db});
  CheckShape(norm, g.shape(), "norm");
  DispatchFloating(ResultType(dw, {g, norm}), [&]<typename C>() {
    ForEach(Queue(a.ctx), s.channels, MmcvBnSums<C>{Out<C>(dw), Out<C>(db), In<C>(g), In<C>(norm), s});
  });
}

DIOPI_KERNEL(diopiSyncBnBackwardDataMmcv, a) {
  const Tensor out(a.grad_input), g(a.grad_output), w(a.weight), dw(a.grad_weight), db(a.grad_bias),
      norm(a.norm), std(a.std);
  const Channels s = MmcvBnChannels(g, {w, dw, db, std});
  CheckShape(out, g.shape(), "grad_input");
  CheckShape(norm, g.shape(), "norm");
  DispatchFloating(ResultType(out, {g, norm}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            MmcvBnGradient<C>{Out<C>(out), In<C>(g), w ? In<C>(w) : In<C>::Constant(C(1)), In<C>(dw),
                              In<C>(db), In<C>(norm), In<C>(std), s});
  });
}

}  // namespace diopi::ops::both
