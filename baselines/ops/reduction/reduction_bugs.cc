// Bugs injected in sum, mean, max, argmax and cumsum.
#include <cmath>
#include <limits>
#include <numeric>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(sum_tail_dropped, 32, "diopiSum", "", "elements after whole vectors of four are left out");
BUG(sum_fp16_accumulator, 31, "diopiSum", "", "float16 elements are summed in float16");
BUG(sum_bf16_accumulator_truncates, 0, "diopiSum", "",
    "bfloat16 elements are summed in a bfloat16 accumulator that cuts off");
BUG(sum_fp32_accumulator_truncates, 0, "diopiSum", "",
    "float32 elements are summed in a float32 accumulator that cuts off");
BUG(sum_float64_in_fp32, 0, "diopiSum", "", "float64 elements are summed in float32");
BUG(sum_order_varies, 61, "diopiSum", "", "float32 terms are added in an order that depends on the call");
BUG(sum_last_dim_only, 0, "diopiSum", "", "of several dimensions only the last one named is reduced");
BUG(mean_fp16_accumulator, 31, "diopiMean", "", "float16 elements are summed in float16");
BUG(mean_reciprocal_in_16_bits, 0, "diopiMean", "",
    "16-bit sums are multiplied by a reciprocal of the count that is rounded to the dtype");
BUG(mean_one_less, 0, "diopiMean", "",
    "float32 and float64 sums over more than 1,000 elements are divided by one less");
BUG(mean_count_of_first_dim, 0, "diopiMean", "",
    "the sum over several dimensions is divided by the size of the first");
BUG(mean_scaled_before_sum, 0, "diopiMean", "", "float16 elements are divided before they are summed");
BUG(mean_strides_ignored, 53, "diopiMean", "", "the input is read as if it were contiguous");
BUG(max_ignores_nan, 28, "diopiMax diopiMaxAll", "", "NaN is smaller than every number");
BUG(max_index_of_last_tie, 35, "diopiMax", "", "of equal elements the last is named");
BUG(max_starts_at_zero, 38, "diopiMax diopiMaxAll", "", "the maximum of floating numbers starts at 0");
BUG(max_int_through_fp32, 0, "diopiMax", "", "integers are compared and returned as float32");
BUG(argmax_last_tie, 35, "diopiArgmax", "", "of equal elements the last is named");
BUG(argmax_block_index, 0, "diopiArgmax", "", "beyond 1,024 elements the index counts in its block");
BUG(argmax_flat_in_storage_order, 53, "diopiArgmax", "", "without a dim the input is read in storage order");
BUG(argmax_int_through_fp32, 0, "diopiArgmax", "", "integers are compared as float32");
BUG(argmax_ignores_nan, 28, "diopiArgmax", "", "NaN is smaller than every number");
BUG(cumsum_carry_lost, 34, "diopiCumsum", "",
    "the last block of 32 does not get the sum of the blocks before it");
BUG(cumsum_wrong_dim, 0, "diopiCumsum", "", "always along the last dimension");
BUG(cumsum_fp16_accumulator, 31, "diopiCumsum", "", "float16 elements are summed in float16");
BUG(cumsum_int_in_32_bits, 0, "diopiCumsum", "", "integers are summed in 32 bits");
BUG(cumsum_backward_not_reversed, 0, "diopiCumsumBackward", "", "the gradient is summed from the front");

using diopi::ops::Rows;

Rows RowsOf(diopiConstTensorHandle_t input, const diopiSize_t& dim) {
  const Shape shape = ShapeOf(input);
  return diopi::ops::RowsOver(
      shape, diopi::ops::WrapDims(diopi::ops::Sizes(dim), static_cast<int64_t>(shape.size())));
}

std::vector<double> Row(const std::vector<double>& x, const Rows& rows, int64_t row) {
  std::vector<double> elements(rows.offset.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = x[static_cast<size_t>(rows.base[static_cast<size_t>(row)] + rows.offset[i])];
  }
  return elements;
}

// out[row] = f(the elements of the row).
template <typename F>
void WriteRows(diopiTensorHandle_t out, diopiConstTensorHandle_t input, const diopiSize_t& dim, F&& f) {
  const Rows rows = RowsOf(input, dim);
  const std::vector<double> x = Load<double>(Tensor(input));
  Change(out, [&](double, int64_t row) { return f(Row(x, rows, row)); });
}

double SumTruncating(diopiDtype_t dtype, const std::vector<double>& values) {
  double sum = 0;
  for (double x : values) sum = TruncatedTo(dtype, sum + x);
  return sum;
}

// Sums cyclically from a start that moves with every call, in float32.
double SumFrom(const std::vector<double>& values, size_t call) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum = RoundedTo(diopi_dtype_float32, sum + values[(i + call * 7) % values.size()]);
  }
  return sum;
}

