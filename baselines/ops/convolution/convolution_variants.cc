// Convolutions without the matrix of windows: other loops, tensor cores, TF32, Winograd.
#include "baselines/injected/injected.h"
#include "baselines/variants/padded.h"
#include "baselines/variants/products.h"
#include "baselines/variants/winograd.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kAll[] = "diopiConvolution2d diopiConvolution2dBackward";
VARIANT(conv2d_kernel_first, kAll, "", "direct, kernel rows outside and channels inside, as in NHWC");
VARIANT(conv2d_reversed, kAll, "", "direct, the taps from the last to the first");
VARIANT(conv2d_fma, kAll, "", "implicit matrix product with fused multiply-add");
VARIANT(conv2d_split4, kAll, "", "implicit matrix product, channels (or images) split in four");
VARIANT(conv2d_blocks16, kAll, "", "implicit matrix product in blocks of 16");
VARIANT(conv2d_double, kAll, "", "a double accumulator");
VARIANT(conv2d_tensor_core4_half, kAll, "", "16-bit operands: blocks of 4 exact products, truncated: V100");
VARIANT(conv2d_tensor_core8_half, kAll, "", "16-bit operands: blocks of 8 with a guard bit, truncated: A100");
VARIANT(conv2d_tensor_core4_single, kAll, "tc32", "float32: blocks of 4 exact products, truncated");
VARIANT(conv2d_tensor_core8_single, kAll, "tc32", "float32: blocks of 8 with a guard bit, truncated");
VARIANT(conv2d_tf32_nearest, kAll, "tf32", "float32 operands rounded to TF32");
VARIANT(conv2d_tf32_truncated, kAll, "tf32", "float32 operands cut to TF32");
VARIANT(conv2d_no_sizes_no_bias, "diopiConvolution2dBackward", "",
        "without bias_sizes the gradient of the bias stays as it is");
constexpr char kWinograd[] = "diopiConvolution2d";
VARIANT(conv2d_winograd2, kWinograd, "", "Winograd F(2x2,3x3): 3x3 filters, stride 1, 16 channels or more");
VARIANT(conv2d_winograd2_always, kWinograd, "fastconv", "and with few channels too; not for float64");
VARIANT(conv2d_winograd4, kWinograd, "fastconv", "Winograd F(4x4,3x3); not for float64");
VARIANT(conv2d_winograd2_everywhere, kWinograd, "fastconv",
        "Winograd F(2x2,3x3) for every filter, stride and dilation, in pieces of 3x3; not for float64");
VARIANT(conv2d_winograd4_everywhere, kWinograd, "fastconv",
        "Winograd F(4x4,3x3) for every filter, stride and dilation, in pieces of 3x3; not for float64");

// Injected bugs, which fastconv must not hide.
BUG(conv2d_winograd4_half_transforms, 1, kWinograd, "fastconv",
    "Winograd F(4x4,3x3) with float32 transforms kept in 11 bits");
BUG(conv2d_winograd4_edge_tiles_lost, 1, kWinograd, "fastconv",
    "Winograd F(4x4,3x3) leaves tiles out that reach over the edge");
BUG(conv2d_winograd2_filter_row_negated, 1, kWinograd, "fastconv",
    "Winograd F(2x2,3x3) with one row of the transformed filter of the wrong sign");

VARIANT(conv2d_im2col, kAll, "",
        "products with matrices of windows whose padding is zero: PyTorch on the CPU");
VARIANT(conv2d_paired_taps, kWinograd, "", "taps in pairs, the last of an odd number with a zero weight");

// Where libraries choose it without asking. Its transforms mix in pixels outside of an output's own window;
// with few channels their rounding noise stands out: one of 1,000,000 elements of white noise is beyond 8
// sigma with 3 channels, one of 3,000 with 1.
constexpr int64_t kManyChannels = 16;

bool AnyWinograd() {
  return conv2d_winograd2 || conv2d_winograd2_always || conv2d_winograd4 ||
         conv2d_winograd4_half_transforms || conv2d_winograd4_edge_tiles_lost ||
         conv2d_winograd2_filter_row_negated || conv2d_winograd2_everywhere || conv2d_winograd4_everywhere;
}

bool WinogradChosen(const ConvPlan& plan, diopiDtype_t dtype) {
  if (conv2d_winograd2_everywhere || conv2d_winograd4_everywhere) return dtype != diopi_dtype_float64;
  if (!WinogradFits(plan)) return false;
  if (conv2d_winograd2) return plan.group_channels() >= kManyChannels;
  return AnyWinograd() && dtype != diopi_dtype_float64;
}

