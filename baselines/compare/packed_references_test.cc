// Packed references give the same r and sigma, as nearly as packed_references.h says.
#include "baselines/compare/packed_references.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

int64_t Bytes(const TensorMap& tensors) {
  int64_t bytes = 0;
  for (const auto& [key, tensor] : tensors) bytes += static_cast<int64_t>(tensor.data.size());
  return bytes;
}

TEST(PackedReferences, GiveRAndSigmaBack) {
  const struct {
    Dtype output;
    std::vector<double> values;
    std::vector<double> sigmas;
    double value_error;
    int64_t bytes_per_element;  // 20: it is stored as it is
  } rows[] = {
      {D::float32, {1.0 / 3, -1e30, 0, kInfinity, 16777215}, {1e-8, 1e22, 0, 0, 0.7}, 0x1p-32, 8},
      {D::bfloat16, {1.0 / 3, -1e30, 0, -kInfinity, 1 + 0x1.fep-25}, {1e-8, 1e22, 0, 0, 1e-30}, 0x1p-24, 6},
      {D::float16, {1.0 / 3, 65504, 0, std::nan(""), 7}, {1e-8, 1, 0, 0, 1e-30}, 0x1p-24, 6},
      {D::float32, {1.0 / 3, 1e-40, 0, 1, 7}, {1e-8, 1, 0, 0, 1e-30}, 0, 12},  // below float32's range
      {D::float32, {1.0 / 3, 1e39, 0, 1, 7}, {1e-8, 1, 0, 0, 1e-30}, 0, 12},   // and above
      {D::float32, {1.0 / 3, 1, 0, 1, 7}, {1e-8, 1e-44, 0, 0, 1e-30}, 0, 12},  // a sigma below it
  };
  for (const auto& row : rows) {
    const v1::Case c = OneOutput(row.output, v1::Judge::MATH);
    const TensorMap references = {{"out", Row(D::float64, row.values)},
                                  {"out.sigma", Row(D::float32, row.sigmas)}};
    const TensorMap packed = PackReferences(c, references);
    EXPECT_EQ(Bytes(packed), row.bytes_per_element * static_cast<int64_t>(row.values.size()));
    const TensorMap back = UnpackReferences(packed);
    ASSERT_EQ(back.size(), 2U);
    EXPECT_EQ(back.at("out").dtype, D::float64);
    EXPECT_EQ(back.at("out.sigma").dtype, D::float32);
    for (size_t i = 0; i < row.values.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const double r = ElementAsDouble(D::float64, back.at("out").data.data(), at);
      const double sigma = ElementAsDouble(D::float32, back.at("out.sigma").data.data(), at);
      EXPECT_NEAR(sigma, row.sigmas[i],
                  row.value_error == 0 ? 0x1p-24 * row.sigmas[i] + 1e-45 : 0x1p-8 * row.sigmas[i]);
      if (std::isfinite(row.values[i])) {
        EXPECT_NEAR(r, row.values[i], row.value_error * std::fabs(row.values[i])) << row.values[i];
      } else {
        EXPECT_TRUE(r == row.values[i] || (std::isnan(r) && std::isnan(row.values[i])));
      }
    }
  }
}

TEST(PackedReferences, KeepNumbersOfTerms) {
  const v1::Case c = OneOutput(D::float32, v1::Judge::ACCUMULATION);
  for (const std::vector<double>& terms : {std::vector<double>{9, 9, 9}, std::vector<double>{4, 6, 9}}) {
    const TensorMap references = {{"out", Row(D::float64, {1, 2.5, 3})},
                                  {"out.exact", HostTensor{D::uint8, {}, std::string(1, '\1')}},
                                  {"out.n", Row(D::float32, terms)},
                                  {"out.sigma", Row(D::float32, {1, 2, 4})}};
    const TensorMap packed = PackReferences(c, references);
    EXPECT_EQ(packed.at("out.n").data.size(), terms[0] == terms[1] ? 4U : 12U);
    const TensorMap back = UnpackReferences(packed);
    ASSERT_EQ(back.size(), references.size());
    for (const auto& [key, tensor] : references) {
      EXPECT_EQ(back.at(key).data, tensor.data) << key;
      EXPECT_EQ(back.at(key).shape, tensor.shape) << key;
    }
  }
}

// What an exact judge compares, and float64, stay as they are.
TEST(PackedReferences, LeaveTheOthers) {
  for (const Dtype dtype : {D::float32, D::float64}) {
    const v1::Case c = OneOutput(dtype, dtype == D::float32 ? v1::Judge::EXACT : v1::Judge::MATH);
    TensorMap references = {{"out", Row(dtype, {1, 2.5, 3})}};
    if (dtype == D::float64) {
      references["out.sigma"] = Row(dtype, {1, 2, 4});
      references["out.low"] = Row(dtype, {0, 1e-20, 0});
    }
    const TensorMap back = UnpackReferences(PackReferences(c, references));
    for (const auto& [key, tensor] : references) EXPECT_EQ(back.at(key).data, tensor.data) << key;
  }
}

}  // namespace
}  // namespace diopi::baselines
