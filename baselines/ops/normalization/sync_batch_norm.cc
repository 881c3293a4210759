// The element-wise parts of batch normalization across devices: one channel's statistics from those of all
// devices, the normalized elements, and their gradient. sync_batch_norm_cpu.cc and sync_batch_norm_cuda.cu
// have the sums.
#include "baselines/ops/both.h"
#include "baselines/ops/normalization/normalization_common.h"

namespace diopi::ops::both {
namespace {

template <typename C>
In<C> InOr(const Tensor& tensor, double neutral) {
  return tensor ? In<C>(tensor) : In<C>::Constant(C(neutral));
}

// Combines, one device after the other, the mean and the sum of squared distances of all elements so far with
// those of the next device.
template <typename C>
struct GatherChannel {
  Out<C> mean, invstd, running_mean, running_var;
  In<C> means, invstds, counts;
  C now, before;
  int64_t devices, channels;
  double eps;
  bool with_mean, with_var;
  DIOPI_HD void operator()(int64_t c) const {
    C total = C(0), n = C(0);
    Sum<C> sum_of_squares;
    for (int64_t d = 0; d < devices; ++d) {
      const C count = counts[d], m = means[d * channels + c], std = C(1) / invstds[d * channels + c];
      const C share = C(1) / (n + count), distance = total - m;
      sum_of_squares += (std * std - Rounded<C>(eps)) * count + distance * distance * n * count * share;
      total = n * share * total + count * share * m;
      n = n + count;
    }
    const C squares = sum_of_squares.total();
    mean.Set(c, total);
    invstd.Set(c, InverseStd(squares / n, eps));
    if (with_mean) running_mean.Set(c, before * running_mean[c] + now * total);
    if (with_var) running_var.Set(c, before * running_var[c] + now * (squares / (n - C(1))));
  }
};

template <typename C>
struct NormalizeElement {
  Out<C> out;
  In<C> x, weight, bias, mean, invstd;
  Channels s;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t c = i / s.area % s.channels;
    out.Set(i, (x[i] - mean[c]) * invstd[c] * weight[c] + bias[c]);
  }
};

// The elements of all devices together.
struct AddCounts {
  In<int64_t> counts;
  int64_t devices;
  Scratch<int64_t> total;
  DIOPI_HD void operator()(int64_t /*only*/) const {
    int64_t count = 0;
    for (int64_t d = 0; d < devices; ++d) count += counts[d];
    total[0] = count;
  }
};

template <typename C>
struct GradientElement {
  Out<C> out;
  In<C> grad, x, weight, mean, invstd, sum_dy, sum_dy_xmu;
  Scratch<int64_t> count;
  Channels s;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t c = i / s.area % s.channels;
    const C share = C(1) / C(count[0]), spread = invstd[c];
    const C slope = spread * spread * (sum_dy_xmu[c] * share);
    out.Set(i, (grad[i] - sum_dy[c] * share - (x[i] - mean[c]) * slope) * (weight[c] * spread));
  }
};

void CheckEach(std::initializer_list<Tensor> tensors, int64_t channels) {
  for (const Tensor& tensor : tensors) CheckOptionalShape(tensor, {channels}, "a channel's number");
}

}  // namespace

DIOPI_KERNEL(diopiBatchNormGatherStatsWithCounts, a) {
  const Tensor mean(a.mean), invstd(a.invstd), means(a.mean_all), invstds(a.invstd_all), counts(a.counts);
  const Tensor running_mean(a.running_mean), running_var(a.running_var);
  const Channels s = SplitChannels(Tensor(a.input));
  const int64_t devices = counts.numel();
  CheckShape(means, {devices, s.channels}, "mean_all");
  CheckShape(invstds, {devices, s.channels}, "invstd_all");
  CheckEach({mean, invstd, running_mean, running_var}, s.channels);
  const double momentum = static_cast<double>(a.momentum);
  DispatchFloating(ResultType(mean, {means, invstds}), [&]<typename C>() {
    ForEach(Queue(a.ctx), s.channels,
            GatherChannel<C>{Out<C>(mean), Out<C>(invstd), running_mean ? Out<C>(running_mean) : Out<C>(),
                             running_var ? Out<C>(running_var) : Out<C>(), In<C>(means), In<C>(invstds),
                             In<C>(counts), Rounded<C>(momentum), Rounded<C>(1 - momentum), devices,
                             s.channels, static_cast<double>(a.eps), static_cast<bool>(running_mean),
                             static_cast<bool>(running_var)});
  });
}

DIOPI_KERNEL(diopiBatchNormElemt, a) {
  const Tensor out(a.out), x(a.input), w(a.weight), b(a.bias), mean(a.mean), invstd(a.invstd);
  const Channels s = SplitChannels(x);
  CheckShape(out, x.shape(), "out");
  CheckEach({w, b, mean, invstd}, s.channels);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            NormalizeElement<C>{Out<C>(out), In<C>(x), InOr<C>(w, 1), InOr<C>(b, 0), In<C>(mean),
                                In<C>(invstd), s});
  });
}

DIOPI_KERNEL(diopiBatchNormBackwardElemt, a) {
  const Tensor out(a.grad_input), grad(a.grad_out), x(a.input), w(a.weight), mean(a.mean), invstd(a.invstd),
      sum_dy(a.sum_dy), sum_dy_xmu(a.sum_dy_xmu), counts(a.count);
  const Channels s = SplitChannels(x);
  CheckShape(out, x.shape(), "grad_input");
  CheckShape(grad, x.shape(), "grad_out");
  CheckEach({w, mean, invstd, sum_dy, sum_dy_xmu}, s.channels);
  const Queue queue(a.ctx);
  const Scratch<int64_t> count(queue, 1);
  ForEach(queue, 1, AddCounts{In<int64_t>(counts), counts.numel(), count});
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    ForEach(queue, out.numel(),
            GradientElement<C>{Out<C>(out), In<C>(grad), In<C>(x), InOr<C>(w, 1), In<C>(mean), In<C>(invstd),
                               In<C>(sum_dy), In<C>(sum_dy_xmu), count, s});
  });
}

}  // namespace diopi::ops::both
