// One table (Entries) has each contract's name, flag and dtypes; parsing, printing and union go through it,
// so a new contract is one line here and a flag. Allowed says which contracts a kind of arithmetic heeds: a
// declaration about products must not widen what has none.
#include "baselines/compare/contract.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

struct Entry {
  const char* name;
  bool Contracts::*flag;
  std::vector<Dtype> dtypes;  // of cases that it can make a difference to
};

const std::vector<Entry>& Entries() {
  static const auto* const kEntries =
      new std::vector<Entry>{{"tf32", &Contracts::tf32, {D::float32}},
                             {"tc32", &Contracts::tc32, {D::float32}},
                             {"fastconv", &Contracts::fastconv, {D::float32, D::float16, D::bfloat16}},
                             {"p_cast", &Contracts::p_cast, {D::float16, D::bfloat16}},
                             {"native16", &Contracts::native16, {D::float16, D::bfloat16}}};
  return *kEntries;
}

std::string DtypeNames(const std::vector<Dtype>& dtypes, const char* separator) {
  return absl::StrJoin(dtypes, separator,
                       [](std::string* out, Dtype dtype) { out->append(DtypeName(dtype)); });
}

// The names between '+', each once. False when one is empty or has a character that no name has.
bool SplitNames(const std::string& text, std::vector<std::string>* names) {
  *names = absl::StrSplit(text, '+');
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
  return std::none_of(names->begin(), names->end(), [](const std::string& name) {
    return name.empty() || name.find_first_of("@:,; \t\n") != std::string::npos;
  });
}

absl::Status Malformed(const std::string& text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "contract '", text, "': expected NAME[@OPERATOR+...][:DTYPE+...], as native16@norm+mean:bfloat16"));
}

absl::StatusOr<std::vector<Dtype>> DtypesOf(const Entry& entry, const std::vector<std::string>& names,
                                            const std::string& text) {
  std::vector<Dtype> dtypes;
  for (const std::string& name : names) {
    const absl::StatusOr<Dtype> dtype = ParseDtype(name);
    const auto& known = entry.dtypes;
    if (!dtype.ok() || std::find(known.begin(), known.end(), *dtype) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat("contract '", text, "': ", entry.name, " applies to ",
                                                     DtypeNames(known, ", "), ", not '", name, "'"));
    }
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

}  // namespace

DeclaredContracts::DeclaredContracts(const Contracts& everywhere) {
  for (const Entry& entry : Entries()) {
    if (!(everywhere.*entry.flag)) continue;
    Rule rule;
    rule.contract.*entry.flag = true;
    rules_.push_back(std::move(rule));
  }
}

Contracts DeclaredContracts::For(const v1::Case& c) const {
  Contracts contracts;
  for (const Rule& rule : rules_) {
    const bool dtype = rule.dtypes.empty() ||
                       std::find(rule.dtypes.begin(), rule.dtypes.end(), c.dtype()) != rule.dtypes.end();
    const bool named = rule.operators.empty() ||
                       std::any_of(rule.operators.begin(), rule.operators.end(),
                                   [&](const std::string& glob) { return GlobMatch(glob, c.operator_()); });
    if (dtype && named) contracts = Union(contracts, rule.contract);
  }
  return contracts;
}

std::vector<std::string> DeclaredContracts::Texts() const {
  std::vector<std::string> texts;
  for (const Entry& entry : Entries()) {
    std::set<std::string> own;
    for (const Rule& rule : rules_) {
      if (!(rule.contract.*entry.flag)) continue;
      own.insert(absl::StrCat(entry.name, rule.operators.empty() ? "" : "@",
                              absl::StrJoin(rule.operators, "+"), rule.dtypes.empty() ? "" : ":",
                              DtypeNames(rule.dtypes, "+")));
    }
    texts.insert(texts.end(), own.begin(), own.end());
  }
  return texts;
}

std::vector<std::string> DeclaredContracts::Operators() const {
  std::set<std::string> operators;
  for (const Rule& rule : rules_) operators.insert(rule.operators.begin(), rule.operators.end());
  return {operators.begin(), operators.end()};
}

absl::StatusOr<DeclaredContracts> ParseContracts(const std::vector<std::string>& declarations) {
  DeclaredContracts declared;
  for (const std::string& text : declarations) {
    const std::string name = text.substr(0, text.find_first_of("@:"));
    const auto entry = std::find_if(Entries().begin(), Entries().end(),
                                    [&](const Entry& each) { return each.name == name; });
    if (entry == Entries().end()) {
      const auto list = [](std::string* out, const Entry& each) { out->append(each.name); };
      return absl::InvalidArgumentError(
          absl::StrCat("unknown contract '", name, "'; known: ", absl::StrJoin(Entries(), ", ", list)));
    }
    DeclaredContracts::Rule rule;
    rule.contract.*entry->flag = true;
    std::vector<std::string> dtypes;
    const size_t colon = text.find(':');
    const std::string head = text.substr(0, colon);
    const bool operators_fit =
        head.size() == name.size() || SplitNames(head.substr(name.size() + 1), &rule.operators);
    const bool dtypes_fit = colon == std::string::npos || SplitNames(text.substr(colon + 1), &dtypes);
    if (!operators_fit || !dtypes_fit) return Malformed(text);
    ASSIGN_OR_RETURN(rule.dtypes, DtypesOf(*entry, dtypes, text));
    declared.rules_.push_back(std::move(rule));
  }
  return declared;
}

std::vector<std::string> ContractNames(const Contracts& contracts) {
  std::vector<std::string> names;
  for (const Entry& entry : Entries()) {
    if (contracts.*entry.flag) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<Contracts> SingleContracts() {
  std::vector<Contracts> singles;
  for (const Entry& entry : Entries()) singles.emplace_back().*entry.flag = true;
  return singles;
}

Contracts Allowed(const Contracts& declared, v1::Judge::Arithmetic arithmetic) {
  const bool matrix = arithmetic != v1::Judge::PLAIN;
  Contracts allowed = declared;
  allowed.tf32 = declared.tf32 && matrix;
  allowed.tc32 = declared.tc32 && matrix;
  allowed.fastconv = declared.fastconv && arithmetic == v1::Judge::CONVOLUTION;
  allowed.p_cast = declared.p_cast && arithmetic == v1::Judge::ATTENTION;
  return allowed;
}

Contracts Union(const Contracts& a, const Contracts& b) {
  Contracts both;
  for (const Entry& entry : Entries()) both.*entry.flag = a.*entry.flag || b.*entry.flag;
  return both;
}

}  // namespace diopi::baselines
