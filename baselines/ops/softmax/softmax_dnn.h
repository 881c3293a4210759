// softmax and log_softmax by cuDNN (support/cuda/dnn.h says when).
#ifndef BASELINES_OPS_SOFTMAX_SOFTMAX_DNN_H_
#define BASELINES_OPS_SOFTMAX_SOFTMAX_DNN_H_

#include "baselines/ops/support/cuda/queue.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops::cuda {

#if defined(DIOPI_HAVE_CUDNN)
// Shapes have been checked.
bool TrySoftmax(const Queue& queue, const Tensor& out, const Tensor& x, int64_t dim, bool log);
bool TrySoftmaxBackward(const Queue& queue, const Tensor& grad_input, const Tensor& grad, const Tensor& y,
                        int64_t dim, bool log);
#else
inline bool TrySoftmax(const Queue&, const Tensor&, const Tensor&, int64_t, bool) {
  return false;
}
inline bool TrySoftmaxBackward(const Queue&, const Tensor&, const Tensor&, const Tensor&, int64_t, bool) {
  return false;
}
#endif

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SOFTMAX_SOFTMAX_DNN_H_
