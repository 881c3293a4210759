#include "baselines/tap/functions.h"

#include <algorithm>
#include <regex>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"

namespace diopi::tap {
namespace {

// A function that several operators have belongs to the one that has cases for it first.
std::unordered_map<std::string, std::pair<const v1::OperatorFile*, const v1::FunctionRules*>> RulesOf(
    const cases::Catalog& catalog) {
  std::unordered_map<std::string, std::pair<const v1::OperatorFile*, const v1::FunctionRules*>> rules;
  for (const v1::OperatorFile& op : catalog.operators()) {
    for (const v1::FunctionRules& function : op.function()) {
      rules.emplace(function.name(), std::pair(&op, &function));
    }
  }
  return rules;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FunctionTable>> FunctionTable::Load() {
  auto table = std::make_unique<FunctionTable>();
  ASSIGN_OR_RETURN(table->catalog_, cases::Catalog::LoadBuiltin());
  const auto rules = RulesOf(*table->catalog_);
  for (const abi::Function* function : abi::Functions()) {
    FunctionInfo& info = table->functions_.emplace_back();
    info.function = function;
    info.names.push_back(function->name());
    const auto found = rules.find(function->name());
    if (found == rules.end()) continue;
    info.op = found->second.first;
    info.rules = found->second.second;
    info.names.push_back(info.op->operator_());
    if (!info.rules->variant().empty()) {
      info.names.push_back(absl::StrCat(info.op->operator_(), ".", info.rules->variant()));
    }
    for (const std::string& also : info.op->also()) info.names.push_back(also);
  }
  return table;
}

absl::StatusOr<std::vector<bool>> FunctionTable::Select(std::string_view list) const {
  std::vector<bool> selected(functions_.size());
  for (const absl::string_view item : absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    const std::string text(absl::StripAsciiWhitespace(item));
    if (text.empty()) continue;
    std::regex expression;
    try {
      expression = std::regex(text);
    } catch (const std::regex_error& error) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' is no regular expression: ", error.what()));
    }
    bool any = false;
    for (size_t i = 0; i < functions_.size(); ++i) {
      const std::vector<std::string>& names = functions_[i].names;
      if (std::none_of(names.begin(), names.end(), [&](const std::string& name) {
            return name == text || std::regex_match(name, expression);
          })) {
        continue;
      }
      selected[i] = true;
      any = true;
    }
    if (any) continue;
    std::vector<std::string> known;
    for (const FunctionInfo& info : functions_)
      known.insert(known.end(), info.names.begin(), info.names.end());
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' matches no function or operator", NearestText(text, known)));
  }
  return selected;
}

}  // namespace diopi::tap
