#include "cases/fill/fill.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "cases/base/hash.h"
#include "cases/base/layout.h"

namespace diopi {
namespace {

using D = v1::Dtype;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::TensorSpec Spec(Dtype dtype, const std::vector<int64_t>& shape, const std::string& fill,
                    const std::string& layout_text = "") {
  v1::TensorSpec spec;
  spec.set_dtype(dtype);
  spec.mutable_shape()->Assign(shape.begin(), shape.end());
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(fill, spec.mutable_fill())) << fill;
  v1::Layout layout;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(layout_text, &layout)) << layout_text;
  EXPECT_TRUE(ApplyLayout(layout, &spec).ok());
  return spec;
}

std::vector<double> Numbers(const v1::TensorSpec& spec, uint64_t key = 1) {
  absl::StatusOr<HostTensor> tensor = FillTensor(spec, key);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  std::vector<double> numbers(static_cast<size_t>(NumElements(tensor->shape)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = ElementAsDouble(tensor->dtype, tensor->data.data(), static_cast<int64_t>(i));
  }
  return numbers;
}

// Any change of bits must be noticed and answered with a new kGeneratorVersion.
TEST(FillTest, GoldenBits) {
  ASSERT_EQ(kGeneratorVersion, 1U);
  struct {
    Dtype dtype;
    const char* fill;
    const char* hash;
  } const cases[] = {
      {D::float32, "normal {}", "777670cf3e9dbe11"},
      {D::float64, "normal { mean: 30 std: 2 }", "a960885665f5cb3a"},
      {D::float16, "normal {}", "b1a7633c3a92197b"},
      {D::bfloat16, "uniform { low: -1 high: 3 }", "875d3b1e32a4f942"},
      {D::float64, "lognormal { spread: 40 signed: true }", "ea41cea7e4dcab50"},
      {D::int64, "integers { low: -5 high: 5 }", "30c1469e90fbcc43"},
      {D::int8, "full {}", "c0be2c10651c8d2b"},
      {D::int64, "full {}", "5c0d5403a31cfbab"},
      {D::float32, "full {}", "ff22feec6cc76416"},
      {D::bool_, "bernoulli { p: 0.3 }", "9c228b7a7dce4442"},
      {D::int32, "permutation { start: 4 }", "a160dc1d0571d238"},
      {D::float32, "normal {} specials { values: [nan, inf, -inf, -0.0] }", "2960fbd6f49bd890"},
      {D::complex64, "normal {}", "d2e58791b94de5de"},
      {D::float16, "range { start: -3 step: 0.25 }", "916d97f7b5d23d24"},
  };
  for (const auto& c : cases) {
    absl::StatusOr<HostTensor> tensor = FillTensor(Spec(c.dtype, {7, 31}, c.fill), 0x0123456789abcdefULL);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(Xxh64Hex(tensor->data), c.hash) << DtypeName(c.dtype) << ' ' << c.fill;
  }
}

TEST(FillTest, NormalHasItsMoments) {
  const std::vector<double> values = Numbers(Spec(D::float32, {100000}, "normal { mean: 3 std: 0.5 }"));
  double mean = 0;
  double square = 0;
  for (double v : values) mean += v / 1e5;
  for (double v : values) square += (v - mean) * (v - mean) / 1e5;
  EXPECT_NEAR(mean, 3, 0.01);
  EXPECT_NEAR(std::sqrt(square), 0.5, 0.01);
}

TEST(FillTest, RangesAreKept) {
  for (double v : Numbers(Spec(D::float16, {5000}, "uniform { low: 1 high: 1.01 }"))) {
    ASSERT_GE(v, 1);
    ASSERT_LT(v, 1.01);
  }
  const std::vector<double> dice = Numbers(Spec(D::uint8, {6000}, "integers { low: 1 high: 6 }"));
  for (int face = 1; face <= 6; ++face) {
    EXPECT_NEAR(static_cast<double>(std::count(dice.begin(), dice.end(), face)), 1000, 150) << face;
  }
  EXPECT_THAT(Numbers(Spec(D::int8, {4}, "normal { mean: 1e6 }")), Each(127));
  EXPECT_THAT(Numbers(Spec(D::int32, {3}, "values { values: [1, -2] }")), ElementsAre(1, -2, 1));
  EXPECT_THAT(Numbers(Spec(D::bfloat16, {2}, "constant { value: 1.00390625 }")), Each(1.0));
}

TEST(FillTest, FullHoldsBothEnds) {
  for (Dtype dtype : {D::int8, D::uint8, D::int16, D::int32, D::bool_, D::uint16}) {
    const std::vector<double> values = Numbers(Spec(dtype, {1000}, "full {}"));
    const double high = dtype == D::bool_ ? 1
                        : dtype == D::uint8 || dtype == D::uint16
                            ? std::exp2(8.0 * static_cast<double>(ElementSize(dtype))) - 1
                            : std::exp2(8.0 * static_cast<double>(ElementSize(dtype)) - 1) - 1;
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), high) << DtypeName(dtype);
    EXPECT_EQ(values.back(), high);
    EXPECT_LE(values.front(), 0);
  }
  for (double v : Numbers(Spec(D::float32, {10000}, "full {}"))) ASSERT_TRUE(std::isfinite(v));
}