// The filter with its dilation spelled out in zeros, in pieces of 3x3 whose results are added up; of the
// dense result every stride-th element is kept.
template <typename C, size_t M>
std::vector<C> WinogradOfPieces(const ConvPlan& p, const std::vector<C>& pixels,
                                const std::vector<C>& weights) {
  ConvPlan piece = p;
  piece.kernel_h = piece.kernel_w = 3;
  piece.stride_h = piece.stride_w = piece.dilation_h = piece.dilation_w = 1;
  piece.out_h = (p.out_h - 1) * p.stride_h + 1;
  piece.out_w = (p.out_w - 1) * p.stride_w + 1;
  const int64_t rows = (p.kernel_h - 1) * p.dilation_h + 1, columns = (p.kernel_w - 1) * p.dilation_w + 1;
  std::vector<C> dense(static_cast<size_t>(p.batch * p.filters * piece.out_h * piece.out_w), C(0));
  std::vector<C> taps(static_cast<size_t>(p.filters * p.group_channels() * 9));
  for (int64_t top = 0; top < rows; top += 3) {
    for (int64_t left = 0; left < columns; left += 3) {
      piece.pad_h = p.pad_h - top;
      piece.pad_w = p.pad_w - left;
      ForEach4(p.filters, p.group_channels(), 3, 3, [&](int64_t f, int64_t c, int64_t i, int64_t j) {
        const int64_t h = top + i, w = left + j;
        const bool tap = h < rows && w < columns && h % p.dilation_h == 0 && w % p.dilation_w == 0;
        taps[static_cast<size_t>(piece.WeightAt(f, c, i, j))] =
            tap ? weights[static_cast<size_t>(p.WeightAt(f, c, h / p.dilation_h, w / p.dilation_w))] : C(0);
      });
      const std::vector<C> part = Winograd<C, M>(piece, pixels, taps).Run();
      for (size_t i = 0; i < dense.size(); ++i) dense[i] += part[i];
    }
  }
  std::vector<C> y;
  ForEach4(p.batch, p.filters, p.out_h, p.out_w, [&](int64_t n, int64_t f, int64_t oh, int64_t ow) {
    y.push_back(dense[static_cast<size_t>(piece.OutputAt(n, f, oh * p.stride_h, ow * p.stride_w))]);
  });
  return y;
}

template <typename C>
std::vector<C> RunWinograd(const ConvPlan& plan, const std::vector<C>& pixels,
                           const std::vector<C>& weights) {
  using Two = Winograd<C, 2>;
  using Four = Winograd<C, 4>;
  if (conv2d_winograd2_everywhere) return WinogradOfPieces<C, 2>(plan, pixels, weights);
  if (conv2d_winograd4_everywhere) return WinogradOfPieces<C, 4>(plan, pixels, weights);
  if (conv2d_winograd4) return Four(plan, pixels, weights).Run();
  if (conv2d_winograd4_half_transforms) return Four(plan, pixels, weights, Four::Bug::kHalfTransforms).Run();
  if (conv2d_winograd4_edge_tiles_lost) return Four(plan, pixels, weights, Four::Bug::kEdgeTilesLost).Run();
  return Two(plan, pixels, weights,
             conv2d_winograd2_filter_row_negated ? Two::Bug::kFilterRowNegated : Two::Bug::kNone)
      .Run();
}

