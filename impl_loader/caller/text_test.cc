#include "impl_loader/caller/text.h"

#include <gtest/gtest.h>

namespace diopi::loader {
namespace {

TEST(PrintableText, IsAlwaysValidUtf8) {
  const std::pair<std::string, std::string> rows[] = {{"plain\n\ttext", "plain\n\ttext"},
                                                      {"gr\xC3\xBC\xC3\x9F", "gr\xC3\xBC\xC3\x9F"},
                                                      {"\xFF\xFE", "??"},
                                                      {"\xC3", "?"},
                                                      {"\xC0\xAF", "??"},
                                                      {"\xED\xA0\x80", "???"},
                                                      {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
                                                      {"\x1B[31m\x7F", "?[31m?"}};
  for (const auto& [text, expected] : rows) EXPECT_EQ(PrintableText(text), expected);
  EXPECT_EQ(PrintableText(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(PrintableText("ab\xC3\xBC", 3), "ab");  // no sequence is cut in two
}

}  // namespace
}  // namespace diopi::loader
