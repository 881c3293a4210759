// Bugs injected in norm and std.
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

using diopi::ops::Rows;
using diopi::ops::RowsOver;
using diopi::ops::ScalarAsDouble;
using diopi::ops::Sizes;
using diopi::ops::WrapDims;

BUG(norm_fp16_squares, 33, "diopiNorm", "", "float16 elements are squared in float16");
BUG(norm_p_ignored, 0, "diopiNorm", "", "p is taken as 2");
BUG(norm_first_dim_only, 0, "diopiNorm", "",
    "of several dimensions the first is reduced, at position 0 of the others");
BUG(norm_inf_of_values, 0, "diopiNorm", "", "p inf is the largest value, not the largest magnitude");
BUG(norm_odd_p_signed, 0, "diopiNorm", "", "p 3 sums the cubes with their signs");
BUG(norm_backward_nan_at_zero, 0, "diopiNormBackward", "", "the gradient divides by a norm of 0");
BUG(norm_backward_p_ignored, 0, "diopiNormBackward", "", "the gradient takes p as 2");
BUG(std_unbiased_ignored, 50, "diopiStd", "", "the divisor is the count, whatever correction says");
BUG(std_correction_is_flag, 0, "diopiStd", "", "a correction above 1 is taken as 1");
BUG(std_one_pass, 16, "diopiStd", "", "the variance is E[x^2] - E[x]^2");

// out[i] = f(elements of row i of `input` over `dim`).
template <typename F>
void EachRow(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiSize_t dim, F&& f) {
  const std::vector<double> x = Load<double>(Tensor(input));
  const Rows rows =
      RowsOver(ShapeOf(input), WrapDims(Sizes(dim), static_cast<int64_t>(ShapeOf(input).size())));
  std::vector<double> results;
  for (const int64_t base : rows.base) {
    std::vector<double> row(rows.offset.size());
    for (size_t i = 0; i < row.size(); ++i) row[i] = x[static_cast<size_t>(base + rows.offset[i])];
    results.push_back(f(row));
  }
  Store(Tensor(out), results);
}

// The squares are rounded to float16, their sum is not.
double NormOfHalfSquares(const std::vector<double>& row) {
  double sum = 0;
  for (double x : row) sum += ToHalf(x * x);
  return std::sqrt(sum);
}

double LargestValue(const std::vector<double>& row) {
  double largest = -std::numeric_limits<double>::infinity();
  for (double x : row) largest = x > largest || std::isnan(x) ? x : largest;
  return largest;
}

double CubeRootOfSignedCubes(const std::vector<double>& row) {
  double sum = 0;
  for (double x : row) sum += x * x * x;
  return std::cbrt(std::fabs(sum));
}

// Both sums in `dtype`'s compute type; a negative difference counts as 0.
template <typename C>
double OnePassStd(const std::vector<double>& row, double correction) {
  C sum = 0, squares = 0;
  for (double value : row) {
    const C x = static_cast<C>(value);
    sum += x;
    squares += x * x;
  }
  const C n = static_cast<C>(row.size());
  const C variance = (squares - sum * sum / n) / (n - static_cast<C>(correction));
  return static_cast<double>(std::sqrt(variance < 0 ? C(0) : variance));
}

// The first position of every dimension of `dim` but the first one.
diopiTensorHandle_t Narrowed(diopiContextHandle_t ctx, diopiConstTensorHandle_t input, diopiSize_t dim) {
  const Shape shape = ShapeOf(input);
  Shape dims = Sizes(dim);
  for (int64_t& d : dims) d = diopi::ops::WrapDim(d, static_cast<int64_t>(shape.size()));
  Shape narrow = shape;
  for (size_t i = 1; i < dims.size(); ++i) narrow[static_cast<size_t>(dims[i])] = 1;
  const std::vector<double> x = Load<double>(Tensor(input));
  const Shape strides = diopi::ops::DenseStrides(shape);
  std::vector<double> kept(static_cast<size_t>(diopi::ops::Numel(narrow)));
  for (size_t i = 0; i < kept.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), from = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= narrow[d]) from += rest % narrow[d] * strides[d];
    kept[i] = x[static_cast<size_t>(from)];
  }
  const diopiTensorHandle_t result = NewTensor(ctx, narrow, DtypeOf(input));
  Store(Tensor(result), kept);
  return result;
}

diopiScalar_t Number(double x) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_float64;
  scalar.fval = x;
  return scalar;
}

}  // namespace

DIOPI_OVERRIDE(diopiNorm, a) {
  const diopiScalar_t two = Number(2);
  auto changed = a;
  changed.p = norm_p_ignored ? &two : a.p;
  Good(changed);
  const double power = ScalarAsDouble(a.p);
  if (norm_fp16_squares && IsHalf(a.input) && power == 2) EachRow(a.out, a.input, a.dim, NormOfHalfSquares);
  if (norm_inf_of_values && power > 0 && std::isinf(power)) EachRow(a.out, a.input, a.dim, LargestValue);
  if (norm_odd_p_signed && power == 3) EachRow(a.out, a.input, a.dim, CubeRootOfSignedCubes);
  if (norm_first_dim_only && a.dim.len > 1) {
    a.input = Narrowed(a.ctx, a.input, a.dim);
    Good(a);
  }
}

DIOPI_OVERRIDE(diopiNormBackward, a) {
  const diopiScalar_t two = Number(2);
  auto changed = a;
  changed.p = norm_backward_p_ignored ? &two : a.p;
  Good(changed);
  if (!norm_backward_nan_at_zero || ScalarAsDouble(a.p) != 2) return;
  const Rows rows = RowsOver(ShapeOf(a.self), WrapDims(Sizes(a.dim), Tensor(a.self).rank()));
  const std::vector<double> x = Load<double>(Tensor(a.self)), n = Load<double>(Tensor(a.norm)),
                            g = Load<double>(Tensor(a.grad_output));
  std::vector<double> dx(x.size());
  for (size_t row = 0; row < rows.base.size(); ++row) {
    for (const int64_t offset : rows.offset) {
      const size_t i = static_cast<size_t>(rows.base[row] + offset);
      dx[i] = x[i] * (g[row] / n[row]);
    }
  }
  Store(Tensor(a.grad_input), dx);
}

DIOPI_OVERRIDE(diopiStd, a) {
  const double asked = a.correction == nullptr ? 1 : ScalarAsDouble(a.correction);
  const diopiScalar_t taken = Number(std_unbiased_ignored     ? 0
                                     : std_correction_is_flag ? std::min(asked, 1.0)
                                                              : asked);
  if (!std_one_pass) {
    a.correction = &taken;
    return Good(a);
  }
  EachRow(a.out, a.input, a.dim, [&](const std::vector<double>& row) {
    return DtypeOf(a.input) == diopi_dtype_float64 ? OnePassStd<double>(row, asked)
                                                   : OnePassStd<float>(row, asked);
  });
}
