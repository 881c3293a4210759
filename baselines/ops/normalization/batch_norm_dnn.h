// Batch normalization in training by cuDNN (support/cuda/dnn.h says when): weight and bias given, and all
// parameters and statistics float32 (float64 for a float64 input).
#ifndef BASELINES_OPS_NORMALIZATION_BATCH_NORM_DNN_H_
#define BASELINES_OPS_NORMALIZATION_BATCH_NORM_DNN_H_

#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/cuda/queue.h"

namespace diopi::ops::cuda {

struct BatchNormTensors {
  Tensor out, saved_mean, saved_invstd, x, weight, bias, running_mean, running_var;
};
struct BatchNormGradients {
  Tensor grad_input, grad_weight, grad_bias, grad, x, weight, saved_mean, saved_invstd;
};

#if defined(DIOPI_HAVE_CUDNN)
// The caller has checked the shapes.
bool TryBatchNorm(const Queue& queue, const Channels& s, const BatchNormTensors& t, double momentum,
                  double eps);
bool TryBatchNormBackward(const Queue& queue, const Channels& s, const BatchNormGradients& t, double eps);
#else
inline bool TryBatchNorm(const Queue&, const Channels&, const BatchNormTensors&, double, double) {
  return false;
}
inline bool TryBatchNormBackward(const Queue&, const Channels&, const BatchNormGradients&, double) {
  return false;
}
#endif

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_NORMALIZATION_BATCH_NORM_DNN_H_
