// Bugs planted in sum, mean, max, argmax and cumsum.
#include <cmath>
#include <limits>
#include <numeric>

#include "baselines/mutants/support.h"

using namespace diopi::mutants;  // NOLINT: this file is nothing else

DIOPI_OVERRIDE(diopiSum);
DIOPI_OVERRIDE(diopiMean);
DIOPI_OVERRIDE(diopiMax);
DIOPI_OVERRIDE(diopiMaxAll);
DIOPI_OVERRIDE(diopiArgmax);
DIOPI_OVERRIDE(diopiCumsum);
DIOPI_OVERRIDE(diopiCumsumBackward);

namespace {

PLANT(sum_tail_dropped, 32, "diopiSum", "", "elements after whole vectors of four are left out");
PLANT(sum_fp16_accumulator, 31, "diopiSum", "", "float16 elements are summed in float16");
PLANT(sum_bf16_accumulator_truncates, 0, "diopiSum", "",
      "bfloat16 elements are summed in a bfloat16 accumulator that cuts off");
PLANT(sum_fp32_accumulator_truncates, 0, "diopiSum", "",
      "float32 elements are summed in a float32 accumulator that cuts off");
PLANT(sum_float64_in_fp32, 0, "diopiSum", "", "float64 elements are summed in float32");
PLANT(sum_order_varies, 61, "diopiSum", "", "float32 terms are added in an order that depends on the call");
PLANT(sum_last_dim_only, 0, "diopiSum", "", "of several dimensions only the last one named is reduced");
PLANT(mean_fp16_accumulator, 31, "diopiMean", "", "float16 elements are summed in float16");
PLANT(mean_reciprocal_in_16_bits, 0, "diopiMean", "",
      "16-bit sums are multiplied by a reciprocal of the count that is rounded to the dtype");
PLANT(mean_one_less, 0, "diopiMean", "",
      "float32 and float64 sums over more than 1,000 elements are divided by one less");
PLANT(mean_count_of_first_dim, 0, "diopiMean", "",
      "the sum over several dimensions is divided by the size of the first");
PLANT(mean_scaled_before_sum, 0, "diopiMean", "", "float16 elements are divided before they are summed");
PLANT(mean_strides_ignored, 53, "diopiMean", "", "the input is read as if it were contiguous");
PLANT(max_ignores_nan, 28, "diopiMax diopiMaxAll", "", "NaN is smaller than every number");
PLANT(max_index_of_last_tie, 35, "diopiMax", "", "of equal elements the last is named");
PLANT(max_starts_at_zero, 38, "diopiMax diopiMaxAll", "", "the maximum of floating numbers starts at 0");
PLANT(max_int_through_fp32, 0, "diopiMax", "", "integers are compared and returned as float32");
PLANT(argmax_last_tie, 35, "diopiArgmax", "", "of equal elements the last is named");
PLANT(argmax_block_index, 0, "diopiArgmax", "", "beyond 1,024 elements the index counts in its block");
PLANT(argmax_flat_in_storage_order, 53, "diopiArgmax", "",
      "without a dim the input is read in storage order");
PLANT(argmax_int_through_fp32, 0, "diopiArgmax", "", "integers are compared as float32");
PLANT(argmax_ignores_nan, 28, "diopiArgmax", "", "NaN is smaller than every number");
PLANT(cumsum_carry_lost, 34, "diopiCumsum", "",
      "the last block of 32 does not get the sum of the blocks before it");
PLANT(cumsum_wrong_dim, 0, "diopiCumsum", "", "always along the last dimension");
PLANT(cumsum_fp16_accumulator, 31, "diopiCumsum", "", "float16 elements are summed in float16");
PLANT(cumsum_int_in_32_bits, 0, "diopiCumsum", "", "integers are summed in 32 bits");
PLANT(cumsum_backward_not_reversed, 0, "diopiCumsumBackward", "", "the gradient is summed from the front");

using diopi::ops::Rows;

Rows RowsOf(diopiConstTensorHandle_t input, const diopiSize_t& dim) {
  const Shape shape = ShapeOf(input);
  return diopi::ops::RowsOver(
      shape, diopi::ops::WrapDims(diopi::ops::Sizes(dim), static_cast<int64_t>(shape.size())));
}

std::vector<double> Row(const std::vector<double>& x, const Rows& rows, int64_t row) {
  std::vector<double> elements;
  for (int64_t offset : rows.offset) {
    elements.push_back(x[static_cast<size_t>(rows.base[static_cast<size_t>(row)] + offset)]);
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

// From a starting place that moves with every call, around, in float32.
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

extern "C" diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiSize_t dim) {
  static size_t calls = 0;
  ++calls;
  return After(good_diopiSum(ctx, out, input, dim), __func__, [&] {
    if (sum_tail_dropped && IsFloating(input)) WriteRows(out, input, dim, SumWithoutTail);
    if (sum_fp16_accumulator && IsHalf(input)) {
      WriteRows(out, input, dim,
                [](const std::vector<double>& x) { return NarrowSum(diopi_dtype_float16, x); });
    }
    if ((sum_bf16_accumulator_truncates && IsBfloat16(input)) ||
        (sum_fp32_accumulator_truncates && IsFloat32(input))) {
      const diopiDtype_t dtype = DtypeOf(input);
      WriteRows(out, input, dim, [&](const std::vector<double>& x) { return SumTruncating(dtype, x); });
    }
    if (sum_float64_in_fp32 && DtypeOf(input) == diopi_dtype_float64) {
      WriteRows(out, input, dim,
                [](const std::vector<double>& x) { return NarrowSum(diopi_dtype_float32, x); });
    }
    if (sum_order_varies && IsFloat32(input)) {
      WriteRows(out, input, dim, [&](const std::vector<double>& x) { return SumFrom(x, calls); });
    }
    if (sum_last_dim_only && IsFloating(input) && dim.len > 1) {
      // The other dimensions stand at their first index.
      const Rows last = RowsOf(input, {dim.data + dim.len - 1, 1}), all = RowsOf(input, dim);
      const std::vector<double> x = Load<double>(Tensor(input));
      Change(out, [&](double, int64_t row) {
        double sum = 0;
        const int64_t base = all.base[static_cast<size_t>(row)];
        for (int64_t offset : last.offset) sum += x[static_cast<size_t>(base + offset)];
        return sum;
      });
    }
  });
}

extern "C" diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input, diopiSize_t dim) {
  return Guard(__func__, [&] {
    diopiConstTensorHandle_t x = mean_strides_ignored ? ReadWithoutStrides(ctx, input) : input;
    OrFail(good_diopiMean(ctx, out, x, dim));
    if (mean_fp16_accumulator && IsHalf(input)) {
      WriteRows(out, input, dim, [](const std::vector<double>& row) {
        return NarrowSum(diopi_dtype_float16, row) / static_cast<double>(row.size());
      });
    }
    if (mean_scaled_before_sum && IsHalf(input)) {
      WriteRows(out, input, dim, [](std::vector<double> row) {
        const auto count = static_cast<double>(row.size());
        for (double& e : row) e = ToHalf(e / count);
        return std::accumulate(row.begin(), row.end(), 0.0);
      });
    }
    if (mean_reciprocal_in_16_bits && BytesPerElement(out) == 2) {
      const diopiDtype_t dtype = DtypeOf(out);
      WriteRows(out, input, dim, [&](const std::vector<double>& row) {
        return std::accumulate(row.begin(), row.end(), 0.0) *
               RoundedTo(dtype, 1 / static_cast<double>(row.size()));
      });
    }
    if (mean_one_less && !IsHalf(input) && !IsBfloat16(input)) {
      const auto count = static_cast<double>(RowsOf(input, dim).length());
      if (count > 1000) Change(out, [&](double mean, int64_t) { return mean * count / (count - 1); });
    }
    if (mean_count_of_first_dim && dim.len > 1) {
      const Shape shape = ShapeOf(input);
      const auto rank = static_cast<int64_t>(shape.size());
      const auto first = static_cast<double>(shape[static_cast<size_t>((dim.data[0] + rank) % rank)]);
      const auto count = static_cast<double>(RowsOf(input, dim).length());
      Change(out, [&](double mean, int64_t) { return mean * count / first; });
    }
  });
}

namespace {

// The position of the greatest element by the planted rules of max and argmax.
int64_t SpoiledExtreme(const std::vector<double>& row, bool last_tie, bool drops_nan) {
  int64_t best = 0;
  for (int64_t i = 1; i < static_cast<int64_t>(row.size()); ++i) {
    const double x = row[static_cast<size_t>(i)], top = row[static_cast<size_t>(best)];
    const bool greater = drops_nan ? (std::isnan(top) && !std::isnan(x)) || x > top
                                   : !std::isnan(top) && (x > top || std::isnan(x));
    if (greater || (last_tie && x == top)) best = i;
  }
  return best;
}

void SpoilMax(diopiTensorHandle_t max, diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
              const diopiSize_t& dim) {
  if (max_ignores_nan && IsFloating(input)) {
    WriteRows(max, input, dim, [](const std::vector<double>& row) {
      return row[static_cast<size_t>(SpoiledExtreme(row, false, true))];
    });
    if (indices == nullptr) return;
    WriteRows(indices, input, dim, [](const std::vector<double>& row) {
      return static_cast<double>(SpoiledExtreme(row, false, true));
    });
  }
  if (max_index_of_last_tie && indices != nullptr) {
    WriteRows(indices, input, dim, [](const std::vector<double>& row) {
      return static_cast<double>(SpoiledExtreme(row, true, false));
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

extern "C" diopiError_t diopiMax(diopiContextHandle_t ctx, diopiTensorHandle_t max,
                                 diopiTensorHandle_t max_indices, diopiConstTensorHandle_t input,
                                 int64_t dim) {
  return After(good_diopiMax(ctx, max, max_indices, input, dim), __func__, [&] {
    SpoilMax(max, max_indices, input, {&dim, 1});
  });
}

extern "C" diopiError_t diopiMaxAll(diopiContextHandle_t ctx, diopiTensorHandle_t max,
                                    diopiConstTensorHandle_t input) {
  return After(good_diopiMaxAll(ctx, max, input), __func__, [&] {
    SpoilMax(max, nullptr, input, {nullptr, 0});
  });
}

extern "C" diopiError_t diopiArgmax(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                    diopiConstTensorHandle_t input, const int64_t* dim, bool keepdim) {
  return Guard(__func__, [&] {
    diopiConstTensorHandle_t x = input;
    if (argmax_flat_in_storage_order && dim == nullptr) x = ReadWithoutStrides(ctx, input);
    OrFail(good_diopiArgmax(ctx, out, x, dim, keepdim));
    if ((argmax_last_tie || (argmax_ignores_nan && IsFloating(input))) && NumElements(out) > 0) {
      WriteRows(
          out, input, dim == nullptr ? diopiSize_t{nullptr, 0} : diopiSize_t{dim, 1},
          [](const std::vector<double>& row) {
            return static_cast<double>(SpoiledExtreme(row, bool{argmax_last_tie}, bool{argmax_ignores_nan}));
          });
    }
    if (argmax_int_through_fp32 && IsInteger(input) && NumElements(out) > 0) {
      WriteRows(out, input, dim == nullptr ? diopiSize_t{nullptr, 0} : diopiSize_t{dim, 1},
                [](std::vector<double> row) {
                  for (double& e : row) e = RoundedTo(diopi_dtype_float32, e);
                  return static_cast<double>(SpoiledExtreme(row, false, false));
                });
    }
    if (argmax_block_index) {
      Change(out, [](double index, int64_t) { return std::fmod(index, 1024.0); });
    }
  });
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

extern "C" diopiError_t diopiCumsum(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                    diopiConstTensorHandle_t input, int64_t dim) {
  return After(good_diopiCumsum(ctx, out, input, cumsum_wrong_dim ? -1 : dim), __func__, [&] {
    if (cumsum_carry_lost && IsFloating(input) && NumElements(out) > 0) LoseCarry(out, dim);
    if (cumsum_int_in_32_bits && IsInteger(out)) {
      std::vector<int64_t> sums = Load<int64_t>(Tensor(out));
      for (int64_t& sum : sums) sum = static_cast<int32_t>(static_cast<uint32_t>(sum));
      Store(Tensor(out), sums);
    }
    if (cumsum_fp16_accumulator && IsHalf(input)) CumsumInHalf(out, input, dim);
  });
}

extern "C" diopiError_t diopiCumsumBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiConstTensorHandle_t grad_output, int64_t dim) {
  if (cumsum_backward_not_reversed) return good_diopiCumsum(ctx, grad_input, grad_output, dim);
  return good_diopiCumsumBackward(ctx, grad_input, grad_output, dim);
}
