// Bugs in functions that work element by element.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

BUG(add_scalar_int_through_fp32, 0, "diopiAddScalar", "", "of integers, alpha * other is a float32 product");
DIOPI_OVERRIDE(diopiAddScalar, a) {
  diopiScalar_t product = *a.other, one = *a.alpha;
  if (add_scalar_int_through_fp32 && IsInteger(a.input) && !ScalarIsFloating(a.other) &&
      !ScalarIsFloating(a.alpha)) {
    product.ival =
        static_cast<int64_t>(static_cast<float>(a.other->ival) * static_cast<float>(a.alpha->ival));
    one.ival = 1;
    a.other = &product;
    a.alpha = &one;
  }
  Good(a);
}

BUG(sub_outer_row_repeated, 0, "diopiSub", "",
    "an input of one row is subtracted from in its first row only; the other rows repeat it");
DIOPI_OVERRIDE(diopiSub, a) {
  Good(a);
  const Shape x = ShapeOf(a.input), out = ShapeOf(a.out);
  if (!sub_outer_row_repeated || x.size() != out.size() || x.size() < 2 || x[0] != 1 || out[0] < 2) return;
  const int64_t row = NumElements(a.out) / out[0];
  for (int64_t i = row; i < NumElements(a.out); ++i) CopyElement(a.out, i, a.out, i % row);
}

BUG(mul_inplace_column_one_warp, 0, "diopiMulInp", "",
    "a column is multiplied into the first 32 columns only");
DIOPI_OVERRIDE(diopiMulInp, a) {
  const bool column = mul_inplace_column_one_warp && Rank(a.other) > 0 && Rank(a.input) > 1 &&
                      Length(a.other, -1) == 1 && Length(a.input, -1) > 32;
  if (!column) return Good(a);
  const Before before(a.ctx, a.input);
  Good(a);
  before.Keep([&](int64_t i) { return Coordinate(a.input, i, -1) >= 32; });
}

BUG(div_floor_exact_negative, 0, "diopiDiv", "",
    "the floor of a negative quotient is the truncated one less 1, also where it is a whole number");
DIOPI_OVERRIDE(diopiDiv, a) {
  Good(a);
  if (!div_floor_exact_negative || a.rounding_mode != RoundModeFloor || !IsFloating(a.out)) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), y = ValuesAs(a.other, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) / At(y, i) < 0 && std::fmod(At(x, i), At(y, i)) == 0; },
      [&](int64_t i) { return At(x, i) / At(y, i) - 1; });
}

BUG(div_scalar_uint8_signed, 0, "diopiDivScalar", "",
    "uint8 elements from 128 on are negative where the quotient is rounded");
DIOPI_OVERRIDE(diopiDivScalar, a) {
  Good(a);
  if (!div_scalar_uint8_signed || DtypeOf(a.input) != diopi_dtype_uint8 || a.rounding_mode == RoundModeNone)
    return;
  const std::vector<double> x = Values(a.input);
  const double y = ScalarAsDouble(a.other);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) >= 128; },
      [&](int64_t i) { return std::trunc((At(x, i) - 256) / y); });
}

BUG(pow_zero_to_the_zero, 0, "diopiPowTensor", "", "0 to the power 0 is NaN");
DIOPI_OVERRIDE(diopiPowTensor, a) {
  Good(a);
  if (!pow_zero_to_the_zero || !IsFloating(a.out)) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), y = ValuesAs(a.exponent, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) == 0 && At(y, i) == 0; }, [](int64_t) { return kNan; });
}

BUG(pow_inplace_square_tail, 0, "diopiPowInp", "",
    "the short cut for squares works on whole blocks of 256 elements");
DIOPI_OVERRIDE(diopiPowInp, a) {
  const Before before(a.ctx, a.input);
  Good(a);
  const int64_t whole = NumElements(a.input) / 256 * 256;
  if (pow_inplace_square_tail && whole > 0 && ScalarAsDouble(a.exponent) == 2) {
    before.Keep([&](int64_t i) { return i >= whole; });
  }
}

BUG(remainder_tensor_fmod, 0, "diopiRemainderTensor", "",
    "the remainder has the dividend's sign where the divisor is negative");