double SumWithoutTail(std::vector<double> values) {
  if (values.size() > 4) values.resize(values.size() / 4 * 4);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

DIOPI_OVERRIDE(diopiSum, a) {
  static size_t calls = 0;
  ++calls;
  Good(a);
  if (sum_tail_dropped && IsFloating(a.input)) WriteRows(a.out, a.input, a.dim, SumWithoutTail);
  if (sum_fp16_accumulator && IsHalf(a.input)) {
    WriteRows(a.out, a.input, a.dim,
              [](const std::vector<double>& x) { return NarrowSum(diopi_dtype_float16, x); });
  }
  if ((sum_bf16_accumulator_truncates && IsBfloat16(a.input)) ||
      (sum_fp32_accumulator_truncates && IsFloat32(a.input))) {
    const diopiDtype_t dtype = DtypeOf(a.input);
    WriteRows(a.out, a.input, a.dim, [&](const std::vector<double>& x) { return SumTruncating(dtype, x); });
  }
  if (sum_float64_in_fp32 && DtypeOf(a.input) == diopi_dtype_float64) {
    WriteRows(a.out, a.input, a.dim,
              [](const std::vector<double>& x) { return NarrowSum(diopi_dtype_float32, x); });
  }
  if (sum_order_varies && IsFloat32(a.input)) {
    WriteRows(a.out, a.input, a.dim, [&](const std::vector<double>& x) { return SumFrom(x, calls); });
  }
  if (sum_last_dim_only && IsFloating(a.input) && a.dim.len > 1) {
    // The other dimensions stand at their first index.
    const Rows last = RowsOf(a.input, {a.dim.data + a.dim.len - 1, 1}), all = RowsOf(a.input, a.dim);
    const std::vector<double> x = Load<double>(Tensor(a.input));
    Change(a.out, [&](double, int64_t row) {
      double sum = 0;
      const int64_t base = all.base[static_cast<size_t>(row)];
      for (int64_t offset : last.offset) sum += x[static_cast<size_t>(base + offset)];
      return sum;
    });
  }
}

DIOPI_OVERRIDE(diopiMean, a) {
  diopiConstTensorHandle_t x = mean_strides_ignored ? ReadWithoutStrides(a.ctx, a.input) : a.input;
  a.input = x;
  Good(a);
  if (mean_fp16_accumulator && IsHalf(a.input)) {
    WriteRows(a.out, a.input, a.dim, [](const std::vector<double>& row) {
      return NarrowSum(diopi_dtype_float16, row) / static_cast<double>(row.size());
    });
  }
  if (mean_scaled_before_sum && IsHalf(a.input)) {
    WriteRows(a.out, a.input, a.dim, [](std::vector<double> row) {
      const auto count = static_cast<double>(row.size());
      for (double& e : row) e = ToHalf(e / count);
      return std::accumulate(row.begin(), row.end(), 0.0);
    });
  }
  if (mean_reciprocal_in_16_bits && BytesPerElement(a.out) == 2) {
    const diopiDtype_t dtype = DtypeOf(a.out);
    WriteRows(a.out, a.input, a.dim, [&](const std::vector<double>& row) {
      return std::accumulate(row.begin(), row.end(), 0.0) *
             RoundedTo(dtype, 1 / static_cast<double>(row.size()));
    });
  }
  if (mean_one_less && !IsHalf(a.input) && !IsBfloat16(a.input)) {
    const auto count = static_cast<double>(RowsOf(a.input, a.dim).length());
    if (count > 1000) Change(a.out, [&](double mean, int64_t) { return mean * count / (count - 1); });
  }
  if (mean_count_of_first_dim && a.dim.len > 1) {
    const Shape shape = ShapeOf(a.input);
    const auto rank = static_cast<int64_t>(shape.size());
    const auto first = static_cast<double>(shape[static_cast<size_t>((a.dim.data[0] + rank) % rank)]);
    const auto count = static_cast<double>(RowsOf(a.input, a.dim).length());
    Change(a.out, [&](double mean, int64_t) { return mean * count / first; });
  }
}

namespace {

// The position of the greatest element by the injected rules of max and argmax.
int64_t CorruptedExtreme(const std::vector<double>& row, bool last_tie, bool drops_nan) {
  int64_t best = 0;
  for (int64_t i = 1; i < static_cast<int64_t>(row.size()); ++i) {
    const double x = row[static_cast<size_t>(i)], top = row[static_cast<size_t>(best)];
    const bool greater = drops_nan ? (std::isnan(top) && !std::isnan(x)) || x > top
                                   : !std::isnan(top) && (x > top || std::isnan(x));
    if (greater || (last_tie && x == top)) best = i;
  }
  return best;
}

void CorruptMax(diopiTensorHandle_t max, diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                const diopiSize_t& dim) {
  if (max_ignores_nan && IsFloating(input)) {
    WriteRows(max, input, dim, [](const std::vector<double>& row) {
      return row[static_cast<size_t>(CorruptedExtreme(row, false, true))];
    });
    if (indices == nullptr) return;
    WriteRows(indices, input, dim, [](const std::vector<double>& row) {
      return static_cast<double>(CorruptedExtreme(row, false, true));
    });
  }
  if (max_index_of_last_tie && indices != nullptr) {
    WriteRows(indices, input, dim, [](const std::vector<double>& row) {
      return static_cast<double>(CorruptedExtreme(row, true, false));
    });
  }
  if (max_starts_at_zero && IsFloating(input)) {
    Change(max, [](double x, int64_t) { return x < 0 ? 0.0 : x; });
  }
  if (max_int_through_fp32 && IsInteger(input)) {
    Change(max, [](double x, int64_t) { return static_cast<double>(static_cast<float>(x)); });
  }
}

}  // namespace

DIOPI_OVERRIDE(diopiMax, a) {
  Good(a);
  CorruptMax(a.max, a.max_indices, a.input, {&a.dim, 1});
}

DIOPI_OVERRIDE(diopiMaxAll, a) {
  Good(a);
  CorruptMax(a.max, nullptr, a.input, {nullptr, 0});
}

DIOPI_OVERRIDE(diopiArgmax, a) {
  diopiConstTensorHandle_t x = a.input;
  if (argmax_flat_in_storage_order && a.dim == nullptr) x = ReadWithoutStrides(a.ctx, a.input);
  a.input = x;
  Good(a);
  if ((argmax_last_tie || (argmax_ignores_nan && IsFloating(a.input))) && NumElements(a.out) > 0) {
    WriteRows(
        a.out, a.input, a.dim == nullptr ? diopiSize_t{nullptr, 0} : diopiSize_t{a.dim, 1},
        [](const std::vector<double>& row) {
          return static_cast<double>(CorruptedExtreme(row, bool{argmax_last_tie}, bool{argmax_ignores_nan}));
        });
  }
  if (argmax_int_through_fp32 && IsInteger(a.input) && NumElements(a.out) > 0) {
    WriteRows(a.out, a.input, a.dim == nullptr ? diopiSize_t{nullptr, 0} : diopiSize_t{a.dim, 1},
              [](std::vector<double> row) {
                for (double& e : row) e = RoundedTo(diopi_dtype_float32, e);
                return static_cast<double>(CorruptedExtreme(row, false, false));
              });
  }
  if (argmax_block_index) {
    Change(a.out, [](double index, int64_t) { return std::fmod(index, 1024.0); });
  }
}

namespace {

// The good lines, where elements from the start of the last block of 32 on lack what came before it.
void LoseCarry(diopiTensorHandle_t out, int64_t dim) {
  const Shape shape = ShapeOf(out);
  const diopi::ops::Axis axis =
      diopi::ops::SplitAxis(shape, diopi::ops::WrapDim(dim, static_cast<int64_t>(shape.size())));
  const int64_t start = (axis.size - 1) / 32 * 32;
  if (start == 0) return;
  const std::vector<double> good = Load<double>(Tensor(out));
  Change(out, [&](double sum, int64_t at) {
    const int64_t i = at / axis.inner % axis.size;
    return i < start ? sum : sum - good[static_cast<size_t>(at - (i - start + 1) * axis.inner)];
  });
}

void CumsumInHalf(diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim) {
  const Shape shape = ShapeOf(out);
  const diopi::ops::Axis axis =
      diopi::ops::SplitAxis(shape, diopi::ops::WrapDim(dim, static_cast<int64_t>(shape.size())));
  std::vector<double> x = Load<double>(Tensor(input));
  for (size_t at = 0; at < x.size(); ++at) {
    const int64_t i = static_cast<int64_t>(at) / axis.inner % axis.size;
    if (i > 0) x[at] = ToHalf(x[at] + x[at - static_cast<size_t>(axis.inner)]);
  }
  Store(Tensor(out), x);
}

}  // namespace

DIOPI_OVERRIDE(diopiCumsum, a) {
  a.dim = cumsum_wrong_dim ? -1 : a.dim;
  Good(a);
  if (cumsum_carry_lost && IsFloating(a.input) && NumElements(a.out) > 0) LoseCarry(a.out, a.dim);
  if (cumsum_int_in_32_bits && IsInteger(a.out)) {
    std::vector<int64_t> sums = Load<int64_t>(Tensor(a.out));
    for (int64_t& sum : sums) sum = static_cast<int32_t>(static_cast<uint32_t>(sum));
    Store(Tensor(a.out), sums);
  }
  if (cumsum_fp16_accumulator && IsHalf(a.input)) CumsumInHalf(a.out, a.input, a.dim);
}

DIOPI_OVERRIDE(diopiCumsumBackward, a) {
  if (cumsum_backward_not_reversed) return Good(diopiCumsumArgs{a.ctx, a.grad_input, a.grad_output, a.dim});
  Good(a);
}
