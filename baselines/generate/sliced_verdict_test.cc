// Large calls from the generator to the verdict: what the reference library returns passes, and does not when
// a part of it is wrong, wherever the part lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "baselines/compare/compare_slices.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/model_cases.h"
#include "cases/core/slices.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kTrueSize = int64_t{1} << 40;
constexpr int64_t kMostStored = int64_t{1} << 20;

class SlicedVerdictTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto library = loader::InProcessLibrary::Open(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so");
    ASSERT_TRUE(library.ok()) << library.status();
    library_ = *std::move(library);
    auto catalog = cases::Catalog::LoadBuiltin();
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  // Makes the case of a model's call, its references and the library's own outputs.
  void Make(const std::string& call, const std::string& function) {
    const auto model = cases::ParseModel({"one", call});
    ASSERT_TRUE(model.ok()) << model.status();
    const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], catalog_->operators());
    const auto built = cases::BuildCall(*op, model->calls[0], kTrueSize);
    ASSERT_TRUE(built.ok()) << built.status();
    for (const v1::Case& c : built->cases) {
      if (c.function() == function) case_ = c;
    }
    ASSERT_TRUE(cases::IsSliced(case_)) << call;
    absl::StatusOr<Baseline> baseline = GenerateCase(*library_, case_);
    ASSERT_TRUE(baseline.ok()) << baseline.status();
    baseline_ = *std::move(baseline);
    absl::StatusOr<TensorMap> outputs = library_->Call(baseline_.c, baseline_.inputs, v1::Dtype::unsupported);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    outputs_ = *std::move(outputs);
    places_ = cases::ComparedPlaces(cases::Cut(case_, cases::BuiltinSlices(case_.function())));
    int64_t stored = 0;
    for (const auto& [key, tensor] : baseline_.references) stored += static_cast<int64_t>(tensor.data.size());
    EXPECT_LT(stored, kMostStored) << case_.id();
  }

  v1::Verdict Judge(const TensorMap& outputs) const {
    return CompareSlices(case_, places_, baseline_.inputs, baseline_.references, outputs);
  }

  // The outputs with zeros in [begin, end) of an output's elements.
  TensorMap Zeroed(const std::string& output, int64_t begin, int64_t end) const {
    TensorMap wrong = outputs_;
    const auto size = static_cast<size_t>(ElementSize(wrong.at(output).dtype));
    std::memset(wrong.at(output).data.data() + static_cast<size_t>(begin) * size, 0,
                static_cast<size_t>(end - begin) * size);
    return wrong;
  }

  std::unique_ptr<loader::InProcessLibrary> library_;
  std::unique_ptr<cases::Catalog> catalog_;
  v1::Case case_;
  Baseline baseline_;
  TensorMap outputs_;
  SlicePlaces places_;
};

