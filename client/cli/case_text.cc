#include "client/cli/case_text.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "cases/core/dtype.h"
#include "cases/core/layout.h"

namespace diopi::cli {
namespace {

std::vector<int64_t> ToVector(const google::protobuf::RepeatedField<int64_t>& field) {
  return {field.begin(), field.end()};
}

const char* RoleText(v1::Role role) {
  switch (role) {
    case v1::ROLE_INPUT:
      return "in";
    case v1::ROLE_OUTPUT:
      return "out";
    case v1::ROLE_INOUT:
      return "in/out";
    case v1::ROLE_LIBRARY_OUTPUT:
      return "library";
    default:
      return "";
  }
}

std::string SpecText(const v1::TensorSpec& spec) {
  const std::vector<int64_t> shape = ToVector(spec.shape());
  const std::vector<int64_t> strides = ToVector(spec.strides());
  std::string text = absl::StrCat(std::string(DtypeName(spec.dtype())), " ", ShapeText(shape));
  if (!strides.empty() && strides != ContiguousStrides(shape)) {
    absl::StrAppend(&text, ", strides ", ShapeText(strides));
  }
  if (spec.storage_offset() != 0) absl::StrAppend(&text, ", offset ", spec.storage_offset());
  if (!spec.from().empty()) absl::StrAppend(&text, ", from ", spec.from());
  if (spec.has_fill()) absl::StrAppend(&text, ", ", std::string(spec.fill().ShortDebugString()));
  return text;
}

std::string ScalarText(const v1::ScalarValue& scalar) {
  const std::string type(DtypeName(scalar.dtype()));
  if (scalar.value_case() == v1::ScalarValue::kF) return absl::StrFormat("%s %.17g", type, scalar.f());
  return absl::StrCat(type, " ", scalar.i());
}

std::string ValueText(const v1::Argument& arg) {
  switch (arg.value_case()) {
    case v1::Argument::kNull:
      return "null";
    case v1::Argument::kTensor:
      return SpecText(arg.tensor());
    case v1::Argument::kScalar:
      return ScalarText(arg.scalar());
    case v1::Argument::kSizes:
      return ShapeText(ToVector(arg.sizes().values()));
    case v1::Argument::kI:
      return absl::StrCat(arg.i());
    case v1::Argument::kF:
      return absl::StrFormat("%.17g", arg.f());
    case v1::Argument::kB:
      return arg.b() ? "true" : "false";
    case v1::Argument::kS:
      return absl::StrCat("\"", absl::CEscape(arg.s()), "\"");
    case v1::Argument::kHostOutput:
      return absl::StrCat("host ", std::string(DtypeName(arg.host_output().dtype())));
    case v1::Argument::kGenerator:
      return absl::StrCat("generator, seed ", arg.generator().seed(), ", offset ", arg.generator().offset());
    default:
      return "";
  }
}

std::string Line(const std::string& name, v1::Role role, const std::string& value) {
  return absl::StrFormat("  %-16s %-8s %s\n", name, RoleText(role), value);
}

std::string JudgeText(const v1::Judge& judge) {
  std::string text = absl::AsciiStrToLower(v1::Judge::Kind_Name(judge.kind()));
  if (judge.kf() != 0) absl::StrAppend(&text, ", kf ", judge.kf());
  if (!judge.groups().empty()) absl::StrAppend(&text, ", groups ", judge.groups());
  if (judge.kind() == v1::Judge::RANDOM) {
    absl::StrAppend(&text, ", ", absl::AsciiStrToLower(v1::Judge::Distribution_Name(judge.distribution())));
  }
  if (judge.may_be_nondeterministic()) absl::StrAppend(&text, ", may differ from call to call");
  if (!judge.reason().empty()) absl::StrAppend(&text, ", ", judge.reason());
  return text;
}

}  // namespace

std::string ArgumentsText(const v1::Case& c) {
  std::string text;
  for (const v1::Argument& arg : c.args()) {
    if (!arg.has_tensors()) {
      text += Line(arg.name(), arg.role(), ValueText(arg));
      continue;
    }
    const v1::TensorList& list = arg.tensors();
    if (list.tensors().empty()) text += Line(arg.name(), arg.role(), "[]");
    for (int i = 0; i < list.tensors_size(); ++i) {
      const bool null = i < list.null_size() && list.null(i);
      text += Line(absl::StrCat(arg.name(), ".", i), arg.role(), null ? "null" : SpecText(list.tensors(i)));
    }
  }
  return text;
}

std::string CaseText(const v1::Case& c) {
  std::string text =
      absl::StrCat("Case       ", c.id(), "\nFunction   ", c.function(), "\nOperator   ", c.operator_(), " (",
                   c.family(), ")\nReveals    ", c.reveals(), "\nHash       ", c.hash(),
                   ", generator version ", c.generator_version(), "\nArguments\n", ArgumentsText(c));
  absl::StrAppend(&text, "Judged\n");
  for (const v1::Judge& judge : c.judges()) {
    absl::StrAppend(&text, absl::StrFormat("  %-16s %s\n", judge.output(), JudgeText(judge)));
  }
  return text;
}

std::string ElementText(const HostTensor& tensor, int64_t index) {
  const Dtype dtype = tensor.dtype;
  const double value = ElementAsDouble(dtype, tensor.data.data(), index);
  if (dtype == v1::Dtype::int64 || dtype == v1::Dtype::uint64) {
    int64_t exact = 0;
    std::memcpy(&exact, tensor.data.data() + index * 8, 8);
    return dtype == v1::Dtype::int64 ? absl::StrCat(exact) : absl::StrCat(static_cast<uint64_t>(exact));
  }
  if (dtype == v1::Dtype::bool_) return value != 0 ? "true" : "false";
  if (dtype == v1::Dtype::float64) return absl::StrFormat("%.17g", value);
  return IsFloating(dtype) ? absl::StrFormat("%.9g", value) : absl::StrFormat("%.0f", value);
}

std::string TensorText(const HostTensor& tensor, int64_t values) {
  const int64_t count = NumElements(tensor.shape);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < std::min(count, values); ++i) texts.push_back(ElementText(tensor, i));
  if (count > values) texts.emplace_back("...");
  return absl::StrCat(std::string(DtypeName(tensor.dtype)), " ", ShapeText(tensor.shape), ": ",
                      texts.empty() ? "empty" : absl::StrJoin(texts, ", "));
}

}  // namespace diopi::cli
