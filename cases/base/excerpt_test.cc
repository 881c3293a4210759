#include "cases/base/excerpt.h"

#include <gtest/gtest.h>

namespace diopi {
namespace {

TEST(Excerpt, IsShortAndPrintable) {
  EXPECT_EQ(Excerpt(""), "");
  EXPECT_EQ(Excerpt("\x1b[31m\n\xe6\x95\xb0"), "\\x1b[31m\\n\\xe6\\x95\\xb0");
  EXPECT_EQ(Excerpt("abcdef", 6), "abcdef");
  EXPECT_EQ(Excerpt("abcdefg", 6), "abcdef...");
}

TEST(WithShortLines, CutsLinesAndTheWhole) {
  EXPECT_EQ(WithShortLines("one\ntwo\n"), "one\ntwo\n");
  EXPECT_EQ(WithShortLines(std::string(1 << 20, 'x') + "\ntwo"), std::string(2000, 'x') + "...\ntwo");
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "line\n";
  EXPECT_LT(WithShortLines(lines).size(), 70'000U);
}

}  // namespace
}  // namespace diopi
