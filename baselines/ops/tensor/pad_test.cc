#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// Of 0 to 5, as PyTorch gives it: what is cut off does not wrap around, but it is mirrored.
TEST(Pad, CutsOffAndAddsAtOnce) {
  struct Row {
    const char* mode;
    Shape pad;
    std::vector<double> out;
  };
  const Row rows[] = {
      {"constant", {-2, 1}, {2, 3, 4, 5, 7}}, {"circular", {2, 1}, {4, 5, 0, 1, 2, 3, 4, 5, 0}},
      {"circular", {-2, 1}, {2, 3, 4, 5, 2}}, {"circular", {2, -3}, {1, 2, 0, 1, 2}},
      {"circular", {-2, -1}, {2, 3, 4}},      {"reflect", {-2, 1}, {2, 3, 4, 5, 4}},
      {"reflect", {2, -3}, {2, 1, 0, 1, 2}},  {"replicate", {2, -3}, {0, 0, 0, 1, 2}},
  };
  const double value = 7;
  for (const Row& row : rows) {
    TestTensor x(kFloat, {1, 1, 6}, {0, 1, 2, 3, 4, 5});
    TestTensor out(kFloat, {1, 1, static_cast<int64_t>(row.out.size())});
    ASSERT_EQ(diopiPad(nullptr, out, x, View(row.pad), row.mode, &value), diopiSuccess)
        << diopiGetLastErrorString();
    EXPECT_THAT(out.values(), ElementsAreArray(row.out)) << row.mode << " " << row.pad[0];
  }
}

TEST(Pad, RefusesWhatPytorchRefuses) {
  struct Row {
    const char* mode;
    Shape pad;
    int64_t size;
    const char* error;
  };
  const Row rows[] = {
      {"circular", {-2, 5}, 9, "a pad of 5 for a dimension of 4"},
      {"constant", {-7, 2}, 1, "pads of -7 and 2 for a dimension of 6"},
      {"constant", {-4, -3}, 0, "pads of -4 and -3 for a dimension of 6"},
      {"reflect", {-2, -4}, 0, "pads of -2 and -4 for a dimension of 6"},
  };
  for (const Row& row : rows) {
    TestTensor x(kFloat, {1, 1, 6}), out(kFloat, {1, 1, row.size});
    EXPECT_EQ(diopiPad(nullptr, out, x, View(row.pad), row.mode, nullptr), diopiErrorOccurred) << row.mode;
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(row.error));
  }
}

}  // namespace
}  // namespace diopi::ops
