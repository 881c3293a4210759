// Sparse max pooling: an output is the greatest of the rows that its offsets bring to it; the gradient of a
// row adds up the outputs that it equals.
#include "baselines/ops/sparse_convolution/pairs.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct SparseGreatest {
  Out<C> out;
  Pairs pairs;
  In<C> features;
  int64_t channels;

  DIOPI_HD void operator()(int64_t element) const {
    C most = C(0);
    for (int64_t i = 0; i < pairs.offsets; ++i) {
      for (int64_t k = 0; k < pairs.Count(i); ++k) {
        if (pairs.To(i, k) != element / channels || !pairs.Connects(i, k)) continue;
        const C x = features[pairs.From(i, k) * channels + element % channels];
        if (x > most) most = x;
      }
    }
    out.Set(element, most);
  }
};

template <typename C>
struct SparseGreatestGradient {
  Out<C> out;
  Pairs pairs;
  In<C> features, results, grad;
  int64_t channels;

  DIOPI_HD void operator()(int64_t element) const {
    Sum<C> sum;
    for (int64_t i = 0; i < pairs.offsets; ++i) {
      for (int64_t k = 0; k < pairs.Count(i); ++k) {
        if (pairs.From(i, k) != element / channels || !pairs.Connects(i, k)) continue;
        const int64_t to = pairs.To(i, k) * channels + element % channels;
        if (features[element] == results[to]) sum += grad[to];
      }
    }
    out.Set(element, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiIndiceMaxpoolMmcv, a) {
  const Tensor features(a.features);
  Check(features.rank() == 2, "expected features of shape (places, channels), got ",
        ShapeText(features.shape()));
  const Pairs pairs = PairsOf(Tensor(a.indicePairs), Tensor(a.indiceNum), features.size(0), a.numAct);
  *a.out = RequireTensor(a.ctx, {a.numAct, features.size(1)}, features.dtype());
  const Tensor out(*a.out);
  DispatchFloating(ResultType(out, {features}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            SparseGreatest<C>{Out<C>(out), pairs, In<C>(features), features.size(1)});
  });
}

DIOPI_KERNEL(diopiIndiceMaxpoolBackwardMmcv, a) {
  const Tensor features(a.features), results(a.outFeatures), grad(a.outGrad);
  Check(features.rank() == 2 && results.rank() == 2 && results.size(1) == features.size(1),
        "outFeatures of shape ", ShapeText(results.shape()), " do not fit features of shape ",
        ShapeText(features.shape()));
  CheckShape(grad, results.shape(), "outGrad");
  const Pairs pairs = PairsOf(Tensor(a.indicePairs), Tensor(a.indiceNum), features.size(0), results.size(0));
  *a.out = RequireTensor(a.ctx, features.shape(), features.dtype());
  const Tensor out(*a.out);
  DispatchFloating(ResultType(out, {features, results, grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            SparseGreatestGradient<C>{Out<C>(out), pairs, In<C>(features), In<C>(results), In<C>(grad),
                                      features.size(1)});
  });
}

}  // namespace diopi::ops::both
