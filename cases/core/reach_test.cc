// What the suite's own cases reach, and that a hole is seen.
#include "cases/core/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/core/catalog.h"

namespace diopi::cases {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReachTest, NoFunctionHasAHoleWithoutAReason) {
  const absl::StatusOr<std::unique_ptr<Catalog>> catalog = Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  for (const v1::OperatorFile& op : (*catalog)->operators()) {
    const absl::StatusOr<std::vector<FunctionReach>> reached = ReachOf(op);
    ASSERT_TRUE(reached.ok()) << reached.status();
    for (const FunctionReach& reach : *reached) EXPECT_THAT(reach.holes, IsEmpty()) << reach.function;
  }
}

TEST(ReachTest, HolesAreSeen) {
  constexpr char kText[] = R"(
operator: "x" family: "y"
function {
  name: "diopiSin"
  arg { name: "out" like: "input" }
  judge { kind: MATH }
  skip_dtypes: [int16, int32, int64, uint8, int8, bool] why: "left out here"
}
grid { dtypes: [float32, float64] point { label: "p" reveals: "r" in { name: "input" shape: [3] } } }
)";
  const absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(kText, "x.textproto");
  ASSERT_TRUE(op.ok()) << op.status();
  const absl::StatusOr<std::vector<FunctionReach>> reached = ReachOf(*op);
  ASSERT_TRUE(reached.ok()) << reached.status();
  ASSERT_EQ(reached->size(), 1U);
  EXPECT_EQ((*reached)[0].cases, 2);
  EXPECT_THAT((*reached)[0].dtypes, ElementsAre("float32", "float64"));
  EXPECT_THAT((*reached)[0].holes, ElementsAre("no case in float16, which the ABI documents", "no cover"));
}

}  // namespace
}  // namespace diopi::cases
