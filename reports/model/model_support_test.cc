#include "reports/model/model_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "cases/core/catalog.h"
#include "reports/model/model_testing.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;

constexpr char kModel[] = "crnn";
constexpr char kFails[] = "diopiMaxPool2d";
constexpr char kMissing[] = "diopiReluInp";

class ModelSupportTest : public ModelTest {
 protected:
  // A run of the model's suite in which one function fails and another one is missing.
  std::string RunModel(const std::string& chip, const std::string& fails, const std::string& missing,
                       const std::string& only = "", int64_t max_tensor_bytes = 0) {
    const auto catalog = cases::Catalog::LoadBuiltin();
    v1::RunOptions options = server::MakeOptions(chip);
    options.clear_selection();
    options.mutable_selection()->set_suite(std::string(cases::kModelSuites) + kModel);
    options.mutable_selection()->set_max_tensor_bytes(max_tensor_bytes);
    if (!only.empty()) options.mutable_selection()->add_functions(only);
    const auto cases = (*catalog)->Select(options.selection());
    EXPECT_TRUE(cases.ok()) << cases.status();
    std::vector<v1::Verdict> verdicts;
    for (const v1::Case& c : *cases) {
      v1::Verdict& verdict = verdicts.emplace_back(server::MakeVerdict(0, v1::OUTCOME_PASS));
      verdict.set_case_id(c.id());
      verdict.set_case_hash(c.hash());
      verdict.set_function(c.function());
      verdict.set_operator_(c.operator_());
      if (absl::StartsWith(c.function(), fails) && !fails.empty()) verdict.set_outcome(v1::OUTCOME_FAIL);
      if (c.function() == missing) verdict.set_outcome(v1::OUTCOME_NOT_IMPLEMENTED);
    }
    return Run(options, verdicts, chip + only);
  }

  v1::ModelsPage Load() {
    auto matrix = LoadModelSupport(*queries_);
    EXPECT_TRUE(matrix.ok()) << matrix.status();
    return *std::move(matrix);
  }

  static const v1::ModelRow& Row(const v1::ModelsPage& matrix, const std::string& name) {
    for (const v1::ModelRow& row : matrix.models()) {
      if (row.name() == name) return row;
    }
    ADD_FAILURE() << name;
    return matrix.models(0);
  }
};

TEST_F(ModelSupportTest, AModelIsReadyWhenAllItsCallsPassAtTheirTrueSizes) {
  RunModel("bad", kFails, kMissing);
  const std::string good = RunModel("good", "", "");
  RunModel("part", "", "", "diopiConvolution2d");  // does not speak for the model
  const v1::ModelsPage matrix = Load();
  EXPECT_THAT(matrix.chips(), ElementsAre("bad", "good", "part"));
  EXPECT_GE(matrix.models_size(), 49);
  const v1::ModelRow& row = Row(matrix, kModel);
  EXPECT_NE(row.summary(), "");
  ASSERT_TRUE(row.cells(0).calls() > 0 && row.cells(1).calls() > 0);
  EXPECT_EQ(row.cells(2).calls(), 0);
  const v1::ModelCell& ready = row.cells(1);
  EXPECT_FALSE(ready.ready());
  EXPECT_TRUE(ready.passes_scaled());
  EXPECT_EQ(ready.run_id(), good);
  EXPECT_EQ(ready.max_tensor_bytes(), cases::kModelTensorBytes);
  EXPECT_GT(ready.scaled(), 0);
  EXPECT_LT(ready.scaled(), ready.calls());
  const v1::ModelCell& bad = row.cells(0);
  EXPECT_EQ(ScaledText(ready),
            absl::StrCat(ready.scaled(), " of ", ready.calls(), " calls were scaled to 16 KiB a tensor"));
  EXPECT_FALSE(bad.ready() || bad.passes_scaled());
  EXPECT_EQ(bad.calls(), ready.calls());
  EXPECT_GT(bad.failing(), 0);
  EXPECT_GT(bad.not_implemented(), 0);
  EXPECT_EQ(bad.passing() + bad.failing() + bad.not_implemented(), bad.calls());
  EXPECT_THAT(bad.failing_functions(),
              ElementsAre(kFails, "diopiMaxPool2dBackward", "diopiMaxPool2dWithIndices"));
  EXPECT_THAT(bad.missing_functions(), ElementsAre(kMissing));
  for (const auto& cell : Row(matrix, "vit").cells()) EXPECT_EQ(cell.calls(), 0);
}

TEST_F(ModelSupportTest, TheNewestRunCounts) {
  RunModel("chip", kFails, "");
  const std::string newest = RunModel("chip", "", "");
  const v1::ModelsPage matrix = Load();
  EXPECT_EQ(Row(matrix, kModel).cells(0).run_id(), newest);
  EXPECT_TRUE(Row(matrix, kModel).cells(0).passes_scaled());
  RunModel("chip", "", "", "", int64_t{24} << 30);
  const v1::ModelsPage true_sizes = Load();
  EXPECT_EQ(Row(true_sizes, kModel).cells(0).scaled(), 0);
  EXPECT_TRUE(Row(true_sizes, kModel).cells(0).ready());
}

}  // namespace
}  // namespace diopi::reports
