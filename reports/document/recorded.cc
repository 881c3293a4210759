#include "reports/document/recorded.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/document/catalogue.h"

namespace diopi::reports {
namespace {

using Shown = std::optional<std::string>;

bool IsName(std::string_view text, size_t at) {
  return at + 1 < text.size() && (text[at] == '$' || text[at] == '@') &&
         absl::ascii_isdigit(static_cast<unsigned char>(text[at + 1]));
}

// Literal text, and the names between it: "$0", "@1".
struct Template {
  std::vector<std::string> literals = {""};
  std::vector<std::string> names;
  std::string text;
};

Template MakeTemplate(const std::string& english, const std::string& chinese) {
  Template made;
  made.text = chinese;
  for (size_t i = 0; i < english.size(); ++i) {
    if (IsName(english, i)) {
      made.names.push_back(english.substr(i++, 2));
      made.literals.emplace_back();
    } else {
      made.literals.back().push_back(english[i]);
    }
  }
  return made;
}

const std::vector<Template>& Templates() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<Template>;
    for (const auto& [english, chinese] : ReadCatalogue(RecordedCatalogue()))
      all->push_back(MakeTemplate(english, chinese));
    return all;
  }();
  return *kAll;
}

// What stands at the names; nullopt: the text does not fit. Each literal is taken where it occurs first.
std::optional<std::vector<std::string>> Fit(const Template& made, std::string_view text) {
  const std::string& first = made.literals.front();
  const std::string& last = made.literals.back();
  if (made.names.empty()) {
    return text == first ? std::optional<std::vector<std::string>>(std::in_place) : std::nullopt;
  }
  if (text.substr(0, first.size()) != first) return std::nullopt;
  std::vector<std::string> values;
  size_t at = first.size();
  for (size_t i = 1; i + 1 < made.literals.size(); ++i) {
    const size_t found = text.find(made.literals[i], at);
    if (found == std::string_view::npos) return std::nullopt;
    values.emplace_back(text.substr(at, found - at));
    at = found + made.literals[i].size();
  }
  if (text.size() < at + last.size() || text.substr(text.size() - last.size()) != last) return std::nullopt;
  values.emplace_back(text.substr(at, text.size() - last.size() - at));
  return values;
}

Shown Said(std::string_view text);

// The translation with the values in their places; nullopt: a value that must fit an entry does not.
Shown Filled(const Template& made, std::vector<std::string> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (made.names[i][0] != '@') continue;
    Shown inner = Said(values[i]);
    if (!inner.has_value()) return std::nullopt;
    values[i] = *std::move(inner);
  }
  std::string out;
  for (size_t i = 0; i < made.text.size(); ++i) {
    if (!IsName(made.text, i)) {
      out.push_back(made.text[i]);
      continue;
    }
    const auto name = std::find(made.names.begin(), made.names.end(), made.text.substr(i++, 2));
    if (name != made.names.end()) out += values[static_cast<size_t>(name - made.names.begin())];
  }
  return out;
}

Shown FromTemplate(std::string_view text) {
  for (const Template& made : Templates()) {
    std::optional<std::vector<std::string>> values = Fit(made, text);
    if (!values.has_value()) continue;
    if (Shown filled = Filled(made, *std::move(values)); filled.has_value()) return filled;
  }
  return std::nullopt;
}

// Cut at the separator, but not within parentheses.
std::vector<std::string> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts = {""};
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth <= 0 && text.substr(i, separator.size()) == separator) {
      parts.emplace_back();
      i += separator.size() - 1;
    } else {
      parts.back().push_back(text[i]);
    }
  }
  return parts;
}

// One clause: as a whole, or as a list of things that all fit.
Shown Clause(const std::string& text) {
  Shown whole = FromTemplate(text);
  if (whole.has_value()) return whole;
  std::vector<std::string> parts = Split(text, ", ");
  if (parts.size() == 1) return std::nullopt;
  for (std::string& part : parts) {
    Shown shown = FromTemplate(part);
    if (!shown.has_value()) return std::nullopt;
    part = *std::move(shown);
  }
  return absl::StrJoin(parts, "、");
}

// nullopt: no clause of the text fits an entry.
Shown Said(std::string_view text) {
  std::vector<std::string> clauses = Split(text, "; ");
  bool any = false;
  for (std::string& clause : clauses) {
    Shown shown = Clause(clause);
    any = any || shown.has_value();
    if (shown.has_value()) clause = *std::move(shown);
  }
  if (!any) return std::nullopt;
  return absl::StrJoin(clauses, "；");
}

}  // namespace

std::string RecordedInChinese(std::string_view text) {
  return Said(text).value_or(std::string(text));
}

}  // namespace diopi::reports
