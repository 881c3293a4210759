// A captured call's arguments as the tensors and attributes of a point. The operator's rules make everything
// that a point does not give, so outputs, counts and scratch memory are left to them; the result is expanded,
// and refused when it is not the captured call.
#include "client/cli/captured_point.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/core/point_value.h"
#include "cases/user/operator_text.h"
#include "proto/abi/abi.h"

namespace diopi::cli {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: a fill's values are doubles
constexpr int64_t kMostKinds = 3;                      // of special values that are worth a mention

bool IsCount(const abi::Function& function, const std::string& name) {
  return std::any_of(function.param().begin(), function.param().end(),
                     [&](const abi::Param& param) { return param.count() == name; });
}

bool IsContiguous(const v1::TensorSpec& spec) {
  const std::vector<int64_t> strides =
      ContiguousStrides({spec.shape().data(), static_cast<size_t>(spec.shape_size())});
  return std::equal(strides.begin(), strides.end(), spec.strides().begin(), spec.strides().end());
}

v1::Layout ExplicitLayout(const v1::TensorSpec& spec) {
  v1::Layout layout;
  layout.set_kind(v1::Layout::explicit_);
  *layout.mutable_strides() = spec.strides();
  layout.set_storage_offset(spec.storage_offset());
  return layout;
}

class PointMaker {
 public:
  PointMaker(const tap::CapturedCall& call, const CapturedPointOptions& options)
      : call_(call), options_(options), function_(*abi::FindFunction(call.c.function())) {}

  absl::StatusOr<v1::Point> Make(const std::string& label) {
    point_.set_label(label);
    point_.set_reveals(absl::StrCat("captured: ", call_.facts));
    for (const v1::Argument& arg : call_.c.args()) {
      const abi::Param* param = abi::FindParam(function_, arg.name());
      if (param == nullptr) return absl::InvalidArgumentError(absl::StrCat("unknown argument ", arg.name()));
      RETURN_IF_ERROR(Add(arg, *param));
    }
    return point_;
  }

 private:
  absl::Status Add(const v1::Argument& arg, const abi::Param& param) {
    const std::string name = arg.alias().empty() ? arg.name() : arg.alias();
    const bool tensor = cases::IsTensor(param.kind()) || cases::IsTensorArray(param.kind());
    if (IsCount(function_, arg.name()) || arg.role() == v1::ROLE_LIBRARY_OUTPUT || arg.has_host_output() ||
        arg.value_case() == v1::Argument::kScratch || IsScratchSize(arg.name())) {
      return absl::OkStatus();
    }
    if (!tensor) return AddAttribute(name, arg);
    if (arg.null()) {
      v1::PointTensor* in = point_.add_in();
      in->set_name(name);
      in->set_null(true);
      return absl::OkStatus();
    }
    if (arg.role() == v1::ROLE_OUTPUT) {
      if (arg.has_tensor() && !IsContiguous(arg.tensor()))
        *point_.mutable_out_layout() = ExplicitLayout(arg.tensor());
      return absl::OkStatus();
    }
    if (arg.has_tensor()) return AddTensor(name, arg.name(), arg.tensor());
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (arg.tensors().null_size() > 0 && arg.tensors().null(i)) {
        v1::PointTensor* in = point_.add_in();
        in->set_name(name);
        in->set_null(true);
        continue;
      }
      RETURN_IF_ERROR(AddTensor(name, absl::StrCat(arg.name(), ".", i), arg.tensors().tensors(i)));
    }
    return absl::OkStatus();
  }

  bool IsScratchSize(const std::string& name) const {
    return std::any_of(function_.param().begin(), function_.param().end(),
                       [&](const abi::Param& param) { return param.scratch_size() == name; });
  }

