#include "reports/performance/reference_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace diopi::reports {
namespace {

using ::testing::HasSubstr;

TEST(ReferenceTimesTest, TheA100HasAllItsRows) {
  const ReferenceTimes& times = A100Times();
  EXPECT_EQ(times.us.size(), 574U);
  EXPECT_DOUBLE_EQ(times.us.at("gemm float16 M=2048 N=7680 K=4096 transA=0 transB=0"), 490);
  EXPECT_DOUBLE_EQ(times.us.at("conv float16 W=224 H=224 C=3 N=8 OutC=64 kw=3 kh=3 pw=1 ph=1 sh=1 sv=1"),
                   722);
}

TEST(ReferenceTimesTest, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {"gemm\tfloat16\tM=1\t0.5\n", "1: expected the columns"},
      {"# comment\nkernel\tdtype\tparameters\tmilliseconds\ngemm\tfloat16\tM=1\n", "3: expected four cells"},
      {"kernel\tdtype\tparameters\tmilliseconds\ngemm\tfloat16\tM=1\t0\n", "2: expected four cells"},
      {"kernel\tdtype\tparameters\tmilliseconds\ngemm\tfloat16\tM=1\tnan\n", "2: expected four cells"}};
  for (const auto& [table, message] : rows) {
    const auto times = ParseReferenceTimes(table);
    ASSERT_TRUE(absl::IsInvalidArgument(times.status())) << table;
    EXPECT_THAT(std::string(times.status().message()), HasSubstr(message));
  }
}

}  // namespace
}  // namespace diopi::reports
