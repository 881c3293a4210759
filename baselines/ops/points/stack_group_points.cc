// Features of groups of points whose batches lie one after the other: the indices of a group count from the
// first feature of its batch. The gradient of a feature adds up the groups that hold it, in their order.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// Where the features of each group's batch begin.
struct StackOfGroups {
  In<int64_t> features, groups;
  int64_t batches;

  DIOPI_HD int64_t FirstOf(int64_t group) const {
    int64_t first = 0, batch = 0;
    for (int64_t seen = groups[0]; batch + 1 < batches && group >= seen; seen += groups[batch])
      first += features[batch++];
    return first;
  }
};

template <typename C>
struct PickStacked {
  Out<C> out;
  In<C> features;
  In<int64_t> indices;
  StackOfGroups stack;
  int64_t channels, samples, count;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t group = i / samples / channels, channel = i / samples % channels;
    const int64_t feature = stack.FirstOf(group) + indices[group * samples + i % samples];
    if (feature >= 0 && feature < count) out.Set(i, features[feature * channels + channel]);
  }
};

template <typename C>
struct SumStacked {
  Out<C> out;
  In<C> grad;
  In<int64_t> indices;
  StackOfGroups stack;
  int64_t channels, samples, groups;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t feature = i / channels, channel = i % channels;
    Sum<C> sum;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t wanted = feature - stack.FirstOf(group);
      for (int64_t k = 0; k < samples; ++k) {
        if (indices[group * samples + k] == wanted) sum += grad[(group * channels + channel) * samples + k];
      }
    }
    out.Set(i, sum.total());
  }
};

template <typename Args>
StackOfGroups StackOf(const Args& a) {
  const Tensor features(a.features_batch_cnt_tensor), groups(a.idx_batch_cnt_tensor);
  Check(a.b > 0, "expected at least one batch, got ", a.b);
  CheckShape(features, {a.b}, "features_batch_cnt_tensor");
  CheckShape(groups, {a.b}, "idx_batch_cnt_tensor");
  CheckShape(Tensor(a.idx_tensor), {a.m, a.nsample}, "idx_tensor");
  return {In<int64_t>(features), In<int64_t>(groups), a.b};
}

}  // namespace

DIOPI_KERNEL(diopiStackGroupPointsMmcv, a) {
  const Tensor out(a.out_tensor), features(a.features_tensor);
  Check(features.rank() == 2 && features.size(1) == a.c, "expected features_tensor of shape (N, ", a.c,
        "), got ", ShapeText(features.shape()));
  CheckShape(out, {a.m, a.c, a.nsample}, "out_tensor");
  DispatchFloating(ResultType(out, {features}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            PickStacked<C>{Out<C>(out), In<C>(features), In<int64_t>(Tensor(a.idx_tensor)), StackOf(a), a.c,
                           a.nsample, features.size(0)});
  });
}

DIOPI_KERNEL(diopiStackGroupPointsBackwardMmcv, a) {
  const Tensor out(a.grad_features_tensor), grad(a.grad_out_tensor);
  CheckShape(grad, {a.m, a.c, a.nsample}, "grad_out_tensor");
  CheckShape(out, {a.n, a.c}, "grad_features_tensor");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            SumStacked<C>{Out<C>(out), In<C>(grad), In<int64_t>(Tensor(a.idx_tensor)), StackOf(a), a.c,
                          a.nsample, a.m});
  });
}

}  // namespace diopi::ops::both
