#include "baselines/tap/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/model_cases.h"
#include "cases/fill/fill.h"

namespace diopi::tap {
namespace {

using ::testing::HasSubstr;

constexpr char kReference[] = DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so";

class ComparisonTest : public ::testing::Test {
 protected:
  // A call of a model, as a host passes it: with its values, and with none of the marks of the suite's cases.
  void Make(const std::string& call, const std::string& function) {
    const auto catalog = cases::Catalog::LoadBuiltin();
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    const auto model = cases::ParseModel({"one", call});
    ASSERT_TRUE(model.ok()) << model.status();
    const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], (*catalog)->operators());
    const auto built = cases::BuildCall(*op, model->calls[0], int64_t{1} << 40);
    ASSERT_TRUE(built.ok()) << built.status();
    for (const v1::Case& c : built->cases) {
      if (c.function() == function) case_ = c;
    }
    const auto library = loader::InProcessLibrary::Open(kReference);
    ASSERT_TRUE(library.ok()) << library.status();
    absl::StatusOr<baselines::Baseline> made = baselines::GenerateInputs(**library, case_);
    ASSERT_TRUE(made.ok()) << made.status();
    inputs_ = std::move(made->inputs);
    absl::StatusOr<TensorMap> outputs = (*library)->Call(made->c, inputs_, v1::Dtype::unsupported);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    outputs_ = *std::move(outputs);
    case_.set_generator_version(kGeneratorVersion);
  }

  Reference reference_{kReference, "libvendor.so", {}};
  v1::Case case_;
  TensorMap inputs_;
  TensorMap outputs_;
};

TEST_F(ComparisonTest, LargeCallsAreJudgedOnSlices) {
  const struct {
    const char* call;
    const char* function;
    const char* output;
  } rows[] = {{"add float32 input[64,64,512] other[64,64,512] alpha=1", "diopiAdd", "out"},
              {"linear float32 input[4,700,512] weight[768,512] bias[768]", "diopiLinear", "out"},
              {"softmax float32 input[64,16,49,49] dim=-1", "diopiSoftmax", "out"}};
  for (const auto& row : rows) {
    Make(row.call, row.function);
    const absl::StatusOr<v1::Verdict> right = reference_.JudgeOnSlices(case_, inputs_, outputs_);
    ASSERT_TRUE(right.ok()) << right.status();
    EXPECT_EQ(right->outcome(), v1::OUTCOME_PASS) << row.call << ": " << right->reason();
    // The last thousandth is not computed.
    std::string& data = outputs_.at(row.output).data;
    std::memset(data.data() + data.size() / 1000 * 999, 0, data.size() / 1000);
    const absl::StatusOr<v1::Verdict> wrong = reference_.JudgeOnSlices(case_, inputs_, outputs_);
    ASSERT_TRUE(wrong.ok()) << wrong.status();
    EXPECT_EQ(wrong->outcome(), v1::OUTCOME_FAIL) << row.call;
    EXPECT_THAT(wrong->reason(), HasSubstr("compared on slices: "));
  }
}

TEST_F(ComparisonTest, WhatSlicesCannotJudgeIsSaid) {
  Make("diopiNormalTensorScalar float32 mean[300,300] std=1", "diopiNormalTensorScalar");
  const absl::StatusOr<v1::Verdict> few = reference_.JudgeOnSlices(case_, inputs_, outputs_);
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_EQ(few->outcome(), v1::OUTCOME_PASS) << few->reason();
  // Many draws of as many distributions.
  for (v1::Argument& arg : *case_.mutable_args()) {
    if (!arg.has_tensor()) continue;
    for (int64_t& size : *arg.mutable_tensor()->mutable_shape()) size = 1024;
  }
  const absl::StatusOr<v1::Verdict> many = reference_.JudgeOnSlices(case_, inputs_, outputs_);
  EXPECT_EQ(many.status().code(), absl::StatusCode::kUnimplemented) << many.status();
}

// No element of a dropout's output is what the reference draws, but their distribution is.
TEST_F(ComparisonTest, RandomFunctionsAreJudgedByTheirDistribution) {
  Make("dropout float32 input[64,64] p=0.25 train=true", "diopiDropout");
  const absl::StatusOr<v1::Verdict> right = reference_.Judge(case_, inputs_, outputs_);
  ASSERT_TRUE(right.ok()) << right.status();
  EXPECT_EQ(right->outcome(), v1::OUTCOME_PASS) << right->reason();
  v1::Case other = case_;  // the same output where half of the elements should have been dropped
  for (v1::Argument& arg : *other.mutable_args()) {
    if (arg.name() == "p") arg.set_f(0.5);
  }
  const absl::StatusOr<v1::Verdict> wrong = reference_.Judge(other, inputs_, outputs_);
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  EXPECT_EQ(wrong->outcome(), v1::OUTCOME_FAIL);
}

TEST(ComparisonTableTest, SaysHowCallsWereCompared) {
  ComparisonTable table;
  v1::Verdict pass;
  pass.set_outcome(v1::OUTCOME_PASS);
  table.Add("diopiAdd", pass, "call 1", "");
  table.Add("diopiDropout", pass, "call 2", "by the distribution of its random output");
  table.Add("diopiDropout", pass, "call 3", "by the distribution of its random output");
  table.Skip("diopiSort", "slices cannot judge it");
  EXPECT_THAT(table.Text(),
              HasSubstr("3 calls of 2 functions compared, 0 failed\n"
                        "Compared, 2 calls: diopiDropout: by the distribution of its random output\n"
                        "Not compared, 1 calls: diopiSort: slices cannot judge it\n"));
}

}  // namespace
}  // namespace diopi::tap