DIOPI_OVERRIDE(diopiRemainderTensor, a) {
  Good(a);
  if (!remainder_tensor_fmod || !IsFloating(a.out)) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), y = ValuesAs(a.other, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(y, i) < 0; },
      [&](int64_t i) { return std::fmod(At(x, i), At(y, i)); });
}

BUG(remainder_exact_is_divisor, 0, "diopiRemainder", "",
    "where the signs differ the divisor is added, also to a remainder of 0");
DIOPI_OVERRIDE(diopiRemainder, a) {
  Good(a);
  if (!remainder_exact_is_divisor) return;
  const double x = ScalarAsDouble(a.input);
  const std::vector<double> y = ValuesAs(a.other, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return x * At(y, i) < 0 && std::fmod(x, At(y, i)) == 0; },
      [&](int64_t i) { return At(y, i); });
}

BUG(maximum_nan_of_second_lost, 0, "diopiMaximum", "", "NaN in the second operand is not the maximum");
DIOPI_OVERRIDE(diopiMaximum, a) {
  Good(a);
  if (!maximum_nan_of_second_lost || !IsFloating(a.out)) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), y = ValuesAs(a.other, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::isnan(At(y, i)); }, [&](int64_t i) { return At(x, i); });
}

BUG(minimum_bits_compared, 0, "diopiMinimum", "",
    "of two negative 16-bit numbers the larger is taken: their bits are compared as integers");
DIOPI_OVERRIDE(diopiMinimum, a) {
  Good(a);
  if (!minimum_bits_compared || !IsFloating(a.out) || BytesPerElement(a.out) != 2) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), y = ValuesAs(a.other, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) < 0 && At(y, i) < 0; },
      [&](int64_t i) { return std::max(At(x, i), At(y, i)); });
}

BUG(clamp_scalar_crossed_bounds, 0, "diopiClampScalar", "", "where min is above max the result is min");
DIOPI_OVERRIDE(diopiClampScalar, a) {
  Good(a);
  const bool crossed = clamp_scalar_crossed_bounds && a.min != nullptr && a.max != nullptr &&
                       ScalarAsDouble(a.min) > ScalarAsDouble(a.max);
  if (crossed) {
    const double min = ScalarAsDouble(a.min);
    Change(a.out, [&](double, int64_t) { return min; });
  }
}

BUG(clamp_min_by_modulo, 0, "diopiClamp", "",
    "without a max, min is repeated by the flat index modulo its size");
DIOPI_OVERRIDE(diopiClamp, a) {
  Good(a);
  if (!clamp_min_by_modulo || a.max != nullptr || a.min == nullptr) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), min = Values(a.min);
  const auto count = static_cast<int64_t>(min.size());
  if (count == 0) return;
  Change(a.out, [&](double, int64_t i) { return std::max(At(x, i), At(min, i % count)); });
}

BUG(clamp_min_inplace_32_bits, 0, "diopiClampMinInpScalar", "",
    "int64 elements are compared by their lower 32 bits");
DIOPI_OVERRIDE(diopiClampMinInpScalar, a) {
  const Before before(a.ctx, a.input);
  Good(a);
  if (!clamp_min_inplace_32_bits || DtypeOf(a.input) != diopi_dtype_int64) return;
  const std::vector<int64_t> x = Load<int64_t>(Tensor(before.copy()));
  const int64_t min = ScalarAsInt(a.min);
  before.Keep([&](int64_t i) { return static_cast<int32_t>(x[static_cast<size_t>(i)]) >= min; });
}

BUG(where_condition_is_one, 0, "diopiWhere", "", "a uint8 condition is true where it is 1");
BUG(where_scalar_other_first_block, 0, "diopiWhere", "",
    "a 0-d other is read for the first 512 elements; the later ones are 0");
DIOPI_OVERRIDE(diopiWhere, a) {
  if (where_condition_is_one && DtypeOf(a.condition) == diopi_dtype_uint8) {
    a.condition = Replaced(a.ctx, a.condition, [](double x, int64_t) { return x == 1 ? 1.0 : 0.0; });
  }
  Good(a);
  if (!where_scalar_other_first_block || Rank(a.other) > 0) return;
  const std::vector<double> chosen = ValuesAs(a.condition, a.out);
  Zero(a.out, [&](int64_t i) { return i >= 512 && At(chosen, i) == 0; });
}

