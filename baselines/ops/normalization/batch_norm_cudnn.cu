#include "baselines/ops/normalization/batch_norm_dnn.h"
#include "baselines/ops/support/cuda/dnn.h"

namespace diopi::ops::cuda {
namespace {

// A single element has no unbiased variance: our kernels update the running variance then. In 16-bit types
// they are the faster ones (H100, cuDNN 9.19: 36 us, not 53).
bool Takes(const Channels& s, diopiDtype_t dtype, double eps) {
  return DnnWanted() && s.length() > 1 && ElementSize(dtype) > 2 && eps >= CUDNN_BN_MIN_EPSILON;
}

}  // namespace

// cuDNN's running variance is the unbiased one, like PyTorch's.
bool TryBatchNorm(const Queue& queue, const Channels& s, const BatchNormTensors& t, double momentum,
                  double eps) {
  const diopiDtype_t dtype = t.x.dtype(), scale = DnnScaleDtype(dtype);
  if (!Takes(s, dtype, eps) || !DnnTakes(dtype, {t.x, t.out})) return false;
  if (!DnnTakes(scale, {t.weight, t.bias, t.saved_mean, t.saved_invstd})) return false;
  const bool running = t.running_mean && t.running_var;
  if (running ? !DnnTakes(scale, {t.running_mean, t.running_var}) : t.running_mean || t.running_var)
    return false;
  const Dnn dnn(queue);
  const DnnTensor elements(dtype, s.batch, s.channels, s.area, 1), each(scale, 1, s.channels, 1, 1);
  const DnnScale one(dtype, 1), zero(dtype, 0);
  return TakenByDnn(
      cudnnBatchNormalizationForwardTraining(
          dnn.handle(), CUDNN_BATCHNORM_SPATIAL, one.get(), zero.get(), elements.get(), t.x.data(),
          elements.get(), t.out.writable(), each.get(), t.weight.data(), t.bias.data(), momentum,
          running ? t.running_mean.writable() : nullptr, running ? t.running_var.writable() : nullptr, eps,
          t.saved_mean.writable(), t.saved_invstd.writable()),
      "cudnnBatchNormalizationForwardTraining");
}

bool TryBatchNormBackward(const Queue& queue, const Channels& s, const BatchNormGradients& t, double eps) {
  const diopiDtype_t dtype = t.x.dtype(), scale = DnnScaleDtype(dtype);
  if (!Takes(s, dtype, eps) || !DnnTakes(dtype, {t.x, t.grad, t.grad_input})) return false;
  if (!DnnTakes(scale, {t.weight, t.grad_weight, t.grad_bias, t.saved_mean, t.saved_invstd})) return false;
  const Dnn dnn(queue);
  const DnnTensor elements(dtype, s.batch, s.channels, s.area, 1), each(scale, 1, s.channels, 1, 1);
  const DnnScale one(dtype, 1), zero(dtype, 0);
  return TakenByDnn(cudnnBatchNormalizationBackward(
                        dnn.handle(), CUDNN_BATCHNORM_SPATIAL, one.get(), zero.get(), one.get(), zero.get(),
                        elements.get(), t.x.data(), elements.get(), t.grad.data(), elements.get(),
                        t.grad_input.writable(), each.get(), t.weight.data(), t.grad_weight.writable(),
                        t.grad_bias.writable(), eps, t.saved_mean.data(), t.saved_invstd.data()),
                    "cudnnBatchNormalizationBackward");
}

}  // namespace diopi::ops::cuda
