#include "reports/document/escape.h"

#include <gtest/gtest.h>

#include "cases/base/text.h"

namespace diopi::reports {
namespace {

TEST(Escape, Xml) {
  EXPECT_EQ(EscapeXml("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;");
  EXPECT_EQ(EscapeXml(std::string("x\0y\x01z\ttab\n", 10)), "x?y?z&#9;tab&#10;");
  EXPECT_EQ(EscapeXml("\xff\xfe"), "??");
  EXPECT_EQ(EscapeXml("\x7f|\uffff|\u202e"), "?|?|?");  // XML 1.0 forbids U+FFFF
}

TEST(Escape, Csv) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
}

TEST(Escape, CsvIsNoFormula) {
  const std::pair<const char*, const char*> rows[] = {
      {"=1+2", "'=1+2"},
      {"-x", "'-x"},
      {"@a", "'@a"},
      {"+1", "'+1"},
      {"\t=1", "'\t=1"},
      {"＝1", "'＝1"},
      {"-", "-"},
      {"-inf", "'-inf"},
      {"-1.2.3", "'-1.2.3"},
      {"-1.5e-3", "-1.5e-3"},
      {"-1e+06", "-1e+06"},
      {"-7", "-7"},
      {"-.5", "-.5"},
      {"- - -", "- - -"},
      {"- 1", "'- 1"},
      {"a=1", "a=1"},
      {"", ""},
      {"=\"x\",1", "\"'=\"\"x\"\",1\""},
      {"\r=1", "'?=1"},
  };
  for (const auto& [text, field] : rows) EXPECT_EQ(CsvField(text), field);
}

// A library may have chosen the length.
TEST(Escape, NothingIsEndless) {
  const std::string endless(400'000, 'x');
  EXPECT_EQ(EscapeXml(endless).size(), kLongestText);
  EXPECT_EQ(CsvField(endless).size(), kLongestText);
}

}  // namespace
}  // namespace diopi::reports
