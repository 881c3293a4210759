// Parts of a user's text in messages.
#ifndef CASES_BASE_EXCERPT_H_
#define CASES_BASE_EXCERPT_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace diopi {

// The beginning of a text, in ASCII: what is not is escaped as in C.
inline std::string Excerpt(absl::string_view text, size_t most_bytes = 60) {
  const std::string shown = absl::CHexEscape(text.substr(0, most_bytes));
  return text.size() <= most_bytes ? shown : absl::StrCat(shown, "...");
}

// A message of several lines in which none is longer than a screen: parsers repeat a token of the file, which
// may have megabytes.
inline std::string WithShortLines(absl::string_view message) {
  constexpr size_t kLine = 2000;
  constexpr size_t kAll = size_t{64} << 10;
  std::string out;
  while (!message.empty() && out.size() < kAll) {
    const size_t end = std::min(message.find('\n'), message.size());
    const absl::string_view line = message.substr(0, end);
    absl::StrAppend(&out, line.substr(0, kLine), line.size() > kLine ? "..." : "");
    if (end < message.size()) out.push_back('\n');
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  if (!message.empty()) out += "...";
  return out;
}

}  // namespace diopi

#endif  // CASES_BASE_EXCERPT_H_
