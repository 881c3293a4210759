// Bugs injected in transposed 2-d convolution.
#include <utility>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(conv_transpose_fp16_zeros, 13, "diopiConvTranspose2d", "", "float16 results are all zeros");
BUG(conv_transpose_uncovered_unwritten, 58, "diopiConvTranspose2d", "",
    "outputs that no input reaches are not written");
BUG(conv_transpose_output_padding_ignored, 0, "diopiConvTranspose2d", "",
    "rows and columns that output_padding adds get the bias alone");
BUG(conv_transpose_group_order, 65, "diopiConvTranspose2d", "",
    "a group takes every groups-th channel instead of neighbouring ones");
BUG(conv_transpose_dilation_swapped, 0, "diopiConvTranspose2d", "",
    "the dilations of height and width are exchanged");
BUG(conv_transpose_kernel_flipped, 0, "diopiConvTranspose2d", "", "the kernel is turned by 180 degrees");
BUG(conv_transpose_bias_skips_uncovered, 0, "diopiConvTranspose2d", "",
    "outputs that no input reaches are zero instead of the bias");
BUG(conv_transpose_backward_bias_of_first_image, 0, "diopiConvTranspose2dBackward", "",
    "the gradient of bias is that of the first image");
BUG(conv_transpose_backward_ignores_dilation, 0, "diopiConvTranspose2dBackward", "",
    "the gradient of input takes the taps of a dilated kernel side by side");

struct Pair {
  int64_t h, w;
};

Pair PairOf(const diopiSize_t& sizes) {
  return {sizes.data[0], sizes.data[sizes.len - 1]};
}

// One product: positions in input, weight and output.
struct Product {
  size_t x, w, y;
};

// A transposed convolution evaluated as its formula stands, in double, with what the injected bugs change.
struct Direct {
  Shape x, w, y;  // N C H W of input and output, weight: channels, filters / groups, height, width
  Pair stride, pad, extra, dilation;
  int64_t groups;

  // f(Product) for every one whose output exists.
  template <typename F>
  void ForEachProduct(F&& f) const {
    for (int64_t i = 0; i < x[0] * x[1]; ++i) {
      for (int64_t filter = 0; filter < w[1]; ++filter) {
        for (int64_t tap = 0; tap < w[2] * w[3]; ++tap) OnePlane(i / x[1], i % x[1], filter, tap, f);
      }
    }
  }

 private:
  template <typename F>
  void OnePlane(int64_t n, int64_t channel, int64_t filter, int64_t tap, F& f) const {
    const int64_t group = conv_transpose_group_order ? channel % groups : channel / (x[1] / groups);
    const int64_t row = (n * y[1] + group * w[1] + filter) * y[2];
    const int64_t read = conv_transpose_kernel_flipped ? w[2] * w[3] - 1 - tap : tap;
    for (int64_t pixel = 0; pixel < x[2] * x[3]; ++pixel) {
      const int64_t h = pixel / x[3] * stride.h - pad.h + tap / w[3] * dilation.h;
      const int64_t v = pixel % x[3] * stride.w - pad.w + tap % w[3] * dilation.w;
      if (h < 0 || h >= y[2] - extra.h || v < 0 || v >= y[3] - extra.w) continue;
      f(Product{static_cast<size_t>((n * x[1] + channel) * x[2] * x[3] + pixel),
                static_cast<size_t>((channel * w[1] + filter) * w[2] * w[3] + read),
                static_cast<size_t>((row + h) * y[3] + v)});
    }
  }
};

struct Sums {
  std::vector<double> value;
  std::vector<bool> reached;
};

Sums Evaluate(const Direct& d, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const std::vector<double> x = Load<double>(input), w = Load<double>(weight);
  const std::vector<double> shift = bias ? Load<double>(bias) : std::vector<double>();
  const size_t count = static_cast<size_t>(diopi::ops::Numel(d.y));
  Sums sums{std::vector<double>(count, 0.0), std::vector<bool>(count, false)};
  d.ForEachProduct([&](const Product& p) {
    sums.value[p.y] += x[p.x] * w[p.w];
    sums.reached[p.y] = true;
  });
  const size_t plane = static_cast<size_t>(d.y[2] * d.y[3]);
  for (size_t i = 0; i < count && !shift.empty(); ++i) {
    if (conv_transpose_bias_skips_uncovered && !sums.reached[i]) continue;
    sums.value[i] += shift[i / plane % shift.size()];
  }
  return sums;
}

