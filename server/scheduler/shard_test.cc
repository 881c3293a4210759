#include "server/scheduler/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cases/core/catalog.h"

namespace diopi::server {
namespace {

TEST(ShardTest, IsPinned) {
  // A shard that runs next year must fit one that ran today.
  EXPECT_EQ(ShardOf("add.float32.n17", 1), 0U);
  EXPECT_EQ(ShardOf("add.float32.n17", 0), 0U);
  const std::vector<uint32_t> of_eight = {ShardOf("add.float32.n1", 8), ShardOf("add.float32.n17", 8),
                                          ShardOf("conv2d.float16.k3", 8), ShardOf("library.version", 8)};
  EXPECT_EQ(of_eight, (std::vector<uint32_t>{1, 0, 0, 2}));
}

// Balanced within chance: the counts of a fair throw of n cases into k shards lie within 5 standard
// deviations, sqrt(n/k (1-1/k)), which is a few per cent of suite core in few shards.
TEST(ShardTest, SuiteCoreIsBalanced) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto cases = (*catalog)->SelectRun({});
  ASSERT_TRUE(cases.ok()) << cases.status();
  for (const uint32_t count : {2U, 3U, 8U, 16U}) {
    std::vector<double> sizes(count);
    for (const v1::Case& c : *cases) ++sizes.at(ShardOf(c.id(), count));
    const double fair = static_cast<double>(cases->size()) / count;
    const double spread = 5 * std::sqrt(fair * (1 - 1.0 / count));
    EXPECT_NEAR(*std::max_element(sizes.begin(), sizes.end()), fair, spread) << count;
    EXPECT_NEAR(*std::min_element(sizes.begin(), sizes.end()), fair, spread) << count;
  }
}

}  // namespace
}  // namespace diopi::server
