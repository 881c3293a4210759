#include "reports/document/escape.h"

#include <gtest/gtest.h>

namespace diopi::reports {
namespace {

TEST(Escape, Xml) {
  EXPECT_EQ(EscapeXml("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;");
  EXPECT_EQ(EscapeXml(std::string("x\0y\x01z\ttab\n", 10)), "x?y?z&#9;tab&#10;");
  EXPECT_EQ(EscapeXml("\xff\xfe"), "??");
}

TEST(Escape, Json) {
  EXPECT_EQ(JsonString("a\"b\\c\n\t\x02"), "\"a\\\"b\\\\c\\n\\t\\u0002\"");
  EXPECT_EQ(JsonString("\xc3\xa9\xc3"), "\"\xc3\xa9?\"");
}

TEST(Escape, Csv) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
}

TEST(Escape, Utf8RefusesOverlongAndSurrogates) {
  EXPECT_EQ(ToUtf8("\xe2\x82\xac"), "\xe2\x82\xac");
  EXPECT_EQ(ToUtf8("\xc0\xaf"), "??");
  EXPECT_EQ(ToUtf8("\xed\xa0\x80"), "???");
  EXPECT_EQ(ToUtf8("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(ToUtf8("\xe2\x82"), "??");
}

TEST(Escape, ShellWord) {
  EXPECT_EQ(ShellWord("/opt/lib-1.so"), "/opt/lib-1.so");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("$HOME/`x`;*?"), "'$HOME/`x`;*?'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("\xe2\x82\xac"), "'\xe2\x82\xac'");
  EXPECT_EQ(ShellWord("a\nb'\\\xff"), "$'a\\x0ab\\'\\\\\\xff'");
}

TEST(Escape, OneLine) {
  EXPECT_EQ(OneLine(" a\n\n b\tc \n"), "a b c");
}

}  // namespace
}  // namespace diopi::reports
