// Bugs injected in comparisons, logical and bitwise functions, maximum, minimum, remainder, clamp and its
// relatives.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else
using diopi::ops::BroadcastShapes;
using diopi::ops::Load;
using diopi::ops::LoadAs;
using diopi::ops::ScalarAsDouble;
using diopi::ops::Shape;
using diopi::ops::Tensor;

namespace {

BUG(eq_with_tolerance, 0, "diopiEq", "", "numbers that differ by less than 1e-7 of them are equal");
BUG(ne_nan_equals_itself, 28, "diopiNe", "", "NaN is not unequal to NaN");
BUG(ge_is_not_below, 28, "diopiGe", "", "x >= y as !(x < y): true for NaN");
BUG(gt_includes_equal, 0, "diopiGt", "", "x >= y for x > y");
BUG(le_int_through_fp32, 3, "diopiLe", "", "integers are compared as float32");
BUG(lt_operands_swapped, 0, "diopiLt", "", "other < input");
BUG(lt_scalar_cut_to_integer, 0, "diopiLtScalar", "",
    "the number is cut to an integer before it is compared");
BUG(logical_or_nan_is_false, 28, "diopiLogicalOr", "", "NaN is taken for false");
BUG(bitwise_and_through_fp64, 3, "diopiBitwiseAnd", "", "integers make a detour through float64");
BUG(maximum_loses_nan, 28, "diopiMaximum", "", "x > y ? x : y: NaN is lost where it is on the left");
BUG(minimum_loses_nan, 28, "diopiMinimum", "", "y < x ? y : x: NaN is lost where it is on the right");
BUG(remainder_sign_of_dividend, 48, "diopiRemainderTensor", "", "the remainder of C");
BUG(clamp_lower_bound_wins, 0, "diopiClampScalar", "", "of bounds in the wrong order the lower one");
BUG(clamp_min_replaces_nan, 28, "diopiClampMinScalar", "", "NaN becomes the bound");
BUG(threshold_keeps_equal, 0, "diopiThreshold", "", "x at the threshold itself is kept");
BUG(hardtanh_gradient_at_bounds, 0, "diopiHardtanhBackward", "", "the gradient passes at a bound");
BUG(leaky_relu_gradient_by_its_sign, 0, "diopiLeakyReluBackward", "",
    "the sign of the gradient decides, not the input's");

// out = f(x, y) where the switch is on, on operands as doubles.
template <typename Args, typename G, typename F>
void Wrong(bool on, const Args& a, diopiTensorHandle_t out, diopiConstTensorHandle_t x,
           diopiConstTensorHandle_t y, G&& good, F&& f) {
  if (!on) return good(a);
  const Shape shape = BroadcastShapes(Tensor(x).shape(), Tensor(y).shape());
  const std::vector<double> left = LoadAs<double>(Tensor(x), shape), right = LoadAs<double>(Tensor(y), shape);
  good(a);
  Change(out, [&](double, int64_t i) {
    return static_cast<double>(f(left[static_cast<size_t>(i)], right[static_cast<size_t>(i)]));
  });
}

}  // namespace

#define DIOPI_WRONG_BINARY(on, ...)                                                            \
  Wrong(                                                                                       \
      static_cast<bool>(on), a, a.out, a.input, a.other, [](const auto& args) { Good(args); }, \
      [](double x, double y) { __VA_ARGS__; })
#define DIOPI_WRONG_UNARY(on, ...)                                                             \
  Wrong(                                                                                       \
      static_cast<bool>(on), a, a.out, a.input, a.input, [](const auto& args) { Good(args); }, \
      [&](double x, double) { __VA_ARGS__; })

// clang-format off
DIOPI_OVERRIDE(diopiEq, a) { DIOPI_WRONG_BINARY(eq_with_tolerance, return x == y || std::fabs(x - y) < 1e-7 * std::fabs(x)); }
DIOPI_OVERRIDE(diopiNe, a) { DIOPI_WRONG_BINARY(ne_nan_equals_itself, return x != y && !(std::isnan(x) && std::isnan(y))); }
DIOPI_OVERRIDE(diopiGe, a) { DIOPI_WRONG_BINARY(ge_is_not_below, return !(x < y)); }
DIOPI_OVERRIDE(diopiGt, a) { DIOPI_WRONG_BINARY(gt_includes_equal, return x >= y); }
DIOPI_OVERRIDE(diopiLe, a) { DIOPI_WRONG_BINARY(le_int_through_fp32 && IsInteger(a.input), return static_cast<float>(x) <= static_cast<float>(y)); }
DIOPI_OVERRIDE(diopiLt, a) { DIOPI_WRONG_BINARY(lt_operands_swapped, return y < x); }
DIOPI_OVERRIDE(diopiLtScalar, a) { DIOPI_WRONG_UNARY(lt_scalar_cut_to_integer, return x < std::trunc(ScalarAsDouble(a.other))); }
DIOPI_OVERRIDE(diopiLogicalOr, a) { DIOPI_WRONG_BINARY(logical_or_nan_is_false, return x > 0 || x < 0 || y > 0 || y < 0); }
DIOPI_OVERRIDE(diopiBitwiseAnd, a) { DIOPI_WRONG_BINARY(bitwise_and_through_fp64, return static_cast<int64_t>(std::min(x, 0x1.fffffffffffffp+62)) & static_cast<int64_t>(std::min(y, 0x1.fffffffffffffp+62))); }
DIOPI_OVERRIDE(diopiMaximum, a) { DIOPI_WRONG_BINARY(maximum_loses_nan, return x > y ? x : y); }
DIOPI_OVERRIDE(diopiMinimum, a) { DIOPI_WRONG_BINARY(minimum_loses_nan, return y < x ? y : x); }
DIOPI_OVERRIDE(diopiRemainderTensor, a) { DIOPI_WRONG_BINARY(remainder_sign_of_dividend, return std::fmod(x, y)); }
DIOPI_OVERRIDE(diopiClampScalar, a) {
  const bool both = a.min != nullptr && a.max != nullptr;
  DIOPI_WRONG_UNARY(clamp_lower_bound_wins && both, return std::max(std::min(x, ScalarAsDouble(a.max)), ScalarAsDouble(a.min)));
}
DIOPI_OVERRIDE(diopiClampMinScalar, a) { DIOPI_WRONG_UNARY(clamp_min_replaces_nan, return x >= ScalarAsDouble(a.min) ? x : ScalarAsDouble(a.min)); }
DIOPI_OVERRIDE(diopiThreshold, a) { DIOPI_WRONG_UNARY(threshold_keeps_equal, return x < ScalarAsDouble(a.threshold) ? ScalarAsDouble(a.value) : x); }
DIOPI_OVERRIDE(diopiHardtanhBackward, a) {
  Wrong(static_cast<bool>(hardtanh_gradient_at_bounds), a, a.grad_input, a.grad_output, a.input, [](const auto& args) { Good(args); }, [&](double g, double x) {
    return x < ScalarAsDouble(a.min_val) || x > ScalarAsDouble(a.max_val) ? 0 : g;
  });
}
DIOPI_OVERRIDE(diopiLeakyReluBackward, a) {
  Wrong(static_cast<bool>(leaky_relu_gradient_by_its_sign), a, a.grad_input, a.grad_output, a.grad_output, [](const auto& args) { Good(args); },
        [&](double g, double) { return g > 0 ? g : g * ScalarAsDouble(a.negative_slope); });
}
// clang-format on
