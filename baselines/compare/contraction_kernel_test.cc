#include "baselines/compare/contraction_kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "baselines/compare/pointwise_kernel.h"

namespace diopi::baselines {
namespace {

class Contraction : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseInstructionSet(GetParam()); }
  void TearDown() override { UseInstructionSet(""); }
};

INSTANTIATE_TEST_SUITE_P(With, Contraction, testing::ValuesIn(InstructionSets()),
                         [](const auto& set) { return set.param; });

constexpr size_t kCounts[] = {0, 1, 7, 8, 9, 31, 1024};  // whole registers, and what is left beside them

TEST_P(Contraction, WidensEveryElementAtAnyAddress) {
  for (const size_t count : kCounts) {
    std::string floats(1 + 4 * count, '\0');
    std::string halves(1 + 2 * count, '\0');
    for (size_t i = 0; i < count; ++i) {
      const float value = 1.5F - static_cast<float>(i);
      const auto bits = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
      std::memcpy(floats.data() + 1 + 4 * i, &value, 4);
      std::memcpy(halves.data() + 1 + 2 * i, &bits, 2);
    }
    std::vector<double> from_floats(count + 1, 17);
    std::vector<double> from_halves(count + 1, 17);
    WidenFloat32(floats.data() + 1, count, from_floats.data());
    WidenBfloat16(halves.data() + 1, count, from_halves.data());
    for (size_t i = 0; i < count; ++i) {
      const float value = 1.5F - static_cast<float>(i);
      const float half = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000U);
      EXPECT_EQ(from_floats[i], static_cast<double>(value)) << i;
      EXPECT_EQ(from_halves[i], static_cast<double>(half)) << i;
    }
    EXPECT_EQ(from_floats[count], 17);
    EXPECT_EQ(from_halves[count], 17);
  }
}

TEST_P(Contraction, AddsUpProducts) {
  for (const size_t count : kCounts) {
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> sums(count + 1, 3);
    double dot = 0;
    for (size_t i = 0; i < count; ++i) {
      a.push_back(static_cast<double>(i % 13) - 6);
      b.push_back(static_cast<double>(i % 7) / 4);
      dot += a[i] * b[i];  // exact, in any order
    }
    EXPECT_EQ(Dot(a.data(), b.data(), count), dot);
    AddScaled(0.5, a.data(), count, sums.data());
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(sums[i], 3 + 0.5 * a[i]) << i;
    EXPECT_EQ(sums[count], 3);
  }
}

}  // namespace
}  // namespace diopi::baselines