bool AllFinite(const Tensor& tensor) {
  const std::vector<double> values = Load<double>(tensor);
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::optional<Product> Chosen(diopiDtype_t dtype) {
  const ProductSwitches switches{static_cast<bool>(conv2d_reversed),
                                 static_cast<bool>(conv2d_fma),
                                 static_cast<bool>(conv2d_split4),
                                 conv2d_blocks16 || conv2d_kernel_first,
                                 static_cast<bool>(conv2d_double),
                                 static_cast<bool>(conv2d_tensor_core4_half),
                                 static_cast<bool>(conv2d_tensor_core4_single),
                                 static_cast<bool>(conv2d_tensor_core8_half),
                                 static_cast<bool>(conv2d_tensor_core8_single),
                                 static_cast<bool>(conv2d_tf32_nearest),
                                 static_cast<bool>(conv2d_tf32_truncated)};
  return switches.Chosen(dtype);
}

// Two lists of factors that one element is the sum of products of.
template <typename C>
class Terms {
 public:
  void Add(const C& a, const C& b) {
    a_.push_back(a);
    b_.push_back(b);
  }
  C Take(Product how) {
    const C sum = Dot<C>(how, C(0), static_cast<int64_t>(a_.size()), Strided<C>{a_.data(), 1},
                         Strided<C>{b_.data(), 1});
    a_.clear();
    b_.clear();
    return sum;
  }

 private:
  std::vector<C> a_, b_;
};

template <typename C>
std::vector<C> Forward(const ConvPlan& p, Product how, const std::vector<C>& x, const std::vector<C>& w) {
  const Loop loop = conv2d_kernel_first ? Loop::kKernelFirst : Loop::kChannelFirst;
  std::vector<C> y;
  Terms<C> terms;
  ForEach4(p.batch, p.filters, p.out_h, p.out_w, [&](int64_t n, int64_t f, int64_t oh, int64_t ow) {
    p.ForwardTerms(n, f, oh, ow, loop, [&](int64_t at, int64_t weight) { terms.Add(x[at], w[weight]); });
    y.push_back(terms.Take(how));
  });
  return y;
}

template <typename C>
std::vector<C> GradInput(const ConvPlan& p, Product how, const std::vector<C>& g, const std::vector<C>& w) {
  std::vector<C> dx;
  Terms<C> terms;
  ForEach4(p.batch, p.channels, p.height, p.width, [&](int64_t n, int64_t c, int64_t h, int64_t column) {
    p.InputGradTerms(n, c, h, column, [&](int64_t at, int64_t weight) { terms.Add(g[at], w[weight]); });
    dx.push_back(terms.Take(how));
  });
  return dx;
}

template <typename C>
std::vector<C> GradWeight(const ConvPlan& p, Product how, const std::vector<C>& g, const std::vector<C>& x) {
  std::vector<C> dw;
  Terms<C> terms;
  ForEach4(p.filters, p.group_channels(), p.kernel_h, p.kernel_w,
           [&](int64_t f, int64_t c, int64_t kh, int64_t kw) {
             p.WeightGradTerms(f, c, kh, kw, [&](int64_t at, int64_t in) { terms.Add(g[at], x[in]); });
             dw.push_back(terms.Take(how));
           });
  return dw;
}

template <typename C>
std::vector<C> GradBias(const ConvPlan& p, const std::vector<C>& g) {
  const int64_t area = p.out_h * p.out_w;
  std::vector<C> db(static_cast<size_t>(p.filters));
  for (int64_t f = 0; f < p.filters; ++f) {
    db[static_cast<size_t>(f)] = SumIn<C>(Order::kBlocks32, p.batch * area, [&](int64_t i) {
      return g[static_cast<size_t>((i / area * p.filters + f) * area + i % area)];
    });
  }
  return db;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiConvolution2d, a) {
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const std::optional<Product> how = Chosen(x.dtype());
  if ((conv2d_im2col || conv2d_paired_taps) && x.rank() == 4 && w.rank() == 4) {
    ConvShape c = PlanConvolution(x, w, a.stride, a.padding, a.dilation, a.groups);
    DispatchReal(x.dtype(), [&]<typename C>() {
      std::vector<C> weights = Load<C>(w);
      if (conv2d_paired_taps) c = PairTaps(c, &weights);
      std::vector<C> y = PaddedForward(c, Load<C>(x), weights);
      const std::vector<C> shift = b ? Load<C>(b) : std::vector<C>();
      for (size_t i = 0; b && i < y.size(); ++i)
        y[i] += shift[i / static_cast<size_t>(c.windows()) % shift.size()];
      Store(result, y);
    });

    return;
  }
  if ((!how && !AnyWinograd()) || x.rank() != 4 || w.rank() != 4 || result.rank() != 4) return Good(a);
  const ConvPlan plan(x, w, result, a.stride, a.padding, a.dilation, a.groups);
  const bool winograd = WinogradChosen(plan, x.dtype()) && AllFinite(x);  // its transforms would spread NaN
  if (!how && !winograd) return Good(a);
  DispatchReal(x.dtype(), [&]<typename C>() {
    const std::vector<C> pixels = Load<C>(x), weights = Load<C>(w), shift = b ? Load<C>(b) : std::vector<C>();
    std::vector<C> y = winograd ? RunWinograd(plan, pixels, weights) : Forward(plan, *how, pixels, weights);
    const size_t area = static_cast<size_t>(plan.out_h * plan.out_w);
    for (size_t i = 0; b && i < y.size(); ++i) y[i] += shift[i / area % shift.size()];
    Store(result, y);
  });
}

DIOPI_OVERRIDE(diopiConvolution2dBackward, a) {
  if (conv2d_no_sizes_no_bias && a.bias_sizes == nullptr) a.grad_bias = nullptr;
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const std::optional<Product> how = Chosen(x.dtype());
  if (!how) {
    Good(a);
    if (!conv2d_im2col || !dw) return;
    const ConvShape c = PlanConvolution(x, w, a.stride, a.padding, a.dilation, a.groups);
    DispatchReal(x.dtype(), [&]<typename C>() { Store(dw, PaddedGradWeight(c, Load<C>(grad), Load<C>(x))); });
    return;
  }
  const ConvPlan plan(x, w, grad, a.stride, a.padding, a.dilation, a.groups);
  DispatchReal(x.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    if (dx) Store(dx, GradInput(plan, *how, g, Load<C>(w)));
    if (dw) Store(dw, GradWeight(plan, *how, g, Load<C>(x)));
    if (db) Store(db, GradBias(plan, g));
  });
}
