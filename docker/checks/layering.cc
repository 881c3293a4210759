#include "docker/checks/layering.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace diopi::checks {
namespace {

absl::string_view Abseil(std::string_view text) {
  return {text.data(), text.size()};
}

// True when `path` is `folder` or lies under it.
bool Under(absl::string_view path, absl::string_view folder) {
  return path == folder || absl::StartsWith(path, absl::StrCat(folder, "/"));
}

// The most specific folder rule for a path; null when none matches.
const LayeringRules::Folder* FolderOf(const LayeringRules& rules, absl::string_view path) {
  const LayeringRules::Folder* best = nullptr;
  for (const auto& folder : rules.folders) {
    if (Under(path, folder.name) && (best == nullptr || folder.name.size() > best->name.size()))
      best = &folder;
  }
  return best;
}

// The path inside an #include line, or empty.
absl::string_view IncludedPath(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "#")) return {};
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "include")) return {};
  line = absl::StripLeadingAsciiWhitespace(line);
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return {};
  const char close = line[0] == '"' ? '"' : '>';
  line.remove_prefix(1);
  return line.substr(0, line.find(close));
}

// Generated headers belong to proto, wherever the build puts them.
std::string ProjectPath(absl::string_view include) {
  return absl::StartsWith(include, "diopi/") ? absl::StrCat("proto/", include) : std::string(include);
}

bool AnyUnder(absl::string_view path, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (Under(path, folder)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<LayeringRules> ParseRules(std::string_view text) {
  LayeringRules rules;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(Abseil(text), '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    std::vector<std::string> names = absl::StrSplit(sides.second, ' ', absl::SkipWhitespace());
    absl::string_view head = sides.first;
    if (absl::ConsumePrefix(&head, "folder ")) {
      rules.folders.push_back({std::string(head), std::move(names)});
    } else if (absl::ConsumePrefix(&head, "only ")) {
      rules.confined.push_back({std::string(head), std::move(names)});
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("layering rules, line ", number, ": expected 'folder' or 'only', got: ", line));
    }
  }
  return rules;
}

std::vector<std::string> CheckFile(const LayeringRules& rules, std::string_view path, std::string_view text) {
  std::vector<std::string> problems;
  const LayeringRules::Folder* own = FolderOf(rules, Abseil(path));
  int number = 0;
  for (absl::string_view line : absl::StrSplit(Abseil(text), '\n')) {
    ++number;
    const absl::string_view include = IncludedPath(line);
    if (include.empty()) continue;
    const std::string where = absl::StrCat(Abseil(path), ":", number, ": includes ", include);
    const std::string target = ProjectPath(include);
    if (FolderOf(rules, target) != nullptr && own != nullptr && !Under(target, own->name) &&
        !AnyUnder(target, own->may_use)) {
      problems.push_back(
          absl::StrCat(where, ", but ", own->name, " may use only: ", absl::StrJoin(own->may_use, " ")));
    }
    for (const auto& confined : rules.confined) {
      if (absl::StartsWith(include, confined.prefix) && !AnyUnder(Abseil(path), confined.folders)) {
        problems.push_back(
            absl::StrCat(where, ", which is confined to: ", absl::StrJoin(confined.folders, " ")));
      }
    }
  }
  return problems;
}

}  // namespace diopi::checks