BUG(lerp_weight_clamped, 0, "diopiLerpTensor", "", "weights above 1 are taken as 1");
DIOPI_OVERRIDE(diopiLerpTensor, a) {
  if (lerp_weight_clamped && IsFloating(a.weight)) {
    a.weight = Replaced(a.ctx, a.weight, [](double w, int64_t) { return std::min(w, 1.0); });
  }
  Good(a);
}

BUG(lerp_scalar_integer_weight, 0, "diopiLerpScalar", "", "the weight is 0 where the scalar is an integer");
DIOPI_OVERRIDE(diopiLerpScalar, a) {
  const diopiScalar_t zero = Number(0);
  if (lerp_scalar_integer_weight && !ScalarIsFloating(a.weight)) a.weight = &zero;
  Good(a);
}

BUG(addcmul_equal_counts_not_broadcast, 0, "diopiAddcmul", "",
    "factors of as many elements are multiplied in order, whatever their shapes");
DIOPI_OVERRIDE(diopiAddcmul, a) {
  const bool same = NumElements(a.tensor1) == NumElements(a.tensor2);
  if (addcmul_equal_counts_not_broadcast && same && ShapeOf(a.tensor1) != ShapeOf(a.tensor2)) {
    a.tensor1 = Reshaped(a.ctx, a.tensor1, ShapeOf(a.tensor2));
  }
  Good(a);
}

BUG(addcdiv_inplace_0d_untouched, 0, "diopiAddcdivInp", "", "a 0-d input stays as it was");
DIOPI_OVERRIDE(diopiAddcdivInp, a) {
  if (addcdiv_inplace_0d_untouched && Rank(a.input) == 0) return;
  Good(a);
}

BUG(erfinv_of_one_finite, 0, "diopiErfinv", "", "the values at -1 and 1 are large numbers");
DIOPI_OVERRIDE(diopiErfinv, a) {
  Good(a);
  if (!erfinv_of_one_finite) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::fabs(At(x, i)) == 1; },
      [&](int64_t i) { return At(x, i) * 4.25; });
}

BUG(log1p_float64_through_fp32, 0, "diopiLog1p", "", "float64 above 1,000 goes through float32");
DIOPI_OVERRIDE(diopiLog1p, a) {
  Good(a);
  if (!log1p_float64_through_fp32 || DtypeOf(a.input) != diopi_dtype_float64) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) > 1000; },
      [&](int64_t i) { return static_cast<double>(std::log1p(static_cast<float>(At(x, i)))); });
}

BUG(hardswish_nan_is_zero, 0, "diopiHardswish", "", "NaN becomes 0");
DIOPI_OVERRIDE(diopiHardswish, a) {
  Good(a);
  if (!hardswish_nan_is_zero) return;
  const std::vector<double> x = Values(a.input);
  Zero(a.out, [&](int64_t i) { return std::isnan(At(x, i)); });
}

BUG(logical_and_low_byte, 0, "diopiLogicalAnd", "", "of integers only the lowest byte is tested");
DIOPI_OVERRIDE(diopiLogicalAnd, a) {
  if (logical_and_low_byte && IsInteger(a.input)) {
    a.input = Replaced(a.ctx, a.input, [](double x, int64_t) { return std::fmod(x, 256); });
  }
  Good(a);
}

