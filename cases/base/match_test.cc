#include "cases/base/match.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace diopi {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MatchTest, Globs) {
  struct {
    const char* pattern;
    const char* text;
    bool matches;
  } const cases[] = {
      {"add", "add", true},
      {"add", "adds", false},
      {"a*", "add", true},
      {"*", "", true},
      {"a?d", "add", true},
      {"a?d", "ad", false},
      {"*d*d", "addd", true},
      {"*.float32.*", "add.float32.n1", true},
      {"", "", true},
      {"", "a", false},
      {"a*b*c", "aXbYcZ", false},
      {"**", "abc", true},
  };
  for (const auto& c : cases)
    EXPECT_EQ(GlobMatch(c.pattern, c.text), c.matches) << c.pattern << ' ' << c.text;
}

TEST(MatchTest, NearestFirst) {
  const std::vector<std::string> known = {"add", "addmm", "batch_norm", "bmm"};
  EXPECT_THAT(Nearest("ad", known, 2), ElementsAre("add", "addmm"));
  EXPECT_THAT(Nearest("batchnorm", known, 3), ElementsAre("batch_norm"));
  EXPECT_THAT(Nearest("interpolate", known, 3), IsEmpty());
  EXPECT_EQ(NearestText("ad", known), "; nearest: add, addmm, bmm");
  EXPECT_EQ(NearestText("interpolate", known), "");
}

}  // namespace
}  // namespace diopi
