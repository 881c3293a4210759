// The three products of a 2-d or 3-d convolution, which each reference has: convolution_cpu.cc,
// convolution_cuda.cu.
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_H_

#include "baselines/ops/both.h"
#include "baselines/ops/convolution/convolution_plan.h"

namespace diopi::ops::both {

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

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_CONVOLUTION_CONVOLUTION_H_