TEST(FillTest, SpecialsFallOnTheirPlaces) {
  const std::vector<double> spread =
      Numbers(Spec(D::float32, {9}, "constant { value: 1 } specials { values: [inf, -0.0, 5] }"));
  EXPECT_THAT(spread, ElementsAre(INFINITY, 1, 1, 1, -0.0, 1, 1, 1, 5));
  EXPECT_TRUE(std::signbit(spread[4]));
  EXPECT_THAT(Numbers(Spec(D::float32, {4}, "constant { value: 1 } specials { values: [2, 3] tail: true }")),
              ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(Numbers(Spec(D::int32, {3}, "constant { value: 1 } specials { values: [nan, 300, 7] }")),
              ElementsAre(1, 300, 7));
  EXPECT_THAT(Numbers(Spec(D::float32, {1}, "constant { value: 1 } specials { values: [2, 3] }")),
              ElementsAre(2));
  EXPECT_TRUE(std::isnan(Numbers(Spec(D::float32, {2}, "specials { values: nan }"))[0]));
}

TEST(FillTest, NanOfALowPayloadHasTheLowestBitAlone) {
  for (const auto& [dtype, bits] :
       std::vector<std::pair<D::Code, uint64_t>>{{D::float16, 0x7C01},
                                                 {D::bfloat16, 0x7F81},
                                                 {D::float32, 0x7F800001},
                                                 {D::float64, 0x7FF0000000000001}}) {
    const HostTensor tensor =
        FillTensor(Spec(dtype, {2}, "constant { value: 1 } specials { values: nan low_payload: true }"), 1)
            .value();
    uint64_t first = 0;
    std::memcpy(&first, tensor.data.data(), tensor.data.size() / 2);
    EXPECT_EQ(first, bits);
  }
}

TEST(FillTest, PermutationHasNoTiesInASlice) {
  const std::vector<double> values = Numbers(Spec(D::float32, {3, 100}, "permutation { start: 5 }"));
  for (auto row = values.begin(); row != values.end(); row += 100) {
    const std::set<double> distinct(row, row + 100);
    EXPECT_EQ(distinct.size(), 100U);
    EXPECT_EQ(*distinct.begin(), 5);
  }
  EXPECT_FALSE(std::equal(values.begin(), values.begin() + 100, values.begin() + 100));
}

TEST(FillTest, LayoutsShareValuesAndExpandedElementsAgree) {
  const std::vector<double> dense = Numbers(Spec(D::float32, {6, 5}, "normal {}"));
  for (const char* layout : {"kind: transposed", "kind: strided", "kind: offset"}) {
    EXPECT_EQ(Numbers(Spec(D::float32, {6, 5}, "normal {}", layout)), dense) << layout;
  }
  const std::vector<double> rows = Numbers(Spec(D::float32, {6, 5}, "normal {}", "kind: expanded dims: 0"));
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], dense[i % 5]);
  const v1::TensorSpec window =
      Spec(D::float32, {4, 3}, "normal {}", "kind: explicit strides: [1, 1] storage_offset: 2");
  const std::vector<double> seen = Numbers(window);
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(seen[row * 3 + 1], seen[(row + 1) * 3]);
    EXPECT_EQ(seen[row * 3 + 2], seen[(row + 1) * 3 + 1]);
  }
}

