// Bugs injected in matrix products: bmm, mm, matmul, linear and their gradients.
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(matmul_fp16_accumulator, 6, "diopiBmm diopiMm diopiLinear", "",
    "float16 products are summed in a float16 accumulator");
BUG(matmul_fp16_accumulator_of_chunks, 7, "diopiBmm diopiMm diopiLinear", "",
    "float16 products are summed in float32 over chunks of 16, the chunks in float16");
BUG(matmul_bf16_accumulator_truncates, 0, "diopiBmm diopiMm diopiLinear", "",
    "bfloat16 products are summed in a bfloat16 accumulator that cuts off");
BUG(matmul_fp32_as_bf16x3, 0, "diopiBmm diopiMm diopiLinear", "",
    "float32 operands are split into two bfloat16 numbers, and three of their four products kept");
BUG(matmul_fp32_accumulator_truncates, 0, "diopiBmm diopiMm diopiLinear", "",
    "float32 products are summed in a float32 accumulator that cuts off");
BUG(matmul_last_k_dropped, 8, "diopiBmm diopiMm diopiLinear", "",
    "a loop unrolled by two leaves out the last of an odd k");
BUG(matmul_k_tail_wrong, 9, "diopiBmm diopiMm diopiLinear", "",
    "after a block of 128 the tail of k is added twice in the last four outputs");
BUG(matmul_tf32, 10, "diopiBmm diopiMm diopiMatmul diopiLinear", "", "float32 operands are read as tf32");
BUG(matmul_zero_skipped, 0, "diopiBmm diopiMm", "", "products with a zero are skipped: 0 * inf is not NaN");
BUG(bmm_batch_stride_ignored, 53, "diopiBmm", "", "matrices of a batch are read as if they were packed");
BUG(bmm_empty_k_unwritten, 0, "diopiBmm diopiMm", "", "nothing is written where k is 0");
BUG(mm_workspace_stale, 0, "diopiMm", "", "the accumulators begin with what the last call left in them");
BUG(matmul_batch_not_broadcast, 52, "diopiMatmul", "",
    "the first of several left matrices is taken for all where the right one is broadcast");
BUG(matmul_backward_first_batch_only, 0, "diopiMatmulBackward", "",
    "the gradient of a broadcast operand is that of the first batch");
BUG(linear_bias_added_after_rounding, 0, "diopiLinear", "",
    "16-bit products are rounded before the bias is added");
BUG(linear_bias_lost_beyond_1024, 12, "diopiLinear", "", "output 1025 and those after it get no bias");
BUG(linear_backward_fp16_accumulator, 6, "diopiLinearBackward", "",
    "the float16 gradient of weight is summed over the rows in float16");
BUG(linear_backward_bias_of_first_block, 32, "diopiLinearBackward", "",
    "the gradient of bias leaves out the rows after whole blocks of four");

// x = high + low + a rest that is lost.
double ProductOfHalves(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return x * y;
  const double x_high = ToBfloat16(x), y_high = ToBfloat16(y);
  const double x_low = ToBfloat16(x - x_high), y_low = ToBfloat16(y - y_high);
  return x_high * y_high + x_high * y_low + x_low * y_high;
}

// out[batch, m, n] = sum of a[batch, m, k] * b[batch, k, n], dense, in double.
struct Product {
  int64_t batch, m, n, k;
  std::vector<double> a, b;

  double A(int64_t i, int64_t row, int64_t j) const { return a[static_cast<size_t>((i * m + row) * k + j)]; }
  double B(int64_t i, int64_t j, int64_t column) const {
    return b[static_cast<size_t>((i * k + j) * n + column)];
  }
  std::vector<double> Terms(int64_t i, int64_t row, int64_t column) const {
    std::vector<double> terms;
    for (int64_t j = 0; j < k; ++j) {
      const double x = A(i, row, j), y = B(i, j, column);
      terms.push_back(matmul_fp32_as_bf16x3 ? ProductOfHalves(x, y) : x * y);
    }
    return terms;
  }
};

// Two matrices, or two stacks of equally many.
Product ReadProduct(diopiConstTensorHandle_t a, diopiConstTensorHandle_t b) {
  const Tensor x(a), y(b);
  const int64_t batch = x.rank() == 3 ? x.size(0) : 1;
  return {batch, x.size(-2), y.size(-1), x.size(-1), Load<double>(x), Load<double>(y)};
}

// Rows of input times rows of weight.
Product ReadLinear(diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight) {
  const Tensor x(input), w(weight);
  const int64_t k = w.size(1), n = w.size(0);
  const std::vector<double> rows = Load<double>(w);
  std::vector<double> columns(rows.size());
  for (int64_t i = 0; i < n * k; ++i)
    columns[static_cast<size_t>(i % k * n + i / k)] = rows[static_cast<size_t>(i)];
  return {1, k == 0 ? 0 : x.numel() / k, n, k, Load<double>(x), columns};
}

