// A condition that is not set holds, all that are set must hold, and a list holds if one of its entries does.
// Each tensor condition needs some tensor of the case for which all of its parts hold together. Numbers are
// compared by value, so that rules may write 2 for 2.0.
#include "client/profile/match.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/match.h"
#include "cases/base/tensor.h"
#include "client/profile/tensors.h"

namespace diopi::profile {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

bool AnyGlob(const Texts& patterns, const std::string& text) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return GlobMatch(pattern, text);
         });
}

template <typename Dtypes>
bool AnyDtype(const Dtypes& dtypes, int dtype) {
  return dtypes.empty() || std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

bool Within(const v1::Bounds& bounds, int64_t value) {
  if (bounds.has_min() && value < bounds.min()) return false;
  if (bounds.has_max() && value > bounds.max()) return false;
  return bounds.is().empty() || std::find(bounds.is().begin(), bounds.is().end(), value) != bounds.is().end();
}

bool ShapeMatches(const std::string& text, const v1::TensorSpec& spec) {
  const std::optional<ShapePattern> pattern = ParseShape(text);
  if (!pattern.has_value() || static_cast<int>(pattern->size()) != spec.shape_size()) return false;
  for (int i = 0; i < spec.shape_size(); ++i) {
    const std::optional<int64_t>& size = (*pattern)[static_cast<size_t>(i)];
    if (size.has_value() && *size != spec.shape(i)) return false;
  }
  return true;
}

bool DimMatches(const v1::DimMatch& dim, const v1::TensorSpec& spec) {
  const int at = dim.at() < 0 ? dim.at() + spec.shape_size() : dim.at();
  return at >= 0 && at < spec.shape_size() && Within(dim.size(), spec.shape(at));
}

bool TensorMatches(const v1::TensorMatch& match, const CaseTensor& tensor) {
  const v1::TensorSpec& spec = *tensor.spec;
  if (!AnyGlob(match.argument(), tensor.argument->name()) && !AnyGlob(match.argument(), tensor.key)) {
    return false;
  }
  if (!AnyDtype(match.dtype(), spec.dtype())) return false;
  if (match.has_rank() && !Within(match.rank(), spec.shape_size())) return false;
  if (match.has_elements() && !Within(match.elements(), ElementsOf(spec))) {
    return false;
  }
  const auto& shapes = match.shape();
  if (!shapes.empty() && std::none_of(shapes.begin(), shapes.end(),
                                      [&](const std::string& shape) { return ShapeMatches(shape, spec); })) {
    return false;
  }
  if (!std::all_of(match.dim().begin(), match.dim().end(),
                   [&](const v1::DimMatch& dim) { return DimMatches(dim, spec); })) {
    return false;
  }
  return !match.has_contiguous() || match.contiguous() == IsContiguous(spec);
}

// Compares numbers by value ("2" equals "2.0"), everything else as text.
bool SameValue(const std::string& pattern, const std::string& value) {
  double wanted = 0;
  double has = 0;
  if (absl::SimpleAtod(pattern, &wanted) && absl::SimpleAtod(value, &has)) {
    return wanted == has || (std::isnan(wanted) && std::isnan(has));
  }
  const std::string compact = absl::StrJoin(absl::StrSplit(pattern, ' '), "");
  return GlobMatch(pattern, value) || compact == absl::StrJoin(absl::StrSplit(value, ' '), "");
}

bool ParameterMatches(const v1::ParameterMatch& match, const v1::Case& c) {
  return std::any_of(c.args().begin(), c.args().end(), [&](const v1::Argument& arg) {
    if (!GlobMatch(match.name(), arg.name())) return false;
    const std::string value = ValueText(arg);
    return !value.empty() &&
           std::any_of(match.value().begin(), match.value().end(),
                       [&](const std::string& pattern) { return SameValue(pattern, value); });
  });
}

void AddList(const char* what, const Texts& list, std::vector<std::string>* parts) {
  if (!list.empty()) parts->push_back(absl::StrCat(what, " ", absl::StrJoin(list, ", ")));
}

std::string BoundsText(const v1::Bounds& bounds) {
  std::vector<std::string> parts;
  if (bounds.has_min()) parts.push_back(absl::StrCat(">= ", bounds.min()));
  if (bounds.has_max()) parts.push_back(absl::StrCat("<= ", bounds.max()));
  if (!bounds.is().empty()) parts.push_back(absl::StrJoin(bounds.is(), " or "));
  return absl::StrJoin(parts, ", ");
}

template <typename Dtypes>
std::string DtypesText(const Dtypes& dtypes) {
  return absl::StrJoin(
      dtypes, ", ", [](std::string* out, int dtype) { out->append(DtypeName(static_cast<Dtype>(dtype))); });
}

std::string TensorText(const v1::TensorMatch& match) {
  std::vector<std::string> parts;
  if (!match.dtype().empty()) parts.push_back(DtypesText(match.dtype()));
  if (match.has_rank()) parts.push_back(absl::StrCat("rank ", BoundsText(match.rank())));
  if (match.has_elements()) parts.push_back(absl::StrCat("elements ", BoundsText(match.elements())));
  AddList("shape", match.shape(), &parts);
  for (const v1::DimMatch& dim : match.dim()) {
    parts.push_back(absl::StrCat("dim ", dim.at(), " ", BoundsText(dim.size())));
  }
  if (match.has_contiguous()) parts.push_back(match.contiguous() ? "contiguous" : "not contiguous");
  return absl::StrCat("tensor ", match.argument().empty() ? "*" : absl::StrJoin(match.argument(), ", "), " (",
                      absl::StrJoin(parts, "; "), ")");
}

}  // namespace

