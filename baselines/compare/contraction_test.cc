#include "baselines/compare/contraction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cases/base/tensor.h"

namespace diopi::baselines {
namespace {

// Every dtype holds these, and their sums are exact in any order.
double Value(int64_t i) {
  return static_cast<double>(i % 7 - 3);
}

double Weight(int64_t i) {
  return i % 3 == 0 ? -1 : 1;
}

// Sums of a matrix's rows and of its columns are the same whichever way they are computed: along runs, across
// a few of them, or across so many that parts of them are added up in turn, on one thread or several.
TEST(ContractTest, AddsUpAlongEitherAxis) {
  const struct {
    Dtype dtype;
    int64_t rows, columns;
  } kRows[] = {
      {v1::Dtype::float32, 5, 3},        {v1::Dtype::float32, 40'000, 64}, {v1::Dtype::float32, 40, 70'001},
      {v1::Dtype::bfloat16, 1500, 2000}, {v1::Dtype::float16, 60, 70'001}, {v1::Dtype::float16, 2500, 1025},
      {v1::Dtype::float64, 70'001, 30},  {v1::Dtype::float64, 300, 4097},
  };
  for (const auto& [dtype, rows, columns] : kRows) {
    HostTensor tensor{
        dtype, {rows, columns}, std::string(static_cast<size_t>(rows * columns * ElementSize(dtype)), '\0')};
    for (int64_t i = 0; i < rows * columns; ++i) StoreDouble(dtype, tensor.data.data(), i, Value(i));
    const TensorView view = tensor;
    slices::ResolvedAxes axes;
    axes.sizes = {{"r", rows}, {"c", columns}};
    axes.tensors["x"] = {{"r"}, {"c"}};
    const std::optional<Operand> operand = Operand::Of(axes, "x", &view);
    ASSERT_TRUE(operand.has_value());
    for (const bool by_row : {true, false}) {
      const int64_t kept = by_row ? rows : columns;
      const int64_t summed = by_row ? columns : rows;
      std::vector<double> weights;
      for (int64_t i = 0; i < summed; ++i) weights.push_back(Weight(i));
      const std::vector<double> sums =
          operand->Contract(0, operand->Of({by_row ? "r" : "c"}), operand->Of({by_row ? "c" : "r"}), weights);
      ASSERT_EQ(sums.size(), static_cast<size_t>(kept));
      for (int64_t k = 0; k < kept; ++k) {
        double expected = 0;
        for (int64_t s = 0; s < summed; ++s)
          expected += Weight(s) * Value(by_row ? k * columns + s : s * columns + k);
        ASSERT_EQ(sums[static_cast<size_t>(k)], expected)
            << DtypeName(dtype) << ' ' << rows << ' ' << by_row << ' ' << k;
      }
    }
  }
}

}  // namespace
}  // namespace diopi::baselines
