#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

TEST(Cdist, TakesTheModesOfPytorch) {
  struct Row {
    int64_t mode;
    bool taken;
  };
  for (const Row& row : {Row{-1, false}, Row{0, true}, Row{1, true}, Row{2, true}, Row{3, false}}) {
    TestTensor x(kFloat, {1, 2}, {0, 0}), y(kFloat, {1, 2}, {3, 4}), out(kFloat, {1, 1});
    const diopiError_t status = diopiCdist(nullptr, out, x, y, 2, &row.mode);
    EXPECT_EQ(status == diopiSuccess, row.taken) << row.mode;
    if (row.taken) {
      EXPECT_EQ(out.values()[0], 5);
    }
  }
}

}  // namespace
}  // namespace diopi::ops
