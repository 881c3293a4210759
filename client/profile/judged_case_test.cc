#include "client/profile/judged_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "baselines/compare/compare.h"
#include "baselines/compare/testing.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/catalog.h"
#include "cases/findings/finding_text.h"
#include "client/profile/adaptor_rules.h"
#include "impl_loader/adaptor/convert.h"

namespace diopi::profile {
namespace {

using baselines::Baseline;
using baselines::OneOutput;
using baselines::Row;
using D = v1::Dtype;
using ::testing::IsEmpty;

v1::CaseAdaptor FourBytes(const v1::Case& c) {
  v1::AdaptorRule rule;
  rule.set_dtype("(int64)->int32, (float64)->float32");
  return Adaptor::Make({rule})->For(c);
}

v1::Case FindCase(const std::string& id) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  v1::Selection selection;
  selection.add_cases(id);
  const auto found = (*catalog)->Select(selection);
  EXPECT_TRUE(found.ok() && found->size() == 1) << id;
  return found->at(0);
}

class ConvertedCaseTest : public ::testing::Test {
 protected:
  ConvertedCaseTest()
      : reference_(*loader::InProcessLibrary::Open(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so")) {}

  // The results of a device that computes in four bytes, in the caller's types; applies `change` to its first
  // output.
  TensorMap CallInFourBytes(const v1::Case& c, const TensorMap& inputs,
                            const std::function<void(HostTensor*)>& change = nullptr) {
    const JudgedCase handed = AsConverted(c, inputs, {}, {}, FourBytes(c));
    absl::StatusOr<TensorMap> outputs = reference_->Call(handed.c, handed.inputs, D::unsupported);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    if (change) change(&outputs->begin()->second);
    for (auto& [key, tensor] : *outputs) {
      if (tensor.dtype != D::float32) continue;
      HostTensor wide{D::float64, tensor.shape, std::string(2 * tensor.data.size(), '\0')};
      loader::Convert(tensor.dtype, tensor.data.data(), wide.dtype, wide.data.data(),
                      NumElements(tensor.shape));
      tensor = wide;
    }
    return *outputs;
  }

  v1::Outcome Judge(const v1::Case& c, const Baseline& baseline, const TensorMap& actual) {
    JudgedCase judged = AsConverted(c, baseline.inputs, baseline.references, actual, FourBytes(c));
    EXPECT_TRUE(NarrowsFloats(c, FourBytes(c)));
    const absl::Status recomputed = RecomputeReferences(*reference_, &judged);
    EXPECT_TRUE(recomputed.ok()) << recomputed;
    return baselines::CompareCase(judged.c, judged.inputs, judged.references, judged.actual).outcome();
  }

  std::unique_ptr<loader::InProcessLibrary> reference_;
};

// Libraries used to fail cos.float64.size_33 although their results were right for the float32 input.
TEST_F(ConvertedCaseTest, TheOracleSeesWhatTheLibrarySaw) {
  for (const char* id : {"cos.float64.size_*", "neg.float64.*", "sum.float64.*", "layer_norm.float64.*"}) {
    const auto catalog = cases::Catalog::LoadBuiltin();
    v1::Selection selection;
    selection.add_cases(id);
    const std::vector<v1::Case> found = *(*catalog)->Select(selection);
    ASSERT_FALSE(found.empty()) << id;
    for (const v1::Case& c : found) {
      const absl::StatusOr<Baseline> baseline = baselines::GenerateCase(*reference_, c);
      ASSERT_TRUE(baseline.ok()) << baseline.status();
      EXPECT_EQ(Judge(c, *baseline, CallInFourBytes(c, baseline->inputs)), v1::OUTCOME_PASS) << c.id();
    }
  }
}

// One element that is off by a few float32 ulps is reported, as without an adaptor.
TEST_F(ConvertedCaseTest, AInjectedWrongValueFails) {
  for (const char* id : {"cos.float64.size_33", "neg.float64.size_33", "add.float64.n17"}) {
    const v1::Case c = FindCase(id);
    const Baseline baseline = *baselines::GenerateCase(*reference_, c);
    EXPECT_EQ(Judge(c, baseline, CallInFourBytes(c, baseline.inputs)), v1::OUTCOME_PASS) << id;
    const TensorMap wrong = CallInFourBytes(c, baseline.inputs, [](HostTensor* out) {
      const double value = ElementAsDouble(out->dtype, out->data.data(), 7);
      StoreDouble(out->dtype, out->data.data(), 7, value * (1 + 6 * 0x1p-23));
    });
    EXPECT_EQ(Judge(c, baseline, wrong), v1::OUTCOME_FAIL) << id;
  }
}

// A backward gets what its forward computes from the tensors that the library got.
TEST_F(ConvertedCaseTest, SavedTensorsAreThoseOfANarrowedForward) {
  const v1::Case c = FindCase("batch_norm.backward.float64.train_4d");
  const v1::CaseAdaptor adaptor = FourBytes(c);
  Baseline baseline = *baselines::GenerateCase(*reference_, c);
  TensorMap inputs = baseline.inputs;
  ASSERT_TRUE(HandOverSavedTensors(*reference_, c, adaptor, &inputs).ok());
  // The forward itself, called as the library would be.
  const v1::Case forward = FindCase("batch_norm.float64.train_4d");
  const Baseline forward_baseline = *baselines::GenerateCase(*reference_, forward);
  const TensorMap saved = CallInFourBytes(forward, forward_baseline.inputs);
  for (const char* key : {"save_mean", "save_invstd"}) {
    EXPECT_EQ(inputs.at(key).dtype, D::float64);
    EXPECT_EQ(inputs.at(key).data, saved.at(key).data) << key;
    EXPECT_NE(inputs.at(key).data, baseline.inputs.at(key).data) << key;
  }
  EXPECT_EQ(inputs.at("input").data, baseline.inputs.at("input").data);
  baseline.inputs = inputs;
  EXPECT_EQ(Judge(c, baseline, CallInFourBytes(c, inputs)), v1::OUTCOME_PASS);
}

JudgedCase Integers(const std::vector<double>& expected, const std::vector<double>& actual) {
  const v1::Case c = OneOutput(D::int64, v1::Judge::EXACT);
  return AsConverted(c, {}, {{"out", Row(D::int64, expected)}}, {{"out", Row(D::int64, actual)}},
                     FourBytes(c));
}

v1::Outcome Compare(const JudgedCase& judged) {
  return baselines::CompareCase(judged.c, judged.inputs, judged.references, judged.actual).outcome();
}

TEST(LeaveOutWhatDoesNotFit, IntegersThatTheLibrarysTypeCannotHold) {
  const v1::Case c = OneOutput(D::int64, v1::Judge::EXACT);
  EXPECT_FALSE(NarrowsFloats(c, FourBytes(c)));
  JudgedCase judged = Integers({5, 0x1p40, -0x1p31, 0x1p31, 7}, {5, 0, -0x1p31, -0x1p31, 7});
  EXPECT_EQ(judged.c.args(0).tensor().dtype(), D::int64);
  EXPECT_EQ(Compare(judged), v1::OUTCOME_FAIL);
  EXPECT_TRUE(LeaveOutWhatDoesNotFit(FourBytes(c), &judged));
  EXPECT_EQ(Compare(judged), v1::OUTCOME_PASS);
  ASSERT_EQ(judged.not_asked.size(), 1U);
  EXPECT_EQ(judged.not_asked[0].code(), v1::Finding::NOT_ASKED);
  EXPECT_EQ(FindingText(judged.not_asked[0]),
            "2 of 5 elements of out do not fit in int32 and were not judged, the first at 1");
  // The others are judged as usual.
  judged = Integers({5, 0x1p40}, {6, 0});
  EXPECT_TRUE(LeaveOutWhatDoesNotFit(FourBytes(c), &judged));
  EXPECT_EQ(Compare(judged), v1::OUTCOME_FAIL);
  // Nothing is left.
  judged = Integers({0x1p40}, {0});
  EXPECT_FALSE(LeaveOutWhatDoesNotFit(FourBytes(c), &judged));
  judged = Integers({5}, {5});
  EXPECT_TRUE(LeaveOutWhatDoesNotFit(FourBytes(c), &judged));
  EXPECT_THAT(judged.not_asked, IsEmpty());
}

TEST(WhyNotAsked, AScalarThatTheLibrarysTypeCannotHold) {
  v1::Case c = OneOutput(D::int64, v1::Judge::EXACT);
  c.set_dtype(D::int64);
  v1::Argument* arg = c.add_args();
  arg->set_name("value");
  arg->mutable_scalar()->set_dtype(D::int64);
  arg->mutable_scalar()->set_i(int64_t{1} << 31);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "the scalar value, 2147483648, does not fit in int32");
  arg->mutable_scalar()->set_i((int64_t{1} << 31) - 1);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "");
  arg->mutable_scalar()->set_f(0.5);  // nor does int64
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "");
}

TEST(WhyNotAsked, NumbersDrawnBeyondTheLibrarysType) {
  v1::Case c = OneOutput(D::int64, v1::Judge::RANDOM);
  c.mutable_judges(0)->set_distribution(v1::Judge::UNIFORM);
  c.set_dtype(D::int64);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "") << "a permutation has no limits";
  v1::Argument* from = c.add_args();
  from->set_name("from");
  from->set_i(0);
  v1::Argument* to = c.add_args();
  to->set_name("to");
  to->set_null(true);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "the function draws numbers that do not fit in int32");
  to->set_i(int64_t{1} << 40);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "the function draws numbers that do not fit in int32");
  to->set_i(1000);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)), "");
}

TEST(WhyNotAsked, PartsOfComplexNumbers) {
  v1::Case c = OneOutput(D::float64, v1::Judge::EXACT);
  c.set_dtype(D::float64);
  v1::Argument* input = c.add_args();
  input->set_name("input");
  input->mutable_tensor()->set_dtype(D::complex64);
  EXPECT_EQ(WhyNotAsked(c, FourBytes(c)),
            "complex numbers are not converted, and their parts would be float32");
}

}  // namespace
}  // namespace diopi::profile
