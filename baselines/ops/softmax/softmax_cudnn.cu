#include "baselines/ops/softmax/softmax_dnn.h"
#include "baselines/ops/support/cuda/dnn.h"

namespace diopi::ops::cuda {
namespace {

cudnnSoftmaxAlgorithm_t Algorithm(bool log) {
  return log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
}

}  // namespace

bool TrySoftmax(const Queue& queue, const Tensor& out, const Tensor& x, int64_t dim, bool log) {
  if (!DnnWanted() || !DnnTakes(x.dtype(), {x, out})) return false;
  const Axis axis = SplitAxis(x.shape(), dim);
  const Dnn dnn(queue);
  const DnnTensor lines(x.dtype(), axis.outer, axis.size, axis.inner, 1);
  const DnnScale one(x.dtype(), 1), zero(x.dtype(), 0);
  return TakenByDnn(cudnnSoftmaxForward(dnn.handle(), Algorithm(log), CUDNN_SOFTMAX_MODE_CHANNEL, one.get(),
                                        lines.get(), x.data(), zero.get(), lines.get(), out.writable()),
                    "cudnnSoftmaxForward");
}

bool TrySoftmaxBackward(const Queue& queue, const Tensor& grad_input, const Tensor& grad, const Tensor& y,
                        int64_t dim, bool log) {
  if (!DnnWanted() || !DnnTakes(y.dtype(), {y, grad, grad_input})) return false;
  const Axis axis = SplitAxis(y.shape(), dim);
  const Dnn dnn(queue);
  const DnnTensor lines(y.dtype(), axis.outer, axis.size, axis.inner, 1);
  const DnnScale one(y.dtype(), 1), zero(y.dtype(), 0);
  return TakenByDnn(cudnnSoftmaxBackward(dnn.handle(), Algorithm(log), CUDNN_SOFTMAX_MODE_CHANNEL, one.get(),
                                         lines.get(), y.data(), lines.get(), grad.data(), zero.get(),
                                         lines.get(), grad_input.writable()),
                    "cudnnSoftmaxBackward");
}

}  // namespace diopi::ops::cuda
