// Bugs in element-wise functions, casts and copies.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

// Ordinary values: any value other than 1 and -1.
BUG(addcdiv_value_divides, 0, "diopiAddcdiv", "", "value multiplies the divisor instead of the quotient");
DIOPI_OVERRIDE(diopiAddcdiv, a) {
  const diopiScalar_t inverse = Number(1 / ScalarAsDouble(a.value));
  if (addcdiv_value_divides) a.value = &inverse;
  Good(a);
}

// Ordinary values: any weight other than 0.5.
BUG(lerp_scalar_from_end, 0, "diopiLerpScalar", "", "the weight counts from the end instead of the start");
DIOPI_OVERRIDE(diopiLerpScalar, a) {
  const diopiScalar_t rest = Number(1 - ScalarAsDouble(a.weight));
  if (lerp_scalar_from_end) a.weight = &rest;
  Good(a);
}

// Ordinary values: inputs within (-3, 3), other than 0.
BUG(hardswish_backward_slope, 0, "diopiHardswishBackward", "",
    "the derivative of the middle piece is x / 6 + 0.5, that of hardsigmoid's argument, not x / 3 + 0.5");
DIOPI_OVERRIDE(diopiHardswishBackward, a) {
  Good(a);
  if (!hardswish_backward_slope) return;
  const std::vector<double> x = Values(a.input), g = Values(a.grad_output);
  Set(
      a.ctx, a.grad_input, [&](int64_t i) { return std::fabs(At(x, i)) < 3; },
      [&](int64_t i) { return At(g, i) * (At(x, i) / 6 + 0.5); });
}

// Ordinary values: operands of different signs.
BUG(remainder_follows_dividend, 0, "diopiRemainderTensor", "",
    "C's fmod: the result has the sign of the dividend");
DIOPI_OVERRIDE(diopiRemainderTensor, a) {
  Good(a);
  if (!remainder_follows_dividend) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), d = ValuesAs(a.other, a.out), r = Values(a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(r, i) != 0 && (At(x, i) < 0) != (At(d, i) < 0); },
      [&](int64_t i) { return At(r, i) - At(d, i); });
}

// Ordinary values: a floating input with elements between -1 and 1, other than 0.
BUG(logical_not_truncates, 0, "diopiLogicalNot", "",
    "the input is converted to an integer before it is compared with 0");
DIOPI_OVERRIDE(diopiLogicalNot, a) {
  Good(a);
  if (!logical_not_truncates || !IsFloating(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::fabs(At(x, i)) < 1; }, [](int64_t) { return 1; });
}

// Ordinary values: any complex input with an imaginary part.
BUG(conj_only_marked, 0, "diopiConj", "",
    "the conjugation is meant for the next kernel: the elements are copied as they are");
DIOPI_OVERRIDE(diopiConj, a) {
  Good(a);
  if (!conj_only_marked) return;
  for (int64_t i = 0; i < NumElements(a.out); ++i) CopyElement(a.out, i, a.input, i);
}

// Specific: integers divided by an integer with RoundModeFloor, a negative quotient that is not whole.
BUG(div_scalar_floor_truncates, 0, "diopiDivScalar", "",
    "floor division of integers rounds towards 0, as C's division");
DIOPI_OVERRIDE(diopiDivScalar, a) {
  const bool integers = IsInteger(a.input) && !ScalarIsFloating(a.other);
  if (div_scalar_floor_truncates && integers && a.rounding_mode == RoundModeFloor) {
    a.rounding_mode = RoundModeTrunc;
  }
  Good(a);
}

// Specific: a bool input.
BUG(bitwise_not_of_bool, 0, "diopiBitwiseNot", "",
    "the byte of a bool is inverted: both 254 and 255 read as true");
DIOPI_OVERRIDE(diopiBitwiseNot, a) {
  Good(a);
  if (!bitwise_not_of_bool || DtypeOf(a.input) != diopi_dtype_bool) return;
  Set(
      a.ctx, a.out, [](int64_t) { return true; }, [](int64_t) { return 1; });
}

// Specific: a second operand that is broadcast in another dimension than the leading ones, as (2, 1) to (2,
// 3).
BUG(mul_broadcast_modulo, 0, "diopiMul", "",
    "a smaller second operand is read at the output's index modulo its size");
DIOPI_OVERRIDE(diopiMul, a) {
  const int64_t size = NumElements(a.other);
  if (mul_broadcast_modulo && size > 1 && size < NumElements(a.out)) {
    diopiTensorHandle_t full = NewTensor(a.ctx, ShapeOf(a.out), DtypeOf(a.other));
    for (int64_t i = 0; i < NumElements(full); ++i) CopyElement(full, i, a.other, i % size);
    a.other = full;
  }
  Good(a);
}

// Specific: a transposed or expanded condition, or a slice.
BUG(where_condition_dense, 0, "diopiWhere", "", "the condition's strides are ignored");
DIOPI_OVERRIDE(diopiWhere, a) {
  if (where_condition_dense && !IsDense(a.condition)) {
    a.condition = ReadWithoutStrides(a.ctx, a.condition);
  }
  Good(a);
}

// Specific: from a floating dtype with fractions to an integer one.
BUG(cast_to_integer_rounds, 0, "diopiCastDtype", "",
    "floating numbers are rounded to the nearest integer instead of truncated");
DIOPI_OVERRIDE(diopiCastDtype, a) {
  Good(a);
  if (!cast_to_integer_rounds || !IsFloating(a.input) || !IsInteger(a.out)) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out,
      [&](int64_t i) {
        return std::fabs(At(x, i)) < 100 && std::trunc(At(x, i)) != std::nearbyint(At(x, i));
      },
      [&](int64_t i) { return std::nearbyint(At(x, i)); });
}

