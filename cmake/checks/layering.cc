// Reads #include lines only; no compiler and no build are needed. Of several folder rules the longest that
// matches is applied. Circles are sought at each depth of folders from the second on, since two folders may
// be free of circles while their subfolders are not, or the reverse.
#include "cmake/checks/layering.h"

#include <algorithm>
#include <set>
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

absl::string_view FolderPart(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? "" : path.substr(0, slash);
}

// The folder that a file counts as part of: its own, unless an `as` line names another.
absl::string_view PlaceOf(const LayeringRules& rules, absl::string_view path) {
  for (const auto& placed : rules.placed) {
    for (const std::string& pattern : placed.paths) {
      const std::pair<absl::string_view, absl::string_view> ends =
          absl::StrSplit(pattern, absl::MaxSplits('*', 1));
      if (absl::StartsWith(path, ends.first) && absl::EndsWith(path, ends.second)) return placed.folder;
    }
  }
  return FolderPart(path);
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
    } else if (absl::ConsumePrefix(&head, "as ")) {
      rules.placed.push_back({std::string(head), std::move(names)});
    } else if (absl::ConsumePrefix(&head, "only ")) {
      rules.confined.push_back({std::string(head), std::move(names)});
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("layering rules, line ", number, ": expected 'folder', 'as' or 'only', got: ", line));
    }
  }
  return rules;
}

std::vector<std::string> CheckFile(const LayeringRules& rules, std::string_view path, std::string_view text) {
  std::vector<std::string> problems;
  const LayeringRules::Folder* own = FolderOf(rules, PlaceOf(rules, Abseil(path)));
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

namespace {

std::string FirstFolders(const std::string& folder, int depth) {
  std::vector<std::string> parts = absl::StrSplit(folder, '/');
  if (parts.size() > static_cast<size_t>(depth)) parts.resize(static_cast<size_t>(depth));
  return absl::StrJoin(parts, "/");
}

}  // namespace

void FolderGraph::Add(std::string_view path, std::string_view text) {
  const std::string own(PlaceOf(rules_, Abseil(path)));
  for (absl::string_view line : absl::StrSplit(Abseil(text), '\n')) {
    const absl::string_view include = IncludedPath(line);
    const std::string target(FolderPart(include));
    if (target.empty() || target == own) continue;
    edges_[own].try_emplace(target, absl::StrCat(Abseil(path), " includes ", include));
  }
}

FolderGraph::Edges FolderGraph::UpTo(int depth) const {
  Edges edges;
  for (const auto& [from, targets] : edges_) {
    for (const auto& [to, why] : targets) {
      const std::string a = FirstFolders(from, depth);
      const std::string b = FirstFolders(to, depth);
      if (a != b) edges[a].try_emplace(b, why);
    }
  }
  return edges;
}

// Finds the shortest way from each folder back to itself. A circle is reported only once, starting from its
// first folder by name, whatever the depth.
std::vector<std::string> FolderGraph::Circles() const {
  std::vector<std::string> circles;
  std::set<std::set<std::string>> known;
  constexpr int kDeepest = 8;
  for (int depth = 2; depth <= kDeepest; ++depth) {
    const Edges edges = UpTo(depth);
    for (const auto& [start, unused] : edges) {
      std::map<std::string, std::string> came_from;
      std::vector<std::string> queue = {start};
      for (size_t i = 0; i < queue.size() && !came_from.contains(start); ++i) {
        const auto targets = edges.find(queue[i]);
        if (targets == edges.end()) continue;
        for (const auto& [to, why] : targets->second) {
          if (came_from.try_emplace(to, queue[i]).second) queue.push_back(to);
        }
      }
      if (!came_from.contains(start)) continue;
      std::vector<std::string> way = {start};
      do way.push_back(came_from.at(way.back()));
      while (way.back() != start);
      if (!known.insert({way.begin(), way.end()}).second) continue;
      std::reverse(way.begin(), way.end());
      std::string text = absl::StrJoin(way, " -> ");
      for (size_t i = 0; i + 1 < way.size(); ++i)
        absl::StrAppend(&text, "\n  ", edges.at(way[i]).at(way[i + 1]));
      circles.push_back(std::move(text));
    }
  }
  return circles;
}

}  // namespace diopi::checks
