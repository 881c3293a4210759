// Uses the real reference library.
#include "baselines/generate/other_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/compare/compare.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/catalog.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using ::testing::ElementsAre;

HostTensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  HostTensor tensor{D::float32, std::move(shape), {}};
  tensor.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return tensor;
}

v1::Reading SpreadOver(const std::vector<int64_t>& dims) {
  v1::Reading reading;
  reading.set_kind(v1::Reading::SPREAD_NAN);
  reading.mutable_dims()->Assign(dims.begin(), dims.end());
  return reading;
}

std::vector<int> Bytes(const HostTensor& tensor) {
  return {tensor.data.begin(), tensor.data.end()};
}

TEST(SpreadNanTest, SpreadsOverItsDimensionsAlone) {
  TensorMap tensors = {{"x", Floats({2, 3}, {1, 2, 3, 4, INFINITY, 6})}, {"bias", Floats({2}, {1, NAN})}};
  ASSERT_TRUE(SpreadNan(SpreadOver({1}), &tensors));
  const HostTensor& x = tensors["x"];
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(std::isnan(ElementAsDouble(D::float32, x.data.data(), i)), i >= 3) << i;
  // A tensor without that dimension stays.
  EXPECT_EQ(ElementAsDouble(D::float32, tensors["bias"].data.data(), 0), 1);
  TensorMap finite = {{"x", Floats({2}, {1, 2})}};
  EXPECT_FALSE(SpreadNan(SpreadOver({0}), &finite));
}