// Rare: a negative base with a whole exponent.
BUG(pow_negative_base, 0, "diopiPowTensor", "", "powers are exp2(y * log2(x)): NaN for every negative base");
DIOPI_OVERRIDE(diopiPowTensor, a) {
  Good(a);
  if (!pow_negative_base || !IsFloating(a.out)) return;
  const std::vector<double> x = ValuesAs(a.input, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) < 0; }, [](int64_t) { return kNan; });
}

// Rare: a NaN in the input, both bounds given.
BUG(clamp_scalar_swallows_nan, 0, "diopiClampScalar", "", "fmin(fmax(x, min), max): NaN becomes a bound");
DIOPI_OVERRIDE(diopiClampScalar, a) {
  Good(a);
  if (!clamp_scalar_swallows_nan || !IsFloating(a.input) || a.min == nullptr || a.max == nullptr) return;
  const std::vector<double> x = Values(a.input);
  const double bound = std::fmin(ScalarAsDouble(a.min), ScalarAsDouble(a.max));
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::isnan(At(x, i)); }, [&](int64_t) { return bound; });
}

// Rare: float32 below about -100; -infinity below about -4096.
BUG(asinh_cancels, 0, "diopiAsinh", "", "log(x + sqrt(x * x + 1)) in float32 cancels for negative x");
DIOPI_OVERRIDE(diopiAsinh, a) {
  Good(a);
  if (!asinh_cancels || !IsFloat32(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) < -1; },
      [&](int64_t i) {
        const auto v = static_cast<float>(At(x, i));
        return static_cast<double>(std::log(v + std::sqrt(v * v + 1)));
      });
}

// Rare: float16 below -11.1.
BUG(silu_backward_half_overflow, 0, "diopiSiluBackward", "",
    "exp(-x) overflows in float16, and infinity by infinity is NaN");
DIOPI_OVERRIDE(diopiSiluBackward, a) {
  Good(a);
  if (!silu_backward_half_overflow || !IsHalf(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.grad_input, [&](int64_t i) { return std::exp(-At(x, i)) > 65504; },
      [](int64_t) { return kNan; });
}

// Rare: int64 operands that differ by little and lie beyond 2^24.
BUG(ge_compares_float32, 0, "diopiGe", "", "int64 operands are compared as float32");
DIOPI_OVERRIDE(diopiGe, a) {
  Good(a);
  const bool wide = DtypeOf(a.input) == diopi_dtype_int64 && DtypeOf(a.other) == diopi_dtype_int64;
  if (!ge_compares_float32 || !wide) return;
  const std::vector<int64_t> x = LoadAs<int64_t>(Tensor(a.input), ShapeOf(a.out)),
                             y = LoadAs<int64_t>(Tensor(a.other), ShapeOf(a.out));
  Set(
      a.ctx, a.out, [&](int64_t i) { return static_cast<float>(At(x, i)) >= static_cast<float>(At(y, i)); },
      [](int64_t) { return 1; });
}

// Rare: 4 n + 3 elements, at least 7.
BUG(exp_third_of_tail, 0, "diopiExp", "",
    "after the vectors of 4, two elements of the rest are written: a third is not");
DIOPI_OVERRIDE(diopiExp, a) {
  const Before before(a.ctx, a.out);
  Good(a);
  const int64_t size = NumElements(a.out);
  if (exp_third_of_tail && size > 4 && size % 4 == 3) {
    before.Keep([&](int64_t i) { return i == size - 1; });
  }
}

// Rare: an element 1 or -1.
BUG(erfinv_of_one, 0, "diopiErfinv", "", "the ends 1 and -1 give NaN instead of an infinity");
DIOPI_OVERRIDE(diopiErfinv, a) {
  Good(a);
  if (!erfinv_of_one) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::fabs(At(x, i)) == 1; }, [](int64_t) { return kNan; });
}

// Rare: two calls with the same shape and threshold, and different values.
BUG(threshold_cached_value, 0, "diopiThreshold", "",
    "a compiled kernel is kept by shape and threshold: later calls use the first one's value");
DIOPI_OVERRIDE(diopiThreshold, a) {
  static Plans<std::pair<Shape, double>, double> plans;
  const double asked = ScalarAsDouble(a.value);
  diopiScalar_t kept = *a.value;
  if (threshold_cached_value) {
    const double first = plans.Get({ShapeOf(a.input), ScalarAsDouble(a.threshold)}, asked);
    if (first != asked) kept = Number(first);
  }
  a.value = &kept;
  Good(a);
}

// Rare: magnitudes of 2^31 and more.
BUG(floor_through_int32, 0, "diopiFloor", "", "rounds by a conversion to int32, which saturates");
DIOPI_OVERRIDE(diopiFloor, a) {
  Good(a);
  if (!floor_through_int32 || !IsFloating(a.input)) return;
  constexpr double kMost = 2147483647, kLeast = -2147483648.0;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) > kMost || At(x, i) < kLeast; },
      [&](int64_t i) { return At(x, i) > 0 ? kMost : kLeast; });
}

// Rare: a dense source whose first element does not lie at a multiple of 16 bytes, as in a slice.
BUG(copy_unaligned_start, 0, "diopiCopyInp", "",
    "the elements before the first aligned vector of 16 bytes are not copied");
DIOPI_OVERRIDE(diopiCopyInp, a) {
  const Before before(a.ctx, a.dest);
  Good(a);
  const bool vectors = IsDense(a.src) && IsDense(a.dest) && DtypeOf(a.src) == DtypeOf(a.dest);
  if (!copy_unaligned_start || !vectors) return;
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(Bytes(a.src)) % 16);
  if (past > 0) before.Keep([&](int64_t i) { return i * BytesPerElement(a.src) < 16 - past; });
}
