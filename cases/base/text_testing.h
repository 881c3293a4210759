// What a hostile library, or the author of a hostile file, puts wherever a text is taken from it; for tests
// of all that prints.
#ifndef CASES_BASE_TEXT_TESTING_H_
#define CASES_BASE_TEXT_TESTING_H_

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace diopi {

// Must survive wherever HostileText is printed.
inline constexpr std::string_view kLegitimateText = "Größe 你好 5 µs → ok";
// Must not begin a line.
inline constexpr std::string_view kForgedLine = "FORGED 538 of 538 functions pass";

// Clears the screen, sets the terminal's title, rings its bell, writes backwards and without width, and ends
// lines in every way. No NUL, which ends a string in C. `more` comes before the legitimate text.
inline std::string HostileUtf8(const std::string& more = "") {
  return std::string(
             "=1+1 \x1b[2J\x1b]0;title\x07\x1b[31m\b\x7f\v\f\rback\x1b"  // C0, CSI, OSC
             "\xc2\x9b"
             "31m\xc2\x85\xc2\x90"                                                   // C1
             "\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8e\xd8\x9c\xe2\x80\x8b\xef\xbb\xbf"  // bidi, no width
             "\xe2\x80\xa8\xe2\x80\xa9\xc2\xad\xf3\xa0\x81\x81\xef\xbf\xbf"          // separators, tags
             " ")
      .append(more)
      .append(kLegitimateText)
      .append("\n")
      .append(kForgedLine);
}

// The same with bytes that are not UTF-8: an overlong form, a surrogate, and the start of a character.
inline std::string HostileText() {
  return HostileUtf8("\xff\xc0\x80\xed\xa0\x80\xe2\x82 ");
}

// Describes the first character of `output` that no terminal, log or document may get; empty: there is none.
inline std::string FirstForbidden(std::string_view output) {
  for (size_t at = 0; at < output.size();) {
    const auto lead = static_cast<unsigned char>(output[at]);
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t value = bytes == 1 ? lead : lead & (0x7Fu >> bytes);
    bool whole = (lead < 0x80 || lead >= 0xC2) && at + bytes <= output.size();
    for (size_t i = 1; whole && i < bytes; ++i) {
      const auto byte = static_cast<unsigned char>(output[at + i]);
      whole = (byte & 0xC0u) == 0x80;
      value = value << 6 | (byte & 0x3Fu);
    }
    const bool line = value == '\n' || value == '\t' || (value == '\r' && output.substr(at + 1, 1) == "\n");
    const bool control = value < ' ' || (value >= 0x7F && value < 0xA0);
    const bool format = value == 0xAD || value == 0x61C || (value >= 0x200B && value <= 0x200F) ||
                        (value >= 0x2028 && value <= 0x202E) || (value >= 0x2060 && value <= 0x206F) ||
                        value == 0xFEFF || (value >= 0xE0000 && value <= 0xE0FFF) ||
                        (value & 0xFFFE) == 0xFFFE;
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (!whole || surrogate || (control && !line) || format) {
      const std::string before(output.substr(at > 60 ? at - 60 : 0, at > 60 ? 60 : at));
      return whole ? absl::StrFormat("U+%04X after '%s'", static_cast<unsigned>(value), before)
                   : absl::StrFormat("byte %02x, not UTF-8, after '%s'", static_cast<unsigned>(lead), before);
    }
    at += bytes;
  }
  return "";
}

// Whether a line of `output` begins with kForgedLine.
inline bool HasForgedLine(std::string_view output) {
  return output.starts_with(kForgedLine) ||
         output.find("\n" + std::string(kForgedLine)) != std::string_view::npos;
}

}  // namespace diopi

#endif  // CASES_BASE_TEXT_TESTING_H_
