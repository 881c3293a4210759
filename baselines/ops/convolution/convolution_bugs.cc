// Bugs injected in 2-d convolution.
#include <algorithm>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(conv_tf32, 11, "diopiConvolution2d", "", "float32 operands are read as tf32");
BUG(conv_fp16_accumulator, 6, "diopiConvolution2d", "",
    "float16 products are summed in a float16 accumulator");
BUG(conv_fp32_accumulator_truncates, 0, "diopiConvolution2d", "",
    "float32 products are summed in a float32 accumulator that cuts off");
BUG(conv_bias_lost_beyond_1024, 12, "diopiConvolution2d", "", "filter 1025 and those after it get no bias");
BUG(conv_bias_per_group, 0, "diopiConvolution2d", "", "the bias is added once for each group");
BUG(conv_pads_swapped, 54, "diopiConvolution2d", "", "the paddings of height and width are exchanged");
BUG(conv_dilation_ignored, 55, "diopiConvolution2d", "", "the taps of a dilated kernel are adjacent");
BUG(conv_strides_swapped, 0, "diopiConvolution2d", "", "the strides of height and width are exchanged");
BUG(conv_group_order, 65, "diopiConvolution2d", "",
    "a group takes every groups-th channel instead of neighbouring ones");
BUG(conv_kernel_flipped, 0, "diopiConvolution2d", "", "the kernel is turned by 180 degrees");
BUG(conv_channel_tail_dropped, 32, "diopiConvolution2d", "",
    "channels after whole blocks of 32 are left out");
BUG(conv_padding_is_edge, 0, "diopiConvolution2d", "", "padding repeats the border instead of zeros");
BUG(conv_input_layout_ignored, 53, "diopiConvolution2d", "", "a channels_last input is read as NCHW");
BUG(conv_output_layout_ignored, 53, "diopiConvolution2d", "", "a channels_last output is written as NCHW");
BUG(conv_nan_dropped, 28, "diopiConvolution2d", "", "pixels that are NaN count as zero");
BUG(conv_backward_weight_of_last_image, 0, "diopiConvolution2dBackward", "",
    "the gradient of weight is overwritten by each image of the batch");
BUG(conv_backward_bias_fp16_accumulator, 6, "diopiConvolution2dBackward", "",
    "the float16 gradient of bias is summed in float16");
BUG(conv_backward_bias_zero_without_sizes, 0, "diopiConvolution2dBackward", "",
    "without bias_sizes the gradient of the bias is zero");
BUG(conv_backward_input_uncovered_stale, 0, "diopiConvolution2dBackward", "",
    "pixels that no window covers keep grad_input's old values");

struct Pair {
  int64_t h, w;
};

Pair PairOf(const diopiSize_t& sizes) {
  return {sizes.data[0], sizes.data[sizes.len - 1]};
}

// A convolution evaluated as its formula stands, in double, with what the injected bugs change.
struct Direct {
  Shape x, w, y;  // N C H W of input, weight and output
  std::vector<double> input, weight, bias;
  Pair stride, pad, dilation;
  int64_t groups;

  int64_t Channel(int64_t filter, int64_t c) const {
    const int64_t group = filter / (w[0] / groups);
    return conv_group_order ? c * groups + group : group * w[1] + c;
  }

  double At(int64_t n, int64_t c, int64_t h, int64_t column) const {
    if (conv_padding_is_edge) {
      h = std::clamp<int64_t>(h, 0, x[2] - 1);
      column = std::clamp<int64_t>(column, 0, x[3] - 1);
    }
    if (h < 0 || h >= x[2] || column < 0 || column >= x[3]) return 0;
    return input[static_cast<size_t>(((n * x[1] + c) * x[2] + h) * x[3] + column)];
  }

  double Weight(int64_t filter, int64_t c, int64_t kh, int64_t kw) const {
    if (conv_kernel_flipped) {
      kh = w[2] - 1 - kh;
      kw = w[3] - 1 - kw;
    }
    return weight[static_cast<size_t>(((filter * w[1] + c) * w[2] + kh) * w[3] + kw)];
  }

  // The products of one output; padding adds none, unless it is the border.
  std::vector<double> Terms(int64_t n, int64_t filter, int64_t oh, int64_t ow) const {
    std::vector<double> terms;
    const int64_t channels = conv_channel_tail_dropped && w[1] > 32 ? w[1] / 32 * 32 : w[1];
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t kh = 0; kh < w[2]; ++kh) {
        for (int64_t kw = 0; kw < w[3]; ++kw) {
          const int64_t h = oh * stride.h - pad.h + kh * dilation.h;
          const int64_t column = ow * stride.w - pad.w + kw * dilation.w;
          const bool inside = h >= 0 && h < x[2] && column >= 0 && column < x[3];
          if (!inside && !conv_padding_is_edge) continue;
          terms.push_back(At(n, Channel(filter, c), h, column) * Weight(filter, c, kh, kw));
        }
      }
    }
    return terms;
  }

  double Output(int64_t at, diopiDtype_t dtype) const {
    const int64_t ow = at % y[3], oh = at / y[3] % y[2], filter = at / y[3] / y[2] % y[1];
    const std::vector<double> terms = Terms(at / y[3] / y[2] / y[1], filter, oh, ow);
    double sum = 0;
    if (conv_fp16_accumulator) {
      sum = NarrowSum(dtype, terms);
    } else {
      for (double term : terms) {
        sum = conv_fp32_accumulator_truncates ? TruncatedTo(dtype, sum + term) : sum + term;
      }
    }
    if (bias.empty()) return sum;
    return sum + bias[static_cast<size_t>(filter)] * static_cast<double>(conv_bias_per_group ? groups : 1);
  }
};

