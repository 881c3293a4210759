// The three products of a convolution by cuDNN's graph API (support/cuda/dnn_graph.h).
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_DNN_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_DNN_H_

#include "baselines/ops/convolution/convolution_plan.h"
#include "baselines/ops/support/cuda/queue.h"

namespace diopi::ops::cuda {

enum class ConvolutionProduct { kForward, kGradInput, kGradWeight };

#if defined(DIOPI_HAVE_CUDNN)
class DnnGraph;
class PlanKey;
// The tensors as below. `add`: to what is there. Equal keys: one plan serves.
DnnGraph ConvolutionGraph(ConvolutionProduct product, const ConvShape& c, const Tensor& x, const Tensor& w,
                          const Tensor& y, bool add);
PlanKey ConvolutionKey(ConvolutionProduct product, const ConvShape& c, const Tensor& x, const Tensor& w,
                       const Tensor& y, bool add);

// x: in_shape(), w: the weight, y: out_shape() of `c`; the product writes one of them from the other two,
// plus the bias of its channel (may be null), rounded once.
bool TryConvolution(const Queue& queue, ConvolutionProduct product, const ConvShape& c, const Tensor& x,
                    const Tensor& w, const Tensor& y, const Tensor& bias = Tensor());
#else
inline bool TryConvolution(const Queue&, ConvolutionProduct, const ConvShape&, const Tensor&, const Tensor&,
                           const Tensor&, const Tensor& = Tensor()) {
  return false;
}
#endif

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_CONVOLUTION_CONVOLUTION_DNN_H_
