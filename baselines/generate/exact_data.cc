#include "baselines/generate/exact_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_set>

#include "baselines/compare/judging.h"

namespace diopi::baselines {
namespace {

bool IsInteger(double x) {
  return std::isfinite(x) && x == std::trunc(x);
}

bool IsIntegerAttribute(const v1::Argument& arg) {
  switch (arg.value_case()) {
    case v1::Argument::kF:
      return IsInteger(arg.f());
    case v1::Argument::kScalar:
      return arg.scalar().value_case() == v1::ScalarValue::kI || IsInteger(arg.scalar().f());
    case v1::Argument::kS:
      return false;
    default:
      return true;
  }
}

// Whether the argument has a dimension of at least `least` equal elements in one place.
bool HasStrideZero(const v1::Case& c, const std::string& argument, double least) {
  const v1::Argument* found = FindArgument(c, argument);
  if (found == nullptr || !found->has_tensor()) return false;
  const v1::TensorSpec& spec = found->tensor();
  for (int d = 0; d < spec.strides_size(); ++d) {
    if (spec.strides(d) == 0 && static_cast<double>(spec.shape(d)) >= least) return true;
  }
  return false;
}

}  // namespace

bool HasIntegerData(const v1::Case& c, const TensorMap& inputs) {
  if (!std::all_of(c.args().begin(), c.args().end(), IsIntegerAttribute)) return false;
  for (const auto& [key, tensor] : inputs) {
    if (!IsFloating(tensor.dtype)) continue;
    const int64_t count = NumElements(tensor.shape);
    for (int64_t i = 0; i < count; ++i) {
      if (!IsInteger(ElementAsDouble(tensor.dtype, tensor.data.data(), i))) return false;
    }
  }
  return true;
}

v1::Case WithMagnitudes(const v1::Case& c) {
  v1::Case positive = c;
  for (v1::Argument& arg : *positive.mutable_args()) {
    if (arg.value_case() == v1::Argument::kF) arg.set_f(std::fabs(arg.f()));
    if (arg.value_case() != v1::Argument::kScalar) continue;
    v1::ScalarValue* scalar = arg.mutable_scalar();
    if (scalar->value_case() == v1::ScalarValue::kI) {
      scalar->set_i(std::abs(scalar->i()));
    } else {
      scalar->set_f(std::fabs(scalar->f()));
    }
  }
  return positive;
}

bool IsExact(const LinearRuns& runs, Dtype output) {
  const double limit = output == v1::Dtype::float64 ? 0x1p53 : 0x1p24;
  const int64_t count = NumElements(runs.r.shape);
  bool sums = false;
  for (int64_t i = 0; i < count; ++i) {
    const double n = ElementAsDouble(runs.ones, i);
    if (!IsInteger(ElementAsDouble(runs.r, i)) || !IsInteger(ElementAsDouble(runs.squares, i)) ||
        !IsInteger(n) || !IsInteger(ElementAsDouble(runs.probe, i)) ||
        !(ElementAsDouble(runs.magnitude, i) < limit)) {
      return false;
    }
    sums |= n > 1;
  }
  return sums;
}

bool MayDrift(const v1::Case& c, const TensorMap& inputs, double n) {
  constexpr double kRepeated = 32;  // times that a term occurs
  constexpr double kLong = 0x1p16;  // terms that crowd around 0 show from here on
  if (n >= kLong) return true;
  double products = 1;
  for (const auto& [key, tensor] : inputs) {
    // The elements of one sum may be those of a dimension of stride 0: all equal.
    if (!IsFloating(tensor.dtype) || HasStrideZero(c, key, kRepeated)) continue;
    std::unordered_set<double> values;
    const int64_t count = NumElements(tensor.shape);
    for (int64_t i = 0; i < count && static_cast<double>(values.size()) * kRepeated <= n; ++i)
      values.insert(ElementAsDouble(tensor, i));
    const double different = std::max(static_cast<double>(values.size()), 1.0);
    // Not every term is a product of all inputs: a bias is none, and a gradient's terms lack an input.
    if (different * kRepeated <= std::min(n, static_cast<double>(count))) return true;
    products *= different;
  }
  return products * kRepeated <= n;
}

}  // namespace diopi::baselines
