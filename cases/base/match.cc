#include "cases/base/match.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> Nearest(std::string_view name, const std::vector<std::string>& known, size_t limit) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& candidate : known) {
    size_t distance = EditDistance(name, candidate);
    // A name that contains the other is near, whatever the lengths: batchnorm, diopiBatchNorm.
    const bool contained = !name.empty() && (candidate.find(name) != std::string::npos ||
                                             name.find(candidate) != std::string_view::npos);
    if (contained) distance = std::min<size_t>(distance, 2);
    if (distance <= 2 + std::max(name.size(), candidate.size()) / 3) ranked.emplace_back(distance, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(limit, ranked.size()); ++i) result.push_back(ranked[i].second);
  return result;
}

std::string NearestText(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = Nearest(name, known, 3);
  return near.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(near, ", "));
}

bool GlobMatch(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace diopi
