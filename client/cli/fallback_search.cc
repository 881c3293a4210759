#include "client/cli/fallback_search.h"

#include <algorithm>
#include <map>

#include "cases/base/status_macros.h"

namespace diopi::cli {
namespace {

using Names = std::vector<std::string>;

// `parts` consecutive pieces of nearly equal size.
std::vector<Names> Split(const Names& names, size_t parts) {
  std::vector<Names> pieces;
  for (size_t i = 0; i < parts; ++i) {
    const auto at = [&](size_t part) {
      return names.begin() + static_cast<std::ptrdiff_t>(names.size() * part / parts);
    };
    pieces.emplace_back(at(i), at(i + 1));
  }
  return pieces;
}

Names Without(const std::vector<Names>& pieces, size_t left_out) {
  Names rest;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i != left_out) rest.insert(rest.end(), pieces[i].begin(), pieces[i].end());
  }
  return rest;
}

}  // namespace

absl::StatusOr<Names> SmallestSet(Names names, const Mends& mends) {
  std::map<Names, bool> asked;
  const auto ask = [&](const Names& some) -> absl::StatusOr<bool> {
    if (some.empty()) return false;
    const auto known = asked.find(some);
    if (known != asked.end()) return known->second;
    absl::StatusOr<bool> answer = mends(some);
    if (answer.ok()) asked[some] = *answer;
    return answer;
  };
  size_t parts = 2;
  while (names.size() > 1) {
    const std::vector<Names> pieces = Split(names, parts);
    Names smaller;
    for (size_t i = 0; i < 2 * pieces.size() && smaller.empty(); ++i) {
      // First each piece alone, then everything without it.
      const Names candidate = i < pieces.size() ? pieces[i] : Without(pieces, i - pieces.size());
      ASSIGN_OR_RETURN(const bool enough, ask(candidate));
      if (!enough) continue;
      smaller = candidate;
      parts = i < pieces.size() ? 2 : std::max<size_t>(parts - 1, 2);
    }
    if (!smaller.empty()) {
      names = std::move(smaller);
    } else if (parts < names.size()) {
      parts = std::min(names.size(), 2 * parts);
    } else {
      break;
    }
  }
  return names;
}

}  // namespace diopi::cli
