// Pooling forwards by cuDNN (support/cuda/dnn.h says when): two spatial dimensions, no indices, no
// dilation, no window cut by ceil_mode. cuDNN's backward needs the forward's output, which the ABI does not
// give.
#ifndef BASELINES_OPS_POOLING_POOLING_DNN_H_
#define BASELINES_OPS_POOLING_POOLING_DNN_H_

#include "baselines/ops/pooling/pooling_common.h"
#include "baselines/ops/support/cuda/queue.h"

namespace diopi::ops::cuda {

#if defined(DIOPI_HAVE_CUDNN)
// The caller has checked the shapes. TryAveragePool also takes adaptive windows that all have one size.
bool TryMaxPool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool);
bool TryAveragePool(const Queue& queue, const Tensor& out, const Tensor& x, const Pool& pool,
                    const Divisor& divisor);
#else
inline bool TryMaxPool(const Queue&, const Tensor&, const Tensor&, const Pool&) {
  return false;
}
inline bool TryAveragePool(const Queue&, const Tensor&, const Tensor&, const Pool&, const Divisor&) {
  return false;
}
#endif

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_POOLING_POOLING_DNN_H_
