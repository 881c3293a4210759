#include "reports/document/escape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace diopi::reports {
namespace {

// Length of the well-formed UTF-8 sequence that starts at `text[i]`, 0 when there is none.
size_t SequenceLength(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[k]); };
  const uint8_t lead = byte(i);
  if (lead < 0x80) return 1;
  size_t length = 0;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (lead == 0xE0) low = 0xA0;   // no overlong forms
  if (lead == 0xED) high = 0x9F;  // no surrogates
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (length == 0 || i + length > text.size()) return 0;
  if (byte(i + 1) < low || byte(i + 1) > high) return 0;
  for (size_t k = 2; k < length; ++k) {
    if (byte(i + k) < 0x80 || byte(i + k) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string ToUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0) {
      out.push_back('?');
      ++i;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  return out;
}

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (const char c : ToUtf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out.push_back(static_cast<uint8_t>(c) < 0x20 ? '?' : c);
    }
  }
  return out;
}

std::string EscapeXmlText(std::string_view text) {
  return absl::StrReplaceAll(EscapeXml(text), {{"&#10;", "\n"}});
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : ToUtf8(text)) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out += absl::StrFormat("\\u%04x", static_cast<unsigned>(static_cast<uint8_t>(c)));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
  return out;
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

std::string ShellWord(std::string_view text) {
  static constexpr std::string_view kPlain = "_-+./:,@%=";  // beside letters and digits
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  const bool clean = ToUtf8(text) == text && std::none_of(text.begin(), text.end(), [](char c) {
                       return absl::ascii_iscntrl(static_cast<unsigned char>(c));
                     });
  std::string out = clean ? "'" : "$'";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (clean) {
      out += c == '\'' ? "'\\''" : std::string(1, c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += absl::StrFormat("\\x%02x", static_cast<unsigned>(byte));
    } else {
      if (c == '\'' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

std::string OneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!space) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace diopi::reports
