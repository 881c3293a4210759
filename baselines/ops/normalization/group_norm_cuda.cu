// Channels in groups, normalized with the statistics of each group of each sample; as PyTorch has it, x *
// (rstd * weight) + (bias - mean * rstd * weight).
#include "baselines/ops/normalization/normalization_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct NormalizeGroups {
  Out<C> out;
  In<C> x, weight, bias;
  const C* mean;
  const C* rstd;
  Groups s;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t group = i / s.length(), channel = i / s.area % s.channels;
    const C scale = rstd[group] * weight[channel];
    out.Set(i, x[i] * scale + (bias[channel] - scale * mean[group]));
  }
};

// Sums over one channel of one sample: of grad * x, and of grad.
template <typename C>
struct AreaTerms {
  In<C> grad, x;
  int64_t area;
  DIOPI_HD TwoSums<C> operator()(int64_t row, int64_t j) const {
    const C g = grad[row * area + j];
    return {g * x[row * area + j], g};
  }
};
// The same over the channels of a group, weighted.
template <typename C>
struct GroupTerms {
  const TwoSums<C>* areas;
  In<C> weight;
  Groups s;
  DIOPI_HD TwoSums<C> operator()(int64_t group, int64_t j) const {
    const TwoSums<C> area = areas[group * s.per_group() + j];
    const C gamma = weight[group % s.groups * s.per_group() + j];
    return {area.first * gamma, area.second * gamma};
  }
};
// The gradients of weight and bias, over the samples.
template <typename C>
struct SampleTerms {
  const TwoSums<C>* areas;
  In<C> mean, rstd;
  Groups s;
  DIOPI_HD TwoSums<C> operator()(int64_t channel, int64_t sample) const {
    const TwoSums<C> area = areas[sample * s.channels + channel];
    const int64_t group = sample * s.groups + channel / s.per_group();
    return {(area.first - area.second * mean[group]) * rstd[group], area.second};
  }
};

// grad_input = grad * (rstd * weight) + x * c2 + c3 with c2, c3 of each group.
template <typename C>
struct GroupGradient {
  Out<C> out;
  In<C> grad, x, weight, mean, rstd;
  const TwoSums<C>* sums;
  Groups s;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t group = i / s.length(), channel = i / s.area % s.channels;
    const C mu = mean[group], rs = rstd[group], share = C(1) / C(s.length());
    const TwoSums<C> sum = sums[group];
    const C c2 = (sum.second * mu - sum.first) * rs * rs * rs * share;
    const C c3 = -c2 * mu - sum.second * rs * share;
    out.Set(i, grad[i] * (rs * weight[channel]) + x[i] * c2 + c3);
  }
};

void GroupNorm(diopiContextHandle_t ctx, const Tensor& out, const Tensor& saved_mean,
               const Tensor& saved_rstd, const Tensor& x, const Tensor& w, const Tensor& b,
               int64_t num_groups, double eps) {
  const Groups s = PlanGroupNorm(out, saved_mean, saved_rstd, x, w, b, num_groups);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    const int64_t rows = s.batch * s.groups;
    const RowMoments<C> moments = MomentsOfRows(queue, rows, s.length(), In<C>(x));
    C* rstd = queue.Buffer<C>(rows);
    ForEach(queue, rows,
            SaveMoments<C>{Out<C>(saved_mean), Out<C>(saved_rstd), moments, rstd, s.length(), eps});
    ForEach(queue, x.numel(),
            NormalizeGroups<C>{Out<C>(out), In<C>(x), InOr<C>(w, 1), InOr<C>(b, 0), moments.mean, rstd, s});
  });
}

void GroupNormBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& dw, const Tensor& db,
                       const Tensor& grad, const Tensor& x, const Tensor& w, const Tensor& saved_mean,
                       const Tensor& saved_rstd, int64_t num_groups) {
  const Groups s = PlanGroupNormBackward(dx, dw, db, grad, x, w, saved_mean, saved_rstd, num_groups);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> g(grad), in(x), weight = InOr<C>(w, 1), mean(saved_mean), rstd(saved_rstd);
    const TwoSums<C>* areas = RowSums(queue, s.batch * s.channels, s.area, AreaTerms<C>{g, in, s.area});
    if (dx) {
      const TwoSums<C>* sums =
          RowSums(queue, s.batch * s.groups, s.per_group(), GroupTerms<C>{areas, weight, s});
      ForEach(queue, dx.numel(), GroupGradient<C>{Out<C>(dx), g, in, weight, mean, rstd, sums, s});
    }
    if (dw || db) {
      const TwoSums<C>* sums = RowSums(queue, s.channels, s.batch, SampleTerms<C>{areas, mean, rstd, s});
      ForEach(queue, s.channels, StoreTwoSums<C>{dw, db, sums});
    }
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiGroupNorm, a) {
  cuda::GroupNorm(a.ctx, a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, a.num_groups, a.eps);
}
DIOPI_KERNEL(diopiGroupNormBackward, a) {
  cuda::GroupNormBackward(a.ctx, a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                          a.mean, a.rstd, a.num_groups);
}
