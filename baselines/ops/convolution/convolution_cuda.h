// The three products of a 2-d or 3-d convolution as sums, for any dtype, strides and sizes: one row of
// reduce.h for each result, so that every sum has its fixed tree.
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_CUDA_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_CUDA_H_

#include "baselines/ops/convolution/convolution_plan.h"
#include "baselines/ops/support/cuda/queue.h"

namespace diopi::ops::cuda {

// As in convolution_common.h, with the same meaning of ConvShape; `bias` may be false. Shapes have been
// checked.

// out: out_shape(), bias: [filters].
void ConvolutionForward(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& x,
                        const Tensor& w, const Tensor& bias);
// out: in_shape(), bias: [channels].
void ConvolutionGradInput(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& grad,
                          const Tensor& w, const Tensor& bias);
// out: of the weight's shape.
void ConvolutionGradWeight(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& grad,
                           const Tensor& x);
// The sum of each channel of grad, [batch, channels, ...].
void ConvolutionGradBias(const Queue& queue, const Tensor& out, const Tensor& grad);

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_CONVOLUTION_CONVOLUTION_CUDA_H_
