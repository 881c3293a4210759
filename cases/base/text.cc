// Everything here reads one character after the other (Next), so that malformed UTF-8 has one reading: each
// byte that starts no well-formed sequence (RFC 3629, section 4) counts by itself. A terminal that is more
// lenient than this sees only what was found well-formed.
#include "cases/base/text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace diopi {
namespace {

constexpr char32_t kMalformed = 0xFFFF'FFFF;
constexpr std::string_view kCut = "...";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr size_t kLongestSequence = 4;

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15.1: the categories Cc, Cf, Zl, Zp and Cs, the property Default_Ignorable_Code_Point, and the
// noncharacters except the last two of each plane.
constexpr Range kUnprintable[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x0600, 0x0605},
    {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},   {0x08E2, 0x08E2},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xD800, 0xDFFF},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

struct Character {
  char32_t value = kMalformed;
  size_t bytes = 1;
};

// The character at the start of `text`, which is not empty.
Character Next(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  size_t bytes = 0;
  if (lead >= 0xC2 && lead <= 0xDF) bytes = 2;
  if (lead >= 0xE0 && lead <= 0xEF) bytes = 3;
  if (lead >= 0xF0 && lead <= 0xF4) bytes = 4;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t value = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

void AppendEscape(char32_t character, std::string* out) {
  if (character < 0x10000) {
    absl::StrAppendFormat(out, "\\u%04x", static_cast<unsigned>(character));
    return;
  }
  const auto above = static_cast<unsigned>(character - 0x10000);
  absl::StrAppendFormat(out, "\\u%04x\\u%04x", 0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF));
}

// Appends the next character of a JSON string and returns how many bytes of `text` it was.
size_t AppendQuoted(std::string_view text, std::string* out) {
  const Character next = Next(text);
  if (next.value == kMalformed) {
    out->append(kReplacement);
  } else if (next.value == '\n') {
    out->append("\\n");
  } else if (next.value == '\r') {
    out->append("\\r");
  } else if (next.value == '\t') {
    out->append("\\t");
  } else if (!IsPrintable(next.value)) {
    AppendEscape(next.value, out);
  } else {
    if (next.value == '"' || next.value == '\\') out->push_back('\\');
    out->append(text.substr(0, next.bytes));
  }
  return next.bytes;
}

// Cuts printable text.
std::string Cut(std::string text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit - std::min(limit, kCut.size());
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80) --end;
  text.resize(end);
  text.append(kCut.substr(0, limit));
  return text;
}

// A character takes at most four bytes, so no more than this of a text matters.
std::string_view Start(std::string_view text, size_t limit) {
  return text.size() / kLongestSequence > limit ? text.substr(0, kLongestSequence * (limit + 1)) : text;
}

}  // namespace

bool IsPrintable(char32_t character) {
  if (character >= ' ' && character < 0x7F) return true;
  if (character > 0x10FFFF || (character & 0xFFFE) == 0xFFFE) return false;
  const Range* const range =
      std::lower_bound(std::begin(kUnprintable), std::end(kUnprintable), character,
                       [](const Range& one, char32_t value) { return one.last < value; });
  return range == std::end(kUnprintable) || character < range->first;
}

bool IsPrintableName(std::string_view text) {
  return text.find_first_of("\n\t") == std::string_view::npos && PrintableText(text) == text;
}

std::string PrintableText(std::string_view text, size_t limit) {
  text = Start(text, limit);
  std::string printable;
  printable.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character next = Next(text.substr(at));
    if (IsPrintable(next.value) || next.value == '\n' || next.value == '\t') {
      printable.append(text.substr(at, next.bytes));
    } else if (next.value != '\r' || text.substr(at + 1, 1) != "\n") {
      printable.push_back('?');
    }
    at += next.bytes;
  }
  return Cut(std::move(printable), limit);
}

std::string PrintableLine(std::string_view text, size_t limit) {
  std::string line;
  for (const char c : PrintableText(text)) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return Cut(std::move(line), limit);
}

std::string PrintableMessage(std::string_view text, size_t limit) {
  std::string message;
  const std::string printable = PrintableText(text, limit);
  for (size_t i = 0; i < printable.size(); ++i) {
    message.push_back(printable[i]);
    if (printable[i] == '\n' && i + 1 < printable.size()) message.append("  ");
  }
  return message;
}

std::string OneLine(std::string_view text) {
  return PrintableLine(text, kLongestText);
}

std::string ManyLines(std::string_view text) {
  return PrintableText(text, kLongestText);
}

std::string ShellWord(std::string_view text) {
  static constexpr std::string_view kPlain = "_-+./:,@%=";  // beside letters and digits
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  const bool clean = IsPrintableName(text);
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

std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  for (size_t at = 0; at < text.size();) at += AppendQuoted(text.substr(at), &quoted);
  quoted.push_back('"');
  return quoted;
}

std::string PrintableJson(std::string_view json) {
  std::string printable;
  printable.reserve(json.size());
  for (size_t at = 0; at < json.size();) {
    if (static_cast<unsigned char>(json[at]) < 0x7F) {
      printable.push_back(json[at++]);
    } else {
      at += AppendQuoted(json.substr(at), &printable);
    }
  }
  return printable;
}

std::string PrintablePieces::Printable(std::string_view text) const {
  constexpr std::string_view kLineEnd = "\r\n";
  std::string printable;
  for (size_t end = 0; keeps_line_ends_ && (end = text.find(kLineEnd)) != text.npos;) {
    printable += PrintableText(text.substr(0, end));
    printable += kLineEnd;
    text.remove_prefix(end + kLineEnd.size());
  }
  return printable + PrintableText(text);
}

std::string PrintablePieces::Add(std::string_view piece) {
  std::string text = std::move(begun_);
  text.append(piece);
  // The last character is whole unless the bytes after it may complete it.
  size_t whole = text.size();
  for (size_t back = 1; back < kLongestSequence && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0u) == 0x80) continue;
    const size_t bytes = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    if (bytes > back || byte == '\r') whole -= back;
    break;
  }
  begun_ = text.substr(whole);
  text.resize(whole);
  return Printable(text);
}

std::string PrintablePieces::Finish() {
  return PrintableText(std::exchange(begun_, ""));
}

}  // namespace diopi
