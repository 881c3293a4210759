// The texts of a document in the reader's language. English texts stand in the sources that write them; zh.po
// has the Chinese of each, and catalogue_test.py finds what is missing or left over there.
#ifndef REPORTS_DOCUMENT_LANGUAGE_H_
#define REPORTS_DOCUMENT_LANGUAGE_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "cases/findings/finding_text.h"

namespace diopi::reports {

using Language = FindingLanguage;

// "en" or "zh", as --lang takes it; anything else is English.
Language LanguageOf(std::string_view code);

// For the lang attribute of HTML.
const char* HtmlLanguage(Language language);

// Immutable, so thread-safe.
class Translator {
 public:
  explicit Translator(Language language) : language_(language) {}

  // The text with $0, $1, ... replaced by the values. A text "one|many" has the form for a first value of 1
  // and the form for all others; Chinese has one form.
  template <typename... Values>
  std::string operator()(const char* english, const Values&... values) const {
    return Fill(english, {absl::StrCat(values)...});
  }

  std::string operator()(const v1::Finding& finding) const { return FindingText(finding, language_); }

  // A time of RFC 3339, as the language writes it.
  std::string Time(const std::string& rfc3339) const;

  Language language() const { return language_; }

  // What stands between the entries of a list: ", ".
  const char* Separator() const { return language_ == Language::kEnglish ? ", " : "、"; }

 private:
  std::string Fill(const char* english, std::initializer_list<std::string> values) const;

  Language language_;
};

inline Translator English() {
  return Translator(Language::kEnglish);
}

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_LANGUAGE_H_
