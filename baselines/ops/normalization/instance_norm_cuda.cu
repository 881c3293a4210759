// (x - mean) * invstd * scale + bias with the statistics of each instance, as batch_norm has it for channels.
#include "baselines/ops/normalization/instance_norm_common.h"
#include "baselines/ops/normalization/normalization_cuda.h"

namespace diopi::ops::cuda {
namespace {

// The statistics that normalize the instances.
template <typename C>
struct InstanceInputs {
  In<C> x, grad, scale;
  RowMoments<C> moments;
  int64_t length, channels;
  double eps;

  DIOPI_HD C InvStd(int64_t row) const { return InverseStd(moments.squares[row] / C(length), eps); }
  DIOPI_HD C Centred(int64_t i) const { return x[i] - moments.mean[i / length]; }
};
template <typename C>
InstanceInputs<C> InputsOf(const Queue& queue, const Instances& s, const Tensor& x, const Tensor& grad,
                           const Tensor& scale, double eps) {
  const In<C> in(x);
  return {in,
          grad ? In<C>(grad) : In<C>(),
          InOr<C>(scale, 1),
          MomentsOfRows(queue, s.count(), s.length, in),
          s.length,
          s.channels,
          eps};
}

template <typename C>
struct NormalizeInstances {
  Out<C> out;
  InstanceInputs<C> in;
  In<C> bias;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / in.length, channel = row % in.channels;
    out.Set(i, in.Centred(i) * in.InvStd(row) * in.scale[channel] + bias[channel]);
  }
};

// Sums of grad, and of grad * (x - mean).
template <typename C>
struct InstanceTerms {
  InstanceInputs<C> in;
  DIOPI_HD TwoSums<C> operator()(int64_t row, int64_t j) const {
    const C g = in.grad[row * in.length + j];
    return {g, g * in.Centred(row * in.length + j)};
  }
};
// The gradients of scale and bias, over the samples.
template <typename C>
struct ParameterTerms {
  InstanceInputs<C> in;
  const TwoSums<C>* sums;
  DIOPI_HD TwoSums<C> operator()(int64_t channel, int64_t sample) const {
    const int64_t row = sample * in.channels + channel;
    return {sums[row].second * in.InvStd(row), sums[row].first};
  }
};
template <typename C>
struct InstanceGradient {
  Out<C> out;
  InstanceInputs<C> in;
  const TwoSums<C>* sums;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / in.length;
    const C invstd = in.InvStd(row), length = C(in.length);
    const C slope = sums[row].second * invstd * invstd / length;
    const C centred = in.grad[i] - sums[row].first / length - in.Centred(i) * slope;
    out.Set(i, centred * invstd * in.scale[row % in.channels]);
  }
};

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiInstanceNorm, a) {
  using namespace diopi::ops;
  const Tensor out(a.output), x(a.input), w(a.scale), b(a.bias);
  const Instances s = PlanInstanceNorm(out, x, w, b, a.axis);
  cuda::DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const cuda::Queue queue(a.ctx);
    const auto inputs = cuda::InputsOf<C>(queue, s, x, Tensor(), w, a.eps);
    cuda::ForEach(queue, x.numel(),
                  cuda::NormalizeInstances<C>{cuda::Out<C>(out), inputs, cuda::InOr<C>(b, 0)});
  });
}

DIOPI_KERNEL(diopiInstanceNormBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dw(a.grad_scale), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.scale);
  const Instances s = PlanInstanceNormBackward(dx, dw, db, grad, x, w, a.axis);
  cuda::DispatchFloating(ResultType(grad, {grad, x}), [&]<typename C>() {
    const cuda::Queue queue(a.ctx);
    const auto inputs = cuda::InputsOf<C>(queue, s, x, grad, w, a.eps);
    const auto* sums = cuda::RowSums(queue, s.count(), s.length, cuda::InstanceTerms<C>{inputs});
    if (dx) {
      cuda::ForEach(queue, dx.numel(), cuda::InstanceGradient<C>{cuda::Out<C>(dx), inputs, sums});
    }
    if (dw || db) {
      const auto* parameters =
          cuda::RowSums(queue, s.channels, s.batch, cuda::ParameterTerms<C>{inputs, sums});
      cuda::ForEach(queue, s.channels, cuda::StoreTwoSums<C>{dw, db, parameters});
    }
  });
}
