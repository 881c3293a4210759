#include "reports/document/escape.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "cases/base/text.h"

namespace diopi::reports {
namespace {

// Includes the wide forms, which East Asian spreadsheets read alike.
constexpr std::string_view kFormulaStarts[] = {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"};

// "-1.5e-3" or "-1e+06"; "+1", "-" and "-inf" are none.
bool IsNumber(std::string_view text) {
  double value = 0;
  return !text.starts_with('+') && text.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
         absl::SimpleAtod(absl::string_view(text.data(), text.size()), &value);
}

bool IsFormula(std::string_view text) {
  return std::any_of(std::begin(kFormulaStarts), std::end(kFormulaStarts),
                     [&](std::string_view start) { return text.starts_with(start); }) &&
         !IsNumber(text) && text.find_first_not_of("- ") != std::string_view::npos;
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (const char c : ManyLines(text)) {
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
        out.push_back(c);
    }
  }
  return out;
}

std::string EscapeXmlText(std::string_view text) {
  return absl::StrReplaceAll(EscapeXml(text), {{"&#10;", "\n"}});
}

std::string CsvField(std::string_view text) {
  const std::string field = absl::StrCat(IsFormula(text) ? "'" : "", ManyLines(text));
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

}  // namespace diopi::reports
