// Rules are sorted from general to specific (all operators, some, arguments) and applied in that order, so
// that a later rule overrides an earlier one; rules of the same level keep the file's order. Types and
// layouts are decided independently, and a layout given for an argument by name is not overridden by one that
// names none.
#include "client/profile/adaptor_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "cases/findings/finding.h"
#include "client/profile/tensors.h"

namespace diopi::profile {
namespace {

constexpr char kDtypeForm[] = "expected (FROM, ...)->TO, as in (int64)->int32, (float64)->float32";
constexpr char kLayoutForm[] =
    "expected a list of NHWC, NDHWC, NLC, NCHW, ND, or one of them for an argument, as in NCHW, input(NHWC)";

struct LayoutName {
  std::string_view name;
  v1::LibraryLayout layout;
  int rank;
};
constexpr std::array<LayoutName, 7> kLayouts = {{{"NHWC", v1::CHANNELS_LAST, 4},
                                                 {"NDHWC", v1::CHANNELS_LAST, 5},
                                                 {"NLC", v1::CHANNELS_LAST, 3},
                                                 {"NCHW", v1::CONTIGUOUS, 0},
                                                 {"NCDHW", v1::CONTIGUOUS, 5},
                                                 {"NCL", v1::CONTIGUOUS, 3},
                                                 {"ND", v1::AS_IS, 0}}};

std::string_view Trim(std::string_view text) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size()));
  return {trimmed.data(), trimmed.size()};
}

// Splits at commas outside parentheses.
std::vector<std::string_view> SplitOutside(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(Trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(Trim(text.substr(begin)));
  return parts;
}

absl::Status Misspelt(std::string_view part, const char* form) {
  return absl::InvalidArgumentError(absl::StrCat("'", std::string(part), "' is not a rule; ", form));
}

bool MatchesAny(const google::protobuf::RepeatedPtrField<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return GlobMatch(pattern, name); });
}

bool IsAbout(const v1::AdaptorRule& rule, const v1::Case& c) {
  if (rule.operator_().empty() && rule.function().empty()) return true;
  return MatchesAny(rule.operator_(), c.operator_()) || MatchesAny(rule.function(), c.function());
}

}  // namespace

absl::StatusOr<std::vector<DtypeRule>> ParseDtypeRules(std::string_view text) {
  std::vector<DtypeRule> rules;
  for (const std::string_view part : SplitOutside(text)) {
    const size_t open = part.find('(');
    const size_t close = part.find(')');
    const size_t arrow = part.find("->");
    if (open != 0 || close == std::string_view::npos || arrow == std::string_view::npos || arrow < close ||
        !Trim(part.substr(close + 1, arrow - close - 1)).empty()) {
      return Misspelt(part, kDtypeForm);
    }
    ASSIGN_OR_RETURN(const Dtype to, ParseDtype(Trim(part.substr(arrow + 2))));
    for (const std::string_view name : SplitOutside(part.substr(1, close - 1))) {
      ASSIGN_OR_RETURN(const Dtype from, ParseDtype(name));
      const bool complex = IsComplex(from) || IsComplex(to);
      if (complex && from != to && !(from == v1::Dtype::complex128 && to == v1::Dtype::complex64)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "no conversion of ", std::string(DtypeName(from)), " to ", std::string(DtypeName(to)),
            "; complex numbers convert only from complex128 to complex64"));
      }
      rules.push_back({from, to});
    }
  }
  return rules;
}

absl::StatusOr<std::vector<LayoutRule>> ParseLayoutRules(std::string_view text) {
  std::vector<LayoutRule> rules;
  for (std::string_view part : SplitOutside(text)) {
    LayoutRule rule;
    const size_t open = part.find('(');
    if (open != std::string_view::npos) {
      if (open == 0 || part.back() != ')') return Misspelt(part, kLayoutForm);
      rule.argument = std::string(Trim(part.substr(0, open)));
      part = Trim(part.substr(open + 1, part.size() - open - 2));
    }
    const auto* found = std::find_if(kLayouts.begin(), kLayouts.end(),
                                     [&](const LayoutName& one) { return one.name == part; });
    if (found == kLayouts.end()) return Misspelt(part, kLayoutForm);
    rule.layout = found->layout;
    rule.rank = found->rank;
    rules.push_back(std::move(rule));
  }
  return rules;
}

