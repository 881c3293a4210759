#include "client/proof/kill_matrix.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace diopi::proof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KillMatrix, EmptyHasNothingToSay) {
  const KillMatrix matrix;
  EXPECT_THAT(matrix.Survivors(), IsEmpty());
  EXPECT_THAT(matrix.Idle(), IsEmpty());
  EXPECT_THAT(matrix.Cover(), IsEmpty());
}

TEST(KillMatrix, TellsSurvivorsIdleCasesAndASmallCover) {
  KillMatrix matrix;
  matrix.AddCase("e");
  matrix.Add("tail", "a", true);
  matrix.Add("tail", "b", true);
  matrix.Add("stride", "b", true);
  matrix.Add("stride", "c", true);
  matrix.Add("alpha", "c", true);
  matrix.Add("alpha", "a", false);
  matrix.Add("sign", "d", false);
  EXPECT_EQ(matrix.bugs(), 4u);
  EXPECT_THAT(matrix.Survivors(), ElementsAre("sign"));
  EXPECT_THAT(matrix.Idle(), ElementsAre("d", "e"));
  // b catches two and comes before c; only c catches the remaining alpha.
  EXPECT_THAT(matrix.Cover(), ElementsAre("b", "c"));
}

TEST(KillMatrix, ABugSeenAgainKeepsWhoCaughtIt) {
  KillMatrix matrix;
  matrix.Add("tail", "a", true);
  matrix.Add("tail", "a", false);  // another output of the same case
  EXPECT_THAT(matrix.Survivors(), IsEmpty());
}

}  // namespace
}  // namespace diopi::proof
