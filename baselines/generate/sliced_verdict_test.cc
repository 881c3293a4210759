// Large calls from the generator to the verdict: what the reference library returns passes, and does not when
// a part of it is wrong, wherever the part lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "baselines/generate/sliced_verdict_testing.h"

namespace diopi::baselines {
namespace {

using ::testing::HasSubstr;

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
      {"mul float32 input[1,20480,19] other[1,1,1]", "diopiMul", "out"},
      {"conv2d+backward float32 input[6,32,50,50] weight[64,1,3,3] bias[64] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=32 bias_sizes=(64)",
       "diopiConvolution2dBackward", "grad_input"},
      {"conv_transpose2d float32 input[6,32,28,28] weight[32,48,4,4] bias[48] stride=(2,2) padding=(1,1) "
       "dilation=(1,1) groups=1 output_padding=(0,0)",
       "diopiConvTranspose2d", "out"},
      {"conv_transpose2d+backward float32 input[6,64,25,26] weight[64,16,3,2] bias[32] stride=(2,3) "
       "padding=(1,0) "
       "dilation=(1,1) groups=2 output_padding=(1,2) bias_sizes=(32)",
       "diopiConvTranspose2dBackward", "grad_input"},
      {"batch_norm+backward float32 input[16,32,28,28] running_mean[32] running_var[32]~uniform(0.1,2) "
       "weight[32] "
       "bias[32] training=true momentum=0.1 eps=1e-05",
       "diopiBatchNormBackward", "grad_input"},
      {"add bfloat16 input[3,512,512] other[512] alpha=3", "diopiAdd", "out"},
      {"softmax float32 input[64,6,49,49] dim=-1", "diopiSoftmax", "out"},
      {"rms_norm bfloat16 input[640,1024] bias[null] normalized_shape=(1024)", "diopiRMSNorm", "out"},
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
  ASSERT_EQ(verdict.findings_size(), 2);
  EXPECT_THAT(verdict.findings(0).parts(0).place().at(), ::testing::ElementsAre(511, 1023));
  EXPECT_EQ(verdict.findings(1).code(), v1::Finding::ON_SLICES);
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
  for (int64_t i = int64_t{300} * 1024; i < int64_t{301} * 1024; ++i) {
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

// Of convolutions and their gradients, sums with random signs are probed.
TEST_F(SlicedVerdictTest, ProbesConvolutions) {
  const struct {
    const char* call;
    const char* function;
    const char* output;
  } rows[] = {
      {"conv2d float16 input[16,32,57,56] weight[64,16,3,3] bias[64] stride=(2,1) padding=(1,2) "
       "dilation=(1,2) "
       "groups=2",
       "diopiConvolution2d", "out"},
      {"conv2d+backward float32 input[16,32,57,56] weight[64,16,3,3] bias[64] stride=(2,1) padding=(1,2) "
       "dilation=(1,2) groups=2 bias_sizes=(64)",
       "diopiConvolution2dBackward", "grad_input"},
      {"conv2d+backward float32 input[16,256,9,9] weight[512,256,3,3] bias[512] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=1 bias_sizes=(512)",
       "diopiConvolution2dBackward", "grad_weight"},
      {"conv3d float32 input[4,8,9,32,30] weight[16,8,3,3,3] bias[16] stride=(1,2,1) padding=(1,0,1) "
       "dilation=(1,1,1) groups=1",
       "diopiConvolution3d", "out"},
  };
  for (const auto& row : rows) {
    Make(row.call, row.function);
    if (HasFatalFailure()) return;
    const v1::Verdict right = Judge(outputs_);
    EXPECT_EQ(right.outcome(), v1::OUTCOME_PASS) << case_.id() << ": " << right.reason();
    const std::vector<int64_t>& compared = places_.at(row.output);
    const std::set<int64_t> seen(compared.begin(), compared.end());
    TensorMap wrong = outputs_;
    HostTensor& output = wrong.at(row.output);
    const int64_t elements = NumElements(output.shape);
    const int64_t size = ElementSize(output.dtype);
    for (int64_t i = elements / 2; i < elements / 2 + elements / 16; ++i) {
      if (!seen.contains(i)) std::memset(output.data.data() + i * size, 0, static_cast<size_t>(size));
    }
    EXPECT_THAT(Judge(wrong).reason(), HasSubstr(", added up with random signs, are ")) << case_.id();
  }
}

// Copies [from, from + count) elements of a tensor to `to`.
void CopyElements(int64_t from, int64_t to, int64_t count, HostTensor* tensor) {
  const int64_t size = ElementSize(tensor->dtype);
  const std::string part =
      tensor->data.substr(static_cast<size_t>(from * size), static_cast<size_t>(count * size));
  tensor->data.replace(static_cast<size_t>(to * size), part.size(), part);
}

// What kernels get wrong at the sizes of models, each planted into the reference's own outputs.
TEST_F(SlicedVerdictTest, FindsPlantedDefects) {
  using Plant = void (*)(SlicedVerdictTest & test, HostTensor * out);
  const struct {
    const char* defect;
    const char* call;
    const char* function;
    Plant plant;
  } rows[] = {
      {"tile: 64 x 64 of 2048 x 4096 elements are the tile's beside it",
       "linear bfloat16 input[1,2048,512] weight[4096,512] bias[4096]", "diopiLinear",
       [](SlicedVerdictTest&, HostTensor* out) {
         for (int64_t m = 1024; m < 1088; ++m) CopyElements(m * 4096 + 2048, m * 4096 + 2112, 64, out);
       }},
      {"tail: the last 3 of 4099 columns, in the last 57 of 1081 rows",
       "linear float16 input[1,1081,512] weight[4099,512] bias[4099]", "diopiLinear",
       [](SlicedVerdictTest&, HostTensor* out) {
         for (int64_t m = 1024; m < 1081; ++m) CopyElements(m * 4099, m * 4099 + 4096, 3, out);
       }},
      {"one head: the 23rd of 64 is the 22nd again", "diopiBmm float16 input[64,256,64] mat2[64,64,256]",
       "diopiBmm",
       [](SlicedVerdictTest&, HostTensor* out) {
         CopyElements(int64_t{21} * 65536, int64_t{22} * 65536, 65536, out);
       }},
      {"one batch: the 6th image of 16 is the 5th again",
       "conv2d float32 input[16,32,56,56] weight[64,32,3,3] bias[64] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) "
       "groups=1",
       "diopiConvolution2d",
       [](SlicedVerdictTest&, HostTensor* out) {
         CopyElements(int64_t{4} * 64 * 56 * 56, int64_t{5} * 64 * 56 * 56, int64_t{64} * 56 * 56, out);
       }},
      {"exchanged blocks: two of 1024 elements of 4 million",
       "add bfloat16 input[4,1024,1024] other[1024] alpha=3", "diopiAdd",
       [](SlicedVerdictTest&, HostTensor* out) {
         const HostTensor before = *out;
         CopyElements(int64_t{1000} * 1024, int64_t{2000} * 1024, 1024, out);
         out->data.replace(size_t{1000} * 2048, 2048, before.data, size_t{2000} * 2048, 2048);
       }},
      {"halo: row 31 of each image does not see the input's row 32",
       "conv2d float32 input[16,32,56,56] weight[64,32,3,3] bias[64] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) "
       "groups=1",
       "diopiConvolution2d",
       [](SlicedVerdictTest& test, HostTensor* out) {
         const HostTensor blind = test.OutputWithoutRow(32, 56, 56);
         for (int64_t plane = 0; plane < int64_t{16} * 64; ++plane) {
           const int64_t at = (plane * 56 + 31) * size_t{56} * 4;
           out->data.replace(static_cast<size_t>(at), size_t{56} * 4, blind.data, static_cast<size_t>(at),
                             size_t{56} * 4);
         }
       }},
      {"gathered row: one of 1024 entries of the table gives its neighbour",
       "embedding bfloat16 indices[4096]:int64~0..1023 weight[1024,1024] padding_idx=-1 "
       "scale_grad_byfreq=false "
       "sparse=false",
       "diopiEmbedding",
       [](SlicedVerdictTest& test, HostTensor* out) {
         const HostTensor& indices = test.baseline_.inputs.at("indices");
         const std::string& weight = test.baseline_.inputs.at("weight").data;
         for (int64_t i = 0; i < 4096; ++i) {
           if (ElementAsDouble(indices.dtype, indices.data.data(), i) != 511) continue;
           out->data.replace(static_cast<size_t>(i) * 2048, 2048, weight, size_t{512} * 2048, 2048);
         }
       }},
  };
  for (const auto& row : rows) {
    Make(row.call, row.function);
    if (HasFatalFailure()) return;
    EXPECT_EQ(Judge(outputs_).outcome(), v1::OUTCOME_PASS) << row.defect << ": " << Judge(outputs_).reason();
    TensorMap wrong = outputs_;
    row.plant(*this, &wrong.at("out"));
    const v1::Verdict verdict = Judge(wrong);
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL) << row.defect;
    std::printf("%-70s %s\n", row.defect, verdict.reason().c_str());
  }
}

}  // namespace
}  // namespace diopi::baselines
