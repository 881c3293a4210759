#include "baselines/compare/contraction_kernel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "baselines/compare/pointwise_kernel.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {
namespace {

class Contraction : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseInstructionSet(GetParam()); }
  void TearDown() override { UseInstructionSet(""); }
};

INSTANTIATE_TEST_SUITE_P(With, Contraction, testing::ValuesIn(InstructionSets()),
                         [](const auto& set) { return set.param; });

constexpr size_t kCounts[] = {0,  1,  7,  8,   9,
                              31, 32, 33, 1024};  // whole registers, and what is left beside them

// Numbers that every dtype holds, whose products and sums are exact in any order.
double Value(size_t i) {
  return static_cast<double>(i % 13) - 6;
}

std::string Elements(Dtype dtype, size_t count) {
  std::string data(1 + static_cast<size_t>(ElementSize(dtype)) * count, '\0');  // at an odd address
  for (size_t i = 0; i < count; ++i) StoreDouble(dtype, data.data() + 1, static_cast<int64_t>(i), Value(i));
  return data;
}

TEST_P(Contraction, AddsUpProducts) {
  for (const Dtype dtype : {v1::Dtype::float32, v1::Dtype::bfloat16, v1::Dtype::float64}) {
    for (const size_t count : kCounts) {
      const std::string data = Elements(dtype, count);
      std::vector<double> weights;
      std::vector<double> sums(count + 1, 3);
      double dot = 0;
      for (size_t i = 0; i < count; ++i) {
        weights.push_back(static_cast<double>(i % 7) / 4);
        dot += Value(i) * weights[i];
      }
      EXPECT_EQ(Dot(dtype, data.data() + 1, weights.data(), count), dot) << DtypeName(dtype) << ' ' << count;
      AddScaled(dtype, 0.5, data.data() + 1, count, sums.data());
      for (size_t i = 0; i < count; ++i)
        EXPECT_EQ(sums[i], 3 + 0.5 * Value(i)) << DtypeName(dtype) << ' ' << i;
      EXPECT_EQ(sums[count], 3);
    }
  }
}

}  // namespace
}  // namespace diopi::baselines
