// Cases of the suite stand for captured calls: their files must give them back, values included.
#include "client/cli/captured_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cases/fill/fill.h"
#include "cases/user/operator_text.h"

namespace diopi::cli {
namespace {

const cases::Catalog& BuiltIn() {
  static const cases::Catalog& catalog = *[] { return cases::Catalog::LoadBuiltin().value().release(); }();
  return catalog;
}

class CapturedPointTest : public ::testing::TestWithParam<const char*> {};

// Whether doubles, of which fills are made, hold all these numbers.
bool AreDoubles(const TensorMap& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const auto& entry) {
    const HostTensor& tensor = entry.second;
    for (int64_t i = 0; IsInteger(tensor.dtype) && i < NumElements(tensor.shape); ++i) {
      if (std::abs(ElementAsDouble(tensor.dtype, tensor.data.data(), i)) >= 9007199254740992.0) return false;
    }
    return true;
  });
}

TEST_P(CapturedPointTest, TheFileGivesTheCallBack) {
  v1::Selection selection;
  selection.set_suite("smoke");
  selection.add_functions(GetParam());
  const auto all = BuiltIn().Select(selection);
  ASSERT_TRUE(all.ok()) << all.status();
  int tried = 0;
  int compared = 0;
  for (const v1::Case& c : *all) {
    if (!c.producers().empty()) continue;  // its inputs come from a forward
    SCOPED_TRACE(c.id());
    const auto inputs = FillInputs(c);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    if (!AreDoubles(*inputs)) continue;
    ++tried;
    const tap::CapturedCall call{"1-000002-x.h5", "call 2", "", c, *inputs, {}};
    const auto file = FileOfCapturedCall(BuiltIn(), call, "captured_1_2", {/*most_values=*/1 << 20});
    if (absl::IsUnimplemented(file.status())) continue;
    ASSERT_TRUE(file.ok()) << file.status();
    const auto made = cases::ExpandOne(*file);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->function(), c.function());
    const auto again = FillInputs(*made);
    ASSERT_TRUE(again.ok()) << again.status();
    for (const auto& [key, tensor] : *inputs) {
      ASSERT_TRUE(again->contains(key)) << key;
      EXPECT_EQ(again->at(key).dtype, tensor.dtype) << key;
      EXPECT_EQ(again->at(key).shape, tensor.shape) << key;
      if (tensor.dtype == v1::Dtype::bool_ || !IsFloating(tensor.dtype)) {
        EXPECT_EQ(again->at(key).data, tensor.data) << key;
        continue;
      }
      for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
        const double was = ElementAsDouble(tensor.dtype, tensor.data.data(), i);
        const double is = ElementAsDouble(tensor.dtype, again->at(key).data.data(), i);
        if (std::isnan(was) ? !std::isnan(is) : was != is)
          ADD_FAILURE() << key << "[" << i << "]: " << is << ", was " << was;
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, tried * 9 / 10) << "most calls can be described";
}

INSTANTIATE_TEST_SUITE_P(Operators, CapturedPointTest,
                         ::testing::Values("add", "softmax", "linear", "index_select", "where", "sgd",
                                           "cat"));

TEST(FillTest, WithoutDataOnlyStatisticsRemain) {
  const auto floats = [](const std::vector<float>& values) {
    HostTensor tensor{v1::Dtype::float32, {static_cast<int64_t>(values.size())}, {}};
    tensor.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return tensor;
  };
  const v1::Fill normal = FillLike(floats({-1, 1, -3, 3}));
  EXPECT_EQ(normal.normal().mean(), 0);
  EXPECT_DOUBLE_EQ(normal.normal().std(), std::sqrt(5.0));
  const v1::Fill uniform = FillLike(floats({0.25F, 4}));
  EXPECT_EQ(uniform.uniform().low(), 0.25);
  EXPECT_EQ(uniform.uniform().high(), 4);
  EXPECT_EQ(FillLike(floats({2, 2})).constant().value(), 2);
  const v1::Fill special = FillLike(floats({-1, 1, std::numeric_limits<float>::quiet_NaN(), HUGE_VALF}));
  EXPECT_EQ(special.specials().values_size(), 2);
  EXPECT_EQ(special.normal().mean(), 0);
  const HostTensor indices{v1::Dtype::int8, {3}, std::string("\x02\x07\x05", 3)};
  EXPECT_EQ(FillLike(indices).integers().low(), 2);
  EXPECT_EQ(FillLike(indices).integers().high(), 7);
  const HostTensor mask{v1::Dtype::bool_, {4}, std::string("\x00\x01\x00\x00", 4)};
  EXPECT_EQ(FillLike(mask).bernoulli().p(), 0.25);
  const HostTensor wide{v1::Dtype::int64, {2}, std::string(8, '\x7f') + std::string(8, '\0')};
  EXPECT_TRUE(FillLike(wide).has_full());
  EXPECT_EQ(FillLike(floats({})).kind_case(), v1::Fill::KIND_NOT_SET);
}

v1::TensorSpec Vector(Dtype dtype) {
  v1::TensorSpec spec;
  spec.set_dtype(dtype);
  spec.add_shape(1);
  spec.add_strides(1);
  spec.set_storage_elements(1);
  return spec;
}

TEST(FillTest, NumbersThatADoubleCannotHoldHaveNoExactFill) {
  HostTensor large{v1::Dtype::int64, {1}, std::string(8, '\x7f')};
  EXPECT_TRUE(absl::IsUnimplemented(FillWith(large, Vector(v1::Dtype::int64)).status()));
  const HostTensor complex{v1::Dtype::complex64, {1}, std::string(8, '\0')};
  EXPECT_TRUE(absl::IsUnimplemented(FillWith(complex, Vector(v1::Dtype::complex64)).status()));
}

}  // namespace
}  // namespace diopi::cli
