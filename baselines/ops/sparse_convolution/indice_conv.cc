// Sparse convolution: each output adds up the products of the rows that its offsets bring to it, offset by
// offset.
#include "baselines/ops/sparse_convolution/pairs.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// An element of the output, (row, channel out).
template <typename C>
struct SparseConvolution {
  Out<C> out;
  Pairs pairs;
  In<C> features, filters, bias;
  bool has_bias;
  int64_t channels_in, channels_out;

  DIOPI_HD void operator()(int64_t element) const {
    const int64_t row = element / channels_out, channel = element % channels_out;
    Sum<C> sum;
    if (has_bias) sum += bias[channel];
    for (int64_t i = 0; i < pairs.offsets; ++i) {
      for (int64_t k = 0; k < pairs.Count(i); ++k) {
        if (pairs.To(i, k) != row || !pairs.Connects(i, k)) continue;
        for (int64_t c = 0; c < channels_in; ++c) {
          sum += features[pairs.From(i, k) * channels_in + c] *
                 filters[(i * channels_in + c) * channels_out + channel];
        }
      }
    }
    out.Set(element, sum.total());
  }
};

// An element of the features' gradient, (row, channel in).
template <typename C>
struct SparseFeatureGradient {
  Out<C> out;
  Pairs pairs;
  In<C> grad, filters;
  int64_t channels_in, channels_out;

  DIOPI_HD void operator()(int64_t element) const {
    const int64_t row = element / channels_in, channel = element % channels_in;
    Sum<C> sum;
    for (int64_t i = 0; i < pairs.offsets; ++i) {
      for (int64_t k = 0; k < pairs.Count(i); ++k) {
        if (pairs.From(i, k) != row || !pairs.Connects(i, k)) continue;
        for (int64_t c = 0; c < channels_out; ++c) {
          sum += grad[pairs.To(i, k) * channels_out + c] *
                 filters[(i * channels_in + channel) * channels_out + c];
        }
      }
    }
    out.Set(element, sum.total());
  }
};

// An element of the filters' gradient, (offset, channel in, channel out).
template <typename C>
struct SparseFilterGradient {
  Out<C> out;
  Pairs pairs;
  In<C> grad, features;
  int64_t channels_in, channels_out;

  DIOPI_HD void operator()(int64_t element) const {
    const int64_t to = element % channels_out, from = element / channels_out % channels_in;
    const int64_t i = element / channels_out / channels_in;
    Sum<C> sum;
    for (int64_t k = 0; k < pairs.Count(i); ++k) {
      if (!pairs.Connects(i, k)) continue;
      sum += features[pairs.From(i, k) * channels_in + from] * grad[pairs.To(i, k) * channels_out + to];
    }
    out.Set(element, sum.total());
  }
};

template <typename Args>
Pairs CheckedPairs(const Args& a, const Tensor& features, const Tensor& filters, int64_t rows_out) {
  Check(features.rank() == 2, "expected features of shape (places, channels), got ",
        ShapeText(features.shape()));
  Pairs pairs = PairsOf(Tensor(a.indicePairs), Tensor(a.indiceNum), features.size(0), rows_out);
  Check(filters.rank() >= 2 && filters.size(-2) == features.size(1) &&
            filters.numel() == pairs.offsets * features.size(1) * filters.size(-1),
        "filters of shape ", ShapeText(filters.shape()), " do not fit ", pairs.offsets,
        " offsets and features of shape ", ShapeText(features.shape()));
  pairs.inverse = a._inverse != 0;
  pairs.same_places = a._subM != 0;
  Check(!pairs.same_places || rows_out == features.size(0), "_subM needs as many outputs as inputs, ",
        features.size(0), ", got ", rows_out);
  return pairs;
}

template <typename Args>
void SparseForward(const Args& a, const Tensor& bias) {
  const Tensor features(a.features), filters(a.filters);
  const Pairs pairs = CheckedPairs(a, features, filters, a.numActOut);
  Check(!bias || !pairs.same_places, "a bias with _subM is not implemented");
  if (bias) CheckShape(bias, {filters.size(-1)}, "bias");
  *a.out = RequireTensor(a.ctx, {a.numActOut, filters.size(-1)}, features.dtype());
  const Tensor out(*a.out);
  DispatchFloating(ResultType(out, {features, filters}), [&]<typename C>() {
    SparseConvolution<C> f{
        Out<C>(out),      pairs,           In<C>(features), In<C>(filters), {}, static_cast<bool>(bias),
        features.size(1), filters.size(-1)};
    if (bias) f.bias = In<C>(bias);
    ForEach(Queue(a.ctx), out.numel(), f);
  });
}

}  // namespace

DIOPI_KERNEL(diopiIndiceConvMmcv, a) {
  SparseForward(a, Tensor());
}
DIOPI_KERNEL(diopiFusedIndiceConvBatchnormMmcv, a) {
  SparseForward(a, Tensor(a.bias));
}

DIOPI_KERNEL(diopiIndiceConvBackwardMmcv, a) {
  const Tensor features(a.features), filters(a.filters), grad(a.outGrad);
  Check(grad.rank() == 2 && grad.size(1) == filters.size(-1), "outGrad of shape ", ShapeText(grad.shape()),
        " does not fit filters of shape ", ShapeText(filters.shape()));
  const Pairs pairs = CheckedPairs(a, features, filters, grad.size(0));
  a.outlist[0] = RequireTensor(a.ctx, features.shape(), features.dtype());
  a.outlist[1] = RequireTensor(a.ctx, filters.shape(), filters.dtype());
  const Tensor of_features(a.outlist[0]), of_filters(a.outlist[1]);
  DispatchFloating(ResultType(of_features, {features, filters, grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> g(grad);
    ForEach(queue, of_features.numel(),
            SparseFeatureGradient<C>{Out<C>(of_features), pairs, g, In<C>(filters), features.size(1),
                                     filters.size(-1)});
    ForEach(queue, of_filters.numel(),
            SparseFilterGradient<C>{Out<C>(of_filters), pairs, g, In<C>(features), features.size(1),
                                    filters.size(-1)});
  });
}

}  // namespace diopi::ops::both
