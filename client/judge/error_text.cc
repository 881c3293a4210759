#include "client/judge/error_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace diopi::agent {

ErrorText SplitBacktrace(const std::string& text) {
  // Beginnings of a backtrace's first line: libtorch (c10::Error with and without symbols), Python's
  // extensions, abseil, glibc, boost.
  constexpr absl::string_view kBeginnings[] = {
      "\nException raised from ",
      "\nC++ CapturedTraceback",
      "\nTraceback (most recent call",
      "\nframe #0",
      "\nStack trace",
      "\nBacktrace",
      "\nbacktrace:",
      "\n#0 ",
      "\n    @ 0x",
      "\n 0# ",
  };
  size_t end = text.size();
  for (const absl::string_view beginning : kBeginnings) end = std::min(end, text.find(beginning.data(), 0));
  ErrorText split;
  split.message = std::string(absl::StripTrailingAsciiWhitespace(absl::string_view(text).substr(0, end)));
  split.backtrace = std::string(absl::StripAsciiWhitespace(absl::string_view(text).substr(end)));
  return split;
}

}  // namespace diopi::agent