TEST(SpreadNanTest, MaskCoversTheSliceOfEachNan) {
  const HostTensor y = Floats({2, 2, 2}, {1, 2, 3, NAN, 5, 6, 7, 8});
  EXPECT_THAT(Bytes(SpreadMask(SpreadOver({1, 2}), y)), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(Bytes(SpreadMask(SpreadOver({0}), y)), ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(Bytes(SpreadMask(SpreadOver({}), y)), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(Bytes(SpreadMask(SpreadOver({3}), y)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(RoundScalarsTest, RoundsWhatIsNamedToTheCasesType) {
  v1::Case c;
  c.set_dtype(D::bfloat16);
  for (const auto& [name, value] : {std::pair("alpha", 0.7), {"other", 0.7}, {"half", 0.5}}) {
    v1::Argument* arg = c.add_args();
    arg->set_name(name);
    arg->mutable_scalar()->set_f(value);
  }
  v1::Reading reading;
  reading.add_args("half");
  EXPECT_FALSE(RoundScalars(reading, &c));
  reading.add_args("alpha");
  EXPECT_TRUE(RoundScalars(reading, &c));
  EXPECT_EQ(c.args(0).scalar().f(), 0.69921875);
  EXPECT_EQ(c.args(1).scalar().f(), 0.7);
  c.mutable_args(0)->mutable_scalar()->set_i(257);
  EXPECT_TRUE(RoundScalars(reading, &c));
  EXPECT_EQ(c.args(0).scalar().i(), 256);
}

// A case of the suite, its baseline, and the reference's own result in the case's type.
class ReadingsOfSuiteTest : public testing::Test {
 protected:
  void Load(const std::string& id) {
    auto opened = loader::InProcessLibrary::Open(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so");
    ASSERT_TRUE(opened.ok()) << opened.status();
    library_ = *std::move(opened);
    const auto catalog = cases::Catalog::LoadBuiltin();
    v1::Selection selection;
    selection.add_cases(id);
    const auto cases = (*catalog)->Select(selection);
    ASSERT_TRUE(cases.ok()) << cases.status();
    ASSERT_EQ(cases->size(), 1U);
    auto baseline = GenerateCase(*library_, cases->front());
    ASSERT_TRUE(baseline.ok()) << baseline.status();
    baseline_ = *std::move(baseline);
    actual_ = Call(baseline_.c);
    EXPECT_EQ(Judge().outcome(), v1::OUTCOME_PASS);
    EXPECT_EQ(Judge().readings_size(), 0);
  }
  TensorMap Call(const v1::Case& c) {
    auto outputs = library_->Call(c, baseline_.inputs, D::unsupported);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return *std::move(outputs);
  }
  v1::Verdict Judge() const {
    return CompareCase(baseline_.c, baseline_.inputs, baseline_.references, actual_);
  }
  // The case with another value of a scalar.
  v1::Case With(const std::string& name, double value) const {
    v1::Case c = baseline_.c;
    for (v1::Argument& arg : *c.mutable_args()) {
      if (arg.name() == name) arg.mutable_scalar()->set_f(value);
    }
    return c;
  }

  std::unique_ptr<loader::InProcessLibrary> library_;
  Baseline baseline_;
  TensorMap actual_;
};

TEST_F(ReadingsOfSuiteTest, AlphaMayBeRoundedToTheTypeOfTheTensors) {
  Load("add.float16.alpha_fraction");
  actual_ = Call(With("alpha", 0.7001953125));
  const v1::Verdict rounded = Judge();
  EXPECT_EQ(rounded.outcome(), v1::OUTCOME_PASS) << rounded.reason();
  EXPECT_THAT(rounded.readings(), ElementsAre("rounded_scalars(alpha)"));
  actual_ = Call(With("alpha", 0.69970703125));  // cut off
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
}

TEST_F(ReadingsOfSuiteTest, ANumberAndAlphaMayEachBeRounded) {
  Load("add.scalar.bfloat16.scalar_fraction");
  for (const auto& [other, alpha] : {std::pair(2.09375, -0.30078125), {2.09375, -0.3}, {2.1, -0.30078125}}) {
    v1::Case c = With("alpha", alpha);
    for (v1::Argument& arg : *c.mutable_args()) {
      if (arg.name() == "other") arg.mutable_scalar()->set_f(other);
    }
    actual_ = Call(c);
    EXPECT_EQ(Judge().outcome(), v1::OUTCOME_PASS) << other << " " << alpha << ": " << Judge().reason();
  }
  actual_ = Call(With("alpha", -0.3125));
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
}

TEST_F(ReadingsOfSuiteTest, WiderTypesHaveNoSuchReading) {
  Load("add.float32.alpha_fraction");
  EXPECT_EQ(baseline_.c.readings_size(), 0);
}

// Whatever spreads NaN in its plane passes, what loses it or spreads it to another image does not.
TEST_F(ReadingsOfSuiteTest, NanMaySpreadInItsPlane) {
  for (const char* id : {"conv2d.bfloat16.nan", "conv_transpose2d.float32.nan", "avg_pool2d.float32.nan",
                         "interpolate.linear.float32.bilinear_nan"}) {
    SCOPED_TRACE(id);
    Load(id);
    HostTensor& out = actual_["out"];
    const HostTensor& r = baseline_.references.at("out");
    const HostTensor& mask = baseline_.references.at("out.spread_nan");
    int64_t required = -1;
    int64_t spread = 0;
    for (int64_t i = 0; i < NumElements(out.shape); ++i) {
      if (std::isnan(ElementAsDouble(r.dtype, r.data.data(), i))) required = i;
      if (mask.data[static_cast<size_t>(i)] == 0) continue;
      StoreDouble(out.dtype, out.data.data(), i, NAN);
      ++spread;
    }
    ASSERT_GE(required, 0);
    ASSERT_GT(spread, 0);
    EXPECT_EQ(Judge().outcome(), v1::OUTCOME_PASS) << Judge().reason();
    EXPECT_THAT(Judge().readings(), ElementsAre("spread_nan"));
    const HostTensor all_spread = out;
    StoreDouble(out.dtype, out.data.data(), required, 1);
    EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
    out = all_spread;
    const size_t other_plane = mask.data.find('\0');
    if (other_plane == std::string::npos) continue;
    StoreDouble(out.dtype, out.data.data(), static_cast<int64_t>(other_plane), NAN);
    EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
  }
}

// Zero times NaN is no term of the sum: the padding has no gradient.
TEST_F(ReadingsOfSuiteTest, TheReferenceOfAConvolutionLeavesThePaddingOut) {
  Load("conv_transpose2d.backward.float32.nan");
  const HostTensor& r = baseline_.references.at("grad_weight");
  const HostTensor& mask = baseline_.references.at("grad_weight.spread_nan");
  int64_t accepted = 0;
  for (int64_t i = 0; i < NumElements(r.shape); ++i) {
    const bool finite = std::isfinite(ElementAsDouble(r.dtype, r.data.data(), i));
    accepted += finite && mask.data[static_cast<size_t>(i)] != 0 ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace diopi::baselines
