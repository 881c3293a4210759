#include "server/program/config_text.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::server {
namespace {

// "LINE KEY=VALUE|VALUE;..." or the error.
std::string Read(absl::string_view text) {
  const auto settings = ParseSettings(text);
  if (!settings.ok()) return std::string(settings.status().message());
  return absl::StrJoin(*settings, ";", [](std::string* out, const Setting& setting) {
    absl::StrAppend(out, setting.line, " ", setting.key, "=", absl::StrJoin(setting.values, "|"));
  });
}

TEST(ConfigText, Values) {
  const struct {
    const char* text;
    const char* read;
  } rows[] = {
      {"", ""},
      {"# nothing\n\n  # more\n", ""},
      {"a = 1", "1 a=1"},
      {"\n a=1 # one\r\nb =x:7 y\n", "2 a=1;3 b=x:7 y"},
      {R"(a = "x # \"y\" \\ \t")", "1 a=x # \"y\" \\ \t"},
      {R"(a = 'x # "y" \')", R"(1 a=x # "y" \)"},
      {"a = \"\"\n", "1 a="},
      {"a = [1, 'b', \"c\",]\n", "1 a=1|b|c"},
      {"a = [\n 1, # one\n\n 2\n]\nb = []\n", "1 a=1|2;6 b="},
  };
  for (const auto& row : rows) EXPECT_EQ(Read(row.text), row.read) << row.text;
}

TEST(ConfigText, ErrorsNameTheLine) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"a = 1\nb\n", "2: expected OPTION = VALUE, but it is 'b'"},
      {"= 1\n", "1: expected OPTION = VALUE, but it is '= 1'"},
      {"\na =\n", "2: 'a' has no value"},
      {"a = # 1\n", "1: 'a' has no value"},
      {"[http]\n", "1: 'http' is a section; options must not be in a section"},
      {"[[http", "1: '[http' is a section; options must not be in a section"},
      {"a = \"x\n", "1: the string of 'a' has no end"},
      {"a = \"x\\q\"\n", "1: unknown escape in the string of 'a'; a literal backslash is \\\\"},
      {"a = \"x\" y\n", "1: text after the value: 'y'"},
      {"a = [1\n2]\n", "2: expected , or ] after an array's value"},
      {"a = [[1]]\n", "1: an array in an array"},
      {"a = [1,\n", "2: the array of 'a' has no end"},
      {"a = [,]\n", "1: 'a' has no value"},
  };
  for (const auto& row : rows) EXPECT_EQ(Read(row.text), row.error) << row.text;
}

TEST(ConfigText, ErrorsAreShort) {
  const std::string megabyte(1 << 20, 'x');
  for (const std::string& text : {megabyte, megabyte + " = \"", "[" + megabyte, "a = 'b' " + megabyte}) {
    const std::string error = Read(text);
    EXPECT_LT(error.size(), 200U);
    EXPECT_EQ(error.rfind("1: ", 0), 0U) << error;
  }
}

}  // namespace
}  // namespace diopi::server
