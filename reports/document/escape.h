// Escaping for the formats we write.
#ifndef REPORTS_DOCUMENT_ESCAPE_H_
#define REPORTS_DOCUMENT_ESCAPE_H_

#include <string>
#include <string_view>

namespace diopi::reports {

// For XML text and attributes: the five entities, and control characters XML 1.0 forbids as "?". Bytes that
// are not UTF-8 become "?" too (a vendor's error text may hold anything).
std::string EscapeXml(std::string_view text);
// The same for an element's text: line breaks stay as they are.
std::string EscapeXmlText(std::string_view text);

// A JSON string with its quotes; invalid UTF-8 as above.
std::string JsonString(std::string_view text);

// A CSV field: quoted when it holds a comma, a quote or a line break.
std::string CsvField(std::string_view text);

// Valid UTF-8 as it is, every other byte as "?".
std::string ToUtf8(std::string_view text);

// Line breaks and tabs as single spaces: for formats of one line a record.
std::string OneLine(std::string_view text);

// One word of a POSIX shell's command, quoted where it must be; of bash's ($'...') where control characters
// or bytes that are not UTF-8 are in it.
std::string ShellWord(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_ESCAPE_H_
