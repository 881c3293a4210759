#include "reports/document/catalogue.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace diopi::reports {
namespace {

// The text between the quotes of a line, or of what follows its keyword.
std::string Quoted(absl::string_view line) {
  std::string text;
  for (size_t i = line.find('"') + 1; i + 1 < line.size(); ++i) {
    if (line[i] == '\\' && i + 2 < line.size()) ++i;
    text.push_back(line[i]);
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ReadCatalogue(const char* po) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::string english;
  for (const absl::string_view line : absl::StrSplit(po, '\n')) {
    if (absl::StartsWith(line, "msgid ")) english = Quoted(line);
    if (absl::StartsWith(line, "msgstr ") && !english.empty()) entries.emplace_back(english, Quoted(line));
  }
  return entries;
}

}  // namespace diopi::reports