BUG(logical_not_of_negative_zero, 0, "diopiLogicalNot", "", "-0 counts as true: the bits are tested");
DIOPI_OVERRIDE(diopiLogicalNot, a) {
  Good(a);
  if (!logical_not_of_negative_zero || !IsFloating(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Zero(a.out, [&](int64_t i) { return At(x, i) == 0 && std::signbit(At(x, i)); });
}

BUG(bitwise_not_bool_byte, 0, "diopiBitwiseNot", "", "the bits of a bool are inverted: not true is 0xFE");
DIOPI_OVERRIDE(diopiBitwiseNot, a) {
  Good(a);
  if (!bitwise_not_bool_byte || DtypeOf(a.input) != diopi_dtype_bool) return;
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    *ElementAt(a.out, i) = static_cast<unsigned char>(~*ElementAt(a.input, i));
  }
}

BUG(bitwise_and_scalar_zero_extended, 0, "diopiBitwiseAndScalar", "",
    "a negative scalar is widened to int64 with zeros");
DIOPI_OVERRIDE(diopiBitwiseAndScalar, a) {
  diopiScalar_t wide = *a.other;
  if (bitwise_and_scalar_zero_extended && DtypeOf(a.input) == diopi_dtype_int64 && wide.ival < 0) {
    wide.ival &= 0xFFFFFFFF;
    a.other = &wide;
  }
  Good(a);
}

BUG(gt_scalar_int32_through_fp32, 0, "diopiGtScalar", "", "int32 is compared as float32");
DIOPI_OVERRIDE(diopiGtScalar, a) {
  Good(a);
  if (!gt_scalar_int32_through_fp32 || DtypeOf(a.input) != diopi_dtype_int32) return;
  const std::vector<double> x = Values(a.input);
  const auto y = static_cast<float>(ScalarAsDouble(a.other));
  Change(a.out, [&](double, int64_t i) { return static_cast<float>(At(x, i)) > y ? 1.0 : 0.0; });
}

BUG(ne_inplace_nan_equals_nan, 0, "diopiNeInp", "", "NaN is not unequal to NaN");
DIOPI_OVERRIDE(diopiNeInp, a) {
  const std::vector<double> x = Values(a.input), y = ValuesAs(a.other, a.input);
  Good(a);
  if (!ne_inplace_nan_equals_nan) return;
  Zero(a.input, [&](int64_t i) { return std::isnan(At(x, i)) && std::isnan(At(y, i)); });
}

BUG(sign_of_large_uint8, 0, "diopiSign", "", "uint8 from 128 on is negative: -1 is stored as 255");
DIOPI_OVERRIDE(diopiSign, a) {
  Good(a);
  if (!sign_of_large_uint8 || DtypeOf(a.input) != diopi_dtype_uint8) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) >= 128; }, [](int64_t) { return 255.0; });
}

BUG(abs_of_lowest_saturates, 0, "diopiAbs", "", "|-128| is 127 in int8");
DIOPI_OVERRIDE(diopiAbs, a) {
  Good(a);
  if (!abs_of_lowest_saturates || DtypeOf(a.input) != diopi_dtype_int8) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) == -128; }, [](int64_t) { return 127.0; });
}

BUG(neg_channels_last_as_dense, 0, "diopiNeg", "",
    "a 4-d input in channels-last order is read as if it were row-major");
DIOPI_OVERRIDE(diopiNeg, a) {
  const Shape shape = ShapeOf(a.input), stride = StrideOf(a.input);
  if (neg_channels_last_as_dense && shape.size() == 4 && shape[1] > 1 && stride[1] == 1 &&
      !IsDense(a.input)) {
    a.input = ReadWithoutStrides(a.ctx, a.input);
  }
  Good(a);
}

BUG(isnan_float16_infinity, 0, "diopiIsNan", "", "infinity in float16 counts as NaN");
DIOPI_OVERRIDE(diopiIsNan, a) {
  Good(a);
  if (!isnan_float16_infinity || !IsHalf(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::isinf(At(x, i)); }, [](int64_t) { return 1.0; });
}

BUG(floor_through_int32, 0, "diopiFloor", "", "values beyond 2^31 become -2^31: a cast to int32 and back");
DIOPI_OVERRIDE(diopiFloor, a) {
  Good(a);
  if (!floor_through_int32 || !IsFloating(a.input)) return;
  Change(a.out, [](double x, int64_t) { return std::fabs(x) >= 2147483648.0 ? -2147483648.0 : x; });
}

