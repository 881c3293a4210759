#include "reports/document/language.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "reports/document/catalogue.h"

namespace diopi::reports {
namespace {

using Catalogue = std::unordered_map<std::string, std::string>;

const Catalogue& Chinese() {
  static const auto* const kCatalogue = [] {
    const auto entries = ReadCatalogue(ChineseCatalogue());
    return new Catalogue(entries.begin(), entries.end());
  }();
  return *kCatalogue;
}

}  // namespace

Language LanguageOf(std::string_view code) {
  return code == "zh" ? Language::kChinese : Language::kEnglish;
}

const char* HtmlLanguage(Language language) {
  return language == Language::kChinese ? "zh-CN" : "en";
}

std::string Translator::Fill(const char* english, std::initializer_list<std::string> values) const {
  std::string text = english;
  if (language_ == Language::kChinese) {
    const auto found = Chinese().find(text);
    if (found != Chinese().end()) text = found->second;
  }
  const std::vector<std::string> forms = absl::StrSplit(text, '|');
  const std::string& form = values.size() > 0 && *values.begin() == "1" ? forms.front() : forms.back();
  std::string out;
  for (size_t i = 0; i < form.size(); ++i) {
    const size_t value =
        form[i] == '$' && i + 1 < form.size() ? static_cast<size_t>(form[i + 1] - '0') : values.size();
    if (value < values.size()) {
      out += *(values.begin() + value);
      ++i;
    } else {
      out.push_back(form[i]);
    }
  }
  return out;
}

std::string Translator::Time(const std::string& rfc3339) const {
  absl::Time time;
  std::string error;
  if (language_ == Language::kEnglish || !absl::ParseTime(absl::RFC3339_full, rfc3339, &time, &error))
    return rfc3339;
  return absl::FormatTime("%Y年%-m月%-d日 %H:%M:%S UTC", time, absl::UTCTimeZone());
}

}  // namespace diopi::reports
