#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::HasSubstr;

// The results of a 0-d tensor have no dimension along which there could be none.
TEST(Topk, OfANumberIsTheNumber) {
  struct Row {
    Shape shape;
    int64_t k;
    const char* error;  // empty: none
  };
  const Row rows[] = {
      {{}, 1, ""}, {{}, 0, "a 0-d tensor"}, {{}, 2, "k (2)"}, {{3}, 0, ""}, {{3}, 4, "k (4)"}};
  for (const Row& row : rows) {
    const Shape of_result = row.shape.empty() ? Shape{} : Shape{row.k};
    TestTensor x(kFloat, row.shape, {2.5, 1, 3}), values(kFloat, of_result);
    TestTensor indices(diopi_dtype_int64, of_result);
    const diopiError_t status = diopiTopk(nullptr, values, indices, x, row.k, 0, true, true);
    EXPECT_EQ(status == diopiSuccess, row.error[0] == '\0') << row.k;
    if (status != diopiSuccess) {
      EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(row.error));
    } else if (row.k == 1) {
      EXPECT_EQ(values.values()[0], 2.5);
    }
  }
}

}  // namespace
}  // namespace diopi::ops