TEST(FillTest, AnEmptyTensorHasNoBytesAndAScalarOne) {
  EXPECT_TRUE(Numbers(Spec(D::float32, {0, 3}, "normal {} specials { values: 1 }")).empty());
  EXPECT_EQ(Numbers(Spec(D::int8, {}, "full {}")).size(), 1U);
}

TEST(FillTest, WhatDoesNotFitIsRefused) {
  struct {
    Dtype dtype;
    const char* fill;
    const char* message;
  } const cases[] = {
      {D::int8, "integers { low: 0 high: 128 }",
       "fill.integers does not fit int8: [0, 128] is not in [-128, 127]"},
      {D::uint8, "constant { value: -1 }", "fill.constant does not fit uint8"},
      {D::int32, "values { values: nan }", "fill.values does not fit int32"},
      {D::int32, "values {}", "fill.values does not fit int32: none given"},
      {D::int8, "range { step: 2 }", "fill.range does not fit int8: it ends at 198"},
      {D::int8, "permutation { start: 100 }", "fill.permutation does not fit int8"},
      {D::bfloat16, "permutation { start: 200 }", "would have ties"},
      {D::bool_, "normal {}", "use bernoulli"},
      {D::float32, "uniform { low: 2 high: 2 }", "low is not below high"},
      {D::float32, "bernoulli { p: 1.5 }", "p is not in [0, 1]"},
      {D::float32, "integers { low: 2 high: 1 }", "low 2 is above high 1"},
  };
  for (const auto& c : cases) {
    const absl::Status status = FillTensor(Spec(c.dtype, {100}, c.fill), 1).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.fill;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
}

TEST(FillTest, KeysTellArgumentsApartAndFunctionsOfAPointAlike) {
  v1::Case c;
  c.set_operator_("add");
  c.set_label("x");
  c.set_function("diopiAdd");
  c.set_dtype(D::float32);
  v1::Case in_place = c;
  in_place.set_function("diopiAddInp");
  EXPECT_EQ(GeneratorKey(c, "input"), GeneratorKey(in_place, "input"));
  EXPECT_NE(GeneratorKey(c, "input"), GeneratorKey(c, "other"));
  in_place.set_label("y");
  EXPECT_NE(GeneratorKey(c, "input"), GeneratorKey(in_place, "input"));
}

TEST(FillTest, FillInputsTakesInputsAndStateAndLeavesTheRest) {
  v1::Case c;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(operator: "o" label: "l" dtype: float32
         args { name: "out" role: ROLE_OUTPUT tensor { dtype: float32 shape: 2 strides: 1 storage_elements: 2 } }
         args { name: "self" alias: "input" role: ROLE_INOUT
                tensor { dtype: float32 shape: 2 strides: 1 storage_elements: 2 } }
         args { name: "saved" role: ROLE_INPUT
                tensor { dtype: float32 shape: 2 strides: 1 from: "diopiF.saved" } }
         args { name: "list" role: ROLE_INPUT tensors { tensors { dtype: int8 } tensors { dtype: bool } null: [true, false] } })",
      &c));
  absl::StatusOr<TensorMap> inputs = FillInputs(c);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  ASSERT_EQ(inputs->size(), 2U);
  EXPECT_EQ(inputs->count("list.1"), 1U);
  EXPECT_EQ(GeneratedInputs(c), (std::set<std::string>{"list.1", "self"}));
  absl::StatusOr<HostTensor> same = FillTensor(c.args(1).tensor(), GeneratorKey(c, "input"));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(inputs->at("self").data, same->data);
}