double SumOfChunks(diopiDtype_t dtype, const std::vector<double>& terms) {
  std::vector<double> chunks;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i % 16 == 0) chunks.push_back(0);
    chunks.back() = RoundedTo(diopi_dtype_float32, chunks.back() + terms[i]);
  }
  return NarrowSum(dtype, chunks);
}

double TruncatingSum(diopiDtype_t dtype, const std::vector<double>& terms) {
  double sum = 0;
  for (double x : terms) sum = TruncatedTo(dtype, sum + x);
  return sum;
}

double Sum(const std::vector<double>& terms) {
  double sum = 0;
  for (double x : terms) sum += x;
  return sum;
}

// True where a injected bug sums the products of one output of this dtype itself, see CorruptedSum.
bool CorruptsSums(diopiConstTensorHandle_t out) {
  return ((matmul_fp16_accumulator || matmul_fp16_accumulator_of_chunks) && IsHalf(out)) ||
         (matmul_bf16_accumulator_truncates && IsBfloat16(out)) ||
         ((matmul_fp32_as_bf16x3 || matmul_fp32_accumulator_truncates) && IsFloat32(out)) ||
         matmul_last_k_dropped || matmul_k_tail_wrong;
}

// `last`: among the last four outputs.
double CorruptedSum(diopiDtype_t dtype, std::vector<double> terms, bool last) {
  if (matmul_fp16_accumulator) return NarrowSum(dtype, terms);
  if (matmul_fp16_accumulator_of_chunks) return SumOfChunks(dtype, terms);
  if (matmul_bf16_accumulator_truncates || matmul_fp32_accumulator_truncates)
    return TruncatingSum(dtype, terms);
  if (matmul_last_k_dropped && terms.size() % 2 == 1) terms.pop_back();
  double sum = Sum(terms);
  for (size_t i = terms.size() / 128 * 128; matmul_k_tail_wrong && last && i < terms.size(); ++i) {
    if (terms.size() > 128) sum += terms[i];
  }
  return sum;
}

// bias: of each column, or nothing.
void WriteCorrupted(diopiTensorHandle_t out, const Product& p, const std::vector<double>& bias) {
  std::vector<double> result;
  const int64_t count = p.batch * p.m * p.n;
  for (int64_t at = 0; at < count; ++at) {
    const int64_t column = at % p.n;
    const double sum =
        CorruptedSum(DtypeOf(out), p.Terms(at / p.n / p.m, at / p.n % p.m, column), at + 4 >= count);
    result.push_back(bias.empty() ? sum : sum + bias[static_cast<size_t>(column)]);
  }
  Store(Tensor(out), result);
}

double Tf32(double x, int64_t) {
  return static_cast<double>(ToTf32(static_cast<float>(x)));
}

void WriteWithoutZeros(diopiTensorHandle_t out, const Product& p) {
  std::vector<double> result;
  for (int64_t at = 0; at < p.batch * p.m * p.n; ++at) {
    const int64_t i = at / p.n / p.m, row = at / p.n % p.m;
    double sum = 0;
    for (int64_t j = 0; j < p.k; ++j) {
      if (p.A(i, row, j) != 0) sum += p.A(i, row, j) * p.B(i, j, at % p.n);
    }
    result.push_back(sum);
  }
  Store(Tensor(out), result);
}

// bmm and mm, with the injected bugs that they share.
template <typename Args>
void Multiply(Args a) {
  if (CorruptsSums(a.out)) return WriteCorrupted(a.out, ReadProduct(a.input, a.mat2), {});
  if (matmul_zero_skipped) return WriteWithoutZeros(a.out, ReadProduct(a.input, a.mat2));
  if (bmm_empty_k_unwritten && ShapeOf(a.input).back() == 0) return;
  if (matmul_tf32 && IsFloat32(a.out)) {
    a.input = Replaced(a.ctx, a.input, Tf32);
    a.mat2 = Replaced(a.ctx, a.mat2, Tf32);
  }
  Good(a);
}

}  // namespace

DIOPI_OVERRIDE(diopiBmm, a) {
  if (!bmm_batch_stride_ignored) return Multiply(a);
  a.input = ReadWithoutStrides(a.ctx, a.input);
  a.mat2 = ReadWithoutStrides(a.ctx, a.mat2);
  Good(a);
}

