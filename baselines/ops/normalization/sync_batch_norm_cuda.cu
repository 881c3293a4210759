// The sums of batch normalization across devices: a device's own statistics, and those of the gradient.
#include "baselines/ops/normalization/normalization_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct StoreStats {
  Out<C> mean, invstd;
  RowMoments<C> moments;
  int64_t length;
  double eps;
  DIOPI_HD void operator()(int64_t c) const {
    mean.Set(c, moments.mean[c]);
    invstd.Set(c, InverseStd(moments.squares[c] / C(length), eps));
  }
};

// Outputs that are not requested are absent.
template <typename C>
struct StoreGradientSums {
  OptionalOut<C> sum_dy, sum_dy_xmu, grad_weight, grad_bias;
  In<C> invstd;
  const TwoSums<C>* sums;
  DIOPI_HD void operator()(int64_t c) const {
    sum_dy.Set(c, sums[c].first);
    sum_dy_xmu.Set(c, sums[c].second);
    grad_weight.Set(c, sums[c].second * invstd[c]);
    grad_bias.Set(c, sums[c].first);
  }
};

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiBatchNormStats, a) {
  using namespace diopi::ops;
  using namespace diopi::ops::cuda;
  const Tensor mean(a.mean), invstd(a.invstd), x(a.input);
  const Channels s = SplitChannels(x);
  CheckShape(mean, {s.channels}, "mean");
  CheckShape(invstd, {s.channels}, "invstd");
  cuda::DispatchFloating(ResultType(mean, {x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const RowMoments<C> moments = MomentsOfRows(queue, s.channels, s.length(), In<C>(x, ChannelRows(x)));
    ForEach(queue, s.channels, StoreStats<C>{Out<C>(mean), Out<C>(invstd), moments, s.length(), a.eps});
  });
}

DIOPI_KERNEL(diopiBatchNormBackwardReduce, a) {
  using namespace diopi::ops;
  using namespace diopi::ops::cuda;
  const Tensor sum_dy(a.sum_dy), sum_dy_xmu(a.sum_dy_xmu), dw(a.grad_weight), db(a.grad_bias),
      grad(a.grad_out), x(a.input), mean(a.mean), invstd(a.invstd);
  const Channels s = SplitChannels(x);
  const Tensor none;
  CheckShape(grad, x.shape(), "grad_out");
  for (const Tensor& t : {sum_dy, sum_dy_xmu, dw, db, mean, invstd})
    CheckOptionalShape(t, {s.channels}, "a channel's number");
  cuda::DispatchFloating(ResultType(sum_dy, {grad, x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> g(grad, ChannelRows(grad)), in(x, ChannelRows(x));
    const TwoSums<C>* sums = RowSums(queue, s.channels, s.length(), ChannelTerms<C>{in, g, In<C>(mean)});
    ForEach(queue, s.channels,
            StoreGradientSums<C>{a.input_g ? sum_dy : none, a.input_g ? sum_dy_xmu : none,
                                 a.weight_g ? dw : none, a.bias_g ? db : none, In<C>(invstd), sums});
  });
}
