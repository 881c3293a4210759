#include "baselines/ops/convolution/convolution_dnn.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/dnn.h"
#include "baselines/ops/support/cuda/dnn_graph.h"
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {
namespace {

DnnGraph::Part AddSteps(DnnGraph* graph, const ConvShape& c, diopiDtype_t dtype) {
  const DnnGraph::Part steps = graph->Add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, DnnType(DnnScaleDtype(dtype)));
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, int64_t{2});
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_DILATIONS, {c.dilation_h, c.dilation_w});
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {c.stride_h, c.stride_w});
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {c.pad_h, c.pad_w});
  graph->Set(steps, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {c.pad_h, c.pad_w});
  return steps;
}

// The three operations' names for the same attributes.
struct Names {
  const char* text;
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t x, w, y, steps, alpha, beta;
};
Names NamesOf(ConvolutionProduct product) {
  switch (product) {
    case ConvolutionProduct::kForward:
      return {"convolution_forward",
              CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case ConvolutionProduct::kGradInput:
      return {"convolution_grad_input",
              CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {"convolution_grad_weight",
              CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

// cuDNN computes the output's size itself, and gets another one if output_padding is as large as the
// dilation.
bool SizesAgree(const ConvShape& c) {
  const auto size = [](int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
    return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  };
  return size(c.height, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h) == c.out_h &&
         size(c.width, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w) == c.out_w;
}

}  // namespace

DnnGraph ConvolutionGraph(ConvolutionProduct product, const ConvShape& c, const Tensor& x, const Tensor& w,
                          const Tensor& y, bool add) {
  const diopiDtype_t dtype = x.dtype();
  const Names names = NamesOf(product);
  DnnGraph graph(names.text, dtype);
  graph.SetAdds(add);
  if (!SizesAgree(c)) graph.Leave();
  const DnnLayout layout = LayoutOf({x, w, y});
  const DnnGraph::Part in = graph.AddTensor(x, layout), weight = graph.AddTensor(w, layout);
  const DnnGraph::Part out = graph.AddTensor(y, layout);
  const DnnGraph::Part steps = AddSteps(&graph, c, dtype);
  const DnnGraph::Part operation = graph.AddOperation(names.operation);
  graph.Set(operation, names.x, in);
  graph.Set(operation, names.w, weight);
  graph.Set(operation, names.y, out);
  graph.Set(operation, names.steps, steps);
  graph.SetFactor(operation, names.alpha, 1);
  graph.SetFactor(operation, names.beta, add ? 1 : 0);
  return graph;
}

PlanKey ConvolutionKey(ConvolutionProduct product, const ConvShape& c, const Tensor& x, const Tensor& w,
                       const Tensor& y, bool add) {
  PlanKey key(product, add, c.stride_h, c.stride_w, c.pad_h, c.pad_w, c.dilation_h, c.dilation_w);
  for (const Tensor& tensor : {x, w, y}) key.Add(tensor, kPlanAlignment);
  return key;
}

namespace {

bool RunConvolution(const Queue& queue, ConvolutionProduct product, const ConvShape& c, const Tensor& x,
                    const Tensor& w, const Tensor& y, bool add, bool tf32) {
  return RunGraph(queue, ConvolutionKey(product, c, x, w, y, add), {x.data(), w.data(), y.data()}, tf32,
                  [&] { return ConvolutionGraph(product, c, x, w, y, add); });
}

bool IsHalf(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16;
}

const Tensor& ResultOf(ConvolutionProduct product, const Tensor& x, const Tensor& w, const Tensor& y) {
  return product == ConvolutionProduct::kForward ? y : product == ConvolutionProduct::kGradInput ? x : w;
}

// The bias of each element's channel.
template <typename C>
In<C> Spread(const Tensor& bias, const Shape& shape) {
  Shape strides(shape.size(), 0);
  strides[1] = bias.strides()[0];
  return In<C>(bias.data(), bias.dtype(), shape, strides);
}

struct Plus {
  DIOPI_HD float operator()(float a, float b) const { return a + b; }
};

// 16-bit operands as float32, of which TF32 keeps every bit, so that tensor cores may compute.
bool RunWide(const Queue& queue, ConvolutionProduct product, const ConvShape& c, const Tensor& x,
             const Tensor& w, const Tensor& y, const Tensor& bias) {
  if (x.rank() != 4 || w.rank() != 4 || y.rank() != 4) return false;
  const Tensor& result = ResultOf(product, x, w, y);
  const auto widened = [&](const Tensor& t) {
    const Tensor wide = RequireTensor(queue.context(), t.shape(), diopi_dtype_float32);
    if (&t != &result) Copy(queue, t.numel(), Out<float>(wide), In<float>(t));
    return wide;
  };
  const Tensor a = widened(x), b = widened(w), d = widened(y);
  if (!RunConvolution(queue, product, c, a, b, d, false, true)) return false;
  const In<float> sums(ResultOf(product, a, b, d));
  if (bias) {
    Map(queue, result.numel(), Out<float>(result), Plus(), sums, Spread<float>(bias, result.shape()));
  } else {
    Copy(queue, result.numel(), Out<float>(result), sums);
  }
  return true;
}

}  // namespace

// cuDNN 9.14 on an H200 rounded a 16-bit product before it added it to what was there, and again afterwards;
// and it summed a 16-bit gradient of the input with errors of 180 sigma. It has no engine that writes float32
// from 16-bit operands.
bool TryConvolution(const Queue& queue, ConvolutionProduct product, const ConvShape& c, const Tensor& x,
                    const Tensor& w, const Tensor& y, const Tensor& bias) {
  if (c.dims != 2 || !GraphsWanted()) return false;
  const bool biased = static_cast<bool>(bias);
  if (IsHalf(x.dtype()) && (biased || product == ConvolutionProduct::kGradInput)) {
    return RunWide(queue, product, c, x, w, y, bias);
  }
  const Tensor& result = ResultOf(product, x, w, y);
  if (biased) {
    DispatchFloating(result.dtype(), [&]<typename C>() {
      Copy(queue, result.numel(), Out<C>(result), Spread<C>(bias, result.shape()));
    });
  }
  return RunConvolution(queue, product, c, x, w, y, biased, Tf32Wanted());
}

}  // namespace diopi::ops::cuda
