// Escaping for the formats we write.
#ifndef REPORTS_DOCUMENT_ESCAPE_H_
#define REPORTS_DOCUMENT_ESCAPE_H_

#include <string>
#include <string_view>

namespace diopi::reports {

// For XML text and attributes: escapes the five entities, and replaces control characters that XML 1.0
// forbids, and bytes that are not UTF-8, by "?" (a vendor's error text may hold anything).
std::string EscapeXml(std::string_view text);
// The same for an element's text, but keeps line breaks.
std::string EscapeXmlText(std::string_view text);

// A JSON string with its quotes; invalid UTF-8 as above.
std::string JsonString(std::string_view text);

// A CSV field: quoted when it holds a comma, a quote or a line break.
std::string CsvField(std::string_view text);

// Keeps valid UTF-8 and replaces every other byte by "?".
std::string ToUtf8(std::string_view text);

// Replaces line breaks and tabs by single spaces, for formats with one line per record.
std::string OneLine(std::string_view text);

// One word of a shell command, quoted where necessary: for a POSIX shell, or for bash ($'...') when it has
// control characters or bytes that are not UTF-8.
std::string ShellWord(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_ESCAPE_H_
