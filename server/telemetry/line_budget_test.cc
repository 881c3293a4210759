#include "server/telemetry/line_budget.h"

#include <gtest/gtest.h>

namespace diopi::server {
namespace {

TEST(LineBudgetTest, ABurstThenALittleAndWhatWasLeftOutIsCounted) {
  LineBudget budget(3, absl::Seconds(6));
  absl::Time now = absl::UnixEpoch();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(budget.Take(now), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(budget.Take(now), std::nullopt);
  now += absl::Seconds(5);
  EXPECT_EQ(budget.Take(now), std::nullopt);
  now += absl::Seconds(1);
  EXPECT_EQ(budget.Take(now), 101);
  EXPECT_EQ(budget.Take(now), std::nullopt);
  now += absl::Hours(1);  // no more than the burst is saved
  EXPECT_EQ(budget.Take(now), 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(budget.Take(now), 0);
  EXPECT_EQ(budget.Take(now), std::nullopt);
  now -= absl::Hours(2);  // a clock that was set back
  EXPECT_EQ(budget.Take(now), std::nullopt);
}

}  // namespace
}  // namespace diopi::server