TEST_F(SlicedVerdictTest, RightOutputsPassAndWrongPartsDoNot) {
  const struct {
    const char* call;
    const char* function;
    const char* output;
  } rows[] = {
      {"linear bfloat16 input[1,700,512] weight[768,512] bias[768]", "diopiLinear", "out"},
      {"linear+backward float32 input[3,257,512] weight[768,512] bias[768]", "diopiLinearBackward",
       "grad_weight"},
      {"diopiBmm float16 input[48,130,64] mat2[48,64,130]", "diopiBmm", "out"},
      {"conv2d float32 input[6,32,56,56] weight[64,32,3,3] bias[64] stride=(2,2) padding=(1,1) "
       "dilation=(1,1) groups=1",
       "diopiConvolution2d", "out"},
      {"conv2d+backward float32 input[6,32,50,50] weight[64,1,3,3] bias[64] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=32 bias_sizes=(64)",
       "diopiConvolution2dBackward", "grad_input"},
      {"batch_norm+backward float32 input[16,32,28,28] running_mean[32] running_var[32]~uniform(0.1,2) "
       "weight[32] "
       "bias[32] training=true momentum=0.1 eps=1e-05",
       "diopiBatchNormBackward", "grad_input"},
      {"add bfloat16 input[3,512,512] other[512] alpha=3", "diopiAdd", "out"},
      {"softmax float32 input[64,6,49,49] dim=-1", "diopiSoftmax", "out"},
      {"rms_norm bfloat16 input[640,1024] normalized_shape=(1024)", "diopiRMSNorm", "out"},
      {"embedding bfloat16 indices[700]:int64~0..999 weight[1000,1024] padding_idx=-1 "
       "scale_grad_byfreq=false "
       "sparse=false",
       "diopiEmbedding", "out"},
      {"transpose float16 input[5,346,8,64] dim0=1 dim1=2", "diopiTranspose", "out"},
  };
  for (const auto& row : rows) {
    Make(row.call, row.function);
    if (HasFatalFailure()) return;
    const v1::Verdict right = Judge(outputs_);
    EXPECT_EQ(right.outcome(), v1::OUTCOME_PASS) << case_.id() << ": " << right.reason();
    const int64_t elements = NumElements(outputs_.at(row.output).shape);
    const int64_t tile = std::max<int64_t>(elements / 1000, 1);
    for (const int64_t begin : {int64_t{0}, elements / 3, elements - tile}) {
      const v1::Verdict wrong = Judge(Zeroed(row.output, begin, begin + tile));
      EXPECT_EQ(wrong.outcome(), v1::OUTCOME_FAIL) << case_.id() << " from " << begin;
      EXPECT_THAT(wrong.reason(), HasSubstr("compared on slices: "));
    }
    TensorMap exchanged = outputs_;
    std::string& data = exchanged.at(row.output).data;
    const size_t half = data.size() / 2;
    std::rotate(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(half), data.end());
    EXPECT_EQ(Judge(exchanged).outcome(), v1::OUTCOME_FAIL) << case_.id();
  }
}

// Places in a verdict are those of the whole output.
TEST_F(SlicedVerdictTest, NamesThePlaceInTheWholeOutput) {
  Make("add float32 input[512,1024] other[512,1024] alpha=2", "diopiAdd");
  ASSERT_FALSE(HasFatalFailure());
  const int64_t last = 512 * 1024 - 1;
  const v1::Verdict verdict = Judge(Zeroed("out", last, last + 1));
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
  EXPECT_THAT(verdict.reason(), HasSubstr("[511, 1023]"));
  ASSERT_EQ(verdict.outputs_size(), 1);
  EXPECT_EQ(verdict.outputs(0).first(0).index(), last);
  EXPECT_THAT(std::vector<int64_t>(verdict.outputs(0).shape().begin(), verdict.outputs(0).shape().end()),
              ::testing::ElementsAre(512, 1024));
}

// Elements that no slice has: a product's rows are probed, and every element of a sum must be finite.
TEST_F(SlicedVerdictTest, ProbesWhatIsNotCompared) {
  Make("linear float32 input[600,512] weight[1024,512] bias[1024]", "diopiLinear");
  ASSERT_FALSE(HasFatalFailure());
  const std::vector<int64_t>& compared = places_.at("out");
  const std::set<int64_t> seen(compared.begin(), compared.end());
  TensorMap wrong = outputs_;
  int64_t zeros = 0;
  int64_t unseen = -1;
  for (int64_t i = 300 * 1024; i < 301 * 1024; ++i) {
    if (seen.contains(i)) continue;
    unseen = i;
    std::memset(wrong.at("out").data.data() + i * 4, 0, 4);
    ++zeros;
  }
  ASSERT_GT(zeros, 0);
  EXPECT_THAT(Judge(wrong).reason(), HasSubstr("the row at [300, 0], added up with random signs"));
  TensorMap infinite = outputs_;
  StoreDouble(v1::Dtype::float32, infinite.at("out").data.data(), unseen, HUGE_VAL);
  EXPECT_THAT(Judge(infinite).reason(), HasSubstr("is not finite, but every input is"));
  wrong.at("out").shape = {1024, 600};
  EXPECT_EQ(Judge(wrong).outputs(0).gates(), "S");
}

}  // namespace
}  // namespace diopi::baselines
