#include "cases/base/layout.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>

#include "cases/base/tensor.h"

namespace diopi {
namespace {

using ::testing::HasSubstr;

v1::TensorSpec Spec(const std::vector<int64_t>& shape) {
  v1::TensorSpec spec;
  spec.mutable_shape()->Assign(shape.begin(), shape.end());
  return spec;
}

v1::Layout ParseLayout(const std::string& text) {
  v1::Layout layout;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &layout)) << text;
  return layout;
}

struct LayoutCase {
  const char* layout;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset;
  int64_t storage;
  bool overlaps;
};

const LayoutCase kLayouts[] = {
    {"", {2, 3}, {3, 1}, 0, 6, false},
    {"", {}, {}, 0, 1, false},
    {"", {0, 3}, {3, 1}, 0, 0, false},
    {"", {3, 0}, {1, 1}, 0, 0, false},
    {"kind: transposed", {2, 3, 5}, {15, 1, 3}, 0, 30, false},
    {"kind: strided", {2, 3}, {6, 2}, 0, 12, false},
    {"kind: offset", {2, 3}, {3, 1}, 1, 7, false},
    {"kind: offset", {}, {}, 1, 2, false},
    {"kind: expanded dims: 0", {4, 3}, {0, 1}, 0, 3, true},
    {"kind: expanded dims: -1", {4, 3}, {1, 0}, 0, 4, true},
    {"kind: expanded dims: 0", {1, 3}, {0, 1}, 0, 3, false},
    {"kind: channels_last", {2, 3, 4, 5}, {60, 1, 15, 3}, 0, 120, false},
    {"kind: channels_last", {2, 3, 4, 5, 6}, {360, 1, 90, 18, 3}, 0, 720, false},
    {"kind: explicit strides: [1, 2] storage_offset: 4", {2, 3}, {1, 2}, 4, 10, false},
    {"kind: explicit strides: [1, 1]", {2, 3}, {1, 1}, 0, 4, true},
    {"kind: explicit strides: [3, 2]", {2, 3}, {3, 2}, 0, 8, false},
    {"kind: explicit strides: [2, 2]", {2, 2}, {2, 2}, 0, 5, true},
};

TEST(LayoutTest, StridesOffsetAndStorage) {
  for (const LayoutCase& c : kLayouts) {
    v1::TensorSpec spec = Spec(c.shape);
    const absl::Status status = ApplyLayout(ParseLayout(c.layout), &spec);
    ASSERT_TRUE(status.ok()) << c.layout << ": " << status;
    EXPECT_EQ(std::vector<int64_t>(spec.strides().begin(), spec.strides().end()), c.strides) << c.layout;
    EXPECT_EQ(spec.storage_offset(), c.offset) << c.layout;
    EXPECT_EQ(spec.storage_elements(), c.storage) << c.layout;
    EXPECT_EQ(Overlaps(spec), c.overlaps) << c.layout;
    for (int64_t offset : ElementOffsets(spec.shape(), spec.strides(), spec.storage_offset())) {
      EXPECT_GE(offset, 0);
      EXPECT_LT(offset, spec.storage_elements());
    }
  }
}

TEST(LayoutTest, WhatDoesNotFitIsRefused) {
  struct {
    const char* layout;
    std::vector<int64_t> shape;
    const char* message;
  } const cases[] = {
      {"kind: transposed", {3}, "layout transposed needs two dimensions, the shape is (3,)"},
      {"kind: strided", {}, "layout strided needs a dimension, the shape is ()"},
      {"kind: expanded", {3}, "layout expanded needs `dims`"},
      {"kind: expanded dims: 2", {3, 2}, "layout expanded needs a dimension 2"},
      {"kind: channels_last", {2, 3, 4}, "layout channels_last needs four or five dimensions"},
      {"kind: explicit strides: 1", {2, 3}, "as many strides as dimensions, the shape is (2, 3)"},
      {"kind: explicit strides: -1", {2}, "strides of at least 0"},
      {"kind: explicit strides: 1152921504606846976", {9}, "a storage of at most 2^40 elements"},
      {"kind: explicit strides: 1 storage_offset: 4611686018427387904", {9}, "an offset of at most 2^40"},
      {"", {2, -1}, "negative size in (2, -1)"},
      {"", {1099511627776, 2}, "more than 2^40 elements in (1099511627776, 2)"},
      {"kind: transposed", {4611686018427387904, 4}, "more than 2^40 elements"},
      {"kind: strided", {0, 4611686018427387904, 8}, "more than 2^40 elements"},
  };
  for (const auto& c : cases) {
    v1::TensorSpec spec = Spec(c.shape);
    const absl::Status status = ApplyLayout(ParseLayout(c.layout), &spec);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.layout;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
}

TEST(LayoutTest, ScatterThenGatherGivesTheSame) {
  for (const LayoutCase& c : kLayouts) {
    if (c.overlaps) continue;
    v1::TensorSpec spec = Spec(c.shape);
    ASSERT_TRUE(ApplyLayout(ParseLayout(c.layout), &spec).ok());
    const auto count = ElementOffsets(spec.shape(), spec.strides(), 0).size();
    std::vector<int32_t> dense(count);
    std::iota(dense.begin(), dense.end(), 1);
    std::vector<int32_t> storage(static_cast<size_t>(spec.storage_elements()), -7);
    ScatterToStorage(dense.data(), spec.shape(), spec.strides(), spec.storage_offset(), 4, storage.data());
    int64_t row_major = 0;
    for (int64_t offset : ElementOffsets(spec.shape(), spec.strides(), spec.storage_offset())) {
      EXPECT_EQ(storage[static_cast<size_t>(offset)], ++row_major) << c.layout;
    }
    const auto untouched = static_cast<size_t>(std::count(storage.begin(), storage.end(), -7));
    EXPECT_EQ(untouched, storage.size() - count);
    std::vector<int32_t> back(count);
    GatherFromStorage(storage.data(), spec.shape(), spec.strides(), spec.storage_offset(), 4, back.data());
    EXPECT_EQ(back, dense) << c.layout;
  }
}

TEST(NumElements, WhatDoesNotFitIsTheLargestNumber) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3}), 6);
  EXPECT_EQ(NumElements({kLargest, kLargest}), kLargest);
  EXPECT_EQ(NumElements({kLargest, kLargest, 0}), 0);
}

TEST(ByteSize, IsNothingForShapesThatCannotBe) {
  EXPECT_EQ(ByteSize(v1::Dtype::float64, {}), 8);
  EXPECT_EQ(ByteSize(v1::Dtype::float32, {2, 3}), 24);
  EXPECT_EQ(ByteSize(v1::Dtype::float32, {int64_t{1} << 60, 0}), 0);
  EXPECT_EQ(ByteSize(v1::Dtype::float32, {int64_t{1} << 62}), std::nullopt);
  EXPECT_EQ(ByteSize(v1::Dtype::float32, {int64_t{1} << 32, int64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(ByteSize(v1::Dtype::float32, {-2, -3}), std::nullopt);
  EXPECT_EQ(ByteSize(v1::Dtype::float32, {0, -1}), std::nullopt);
}

}  // namespace
}  // namespace diopi