std::optional<ShapePattern> ParseShape(std::string_view text) {
  std::string inner(absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size())));
  const bool closed = inner.size() >= 2 && ((inner.front() == '(' && inner.back() == ')') ||
                                            (inner.front() == '[' && inner.back() == ']'));
  if (closed) inner = std::string(absl::StripAsciiWhitespace(inner.substr(1, inner.size() - 2)));
  ShapePattern shape;
  if (inner.empty()) return closed ? std::optional<ShapePattern>(shape) : std::nullopt;
  if (closed) inner = std::string(absl::StripSuffix(inner, ","));  // Python's (2,)
  for (const absl::string_view part : absl::StrSplit(inner, ',')) {
    const absl::string_view size = absl::StripAsciiWhitespace(part);
    int64_t value = 0;
    if (size == "*") {
      shape.emplace_back(std::nullopt);
    } else if (absl::SimpleAtoi(size, &value) && value >= 0) {
      shape.emplace_back(value);
    } else {
      return std::nullopt;
    }
  }
  return shape;
}

std::string ValueText(const v1::Argument& arg) {
  switch (arg.value_case()) {
    case v1::Argument::kNull:
      return "none";
    case v1::Argument::kB:
      return arg.b() ? "true" : "false";
    case v1::Argument::kI:
      return absl::StrCat(arg.i());
    case v1::Argument::kF:
      return absl::StrCat(arg.f());
    case v1::Argument::kS:
      return arg.s();
    case v1::Argument::kSizes:
      return absl::StrCat("[", absl::StrJoin(arg.sizes().values(), ", "), "]");
    case v1::Argument::kScalar:
      if (arg.scalar().dtype() == v1::Dtype::bool_) {
        const bool is_float = arg.scalar().value_case() == v1::ScalarValue::kF;
        return (is_float ? arg.scalar().f() != 0 : arg.scalar().i() != 0) ? "true" : "false";
      }
      return arg.scalar().value_case() == v1::ScalarValue::kF ? absl::StrCat(arg.scalar().f())
                                                              : absl::StrCat(arg.scalar().i());
    default:
      return "";
  }
}

bool Matches(const v1::CaseMatch& match, const v1::Case& c) {
  if (!AnyGlob(match.operator_(), c.operator_()) || !AnyGlob(match.function(), c.function())) return false;
  if (!AnyGlob(match.case_(), c.id()) || !AnyDtype(match.dtype(), c.dtype())) return false;
  if (!match.tensor().empty()) {
    const std::vector<CaseTensor> tensors = TensorsOf(c);
    for (const v1::TensorMatch& tensor : match.tensor()) {
      if (std::none_of(tensors.begin(), tensors.end(),
                       [&](const CaseTensor& one) { return TensorMatches(tensor, one); })) {
        return false;
      }
    }
  }
  return std::all_of(match.parameter().begin(), match.parameter().end(),
                     [&](const v1::ParameterMatch& parameter) { return ParameterMatches(parameter, c); });
}

std::string MatchText(const v1::CaseMatch& match) {
  std::vector<std::string> parts;
  AddList("operator", match.operator_(), &parts);
  AddList("function", match.function(), &parts);
  AddList("case", match.case_(), &parts);
  if (!match.dtype().empty()) parts.push_back(absl::StrCat("dtype ", DtypesText(match.dtype())));
  for (const v1::TensorMatch& tensor : match.tensor()) parts.push_back(TensorText(tensor));
  for (const v1::ParameterMatch& parameter : match.parameter()) {
    parts.push_back(absl::StrCat(parameter.name(), " = ", absl::StrJoin(parameter.value(), " or ")));
  }
  return parts.empty() ? "every case" : absl::StrJoin(parts, "; ");
}

}  // namespace diopi::profile
