// Names that users give: globs, and "did you mean".
#ifndef CASES_BASE_MATCH_H_
#define CASES_BASE_MATCH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace diopi {

// For "did you mean" in messages: up to `limit` of `known` nearest to `name` by edit distance, nearest first.
std::vector<std::string> Nearest(std::string_view name, const std::vector<std::string>& known, size_t limit);
// "; nearest: a, b, c", or nothing.
std::string NearestText(std::string_view name, const std::vector<std::string>& known);

// Shell-style match with * and ?.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace diopi

#endif  // CASES_BASE_MATCH_H_