// True where a injected bug is in how the formula is evaluated.
bool CorruptsFormula(diopiConstTensorHandle_t out) {
  return conv_pads_swapped || conv_dilation_ignored || conv_strides_swapped || conv_group_order ||
         conv_kernel_flipped || conv_channel_tail_dropped || conv_padding_is_edge || conv_bias_per_group ||
         (conv_fp16_accumulator && IsHalf(out)) || (conv_fp32_accumulator_truncates && IsFloat32(out));
}

double Tf32(double x, int64_t) {
  return static_cast<double>(ToTf32(static_cast<float>(x)));
}

}  // namespace

DIOPI_OVERRIDE(diopiConvolution2d, a) {
  const Pair step = PairOf(a.stride), pad = PairOf(a.padding), spread = PairOf(a.dilation);
  if (CorruptsFormula(a.out)) {
    const Direct direct{ShapeOf(a.input),
                        ShapeOf(a.weight),
                        ShapeOf(a.out),
                        Load<double>(Tensor(a.input)),
                        Load<double>(Tensor(a.weight)),
                        a.bias == nullptr ? std::vector<double>() : Load<double>(Tensor(a.bias)),
                        conv_strides_swapped ? Pair{step.w, step.h} : step,
                        conv_pads_swapped ? Pair{pad.w, pad.h} : pad,
                        conv_dilation_ignored ? Pair{1, 1} : spread,
                        a.groups};
    std::vector<double> result(static_cast<size_t>(NumElements(a.out)));
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = direct.Output(static_cast<int64_t>(i), DtypeOf(a.out));
    }
    return Store(Tensor(a.out), result);
  }
  diopiConstTensorHandle_t x = a.input, w = a.weight, b = a.bias;
  if (conv_tf32 && IsFloat32(a.out)) {
    x = Replaced(a.ctx, a.input, Tf32);
    w = Replaced(a.ctx, a.weight, Tf32);
  }
  if (conv_nan_dropped) {
    x = Replaced(a.ctx, a.input, [](double e, int64_t) { return std::isnan(e) ? 0.0 : e; });
  }
  if (conv_bias_lost_beyond_1024 && a.bias != nullptr) {
    b = Replaced(a.ctx, a.bias, [](double e, int64_t i) { return i < 1024 ? e : 0.0; });
  }
  if (conv_input_layout_ignored) x = ReadWithoutStrides(a.ctx, a.input);
  a.input = x;
  a.weight = w;
  a.bias = b;
  Good(a);
  if (conv_output_layout_ignored) WriteContiguous(a.out);
}

namespace {

// The bits of grad_input before the call, back where the result is zero.
void RestoreUncovered(diopiTensorHandle_t grad_input, const std::vector<unsigned char>& before) {
  const std::vector<double> grad = Load<double>(Tensor(grad_input));
  const auto bytes = static_cast<size_t>(BytesPerElement(grad_input));
  for (size_t i = 0; i < grad.size(); ++i) {
    if (grad[i] == 0) {
      std::memcpy(ElementAt(grad_input, static_cast<int64_t>(i)), before.data() + i * bytes, bytes);
    }
  }
}

void BiasInHalf(diopiTensorHandle_t grad_bias, diopiConstTensorHandle_t grad_output) {
  const Shape shape = ShapeOf(grad_output);
  const std::vector<double> grad = Load<double>(Tensor(grad_output));
  std::vector<std::vector<double>> terms(static_cast<size_t>(shape[1]));
  const int64_t plane = shape[2] * shape[3];
  for (size_t i = 0; i < grad.size(); ++i) {
    terms[static_cast<size_t>(static_cast<int64_t>(i) / plane % shape[1])].push_back(grad[i]);
  }
  Change(grad_bias,
         [&](double, int64_t i) { return NarrowSum(diopi_dtype_float16, terms[static_cast<size_t>(i)]); });
}

}  // namespace

DIOPI_OVERRIDE(diopiConvolution2dBackward, a) {
  std::vector<unsigned char> before;
  for (int64_t i = 0; a.grad_input != nullptr && i < NumElements(a.grad_input); ++i) {
    const unsigned char* element = ElementAt(a.grad_input, i);
    before.insert(before.end(), element, element + BytesPerElement(a.grad_input));
  }
  Good(a);
  if (conv_backward_bias_zero_without_sizes && a.bias_sizes == nullptr && a.grad_bias != nullptr) {
    Change(a.grad_bias, [](double, int64_t) { return 0.0; });
  }
  if (conv_backward_input_uncovered_stale && a.grad_input != nullptr) RestoreUncovered(a.grad_input, before);
  if (conv_backward_bias_fp16_accumulator && a.grad_bias != nullptr && IsHalf(a.grad_bias)) {
    BiasInHalf(a.grad_bias, a.grad_output);
  }
  if (!conv_backward_weight_of_last_image || a.grad_weight == nullptr) return;
  const Shape shape = ShapeOf(a.grad_output);
  const int64_t image = shape[1] * shape[2] * shape[3];
  const diopiTensorHandle_t last = Replaced(
      a.ctx, a.grad_output, [&](double g, int64_t i) { return i / image == shape[0] - 1 ? g : 0.0; });
  a.grad_input = nullptr;
  a.grad_bias = nullptr;
  a.grad_output = last;
  Good(a);
}
