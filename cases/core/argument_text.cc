#include "cases/core/argument_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/dtype.h"
#include "cases/base/layout.h"
#include "cases/base/tensor.h"

namespace diopi::cases {
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
  if (!spec.same_as().empty()) absl::StrAppend(&text, ", in the memory of ", spec.same_as());
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
    case v1::Argument::kScratch:
      return absl::StrCat("scratch memory, ", std::string(DtypeName(arg.scratch())));
    case v1::Argument::kGenerator:
      return absl::StrCat("generator, seed ", arg.generator().seed(), ", offset ", arg.generator().offset());
    default:
      return "";
  }
}

}  // namespace

std::vector<ArgumentLine> ArgumentLines(const v1::Case& c) {
  std::vector<ArgumentLine> lines;
  for (const v1::Argument& arg : c.args()) {
    const std::string role = RoleText(arg.role());
    if (!arg.has_tensors()) {
      lines.push_back({arg.name(), role, ValueText(arg)});
      continue;
    }
    const v1::TensorList& list = arg.tensors();
    if (list.tensors().empty()) lines.push_back({arg.name(), role, "[]"});
    for (int i = 0; i < list.tensors_size(); ++i) {
      const bool null = i < list.null_size() && list.null(i);
      lines.push_back({absl::StrCat(arg.name(), ".", i), role, null ? "null" : SpecText(list.tensors(i))});
    }
  }
  return lines;
}

}  // namespace diopi::cases
