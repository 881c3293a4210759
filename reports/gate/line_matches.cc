#include "reports/gate/line_matches.h"

#include <string>
#include <string_view>
#include <unordered_map>

#include "cases/base/match.h"

namespace diopi::reports {

std::vector<std::vector<size_t>> MatchLines(const Expectations* expectations, const RunReport& run) {
  if (expectations == nullptr) return {};
  std::unordered_map<std::string_view, size_t> by_id;  // most lines name one case
  for (size_t i = 0; i < run.results.size(); ++i) by_id.emplace(run.results[i].case_id(), i);
  std::vector<std::vector<size_t>> matches(expectations->cases.size());
  for (size_t line = 0; line < matches.size(); ++line) {
    const std::string& glob = expectations->cases[line].glob;
    if (glob.find_first_of("*?") == std::string::npos) {
      if (const auto at = by_id.find(glob); at != by_id.end()) matches[line].push_back(at->second);
      continue;
    }
    for (size_t i = 0; i < run.results.size(); ++i) {
      if (GlobMatch(glob, run.results[i].case_id())) matches[line].push_back(i);
    }
  }
  return matches;
}

}  // namespace diopi::reports
