#include "cases/base/text.h"

#include <gtest/gtest.h>

#include <vector>

#include "cases/base/text_testing.h"

namespace diopi {
namespace {

TEST(Text, WhatIsPrintable) {
  for (const char32_t c :
       {U' ', U'~', U'µ', U'é', U'→', U'你', U'\u0301', U'\uE000', U'\U0001F600', U'\uFFFD'}) {
    EXPECT_TRUE(IsPrintable(c)) << std::hex << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U'\0',
                           U'\t',
                           U'\n',
                           U'\r',
                           U'\x1b',
                           U'\x7f',
                           char32_t{0x80},
                           char32_t{0x9B},
                           U'\u00AD',
                           U'\u034F',
                           U'\u061C',
                           U'\u115F',
                           U'\u180E',
                           U'\u200B',
                           U'\u200E',
                           U'\u200F',
                           U'\u2028',
                           U'\u2029',
                           U'\u202A',
                           U'\u202E',
                           U'\u2060',
                           U'\u2066',
                           U'\u2069',
                           U'\u206F',
                           U'\uFE0F',
                           U'\uFEFF',
                           U'\uFFF9',
                           U'\uFFFE',
                           U'\uFFFF',
                           U'\uFDD0',
                           char32_t{0xD800},
                           char32_t{0xE0041},
                           char32_t{0x1FFFE},
                           char32_t{0x10FFFF},
                           char32_t{0x110000},
                           char32_t{0xFFFF'FFFF}}) {
    EXPECT_FALSE(IsPrintable(c)) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(Text, PrintableTextIsValidUtf8WithoutControls) {
  const std::pair<std::string, std::string> rows[] = {{"plain\n\ttext", "plain\n\ttext"},
                                                      {"grüß 你好 µ → 😀", "grüß 你好 µ → 😀"},
                                                      {"\xFF\xFE", "??"},
                                                      {"\xC3", "?"},
                                                      {"\xC0\xAF", "??"},
                                                      {"\xE0\x80\xAF", "???"},
                                                      {"\xED\xA0\x80", "???"},
                                                      {"\xF4\x90\x80\x80", "????"},
                                                      {"\xE2\x82", "??"},
                                                      {"\x1B[31m\x7F", "?[31m?"},
                                                      {"\xC2\x9B"
                                                       "31m",
                                                       "?31m"},
                                                      {"a\r\nb\rc\r", "a\nb?c?"},
                                                      {"\xE2\x80\xAEtxt", "?txt"},
                                                      {std::string("a\0b", 3), "a?b"}};
  for (const auto& [text, expected] : rows) EXPECT_EQ(PrintableText(text), expected);
}

TEST(Text, IsCutBetweenCharacters) {
  struct Row {
    std::string text;
    size_t limit;
    std::string expected;
  };
  const Row rows[] = {
      {"abcdef", 6, "abcdef"},
      {"abcdefg", 6, "abc..."},
      {"ab你你", 7, "ab..."},
      {"ab你你", 8, "ab你你"},
      {"abcd", 2, ".."},
      {"abcd", 0, ""},
      {"", 0, ""},
      {std::string(40, '\x1b'), 5, "??..."},
  };
  for (const Row& row : rows) EXPECT_EQ(PrintableText(row.text, row.limit), row.expected) << row.text;
  std::string tags;
  for (int i = 0; i < 1000; ++i) tags += "\xf3\xa0\x81\x81";
  EXPECT_EQ(PrintableText(tags, 100), std::string(97, '?') + "...");
  EXPECT_EQ(PrintableLine("a  " + std::string(400'000, 'b'), 1000).size(), 1000U);
}

TEST(Text, LinesAndMessages) {
  EXPECT_EQ(PrintableLine(" a\n\n b\tc\r\n \x1b "), "a b c ?");
  EXPECT_EQ(PrintableLine(" \n "), "");
  EXPECT_EQ(PrintableMessage("one"), "one");
  EXPECT_EQ(PrintableMessage("one\ntwo\n\nthree\n"), "one\n  two\n  \n  three\n");
  EXPECT_FALSE(HasForgedLine(PrintableMessage(HostileText())));
}

TEST(Text, QuotedTextLosesNothing) {
  EXPECT_EQ(QuotedText("a\"b\\c\n\t\r\x02"), R"("a\"b\\c\n\t\r\u0002")");
  EXPECT_EQ(QuotedText("é你\x7f\xC2\x9B\xE2\x80\xAE"), "\"é你\\u007f\\u009b\\u202e\"");
  EXPECT_EQ(QuotedText("\xF3\xA0\x81\x81\xEF\xBF\xBF"), R"("\udb40\udc41\uffff")");
  EXPECT_EQ(QuotedText("\xC3|\xFF"), "\"\xEF\xBF\xBD|\xEF\xBF\xBD\"");
  EXPECT_EQ(PrintableJson("{\"a\": \"é\\u001b\xC2\x9B\x7f\"}\n"), "{\"a\": \"é\\u001b\\u009b\\u007f\"}\n");
}

// All of them let legitimate text through, and nothing else.
TEST(Text, NothingHostileIsLeft) {
  for (const std::string& text : {PrintableText(HostileText()), PrintableLine(HostileText()),
                                  PrintableMessage(HostileText()), QuotedText(HostileText())}) {
    EXPECT_EQ(FirstForbidden(text), "");
    EXPECT_NE(text.find(kLegitimateText), std::string::npos) << text;
  }
  EXPECT_NE(FirstForbidden(HostileText()), "");
}

// Wherever a piece ends, the whole is the same.
TEST(Text, PiecesMakeTheSameText) {
  const std::string text = HostileText() + "\r\n你\r" + HostileText() + "\xE4\xBD";
  for (size_t size = 1; size < 12; ++size) {
    PrintablePieces pieces;
    std::string whole;
    for (size_t at = 0; at < text.size(); at += size) whole += pieces.Add(text.substr(at, size));
    EXPECT_EQ(whole + pieces.Finish(), PrintableText(text)) << size;
  }
}

TEST(TextTest, ShellWord) {
  EXPECT_EQ(ShellWord("/opt/lib-1.so"), "/opt/lib-1.so");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("$HOME/`x`;*?"), "'$HOME/`x`;*?'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("\xe2\x82\xac"), "'\xe2\x82\xac'");
  EXPECT_EQ(ShellWord("a\nb'\\\xff"), "$'a\\x0ab\\'\\\\\\xff'");
  EXPECT_EQ(ShellWord("a\u202eb"), "$'a\\xe2\\x80\\xaeb'");
}

TEST(TextTest, OneLine) {
  const std::string endless(400'000, 'x');
  EXPECT_EQ(OneLine(endless).size(), kLongestText);
  EXPECT_EQ(ManyLines(endless).size(), kLongestText);
  EXPECT_EQ(OneLine(" a\n\n b\tc \x1b[31m\n"), "a b c ?[31m");
}

}  // namespace
}  // namespace diopi