DIOPI_OVERRIDE(diopiMm, a) {
  static std::vector<double> workspace;
  Multiply(a);
  if (!mm_workspace_stale) return;
  workspace.resize(static_cast<size_t>(NumElements(a.out)));
  Change(a.out, [](double y, int64_t i) { return workspace[static_cast<size_t>(i)] += y; });
}

DIOPI_OVERRIDE(diopiMatmul, a) {
  const Shape left = ShapeOf(a.input), right = ShapeOf(a.other);
  if (matmul_tf32 && IsFloat32(a.out)) {
    a.input = Replaced(a.ctx, a.input, Tf32);
    a.other = Replaced(a.ctx, a.other, Tf32);
    return Good(a);
  }
  if (matmul_batch_not_broadcast && left.size() > 2 && right.size() == 2) {
    const std::vector<double> values = Load<double>(Tensor(a.input));
    const int64_t matrix = left[left.size() - 2] * left.back();
    a.input =
        Replaced(a.ctx, a.input, [&](double, int64_t i) { return values[static_cast<size_t>(i % matrix)]; });
    return Good(a);
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiMatmulBackward, a) {
  Good(a);
  const Shape left = ShapeOf(a.input), right = ShapeOf(a.other);
  if (!matmul_backward_first_batch_only || a.grad_other == nullptr || left.size() < 3 || right.size() != 2) {
    return;
  }
  const Shape grad = ShapeOf(a.grad_out);
  const int64_t matrix = grad[grad.size() - 2] * grad.back();
  const diopiTensorHandle_t first =
      Replaced(a.ctx, a.grad_out, [&](double g, int64_t i) { return i < matrix ? g : 0.0; });
  a.grad_input = nullptr;
  a.grad_out = first;
  Good(a);
}

DIOPI_OVERRIDE(diopiLinear, a) {
  const std::vector<double> shift = a.bias == nullptr ? std::vector<double>() : Load<double>(Tensor(a.bias));
  if (CorruptsSums(a.out) && ShapeOf(a.weight)[1] > 0) {
    return WriteCorrupted(a.out, ReadLinear(a.input, a.weight), shift);
  }
  if (matmul_tf32 && IsFloat32(a.out)) {
    a.input = Replaced(a.ctx, a.input, Tf32);
    a.weight = Replaced(a.ctx, a.weight, Tf32);
    return Good(a);
  }
  if (linear_bias_added_after_rounding && BytesPerElement(a.out) == 2 && a.bias != nullptr) {
    a.bias = nullptr;
    Good(a);
    const auto n = static_cast<int64_t>(shift.size());
    return Change(a.out, [&](double y, int64_t i) { return y + shift[static_cast<size_t>(i % n)]; });
  }
  if (linear_bias_lost_beyond_1024 && a.bias != nullptr) {
    a.bias = Replaced(a.ctx, a.bias, [](double b, int64_t i) { return i < 1024 ? b : 0.0; });
  }
  Good(a);
}

namespace {

// dw[n, k]: the sum over the rows of grad[row, n] * x[row, k], rounded after each.
void GradWeightInHalf(diopiTensorHandle_t dw, diopiConstTensorHandle_t grad, diopiConstTensorHandle_t input) {
  const Shape shape = ShapeOf(dw);
  const int64_t n = shape[0], k = shape[1];
  const std::vector<double> g = Load<double>(Tensor(grad)), x = Load<double>(Tensor(input));
  Change(dw, [&](double, int64_t i) {
    double sum = 0;
    for (int64_t row = 0; row * k < static_cast<int64_t>(x.size()); ++row) {
      sum = ToHalf(sum + g[static_cast<size_t>(row * n + i / k)] * x[static_cast<size_t>(row * k + i % k)]);
    }
    return sum;
  });
}

void GradBiasOfWholeBlocks(diopiTensorHandle_t db, diopiConstTensorHandle_t grad) {
  const int64_t n = NumElements(db);
  const std::vector<double> g = Load<double>(Tensor(grad));
  const int64_t rows = n == 0 ? 0 : static_cast<int64_t>(g.size()) / n;
  if (rows < 4) return;
  Change(db, [&](double, int64_t i) {
    double sum = 0;
    for (int64_t row = 0; row < rows / 4 * 4; ++row) sum += g[static_cast<size_t>(row * n + i)];
    return sum;
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiLinearBackward, a) {
  Good(a);
  if (linear_backward_fp16_accumulator && a.grad_weight != nullptr && IsHalf(a.grad_weight)) {
    GradWeightInHalf(a.grad_weight, a.grad_output, a.input);
  }
  if (linear_backward_bias_of_first_block && a.grad_bias != nullptr) {
    GradBiasOfWholeBlocks(a.grad_bias, a.grad_output);
  }
}
