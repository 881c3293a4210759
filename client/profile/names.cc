#include "client/profile/names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/base/match.h"
#include "cases/core/catalog.h"
#include "cases/core/library_checks.h"
#include "proto/abi/abi.h"

namespace diopi::profile {
namespace {

bool AnyMatches(const std::string& pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return GlobMatch(pattern, name); });
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const abi::Function* function : abi::Functions()) names.push_back(function->name());
  return names;
}

void AddParameters(const abi::Function& function, std::set<std::string>* names) {
  for (const abi::Param& param : function.param()) {
    if (param.kind() != abi::CONTEXT) names->insert(param.name());
  }
}

}  // namespace

Names::Names(const std::vector<v1::OperatorFile>& operators) {
  operators_.emplace_back(cases::kLibraryOperator);
  for (const v1::OperatorFile& op : operators) {
    std::vector<std::string> names(op.also().begin(), op.also().end());
    for (const std::string& other : names) own_[other] = op.operator_();
    names.push_back(op.operator_());
    for (const std::string& name : names) {
      operators_.push_back(name);
      for (const v1::FunctionRules& rules : op.function()) functions_[name].insert(rules.name());
    }
  }
}

std::string Names::CheckOperator(const std::string& pattern) const {
  if (AnyMatches(pattern, operators_)) return "";
  return absl::StrCat("no operator '", pattern, "'; expected an operator's name or a glob of some",
                      NearestText(pattern, operators_));
}

std::vector<std::string> Names::OwnNames(const std::vector<std::string>& patterns) const {
  std::vector<std::string> names;
  for (const auto& [other, own] : own_) {
    const auto matches = [](const std::string& name) {
      return [&name](const std::string& pattern) { return GlobMatch(pattern, name); };
    };
    const bool named = std::any_of(patterns.begin(), patterns.end(), matches(other));
    if (named && std::none_of(patterns.begin(), patterns.end(), matches(own))) names.push_back(own);
  }
  return names;
}

std::string Names::CheckFunction(const std::string& pattern) {
  const std::vector<std::string> known = FunctionNames();
  if (AnyMatches(pattern, known)) return "";
  return absl::StrCat("the ABI has no function '", pattern, "'; expected a name or a glob of some",
                      NearestText(pattern, known));
}

std::string Names::CheckCase(const std::string& pattern) const {
  const std::string head = pattern.substr(0, pattern.find('.'));
  if (head.empty()) return "expected a case's id or a glob of some";
  if (head.find_first_of("*?") != std::string::npos) return "";
  if (std::find(operators_.begin(), operators_.end(), head) != operators_.end()) return "";
  return absl::StrCat("no case '", pattern, "': there is no operator '", head, "'",
                      NearestText(head, operators_));
}

std::string Names::CheckParameter(const std::string& name, const std::vector<std::string>& operators,
                                  const std::vector<std::string>& functions) const {
  std::set<std::string> known;
  for (const auto& [alias, of_it] : functions_) {
    // clang 14, used for fuzzing, does not let a lambda capture a structured binding.
    const bool named = std::any_of(
        operators.begin(), operators.end(),
        [&name_of_it = alias](const std::string& pattern) { return GlobMatch(pattern, name_of_it); });
    for (const std::string& function : of_it) {
      const abi::Function* found = abi::FindFunction(function);
      if (named && found != nullptr) AddParameters(*found, &known);
    }
  }
  const bool any = operators.empty() && functions.empty();
  for (const abi::Function* function : abi::Functions()) {
    const bool named = std::any_of(functions.begin(), functions.end(), [&](const std::string& pattern) {
      return GlobMatch(pattern, function->name());
    });
    if (any || named) AddParameters(*function, &known);
  }
  const std::vector<std::string> list(known.begin(), known.end());
  if (AnyMatches(name, list)) return "";
  return absl::StrCat("no parameter '", name, "'",
                      any ? " in the ABI" : " of the functions that the rule names", NearestText(name, list));
}

}  // namespace diopi::profile
