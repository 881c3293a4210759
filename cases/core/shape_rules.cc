#include "cases/core/shape_rules.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"

namespace diopi::cases {
namespace {

absl::Status Missing(std::string_view name, std::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("`", std::string(name), "` is not ", std::string(wanted), " here"));
}

}  // namespace

bool RuleArgs::Has(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  return arg != nullptr && arg->value_case() != v1::Argument::VALUE_NOT_SET && !arg->null();
}

absl::StatusOr<std::vector<int64_t>> RuleArgs::Shape(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  if (arg == nullptr || !arg->has_tensor()) return Missing(name, "a tensor");
  return SpecShape(arg->tensor());
}

absl::StatusOr<std::vector<std::vector<int64_t>>> RuleArgs::Shapes(std::string_view list_name) const {
  const v1::Argument* arg = FindArgument(case_, list_name);
  if (arg == nullptr || !arg->has_tensors()) return Missing(list_name, "a list of tensors");
  std::vector<std::vector<int64_t>> shapes;
  for (const v1::TensorSpec& spec : arg->tensors().tensors()) shapes.push_back(SpecShape(spec));
  return shapes;
}

absl::StatusOr<std::vector<int64_t>> RuleArgs::Sizes(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  if (arg == nullptr || !arg->has_sizes()) return Missing(name, "a list of sizes");
  return std::vector<int64_t>(arg->sizes().values().begin(), arg->sizes().values().end());
}

absl::StatusOr<int64_t> RuleArgs::Int(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  if (arg == nullptr || arg->value_case() != v1::Argument::kI) return Missing(name, "an integer");
  return arg->i();
}

absl::StatusOr<bool> RuleArgs::Bool(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  if (arg == nullptr || arg->value_case() != v1::Argument::kB) return Missing(name, "a bool");
  return arg->b();
}

absl::StatusOr<double> RuleArgs::Number(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  if (arg != nullptr && arg->value_case() == v1::Argument::kF) return arg->f();
  if (arg != nullptr && arg->value_case() == v1::Argument::kI) return static_cast<double>(arg->i());
  if (arg == nullptr || !arg->has_scalar()) return Missing(name, "a number");
  const v1::ScalarValue& scalar = arg->scalar();
  return scalar.value_case() == v1::ScalarValue::kF ? scalar.f() : static_cast<double>(scalar.i());
}

absl::StatusOr<std::string> RuleArgs::String(std::string_view name) const {
  const v1::Argument* arg = FindArgument(case_, name);
  if (arg == nullptr || arg->value_case() != v1::Argument::kS) return Missing(name, "a string");
  return arg->s();
}

absl::StatusOr<int64_t> NormalizeDim(int64_t dim, int64_t rank) {
  if (dim < -rank || dim >= rank) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", dim, " of a tensor of rank ", rank));
  }
  return dim < 0 ? dim + rank : dim;
}

}  // namespace diopi::cases
