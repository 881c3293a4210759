// A value is stored in a case as the library will receive it (a float parameter is rounded to float), so that
// the reference computes with the same number. An integer is accepted where a floating-point number is
// expected; any other mismatch of kinds is an error that names both. The promotion of dtypes is PyTorch's:
// dimensions outrank 0-d tensors, which outrank scalars, unless the lower one is of a higher category.
#include "cases/core/point_value.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"

namespace diopi::cases {
namespace {

using D = v1::Dtype;
using Value = v1::PointAttribute;

std::string_view WhatIs(const Value& attribute) {
  switch (attribute.value_case()) {
    case Value::kI:
      return "an integer";
    case Value::kF:
      return "a floating number";
    case Value::kB:
      return "a bool";
    case Value::kS:
      return "a string";
    case Value::kSizes:
      return "a list of sizes";
    case Value::kScalar:
      return "a scalar";
    case Value::kNull:
      return "null";
    case Value::kGenerator:
      return "a generator";
    default:
      return "nothing";
  }
}

std::optional<int64_t> EnumValue(abi::Kind kind, const std::string& name) {
  static constexpr std::string_view kReductions[] = {"none", "mean", "sum"};
  static constexpr std::string_view kRoundings[] = {"none", "trunc", "floor"};
  static constexpr std::string_view kFormats[] = {"contiguous", "channels_last", "channels_last_3d",
                                                  "preserve", "channels_last_1d"};
  const auto find = [&](const auto& names) -> std::optional<int64_t> {
    const auto* at = std::find(std::begin(names), std::end(names), name);
    if (at == std::end(names)) return std::nullopt;
    return at - std::begin(names);
  };
  if (kind == abi::REDUCTION) return find(kReductions);
  if (kind == abi::ROUND_MODE) return find(kRoundings);
  return find(kFormats);
}

bool SetScalar(const Value& attribute, v1::ScalarValue* scalar) {
  v1::ScalarAttribute given;
  switch (attribute.value_case()) {
    case Value::kI:
      given.set_i(attribute.i());
      break;
    case Value::kF:
      given.set_f(attribute.f());
      break;
    case Value::kB:
      given.set_b(attribute.b());
      break;
    case Value::kScalar:
      given = attribute.scalar();
      break;
    default:
      return false;
  }
  Dtype dtype = D::float64;
  if (given.value_case() == v1::ScalarAttribute::kI) dtype = D::int64;
  if (given.value_case() == v1::ScalarAttribute::kB) dtype = D::int64;
  if (given.has_dtype()) dtype = ParseDtype(given.dtype()).value_or(dtype);
  // functions.h lists no bool among the stypes of any scalar: libraries differ in which field of the union
  // holds it.
  if (dtype == D::bool_) dtype = D::int64;
  scalar->set_dtype(dtype);
  const bool floating = IsFloating(dtype);
  switch (given.value_case()) {
    case v1::ScalarAttribute::kI:
      floating ? scalar->set_f(static_cast<double>(given.i())) : scalar->set_i(given.i());
      return true;
    case v1::ScalarAttribute::kB:
      floating ? scalar->set_f(given.b() ? 1 : 0) : scalar->set_i(given.b() ? 1 : 0);
      return true;
    case v1::ScalarAttribute::kF:
      if (!floating) return false;
      scalar->set_f(given.f());
      return true;
    default:
      return false;
  }
}

bool SetNumber(const abi::Param& param, const Value& attribute, v1::Argument* arg) {
  const auto value = attribute.value_case();
  switch (param.kind()) {
    case abi::BOOL:
    case abi::BOOL_POINTER:
      if (value != Value::kB) return false;
      arg->set_b(attribute.b());
      return true;
    case abi::FLOAT:
    case abi::DOUBLE:
    case abi::DOUBLE_POINTER: {
      if (value != Value::kF && value != Value::kI) return false;
      const double number = value == Value::kF ? attribute.f() : static_cast<double>(attribute.i());
      // The case has the number that the library receives.
      arg->set_f(param.kind() == abi::FLOAT ? double{static_cast<float>(number)} : number);
      return true;
    }
    case abi::REDUCTION:
    case abi::ROUND_MODE:
    case abi::MEMORY_FORMAT:
      if (value == Value::kS) {
        const std::optional<int64_t> number = EnumValue(param.kind(), attribute.s());
        if (!number.has_value()) return false;
        arg->set_i(*number);
        return true;
      }
      [[fallthrough]];
    default:
      if (value != Value::kI) return false;
      arg->set_i(attribute.i());
      return true;
  }
}

bool Set(const abi::Param& param, const Value& attribute, v1::Argument* arg) {
  const auto value = attribute.value_case();
  if (value == Value::kNull) {
    arg->set_null(true);
    return param.nullable();
  }
  switch (param.kind()) {
    case abi::SIZE:
    case abi::SIZE_POINTER:
      if (value != Value::kSizes) return false;
      *arg->mutable_sizes() = attribute.sizes();
      return true;
    case abi::SCALAR_POINTER:
      return SetScalar(attribute, arg->mutable_scalar());
    case abi::STRING:
      if (value != Value::kS) return false;
      arg->set_s(attribute.s());
      return true;
    case abi::GENERATOR:
    case abi::GENERATOR_ARRAY:
      if (value != Value::kGenerator) return false;
      *arg->mutable_generator() = attribute.generator();
      return true;
    case abi::BOOL:
    case abi::INT:
    case abi::INT32:
    case abi::INT64:
    case abi::FLOAT:
    case abi::DOUBLE:
    case abi::BOOL_POINTER:
    case abi::INT64_POINTER:
    case abi::DOUBLE_POINTER:
    case abi::REDUCTION:
    case abi::ROUND_MODE:
    case abi::MEMORY_FORMAT:
      return SetNumber(param, attribute, arg);
    default:
      return false;
  }
}

// One category of PyTorch's promotion: a type, or nothing yet.
void Include(std::optional<Dtype>* category, Dtype dtype) {
  *category = category->has_value() ? Promote(**category, dtype) : dtype;
}

std::optional<Dtype> Combine(std::optional<Dtype> higher, std::optional<Dtype> lower) {
  if (!higher.has_value()) return lower;
  if (!lower.has_value() || IsComplex(*higher)) return higher;
  if (IsFloating(*higher)) return IsComplex(*lower) ? Promote(*higher, *lower) : *higher;
  if (*higher == D::bool_ || IsFloating(*lower) || IsComplex(*lower)) return Promote(*higher, *lower);
  return higher;
}

}  // namespace

bool IsTensor(abi::Kind kind) {
  return kind == abi::TENSOR || kind == abi::CONST_TENSOR || kind == abi::TENSOR_POINTER;
}

bool IsTensorArray(abi::Kind kind) {
  return kind == abi::TENSOR_ARRAY || kind == abi::CONST_TENSOR_ARRAY;
}

bool IsHostOutput(const abi::Param& param) {
  const abi::Kind kind = param.kind();
  return param.direction() == abi::OUT &&
         (kind == abi::BOOL_POINTER || kind == abi::INT64_POINTER || kind == abi::DOUBLE_POINTER);
}

Dtype HostOutputDtype(abi::Kind kind) {
  if (kind == abi::BOOL_POINTER) return D::bool_;
  return kind == abi::INT64_POINTER ? D::int64 : D::float64;
}

v1::Role RoleOf(const abi::Param& param, const v1::ArgRule& rule) {
  if (IsHostOutput(param) || rule.host_output()) return v1::ROLE_OUTPUT;
  if (!param.scratch_size().empty()) return v1::ROLE_ATTRIBUTE;
  if (!IsTensor(param.kind()) && !IsTensorArray(param.kind())) return v1::ROLE_ATTRIBUTE;
  if (param.kind() == abi::TENSOR_POINTER || rule.library_allocated()) return v1::ROLE_LIBRARY_OUTPUT;
  if (rule.state() || param.direction() == abi::INOUT) return v1::ROLE_INOUT;
  return param.direction() == abi::OUT ? v1::ROLE_OUTPUT : v1::ROLE_INPUT;
}

Fitting SetAttribute(const abi::Param& param, const v1::PointAttribute& attribute, v1::Argument* arg,
                     std::string* why) {
  if (Set(param, attribute, arg)) return Fitting::kSet;
  *why = absl::StrCat("`", param.name(), "` (", param.c_type(), ") does not take ",
                      std::string(WhatIs(attribute)));
  arg->clear_value();
  return Fitting::kMismatch;
}

Dtype ResultType(const std::vector<const v1::Argument*>& args) {
  std::optional<Dtype> with_dims;
  std::optional<Dtype> without;
  std::optional<Dtype> scalars;
  const auto tensor = [&](const v1::TensorSpec& spec) {
    Include(spec.shape().empty() ? &without : &with_dims, spec.dtype());
  };
  for (const v1::Argument* arg : args) {
    if (arg->has_tensor()) tensor(arg->tensor());
    for (const v1::TensorSpec& spec : arg->tensors().tensors()) tensor(spec);
    if (!arg->has_scalar()) continue;
    const Dtype stype = arg->scalar().dtype();
    Include(&scalars, IsFloating(stype) ? D::float32 : stype == D::bool_ ? D::bool_ : D::int64);
  }
  return Combine(Combine(with_dims, without), scalars).value_or(D::float32);
}

absl::StatusOr<std::vector<int64_t>> BroadcastShapes(const std::vector<std::vector<int64_t>>& shapes) {
  std::vector<int64_t> result;
  for (const std::vector<int64_t>& shape : shapes) {
    std::vector<int64_t> wide = shape;
    wide.insert(wide.begin(), std::max(result.size(), wide.size()) - wide.size(), 1);
    std::vector<int64_t> before = result;
    before.insert(before.begin(), wide.size() - before.size(), 1);
    for (size_t i = 0; i < wide.size(); ++i) {
      if (wide[i] == before[i] || wide[i] == 1) {
        wide[i] = before[i];
      } else if (before[i] != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("shapes ", ShapeText(result), " and ", ShapeText(shape), " do not broadcast"));
      }
    }
    result = wide;
  }
  return result;
}

}  // namespace diopi::cases