  absl::Status AddTensor(const std::string& name, const std::string& key, const v1::TensorSpec& spec) {
    const auto values = call_.inputs.find(key);
    if (values == call_.inputs.end())
      return absl::DataLossError(absl::StrCat("the values of ", key, " are missing"));
    v1::PointTensor* in = point_.add_in();
    in->set_name(name);
    in->set_dtype(std::string(DtypeName(spec.dtype())));
    *in->mutable_shape() = spec.shape();
    if (!IsContiguous(spec)) *in->mutable_layout() = ExplicitLayout(spec);
    const int64_t elements = NumElements(values->second.shape);
    const bool with_values = elements > 0 && elements <= options_.most_values;
    const absl::StatusOr<v1::Fill> exact =
        with_values ? FillWith(values->second, spec) : absl::StatusOr<v1::Fill>(absl::UnimplementedError(""));
    *in->mutable_fill() = exact.ok() ? *exact : FillLike(values->second);
    return absl::OkStatus();
  }

  absl::Status AddAttribute(const std::string& name, const v1::Argument& arg) {
    v1::PointAttribute* attribute = point_.add_attr();
    attribute->set_name(name);
    switch (arg.value_case()) {
      case v1::Argument::kNull:
        attribute->set_null(true);
        return absl::OkStatus();
      case v1::Argument::kI:
        attribute->set_i(arg.i());
        return absl::OkStatus();
      case v1::Argument::kF:
        attribute->set_f(arg.f());
        return absl::OkStatus();
      case v1::Argument::kB:
        attribute->set_b(arg.b());
        return absl::OkStatus();
      case v1::Argument::kS:
        attribute->set_s(arg.s());
        return absl::OkStatus();
      case v1::Argument::kSizes:
        *attribute->mutable_sizes() = arg.sizes();
        return absl::OkStatus();
      case v1::Argument::kGenerator:
        *attribute->mutable_generator() = arg.generator();
        return absl::OkStatus();
      case v1::Argument::kScalar: {
        v1::ScalarAttribute* scalar = attribute->mutable_scalar();
        scalar->set_dtype(std::string(DtypeName(arg.scalar().dtype())));
        if (arg.scalar().dtype() == v1::Dtype::bool_) {
          scalar->set_b(arg.scalar().f() != 0 || arg.scalar().i() != 0);
        } else if (arg.scalar().value_case() == v1::ScalarValue::kI) {
          scalar->set_i(arg.scalar().i());
        } else {
          scalar->set_f(arg.scalar().f());
        }
        return absl::OkStatus();
      }
      default:
        return absl::UnimplementedError(
            absl::StrCat("argument ", arg.name(), " has no value that a point can give"));
    }
  }

  const tap::CapturedCall& call_;
  const CapturedPointOptions& options_;
  const abi::Function& function_;
  v1::Point point_;
};

// Whether the case passes what was captured: the same kinds of values, shapes and element types.
absl::Status CheckSame(const v1::Case& made, const v1::Case& captured) {
  const auto differs = [](const std::string& name, const std::string& what) {
    return absl::UnimplementedError(
        absl::StrCat("the operator's rules give argument ", name, " another ", what, " than was captured"));
  };
  const auto same_spec = [](const v1::TensorSpec& a, const v1::TensorSpec& b) {
    return a.dtype() == b.dtype() &&
           std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end());
  };
  for (int i = 0; i < captured.args_size(); ++i) {
    const v1::Argument& a = made.args(i);
    const v1::Argument& b = captured.args(i);
    if (a.value_case() != b.value_case()) return differs(b.name(), "kind of value");
    if (b.role() == v1::ROLE_LIBRARY_OUTPUT) continue;
    if (b.has_tensor() && !same_spec(a.tensor(), b.tensor()))
      return differs(b.name(), "shape or element type");
    if (!b.has_tensors()) continue;
    if (a.tensors().tensors_size() != b.tensors().tensors_size())
      return differs(b.name(), "number of tensors");
    for (int j = 0; j < b.tensors().tensors_size(); ++j) {
      if (!same_spec(a.tensors().tensors(j), b.tensors().tensors(j)))
        return differs(b.name(), "shape or element type");
    }
  }
  return absl::OkStatus();
}

}  // namespace

