// Channels in groups, normalized with the statistics of each group of each sample; as PyTorch has it, x *
// (rstd * weight) + (bias - mean * rstd * weight).
#include "baselines/ops/normalization/normalization_cuda.h"
#include "baselines/ops/support/cuda/quotients.h"

namespace diopi::ops::cuda {
namespace {

// Where element i belongs.
struct GroupPlaces {
  Quotients length, area, channels;
  explicit GroupPlaces(const Groups& s) : length(s.length()), area(s.area), channels(s.channels) {}
  DIOPI_HD int64_t Group(int64_t i) const { return length.Of(i); }
  DIOPI_HD int64_t Channel(int64_t i) const { return channels.Rest(area.Of(i)); }
};

template <typename C>
struct NormalizeGroups {
  In<C> weight, bias;
  const C* mean;
  const C* rstd;
  GroupPlaces places;
  DIOPI_HD C operator()(int64_t i, C x) const {
    const int64_t group = places.Group(i), channel = places.Channel(i);
    const C scale = rstd[group] * weight[channel];
    return x * scale + (bias[channel] - scale * mean[group]);
  }
};

// Sums over one channel of one sample: of x * y, where y is the gradient, and of y.
template <typename C>
struct AreaTerms {
  In<C> x, y;
  DIOPI_HD TwoSums<C> Of(int64_t, int64_t, C x_j, C grad) const { return {grad * x_j, grad}; }
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
  In<C> weight, mean, rstd;
  const TwoSums<C>* sums;
  GroupPlaces places;
  int64_t length;
  DIOPI_HD C operator()(int64_t i, C grad, C x) const {
    const int64_t group = places.Group(i), channel = places.Channel(i);
    const C mu = mean[group], rs = rstd[group], share = C(1) / C(length);
    const TwoSums<C> sum = sums[group];
    const C c2 = (sum.second * mu - sum.first) * rs * rs * rs * share;
    const C c3 = -c2 * mu - sum.second * rs * share;
    return grad * (rs * weight[channel]) + x * c2 + c3;
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
    const NormalizeGroups<C> normalize{InOr<C>(w, 1), InOr<C>(b, 0), moments.mean, rstd, GroupPlaces(s)};
    Map(queue, x.numel(), Out<C>(out), AtIndex{normalize}, In<C>(x));
  });
}

void GroupNormBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& dw, const Tensor& db,
                       const Tensor& grad, const Tensor& x, const Tensor& w, const Tensor& saved_mean,
                       const Tensor& saved_rstd, int64_t num_groups) {
  const Groups s = PlanGroupNormBackward(dx, dw, db, grad, x, w, saved_mean, saved_rstd, num_groups);
  DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> g(grad), in(x), weight = InOr<C>(w, 1), mean(saved_mean), rstd(saved_rstd);
    const TwoSums<C>* areas = RowSums(queue, s.batch * s.channels, s.area, AreaTerms<C>{in, g});
    if (dx) {
      const TwoSums<C>* sums =
          RowSums(queue, s.batch * s.groups, s.per_group(), GroupTerms<C>{areas, weight, s});
      const GroupGradient<C> gradient{weight, mean, rstd, sums, GroupPlaces(s), s.length()};
      Map(queue, dx.numel(), Out<C>(dx), AtIndex{gradient}, g, in);
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
