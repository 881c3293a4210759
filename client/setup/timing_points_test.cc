#include "client/setup/timing_points.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/base/tensor.h"
#include "client/profile/tensors.h"

namespace diopi::agent {
namespace {

TEST(TimingPoints, AllExpandAndAreOfAModelsSize) {
  const auto timing = LoadTimingPoints();
  ASSERT_TRUE(timing.ok()) << timing.status();
  int64_t of_exp = 0;
  for (const v1::OperatorFile& op : (*timing)->operators()) {
    const auto cases = cases::Expand(op, op.operator_());
    ASSERT_TRUE(cases.ok()) << cases.status();
    EXPECT_FALSE(cases->empty()) << op.operator_();
    for (const v1::Case& c : *cases) {
      if (c.function() != "diopiExp" || c.dtype() != v1::Dtype::float32) continue;
      for (const profile::CaseTensor& tensor : profile::TensorsOf(c))
        of_exp = std::max(of_exp, tensor.spec->storage_elements());
    }
  }
  EXPECT_EQ(of_exp, 4 * 1024 * 1024);
}

}  // namespace
}  // namespace diopi::agent