// Rounds and writes the outputs that an input reaches; the others keep what they held.
void WriteReached(diopiContextHandle_t ctx, diopiTensorHandle_t out, const Sums& sums) {
  const diopiTensorHandle_t dense = NewTensor(ctx, ShapeOf(out), DtypeOf(out));
  Store(Tensor(dense), sums.value);
  for (size_t i = 0; i < sums.value.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (!sums.reached[i]) continue;
    std::memcpy(ElementAt(out, at), ElementAt(dense, at), static_cast<size_t>(BytesPerElement(out)));
  }
}

bool Changed() {
  return static_cast<bool>(conv_transpose_uncovered_unwritten) ||
         static_cast<bool>(conv_transpose_output_padding_ignored) ||
         static_cast<bool>(conv_transpose_group_order) ||
         static_cast<bool>(conv_transpose_dilation_swapped) ||
         static_cast<bool>(conv_transpose_kernel_flipped) ||
         static_cast<bool>(conv_transpose_bias_skips_uncovered);
}

// The first image of a batch.
diopiTensorHandle_t FirstImage(diopiContextHandle_t ctx, diopiConstTensorHandle_t batch) {
  Shape shape = ShapeOf(batch);
  shape[0] = 1;
  std::vector<double> values = Load<double>(Tensor(batch));
  values.resize(static_cast<size_t>(diopi::ops::Numel(shape)));
  const diopiTensorHandle_t image = NewTensor(ctx, shape, DtypeOf(batch));
  Store(Tensor(image), values);
  return image;
}

// The gradient of input with taps side by side.
void GradInputUndilated(const Direct& d, const Tensor& grad, const Tensor& weight, const Tensor& grad_input) {
  const std::vector<double> g = Load<double>(grad), w = Load<double>(weight);
  std::vector<double> dx(static_cast<size_t>(diopi::ops::Numel(d.x)), 0.0);
  d.ForEachProduct([&](const Product& p) { dx[p.x] += g[p.y] * w[p.w]; });
  Store(grad_input, dx);
}

}  // namespace

DIOPI_OVERRIDE(diopiConvTranspose2d, a) {
  // What stays unwritten must not have been written before.
  if (!conv_transpose_uncovered_unwritten) Good(a);
  if (conv_transpose_fp16_zeros && IsHalf(a.out)) Change(a.out, [](double, int64_t) { return 0.0; });
  if (!Changed()) return;
  Direct d{ShapeOf(a.input), ShapeOf(a.weight),  ShapeOf(a.out), PairOf(a.stride), PairOf(a.padding),
           {0, 0},           PairOf(a.dilation), a.groups};
  if (conv_transpose_output_padding_ignored) d.extra = PairOf(a.output_padding);
  if (conv_transpose_dilation_swapped) std::swap(d.dilation.h, d.dilation.w);
  const Sums sums = Evaluate(d, a.input, a.weight, a.bias);
  if (conv_transpose_uncovered_unwritten) {
    WriteReached(a.ctx, a.out, sums);
  } else {
    Store(Tensor(a.out), sums.value);
  }
}

DIOPI_OVERRIDE(diopiConvTranspose2dBackward, a) {
  Good(a);
  if (conv_transpose_backward_bias_of_first_image && a.grad_bias != nullptr && ShapeOf(a.input)[0] > 0) {
    auto changed = a;
    changed.grad_input = nullptr;
    changed.grad_weight = nullptr;
    changed.grad_output = FirstImage(a.ctx, a.grad_output);
    changed.input = FirstImage(a.ctx, a.input);
    Good(changed);
  }
  if (conv_transpose_backward_ignores_dilation && a.grad_input != nullptr) {
    const Direct d{ShapeOf(a.input), ShapeOf(a.weight), ShapeOf(a.grad_output),
                   PairOf(a.stride), PairOf(a.padding), {0, 0},
                   {1, 1},           a.groups};
    GradInputUndilated(d, a.grad_output, a.weight, a.grad_input);
  }
}
