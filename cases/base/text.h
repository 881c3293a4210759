// Text that others wrote (a library, the author of a file, another program), made safe to show. This is the
// only place that decides which characters may reach a terminal, a log or a document.
#ifndef CASES_BASE_TEXT_H_
#define CASES_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace diopi {

// Whether a character shows as itself and changes nothing around it. Not so are control characters (C0, DEL,
// C1), characters that have no width or change the order of the text (Unicode's format characters and
// default-ignorable code points), line and paragraph separators, and noncharacters.
bool IsPrintable(char32_t character);

// Whether all of `text` is well-formed UTF-8 and printable: for names, which have neither newlines nor tabs.
bool IsPrintableName(std::string_view text);

// `text` as valid UTF-8: each character that is not printable, other than newline and tab, and each byte that
// does not belong to a well-formed sequence becomes '?'; CR LF becomes a newline. A result that would be
// longer than `limit` bytes is cut between two characters, and "..." is appended within the limit.
std::string PrintableText(std::string_view text, size_t limit = std::string_view::npos);

// The same on one line: newlines, tabs and runs of spaces become single spaces, and none is left at either
// end.
std::string PrintableLine(std::string_view text, size_t limit = std::string_view::npos);

// The same for a message of several lines: all lines but the first are indented by two spaces, so that none
// of them can pass for a line of ours.
std::string PrintableMessage(std::string_view text, size_t limit = std::string_view::npos);

// One line, or a block of lines, of a report or a terminal: at most kLongestText bytes, because a library may
// have chosen the text.
inline constexpr size_t kLongestText = size_t{1} << 16;
std::string OneLine(std::string_view text);
std::string ManyLines(std::string_view text);

// One word of a shell command, quoted where necessary: for a POSIX shell, or for bash ($'...') when it has
// characters that are not printable or bytes that are not UTF-8.
std::string ShellWord(std::string_view text);

// A JSON string with its quotes, which loses nothing: characters that are not printable become \u escapes.
// Each byte that does not belong to a well-formed sequence becomes U+FFFD.
std::string QuotedText(std::string_view text);

// JSON with \u escapes for the characters beyond ASCII that are not printable. JSON has such characters only
// in its strings.
std::string PrintableJson(std::string_view json);

// Makes a text printable that arrives in pieces, which may end within a character.
class PrintablePieces {
 public:
  // `keeps_line_ends`: CR LF stays CR LF, as in a CSV file.
  explicit PrintablePieces(bool keeps_line_ends = false) : keeps_line_ends_(keeps_line_ends) {}
  // What PrintableText gives for all pieces, up to the last whole character.
  std::string Add(std::string_view piece);
  // What is left of the last character.
  std::string Finish();

 private:
  std::string Printable(std::string_view text) const;

  bool keeps_line_ends_;
  std::string begun_;
};

}  // namespace diopi

#endif  // CASES_BASE_TEXT_H_
