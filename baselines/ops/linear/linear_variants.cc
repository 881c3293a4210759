// Matrix products in the orders, blocks and number formats of real devices.
#include "baselines/injected/injected.h"
#include "baselines/ops/linear/matmul_common.h"
#include "baselines/variants/products.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kAll[] = "diopiMatmul diopiMatmulBackward diopiBmm diopiMm diopiLinear diopiLinearBackward";
VARIANT(matmul_k_reversed, kAll, "", "k from the end");
VARIANT(matmul_fma, kAll, "", "fused multiply-add in the order of k");
VARIANT(matmul_split_k4, kAll, "", "k in four parts");
VARIANT(matmul_blocks16, kAll, "", "blocks of 16 along k, each in its own accumulator");
VARIANT(matmul_double, kAll, "", "a double accumulator");
VARIANT(matmul_tensor_core4_half, kAll, "", "16-bit operands: blocks of 4 exact products, truncated: V100");
VARIANT(matmul_tensor_core8_half, kAll, "", "16-bit operands: blocks of 8 with a guard bit, truncated: A100");
VARIANT(matmul_tensor_core4_single, kAll, "tc32", "float32: blocks of 4 exact products, truncated");
VARIANT(matmul_tensor_core8_single, kAll, "tc32", "float32: blocks of 8 with a guard bit, truncated");
VARIANT(matmul_tf32_nearest, kAll, "tf32", "float32 operands rounded to TF32");
VARIANT(matmul_tf32_truncated, kAll, "tf32", "float32 operands cut to TF32");

// Injected bugs, by the contract that must not hide them.
BUG(matmul_tf32_eight_bits, 1, kAll, "tf32", "float32 operands are rounded to 8 bits, not to TF32");
BUG(matmul_tf32_short_sums, 1, kAll, "tf32", "TF32 products are summed in 11 bits");
BUG(matmul_tf32_last_lost, 1, kAll, "tf32", "TF32 products, the last k is left out");
BUG(matmul_core_tf32_operands, 1, kAll, "tc32", "a truncating accumulator, and operands read as TF32");
BUG(matmul_core_tail_lost, 1, kAll, "tc32",
    "a truncating accumulator, k after whole blocks of 8 is left out");
BUG(matmul_core_sixteen_bits, 1, kAll, "tc32", "a truncating accumulator of 16 bits");

std::optional<Product> WrongProduct(diopiDtype_t dtype) {
  if (dtype != diopi_dtype_float32) return std::nullopt;
  if (matmul_tf32_eight_bits) return Product::kEightBits;
  if (matmul_tf32_short_sums) return Product::kTf32ShortSums;
  if (matmul_tf32_last_lost) return Product::kTf32LastLost;
  if (matmul_core_tf32_operands) return Product::kCoreTf32;
  if (matmul_core_tail_lost) return Product::kCoreTailLost;
  if (matmul_core_sixteen_bits) return Product::kCoreSixteenBits;
  return std::nullopt;
}

std::optional<Product> Chosen(diopiConstTensorHandle_t input) {
  if (const auto wrong = WrongProduct(Tensor(input).dtype())) return wrong;
  const ProductSwitches switches{static_cast<bool>(matmul_k_reversed),
                                 static_cast<bool>(matmul_fma),
                                 static_cast<bool>(matmul_split_k4),
                                 static_cast<bool>(matmul_blocks16),
                                 static_cast<bool>(matmul_double),
                                 static_cast<bool>(matmul_tensor_core4_half),
                                 static_cast<bool>(matmul_tensor_core4_single),
                                 static_cast<bool>(matmul_tensor_core8_half),
                                 static_cast<bool>(matmul_tensor_core8_single),
                                 static_cast<bool>(matmul_tf32_nearest),
                                 static_cast<bool>(matmul_tf32_truncated)};
  return switches.Chosen(Tensor(input).dtype());
}

