#include "server/program/config_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/excerpt.h"
#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Setting>> Read() {
    std::vector<Setting> settings;
    for (;;) {
      SkipSpaceAndComments();
      if (AtEnd()) return settings;
      Setting setting;
      setting.line = line_;
      absl::Status status = ReadKey(&setting);
      if (status.ok()) status = Peek() == '[' ? ReadArray(&setting) : ReadValue(false, &setting);
      if (status.ok()) status = ReadLineEnd();
      if (!status.ok()) return status;
      settings.push_back(std::move(setting));
    }
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\n' : text_[at_]; }
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(line_, ": ", what));
  }

  void SkipBlanks() {
    while (!AtEnd() && (Peek() == ' ' || Peek() == '\t' || Peek() == '\r')) ++at_;
  }
  void SkipSpaceAndComments() {
    for (SkipBlanks(); !AtEnd() && (Peek() == '\n' || Peek() == '#'); SkipBlanks()) {
      if (Peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (AtEnd()) return;
      ++at_;
      ++line_;
    }
  }

  // Also reads the `=` and what is around it.
  absl::Status ReadKey(Setting* setting) {
    const absl::string_view line = text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
    if (line.front() == '[') {
      const absl::string_view name =
          line.substr(1, line.find(']') == line.npos ? line.npos : line.find(']') - 1);
      return Error(absl::StrCat("'", Excerpt(name), "' is a section; options must not be in a section"));
    }
    const size_t equals = line.find('=');
    const absl::string_view key = absl::StripAsciiWhitespace(line.substr(0, equals));
    if (equals == line.npos || key.empty())
      return Error(absl::StrCat("expected OPTION = VALUE, but it is '", Excerpt(line), "'"));
    setting->key = std::string(key);
    at_ += equals + 1;
    SkipBlanks();
    return absl::OkStatus();
  }

  absl::Status ReadArray(Setting* setting) {
    ++at_;
    for (bool more = true;;) {
      SkipSpaceAndComments();
      if (AtEnd()) return Error(absl::StrCat("the array of '", Excerpt(setting->key), "' has no end"));
      if (Peek() == ']') break;
      if (!more) return Error("expected , or ] after an array's value");
      if (Peek() == '[') return Error("an array in an array");
      RETURN_IF_ERROR(ReadValue(true, setting));
      SkipSpaceAndComments();
      more = Peek() == ',';
      if (more) ++at_;
    }
    ++at_;
    return absl::OkStatus();
  }

  absl::Status ReadValue(bool in_array, Setting* setting) {
    if (Peek() == '"' || Peek() == '\'') return ReadString(setting);
    const size_t end = std::min(text_.find_first_of(in_array ? "#\n,]" : "#\n", at_), text_.size());
    const absl::string_view word = absl::StripAsciiWhitespace(text_.substr(at_, end - at_));
    if (word.empty()) return Error(absl::StrCat("'", Excerpt(setting->key), "' has no value"));
    setting->values.emplace_back(word);
    at_ = end;
    return absl::OkStatus();
  }

  absl::Status ReadString(Setting* setting) {
    const char quote = text_[at_++];
    std::string value;
    for (; Peek() != quote; ++at_) {
      if (Peek() == '\n')
        return Error(absl::StrCat("the string of '", Excerpt(setting->key), "' has no end"));
      if (quote == '\'' || Peek() != '\\') {
        value.push_back(Peek());
        continue;
      }
      ++at_;
      constexpr absl::string_view kEscaped = "\"\\tnr";
      constexpr absl::string_view kPlain = "\"\\\t\n\r";
      const size_t which = kEscaped.find(Peek());
      if (which == kEscaped.npos)
        return Error(absl::StrCat("unknown escape in the string of '", Excerpt(setting->key),
                                  "'; a literal backslash is \\\\"));
      value.push_back(kPlain[which]);
    }
    ++at_;
    setting->values.push_back(std::move(value));
    return absl::OkStatus();
  }

  absl::Status ReadLineEnd() {
    SkipBlanks();
    if (Peek() == '\n' || Peek() == '#') return absl::OkStatus();
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    return Error(absl::StrCat("text after the value: '", Excerpt(text_.substr(at_, end - at_)), "'"));
  }

  const absl::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

absl::StatusOr<std::vector<Setting>> ParseSettings(absl::string_view text) {
  return Reader(text).Read();
}

}  // namespace diopi::server