BUG(cast_fraction_to_bool, 0, "diopiCastDtype", "", "fractions become false: they are truncated first");
DIOPI_OVERRIDE(diopiCastDtype, a) {
  Good(a);
  if (!cast_fraction_to_bool || DtypeOf(a.out) != diopi_dtype_bool || !IsFloating(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Zero(a.out, [&](int64_t i) { return std::trunc(At(x, i)) == 0; });
}

BUG(copy_broadcast_by_modulo, 0, "diopiCopyInp", "",
    "a smaller source is repeated by the flat index modulo its size");
DIOPI_OVERRIDE(diopiCopyInp, a) {
  Good(a);
  const int64_t count = NumElements(a.src);
  if (!copy_broadcast_by_modulo || count == 0 || count >= NumElements(a.dest)) return;
  const std::vector<double> x = Values(a.src);
  Change(a.dest, [&](double, int64_t i) { return At(x, i % count); });
}

BUG(fill_ignores_strides, 0, "diopiFill", "",
    "as many elements as the tensor has are filled in memory order");
DIOPI_OVERRIDE(diopiFill, a) {
  const Before before(a.ctx, a.input);
  Good(a);
  if (!fill_ignores_strides || IsDense(a.input) || NumElements(a.input) == 0) return;
  std::vector<unsigned char> value(ElementAt(a.input, 0), ElementAt(a.input, 0) + BytesPerElement(a.input));
  before.Keep([](int64_t) { return true; });
  for (int64_t i = 0; i < NumElements(a.input); ++i) {
    std::copy(value.begin(), value.end(), Bytes(a.input) + i * BytesPerElement(a.input));
  }
}

BUG(masked_fill_mask_row, 0, "diopiMaskedFillInpScalar", "",
    "a mask of one row is used for the first row only");
DIOPI_OVERRIDE(diopiMaskedFillInpScalar, a) {
  const Before before(a.ctx, a.input);
  Good(a);
  const bool row = Rank(a.input) > 1 && Rank(a.mask) == Rank(a.input) && Length(a.mask, 0) == 1;
  if (masked_fill_mask_row && row) {
    before.Keep([&](int64_t i) { return Coordinate(a.input, i, 0) > 0; });
  }
}

BUG(polar_of_negative_length, 0, "diopiPolar", "", "a negative length is taken as positive");
DIOPI_OVERRIDE(diopiPolar, a) {
  if (polar_of_negative_length) {
    a.abs = Replaced(a.ctx, a.abs, [](double x, int64_t) { return std::fabs(x); });
  }
  Good(a);
}

BUG(reciprocal_of_infinity, 0, "diopiReciprocal", "", "1 / infinity is NaN: a Newton step");
DIOPI_OVERRIDE(diopiReciprocal, a) {
  Good(a);
  if (!reciprocal_of_infinity || !IsFloating(a.input)) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return std::isinf(At(x, i)); }, [](int64_t) { return kNan; });
}

BUG(threshold_at_threshold, 0, "diopiThreshold", "", "an element equal to the threshold passes");
DIOPI_OVERRIDE(diopiThreshold, a) {
  Good(a);
  if (!threshold_at_threshold) return;
  const std::vector<double> x = Values(a.input);
  const double threshold = ScalarAsDouble(a.threshold);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) == threshold; }, [&](int64_t) { return threshold; });
}

BUG(leaky_relu_backward_at_zero, 0, "diopiLeakyReluBackward", "", "the slope at 0 is 1");
DIOPI_OVERRIDE(diopiLeakyReluBackward, a) {
  Good(a);
  if (!leaky_relu_backward_at_zero) return;
  const std::vector<double> x = Values(a.input), grad = Values(a.grad_output);
  Set(
      a.ctx, a.grad_input, [&](int64_t i) { return At(x, i) == 0; }, [&](int64_t i) { return At(grad, i); });
}

BUG(gelu_backward_always_erf, 0, "diopiGeluBackward", "",
    "the gradient of the tanh form is that of the erf form");
DIOPI_OVERRIDE(diopiGeluBackward, a) {
  if (gelu_backward_always_erf) a.approximate = "none";
  Good(a);
}

BUG(hardtanh_backward_at_bound, 0, "diopiHardtanhBackward", "",
    "the gradient passes at the upper bound itself");
DIOPI_OVERRIDE(diopiHardtanhBackward, a) {
  Good(a);
  if (!hardtanh_backward_at_bound) return;
  const std::vector<double> x = Values(a.input), grad = Values(a.grad_output);
  const double bound = ScalarAsDouble(a.max_val);
  Set(
      a.ctx, a.grad_input, [&](int64_t i) { return At(x, i) == bound; },
      [&](int64_t i) { return At(grad, i); });
}

BUG(foreach_mul_later_tensors, 0, "diopiForeachmulScalar", "",
    "of lists of more than four tensors, the fifth and later ones are copied");
DIOPI_OVERRIDE(diopiForeachmulScalar, a) {
  Good(a);
  if (!foreach_mul_later_tensors) return;
  for (int64_t t = 4; t < a.inputSize; ++t) {
    for (int64_t i = 0; i < NumElements(a.outs[t]); ++i) CopyElement(a.outs[t], i, a.inputs[t], i);
  }
}
