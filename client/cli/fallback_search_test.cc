#include "client/cli/fallback_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace diopi::cli {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

struct Search {
  std::string description;
  int names = 0;
  std::vector<std::string> faulty;  // all of these must fall back
};

class FallbackSearchTest : public ::testing::TestWithParam<Search> {};

TEST_P(FallbackSearchTest, FindsExactlyTheFaultyOnes) {
  std::vector<std::string> names;
  for (int i = 0; i < GetParam().names; ++i) names.push_back("f" + std::to_string(i));
  int asked = 0;
  std::set<std::vector<std::string>> seen;
  const auto mends = [&](const std::vector<std::string>& some) -> absl::StatusOr<bool> {
    ++asked;
    EXPECT_TRUE(seen.insert(some).second) << "the same question twice";
    return std::all_of(GetParam().faulty.begin(), GetParam().faulty.end(), [&](const std::string& name) {
      return std::find(some.begin(), some.end(), name) != some.end();
    });
  };
  const auto found = SmallestSet(names, mends);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(*found, ElementsAreArray(GetParam().faulty));
  EXPECT_LE(asked, 4 * GetParam().names + 8);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FallbackSearchTest,
                         ::testing::Values(Search{"one", 1, {"f0"}}, Search{"first", 40, {"f0"}},
                                           Search{"last", 40, {"f39"}},
                                           Search{"pair_apart", 40, {"f3", "f37"}},
                                           Search{"neighbours", 17, {"f8", "f9"}},
                                           Search{"three", 9, {"f0", "f4", "f8"}},
                                           Search{"all", 5, {"f0", "f1", "f2", "f3", "f4"}}),
                         [](const auto& test) { return test.param.description; });

TEST(FallbackSearchErrorTest, AnErrorEndsTheSearch) {
  const auto found = SmallestSet(
      {"a", "b"}, [](const auto&) -> absl::StatusOr<bool> { return absl::CancelledError("stopped"); });
  EXPECT_EQ(found.status().message(), "stopped");
}

TEST(FallbackSearchErrorTest, NothingIsTheSmallestSetOfNothing) {
  const auto found = SmallestSet({}, [](const auto&) -> absl::StatusOr<bool> { return true; });
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(*found, IsEmpty());
}

}  // namespace
}  // namespace diopi::cli