void MultiplyBy(Product how, diopiTensorHandle_t out, diopiConstTensorHandle_t a,
                diopiConstTensorHandle_t b) {
  const Tensor result(out), x(a), y(b);
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(result, p.out, "out");
  DispatchReal(ResultType(result, {x, y}), [&]<typename C>() {
    const std::vector<C> left = Load<C>(x), right = Load<C>(y);
    std::vector<C> product(static_cast<size_t>(p.batch() * p.m * p.n));
    for (int64_t i = 0; i < p.batch(); ++i) {
      GemmBy(how, Trans::kNo, Trans::kNo, p.m, p.n, p.k, left.data() + p.a_index[i] * p.m * p.k,
             right.data() + p.b_index[i] * p.k * p.n, product.data() + i * p.m * p.n);
    }
    Store(result, product);
  });
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiMatmul, a) {
  const std::optional<Product> how = Chosen(a.input);
  if (how) return MultiplyBy(*how, a.out, a.input, a.other);
  Good(a);
}

DIOPI_OVERRIDE(diopiBmm, a) {
  const std::optional<Product> how = Chosen(a.input);
  if (how) return MultiplyBy(*how, a.out, a.input, a.mat2);
  Good(a);
}

DIOPI_OVERRIDE(diopiMm, a) {
  const std::optional<Product> how = Chosen(a.input);
  if (how) return MultiplyBy(*how, a.out, a.input, a.mat2);
  Good(a);
}

DIOPI_OVERRIDE(diopiMatmulBackward, a) {
  const std::optional<Product> how = Chosen(a.input);
  if (!how) return Good(a);
  const Tensor dx(a.grad_input), dy(a.grad_other), grad(a.grad_out), x(a.input), y(a.other);
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  DispatchReal(ResultType(grad, {grad, x, y}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), left = Load<C>(x), right = Load<C>(y);
    std::vector<C> da(left.size(), C(0)), db(right.size(), C(0));
    for (int64_t i = 0; i < p.batch(); ++i) {
      const int64_t at_a = p.a_index[i] * p.m * p.k, at_b = p.b_index[i] * p.k * p.n;
      const C* slice = g.data() + i * p.m * p.n;
      GemmBy(*how, Trans::kNo, Trans::kYes, p.m, p.k, p.n, slice, right.data() + at_b, da.data() + at_a,
             true);
      GemmBy(*how, Trans::kYes, Trans::kNo, p.k, p.n, p.m, left.data() + at_a, slice, db.data() + at_b, true);
    }
    if (dx) Store(dx, da);
    if (dy) Store(dy, db);
  });
}

DIOPI_OVERRIDE(diopiLinear, a) {
  const std::optional<Product> how = Chosen(a.input);
  if (!how) return Good(a);
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const int64_t in = w.size(1), features = w.size(0);
  const int64_t rows = features == 0 ? 0 : result.numel() / features;
  DispatchReal(ResultType(result, {x, w}), [&]<typename C>() {
    std::vector<C> y(static_cast<size_t>(rows * features), C(0));
    GemmBy(*how, Trans::kNo, Trans::kYes, rows, features, in, Load<C>(x).data(), Load<C>(w).data(), y.data());
    // An epilogue adds the bias last.
    const std::vector<C> shift = b ? Load<C>(b) : std::vector<C>();
    for (size_t i = 0; b && i < y.size(); ++i) y[i] += shift[i % shift.size()];
    Store(result, y);
  });
}

DIOPI_OVERRIDE(diopiLinearBackward, a) {
  const std::optional<Product> how = Chosen(a.input);
  if (!how) return Good(a);
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const int64_t in = w.size(1), features = w.size(0);
  const int64_t rows = features == 0 ? 0 : grad.numel() / features;
  DispatchReal(ResultType(grad, {grad, x, w}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), weights = Load<C>(w);
    std::vector<C> d(values.size(), C(0)), d_weight(weights.size(), C(0)), d_bias;
    GemmBy(*how, Trans::kNo, Trans::kNo, rows, in, features, g.data(), weights.data(), d.data());
    GemmBy(*how, Trans::kYes, Trans::kNo, features, in, rows, g.data(), values.data(), d_weight.data());
    for (int64_t j = 0; j < features; ++j) {
      d_bias.push_back(SumIn<C>(Order::kPairwise, rows, [&](int64_t i) { return g[i * features + j]; }));
    }
    if (dx) Store(dx, d);
    if (dw) Store(dw, d_weight);
    if (db) Store(db, d_bias);
  });
}