v1::Fill FillLike(const HostTensor& tensor) {
  v1::Fill fill;
  double least = HUGE_VAL, greatest = -HUGE_VAL, sum = 0, squares = 0;
  int64_t finite = 0;
  std::set<std::string> kinds;
  const int64_t elements = IsComplex(tensor.dtype) ? 0 : NumElements(tensor.shape);
  for (int64_t i = 0; i < elements; ++i) {
    const double value = ElementAsDouble(tensor.dtype, tensor.data.data(), i);
    if (!std::isfinite(value)) {
      const bool first = kinds.insert(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf").second;
      if (first && static_cast<int64_t>(kinds.size()) <= kMostKinds)
        fill.mutable_specials()->add_values(value);
      continue;
    }
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    sum += value;
    squares += value * value;
    ++finite;
  }
  if (finite == 0) return fill;  // the default of the element type
  const double mean = sum / static_cast<double>(finite);
  const double variance = std::max(0.0, squares / static_cast<double>(finite) - mean * mean);
  if (tensor.dtype == v1::Dtype::bool_) {
    fill.mutable_bernoulli()->set_p(mean);
  } else if (least == greatest) {
    fill.mutable_constant()->set_value(least);
  } else if (IsInteger(tensor.dtype) && std::max(-least, greatest) >= kExactIntegers) {
    fill.mutable_full();
  } else if (IsInteger(tensor.dtype)) {
    fill.mutable_integers()->set_low(static_cast<int64_t>(least));
    fill.mutable_integers()->set_high(static_cast<int64_t>(greatest));
  } else if (least >= 0) {  // probabilities, variances, deviations: a normal fill would go below 0
    fill.mutable_uniform()->set_low(least);
    fill.mutable_uniform()->set_high(greatest);
  } else {
    fill.mutable_normal()->set_mean(mean);
    fill.mutable_normal()->set_std(std::sqrt(variance));
  }
  return fill;
}

absl::StatusOr<v1::Fill> FillWith(const HostTensor& tensor, const v1::TensorSpec& spec) {
  if (IsComplex(tensor.dtype)) return absl::UnimplementedError("complex numbers");
  // A fill gives the elements of an expanded dimension one value.
  v1::TensorSpec once = spec;
  for (int i = 0; i < spec.shape_size(); ++i) {
    if (spec.shape(i) > 1 && spec.strides(i) == 0) once.set_shape(i, 1);
  }
  if (Overlaps(once)) return absl::UnimplementedError("elements that share storage");
  const std::vector<int64_t> shape(once.shape().begin(), once.shape().end());
  const std::vector<int64_t> strides = ContiguousStrides(tensor.shape);
  v1::Fill fill;
  for (const int64_t at : ElementOffsets(shape, strides, 0)) {
    const double value = ElementAsDouble(tensor.dtype, tensor.data.data(), at);
    if (IsInteger(tensor.dtype) && std::abs(value) >= kExactIntegers) {
      return absl::UnimplementedError("integers beyond 2^53");
    }
    fill.mutable_values()->add_values(value);
  }
  return fill;
}

absl::StatusOr<v1::OperatorFile> FileOfCapturedCall(const cases::Catalog& catalog,
                                                    const tap::CapturedCall& call, const std::string& label,
                                                    const CapturedPointOptions& options) {
  for (const v1::OperatorFile& op : catalog.operators()) {
    const v1::FunctionRules* rules =
        op.operator_() == call.c.operator_() ? cases::FindRules(op, call.c.function()) : nullptr;
    if (rules == nullptr) continue;
    ASSIGN_OR_RETURN(const v1::Point point, PointMaker(call, options).Make(label));
    const v1::OperatorFile file = cases::OnePointFile(op, point, call.c.function(), call.c.dtype());
    const absl::StatusOr<v1::Case> made = cases::ExpandOne(file);
    if (!made.ok()) return absl::UnimplementedError(made.status().message());
    RETURN_IF_ERROR(CheckSame(*made, call.c));
    return file;
  }
  return absl::NotFoundError(absl::StrCat("no operator ", call.c.operator_(), " with ", call.c.function()));
}

}  // namespace diopi::cli