// A large case's inputs have the same bits whole and in parts, however the parts lie.
TEST(FillTest, BlocksAreMadePartByPart) {
  const struct {
    Dtype dtype;
    const char* fill;
  } rows[] = {{D::float32, ""},
              {D::bfloat16, "lognormal { spread: 2 } specials { values: [1, -1, 3] }"},
              {D::int64, "integers { low: -7 high: 900 } specials { values: [5, 6] tail: true }"},
              {D::uint8, "full {}"},
              {D::bool_, ""},
              {D::complex64, "normal { mean: 1 std: 2 }"}};
  for (const auto& row : rows) {
    v1::Case c;
    c.set_operator_("o");
    c.set_label("large");
    c.set_generator_version(kBlockGeneratorVersion);
    v1::Argument* arg = c.add_args();
    arg->set_name("x");
    arg->set_role(v1::ROLE_INPUT);
    *arg->mutable_tensor() = Spec(row.dtype, {3, 50'021}, row.fill);
    const absl::StatusOr<TensorMap> inputs = FillInputs(c);
    const absl::StatusOr<BlockInputs> blocks = OpenBlockInputs(c);
    ASSERT_TRUE(inputs.ok() && blocks.ok()) << inputs.status() << blocks.status();
    ASSERT_TRUE(blocks->contains("x")) << row.fill;
    const std::string& whole = inputs->at("x").data;
    const BlockTensor& tensor = *blocks->at("x");
    ASSERT_EQ(tensor.bytes(), static_cast<int64_t>(whole.size()));
    EXPECT_EQ(tensor.Whole().data, whole);
    const int64_t element = ElementSize(row.dtype);
    for (const int64_t part : {int64_t{1}, int64_t{700}, 2 * kBlockElements}) {
      for (int64_t begin = part == 1 ? 150'000 : 0; begin < 150'063; begin += part) {
        std::string made(static_cast<size_t>(std::min(part, 150'063 - begin) * element), '\0');
        tensor.Write(begin * element, static_cast<int64_t>(made.size()), made.data());
        ASSERT_EQ(made, whole.substr(static_cast<size_t>(begin * element), made.size())) << begin;
      }
    }
    std::string held = whole;
    EXPECT_TRUE(tensor.Holds(0, tensor.bytes(), held.data()));
    for (const size_t at : {size_t{0}, held.size() / 3, held.size() - 1}) {
      held[at] = static_cast<char>(held[at] ^ 1);
      EXPECT_FALSE(tensor.Holds(0, tensor.bytes(), held.data())) << at;
      held[at] = whole[at];
    }
    const absl::StatusOr<BlockInputs> elsewhere = OpenBlockInputs(c);
    ASSERT_TRUE(elsewhere.ok());
    BlockTensor& other = *elsewhere->at("x");
    EXPECT_FALSE(other.UsePool(tensor.Pool().substr(1)));
    std::string pool(tensor.Pool());
    ASSERT_TRUE(other.UsePool(pool));
    EXPECT_EQ(other.Whole().data, whole);
    for (char& byte : pool) byte = static_cast<char>(byte ^ 1);
    EXPECT_FALSE(other.Holds(0, other.bytes(), whole.data())) << "it copies from the pool that it was given";
    EXPECT_TRUE(FillInputs(c, *blocks)->empty());
    arg->set_role(v1::ROLE_OUTPUT);
    EXPECT_TRUE(OpenBlockInputs(c)->empty());
  }
}

}  // namespace
}  // namespace diopi
