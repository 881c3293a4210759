// Escaping for the formats we write.
#ifndef REPORTS_DOCUMENT_ESCAPE_H_
#define REPORTS_DOCUMENT_ESCAPE_H_

#include <string>
#include <string_view>

namespace diopi::reports {

// Escapes, for XML text and attributes, the five entities, line breaks and tabs; PrintableText is applied
// first (a vendor's error text may hold anything).
std::string EscapeXml(std::string_view text);
// The same for an element's text, but keeps line breaks.
std::string EscapeXmlText(std::string_view text);

// A CSV field, quoted when it holds a comma, a quote or a line break. A text that a spreadsheet would take
// for a formula begins with an apostrophe; a number stays a number, and dashes alone stay dashes. The same
// rule as in reports/web/src/lib/csv.ts.
std::string CsvField(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_ESCAPE_H_
