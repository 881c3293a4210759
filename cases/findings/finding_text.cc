// Fills the templates of en.txt and zh.txt, which say how they are written. A template is read each time it
// is filled: a verdict has few findings, and most verdicts have none. reports/web/src/lib/findings.ts does
// the same in a browser; the two are tested with the same table, testdata/texts.json.
#include "cases/findings/finding_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_tables.h"

namespace diopi {
namespace {

using Table = std::map<std::string, std::string, std::less<>>;

Table ReadTable(std::string_view text) {
  Table table;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<std::string, std::string> entry = absl::StrSplit(line, absl::MaxSplits(": ", 1));
    table.insert(entry);
  }
  return table;
}

const Table& TableOf(FindingLanguage language) {
  static const Table* const english = new Table(ReadTable(findings_en()));
  static const Table* const chinese = new Table(ReadTable(findings_zh()));
  return language == FindingLanguage::kEnglish ? *english : *chinese;
}

std::string_view SeparatorOf(FindingLanguage language) {
  return language == FindingLanguage::kEnglish ? "; " : "；";
}

std::string Joined(const google::protobuf::RepeatedPtrField<v1::Finding>& findings,
                   std::string_view separator, FindingLanguage language) {
  return absl::StrJoin(findings, absl::string_view(separator.data(), separator.size()),
                       [language](std::string* out, const v1::Finding& finding) {
                         out->append(FindingText(finding, language));
                       });
}

class Writer {
 public:
  Writer(const v1::Finding& finding, FindingLanguage language) : finding_(finding), language_(language) {}

  // `complete` becomes false where the finding lacks a field of the template.
  std::string Fill(std::string_view text, bool* complete) const {
    std::string out;
    while (!text.empty()) {
      const size_t at = std::min(text.find_first_of("{["), text.size());
      out += text.substr(0, at);
      if (at == text.size()) break;
      const char open = text[at];
      const size_t end = EndOf(text, at, open, open == '{' ? '}' : ']');
      const std::string_view inner = text.substr(at + 1, end - at - 1);
      out += open == '{' ? Field(inner, complete) : Optional(inner);
      text.remove_prefix(end + 1);
    }
    return out;
  }

 private:
  static size_t EndOf(std::string_view text, size_t at, char open, char close) {
    for (int depth = 0; at < text.size(); ++at) {
      depth += text[at] == open ? 1 : text[at] == close ? -1 : 0;
      if (depth == 0) return at;
    }
    return text.size() - 1;
  }

  // "name", "name|the function", "count:one|many", "parts:, or with ".
  std::string Field(std::string_view text, bool* complete) const {
    const size_t colon = text.find_first_of(":|");
    const std::string_view name = text.substr(0, colon);
    if (colon != std::string_view::npos && text[colon] == '|')
      return Value(name).value_or(std::string(text.substr(colon + 1)));
    const std::optional<std::string> value =
        name == "parts"
            ? Parts(colon == std::string_view::npos ? SeparatorOf(language_) : text.substr(colon + 1))
            : Value(name);
    if (!value.has_value()) *complete = false;
    if (colon == std::string_view::npos || name == "parts") return value.value_or("");
    const std::string_view forms = text.substr(colon + 1);
    const size_t bar = forms.find('|');
    return Fill(value == "1" ? forms.substr(0, bar) : forms.substr(bar + 1), complete);
  }

  std::string Optional(std::string_view text) const {
    const size_t mark = text.find('?');
    const bool flagged =
        mark != std::string_view::npos && text.substr(0, mark).find_first_of(" {[") == std::string_view::npos;
    bool complete = !flagged || Value(text.substr(0, mark)).has_value();
    const std::string filled = Fill(flagged ? text.substr(mark + 1) : text, &complete);
    return complete ? filled : "";
  }

  std::optional<std::string> Value(std::string_view name) const {
    const auto text = [](const std::string& value) {
      return value.empty() ? std::nullopt : std::optional<std::string>(value);
    };
    if (name == "name") return text(finding_.name());
    if (name == "got") return text(finding_.got());
    if (name == "expected") return text(finding_.expected());
    if (name == "limit") return text(finding_.limit());
    if (name == "off") return text(finding_.off());
    if (name == "said") return text(finding_.said());
    if (name == "word") return Word();
    if (name == "exact") return finding_.exact() ? std::optional<std::string>("") : std::nullopt;
    if (name == "count" && finding_.has_count()) return absl::StrCat(finding_.count());
    if (name == "of" && finding_.has_of()) return absl::StrCat(finding_.of());
    if (name == "index" && finding_.has_index()) return absl::StrCat(finding_.index());
    if (name == "place" && finding_.has_place())
      return absl::StrCat("[", absl::StrJoin(finding_.place().at(), ", "), "]");
    return std::nullopt;
  }

  std::optional<std::string> Word() const {
    if (finding_.word().empty()) return std::nullopt;
    const auto known = TableOf(language_).find(finding_.word());
    return known == TableOf(language_).end() ? finding_.word() : known->second;
  }

  std::optional<std::string> Parts(std::string_view separator) const {
    if (finding_.parts().empty()) return std::nullopt;
    return Joined(finding_.parts(), separator, language_);
  }

  const v1::Finding& finding_;
  FindingLanguage language_;
};

bool NestsAtMost(const v1::Finding& finding, int levels) {
  return levels > 0 &&
         std::all_of(finding.parts().begin(), finding.parts().end(),
                     [levels](const v1::Finding& part) { return NestsAtMost(part, levels - 1); });
}

}  // namespace

bool IsShallow(const v1::Finding& finding) {
  return NestsAtMost(finding, kDeepestFinding);
}

std::string FindingText(const v1::Finding& finding, FindingLanguage language) {
  const Table& table = TableOf(language);
  const auto text = table.find(v1::Finding::Code_Name(finding.code()));
  if (text == table.end()) return finding.ShortDebugString();
  bool complete = true;
  return Writer(finding, language).Fill(text->second, &complete);
}

v1::Finding FoundOr(const v1::Finding& found, const std::string& text) {
  if (found.code() != v1::Finding::CODE_UNSPECIFIED || text.empty()) return found;
  return Found(v1::Finding::SAID).Said(text);
}

std::string FindingsText(const google::protobuf::RepeatedPtrField<v1::Finding>& findings,
                         FindingLanguage language) {
  return Joined(findings, SeparatorOf(language), language);
}

}  // namespace diopi