absl::StatusOr<Adaptor> Adaptor::Make(const std::vector<v1::AdaptorRule>& rules) {
  Adaptor adaptor;
  for (const v1::AdaptorRule& message : rules) {
    Rule rule;
    rule.message = message;
    if (!message.dtype().empty()) {
      ASSIGN_OR_RETURN(rule.dtypes, ParseDtypeRules(message.dtype()));
    }
    if (!message.layout().empty()) {
      ASSIGN_OR_RETURN(rule.layouts, ParseLayoutRules(message.layout()));
    }
    const bool all = message.operator_().empty() && message.function().empty();
    rule.level = (all ? 0 : 1) + (message.argument().empty() ? 0 : 2);
    adaptor.rules_.push_back(std::move(rule));
  }
  std::stable_sort(adaptor.rules_.begin(), adaptor.rules_.end(),
                   [](const Rule& a, const Rule& b) { return a.level < b.level; });
  return adaptor;
}

v1::CaseAdaptor Adaptor::For(const v1::Case& c) const {
  v1::CaseAdaptor result;
  if (rules_.empty()) return result;
  for (const CaseTensor& tensor : TensorsOf(c)) {
    const v1::TensorSpec& spec = *tensor.spec;
    Dtype dtype = spec.dtype();
    bool converted = false;
    // An adaptor's default: inputs are made contiguous.
    v1::LibraryLayout layout = v1::CONTIGUOUS;
    bool for_argument = false;
    bool about = false;
    for (const Rule& rule : rules_) {
      if (!IsAbout(rule.message, c)) continue;
      if (!rule.message.argument().empty() && !MatchesAny(rule.message.argument(), tensor.argument->name())) {
        continue;
      }
      about = true;
      for (const DtypeRule& one : rule.dtypes) {
        if (one.from != spec.dtype()) continue;
        dtype = one.to;
        converted = one.to != one.from;
      }
      for (const LayoutRule& one : rule.layouts) {
        if (one.rank != 0 && one.rank != spec.shape_size()) continue;
        const bool named = !one.argument.empty();
        if (named && !GlobMatch(one.argument, tensor.argument->name())) continue;
        if (!named && for_argument && rule.message.argument().empty()) continue;
        layout = one.layout;
        for_argument = for_argument || named;
      }
    }
    // Tensors that the library allocates have the library's layout.
    const bool allocated = tensor.argument->role() == v1::ROLE_LIBRARY_OUTPUT;
    const bool relaid = !allocated && about &&
                        (layout == v1::CHANNELS_LAST || (layout == v1::CONTIGUOUS && !IsContiguous(spec)));
    if (!converted && !relaid) continue;
    v1::CaseAdaptor::Conversion* conversion = result.add_conversion();
    conversion->set_key(tensor.key);
    conversion->set_dtype(dtype);
    conversion->set_layout(allocated ? v1::AS_IS : layout);
  }
  return result;
}

std::vector<v1::Finding> Adaptor::Rules() const {
  std::vector<v1::Finding> rules;
  for (const Rule& rule : rules_) {
    std::vector<std::string> about(rule.message.operator_().begin(), rule.message.operator_().end());
    about.insert(about.end(), rule.message.function().begin(), rule.message.function().end());
    v1::Finding& adapted = rules.emplace_back(Found(v1::Finding::ADAPTED)
                                                  .Name(absl::StrJoin(about, ", "))
                                                  .Got(absl::StrJoin(rule.message.argument(), ", ")));
    if (!rule.message.dtype().empty())
      *adapted.add_parts() = Found(v1::Finding::TERM).Word("dtype").Got(rule.message.dtype());
    if (!rule.message.layout().empty())
      *adapted.add_parts() = Found(v1::Finding::TERM).Word("layout").Got(rule.message.layout());
  }
  return rules;
}

}  // namespace diopi::profile
