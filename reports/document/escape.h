// Escaping for the formats we write.
#ifndef REPORTS_DOCUMENT_ESCAPE_H_
#define REPORTS_DOCUMENT_ESCAPE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "cases/base/text.h"

namespace diopi::reports {

// A line or a block of text of a document is no longer than this: a library may have chosen it.
inline constexpr size_t kLongestText = size_t{1} << 16;

// Escapes, for XML text and attributes, the five entities, line breaks and tabs; PrintableText is applied
// first (a vendor's error text may hold anything).
std::string EscapeXml(std::string_view text);
// The same for an element's text, but keeps line breaks.
std::string EscapeXmlText(std::string_view text);

// A CSV field, quoted when it holds a comma, a quote or a line break. A text that a spreadsheet would take
// for a formula begins with an apostrophe; a number stays a number, and dashes alone stay dashes. The same
// rule as in reports/web/src/lib/csv.ts.
std::string CsvField(std::string_view text);

// Printable, see cases/base/text.h, for formats with one line per record.
std::string OneLine(std::string_view text);
// Printable, of several lines.
std::string ManyLines(std::string_view text);

// The name that client/judge uses for PrintableText.
inline std::string ToUtf8(std::string_view text) {
  return PrintableText(text);
}

// One word of a shell command, quoted where necessary: for a POSIX shell, or for bash ($'...') when it has
// characters that are not printable or bytes that are not UTF-8.
std::string ShellWord(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_ESCAPE_H_
