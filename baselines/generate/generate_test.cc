// Uses the real reference library and real HDF5 files.
#include "baselines/generate/generate.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "baselines/compare/compare.h"
#include "build_paths.h"
#include "cases/base/layout.h"
#include "cases/base/test_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace diopi::baselines {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string ReferencePath() {
  return DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so";
}

std::vector<v1::Case> Select(const std::string& function, const std::string& case_glob = "*") {
  auto catalog = cases::Catalog::LoadBuiltin();
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  v1::Selection selection;
  selection.add_functions(function);
  selection.add_cases(case_glob);
  auto selected = (*catalog)->Select(selection);
  EXPECT_TRUE(selected.ok()) << selected.status();
  return *selected;
}

// A data folder that goes away with the test.
class GenerateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.data_folder = folder_.path();
    options_.library_path = ReferencePath();
  }

  const TestFolder folder_;
  GenerateOptions options_;
};

std::set<std::string> Keys(const TensorMap& tensors) {
  std::set<std::string> keys;
  for (const auto& [key, tensor] : tensors) keys.insert(key);
  return keys;
}

TEST_F(GenerateTest, EachWayOfJudgingStoresWhatItNeeds) {
  auto library = loader::InProcessLibrary::Open(ReferencePath());
  ASSERT_TRUE(library.ok()) << library.status();
  struct Row {
    const char* function;
    const char* glob;
    std::set<std::string> inputs;
    std::set<std::string> references;
  };
  const Row rows[] = {
      {"diopiAdd", "add.int32.*", {"input", "other"}, {"out"}},
      {"diopiSoftmax", "softmax.float32.row_7", {"input"}, {"out", "out.sigma"}},
      {"diopiSoftmax", "softmax.float64.row_7", {"input"}, {"out", "out.sigma", "out.low"}},
      {"diopiPolar", "polar.complex64.line", {"abs", "angle"}, {"out", "out.sigma"}},
      {"diopiPolar", "polar.complex128.line_double", {"abs", "angle"}, {"out", "out.sigma", "out.low"}},
      {"diopiLinalgQR", "linalg_qr.float32.r_tall", {"A"}, {"Q", "Q.sigma", "R", "R.sigma"}},
      {"diopiSum", "sum.float16.dim0", {"input"}, {"out", "out.n", "out.sigma"}},
      {"diopiSum", "sum.float64.dim0", {"input"}, {"out", "out.sigma", "out.low"}},
      {"diopiSoftmaxBackward",
       "softmax.backward.float32.row_7",
       {"grad_output", "output"},
       {"grad_input", "grad_input.sigma"}},
      {"diopiTopk", "topk.float32.row_7", {"input"}, {"indices", "values"}},
  };
  for (const Row& row : rows) {
    const std::vector<v1::Case> selected = Select(row.function, row.glob);
    ASSERT_FALSE(selected.empty()) << row.glob;
    const auto baseline = GenerateCase(**library, selected[0]);
    ASSERT_TRUE(baseline.ok()) << row.glob << ": " << baseline.status();
    EXPECT_EQ(Keys(baseline->inputs), row.inputs) << row.glob;
    EXPECT_EQ(Keys(baseline->references), row.references) << row.glob;
  }
}

// A case of sums whose terms repeat: `values`, cycled over floating tensors of these shapes.
Baseline Repeating(loader::InProcessLibrary& library, v1::Case c, const std::vector<double>& values,
                   const std::map<std::string, std::vector<int64_t>>& shapes) {
  for (v1::Argument& arg : *c.mutable_args()) {
    const auto shape = shapes.find(arg.name());
    if (shape == shapes.end()) continue;
    v1::TensorSpec* spec = arg.mutable_tensor();
    spec->mutable_shape()->Assign(shape->second.begin(), shape->second.end());
    if (IsFloating(spec->dtype()))
      spec->mutable_fill()->mutable_values()->mutable_values()->Assign(values.begin(), values.end());
    EXPECT_TRUE(ApplyLayout(v1::Layout(), spec).ok());
  }
  const auto baseline = GenerateCase(library, c);
  EXPECT_TRUE(baseline.ok()) << baseline.status();
  return *baseline;
}

HostTensor Float(float value, const std::vector<int64_t>& shape) {
  HostTensor tensor{v1::Dtype::float32, shape, {}};
  tensor.data.resize(static_cast<size_t>(NumElements(shape)) * sizeof(float));
  for (int64_t i = 0; i < NumElements(shape); ++i)
    StoreDouble(v1::Dtype::float32, tensor.data.data(), i, value);
  return tensor;
}

// A vendor that adds one float after the other is not accused, whether the noise comes from a closed form
// (sum, bmm) or from numbers that carry it (mean, cross entropy over equal classes); one that leaves out a
// hundredth of the terms is.
TEST_F(GenerateTest, ASerialSumOfEqualTermsPasses) {
  auto library = loader::InProcessLibrary::Open(ReferencePath());
  ASSERT_TRUE(library.ok()) << library.status();
  constexpr int kTerms = 4096;
  const float x = 0.1F;
  const float share = 0.2F / kTerms, log_classes = std::log(static_cast<float>(kTerms));
  float sum = 0, products = 0, loss = 0;
  for (int i = 0; i < kTerms; ++i) {
    sum += x;
    products += x * x;
    loss += ((i == 0 ? 0.8F : 0.0F) + share) * x * log_classes;
  }
  struct Row {
    const char* function;
    const char* name;
    std::map<std::string, std::vector<int64_t>> shapes;
    float result;
    std::vector<int64_t> shape;
  };
  for (const Row& row :
       std::vector<Row>{{"diopiSum", "sum.float32.all_7", {{"input", {kTerms}}}, sum, {}},
                        {"diopiMean", "mean.float32.all_7", {{"input", {kTerms}}}, sum / kTerms, {}},
                        {"diopiBmm",
                         "bmm.float32.one",
                         {{"input", {2, 1, kTerms}}, {"mat2", {2, kTerms, 1}}},
                         products,
                         {2, 1, 1}},
                        {"diopiCrossEntropyLoss",
                         "cross_entropy.float32.smooth_large",
                         {{"input", {1, kTerms}}, {"target", {1}}, {"weight", {kTerms}}},
                         loss / x,
                         {}}}) {
    const std::vector<v1::Case> selected = Select(row.function, row.name);
    ASSERT_EQ(selected.size(), 1U) << row.name;
    const Baseline b = Repeating(**library, selected[0], {static_cast<double>(x)}, row.shapes);
    const v1::Verdict serial =
        CompareCase(b.c, b.inputs, b.references, {{"out", Float(row.result, row.shape)}});
    EXPECT_EQ(serial.outcome(), v1::OUTCOME_PASS) << row.name << ": " << serial.reason();
    const v1::Verdict dropped =
        CompareCase(b.c, b.inputs, b.references, {{"out", Float(row.result * 0.99F, row.shape)}});
    EXPECT_EQ(dropped.outcome(), v1::OUTCOME_FAIL) << row.name;
  }
}

// A backward's saved tensor is the forward's output in the case's own dtype, whatever a device computes.
TEST_F(GenerateTest, SavedTensorsComeFromTheReferencesForward) {
  auto library = loader::InProcessLibrary::Open(ReferencePath());
  ASSERT_TRUE(library.ok()) << library.status();
  const auto forward =
      (*library)->Call(Select("diopiSoftmax", "softmax.float16.row_33")[0],
                       GenerateCase(**library, Select("diopiSoftmax", "softmax.float16.row_33")[0])->inputs,
                       v1::Dtype::unsupported);
  ASSERT_TRUE(forward.ok()) << forward.status();
  const auto backward =
      GenerateCase(**library, Select("diopiSoftmaxBackward", "softmax.backward.float16.row_33")[0]);
  ASSERT_TRUE(backward.ok()) << backward.status();
  EXPECT_EQ(backward->inputs.at("output").dtype, v1::Dtype::float16);
  EXPECT_EQ(backward->inputs.at("output").data, forward->at("out").data);
}

TEST_F(GenerateTest, TheSecondRunFindsEverythingUpToDateAndForceDoesNot) {
  const std::vector<v1::Case> cases = Select("diopiSum");
  const auto first = Generate(cases, options_);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(first->failures, IsEmpty());
  EXPECT_EQ(first->cases_written, static_cast<int64_t>(cases.size()));
  const auto second = Generate(cases, options_);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->cases_written, 0);
  EXPECT_EQ(second->operators_up_to_date, 1);
  options_.force = true;
  const auto third = Generate(cases, options_);
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_EQ(third->cases_written, first->cases_written);
}

TEST_F(GenerateTest, ASourceMayGiveAnOperatorTwice) {
  const std::vector<v1::Case> exp = Select("diopiExp");
  const std::vector<v1::Case> add = Select("diopiAdd");
  const CaseSource source = [&](VisitCases visit) {
    absl::Status status;
    for (const std::vector<v1::Case>& cases : {exp, add, exp}) status.Update(visit(cases));
    return status;
  };
  for (const int jobs : {1, 3}) {
    options_.jobs = jobs;
    options_.force = false;
    fs::remove_all(options_.data_folder);
    const auto summary = Generate(source, options_);
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->operators_written, 2);
    EXPECT_EQ(summary->operators_up_to_date, 1);
    EXPECT_EQ(summary->cases_written, static_cast<int64_t>(exp.size() + add.size()));
  }
}

TEST_F(GenerateTest, SeveralProcessesMakeWhatOneMakes) {
  std::vector<v1::Case> cases;
  for (const char* function : {"diopiSum", "diopiSoftmaxBackward", "diopiSort"}) {
    for (v1::Case& c : Select(function)) cases.push_back(std::move(c));
  }
  cases[0].set_function("diopiNoSuchFunction");
  const auto one = Generate(cases, options_);
  ASSERT_TRUE(one.ok()) << one.status();
  GenerateOptions options = options_;
  options.data_folder += "/several";
  options.jobs = 2;
  std::set<std::string> made;
  options.progress = [&made](const std::string& name, int64_t, int64_t) { made.insert(name); };
  const auto several = Generate(cases, options);
  ASSERT_TRUE(several.ok()) << several.status();
  EXPECT_THAT(made, UnorderedElementsAre("sum", "softmax", "sort"));
  EXPECT_EQ(several->operators_written, one->operators_written);
  EXPECT_EQ(several->cases_written, one->cases_written);
  EXPECT_EQ(several->failures, one->failures);
  for (const v1::Case& c : cases) {
    const auto expected =
        (*BaselineReader::Open(BaselinePath(options_.data_folder, "cpu", c.operator_())))->Read(c.id());
    const auto read =
        (*BaselineReader::Open(BaselinePath(options.data_folder, "cpu", c.operator_())))->Read(c.id());
    ASSERT_EQ(read.ok(), expected.ok()) << c.id();
    if (!read.ok()) continue;
    EXPECT_EQ(Keys(read->references), Keys(expected->references)) << c.id();
    for (const auto& [key, tensor] : read->references) {
      EXPECT_EQ(tensor.data, expected->references.at(key).data) << c.id() << " " << key;
    }
  }
}

// As where a user's operator file has the name of a built-in one.
TEST_F(GenerateTest, TwoGroupsOfOneOperatorFollowEachOther) {
  options_.jobs = 2;
  const std::vector<v1::Case> cases = Select("diopiSum");
  const auto middle = cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 2);
  const auto summary = Generate(
      [&](VisitCases visit) {
        absl::Status status = visit({cases.begin(), middle});
        status.Update(visit({middle, cases.end()}));
        return status;
      },
      options_);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->cases_written, static_cast<int64_t>(cases.size()));
  const auto reader = BaselineReader::Open(BaselinePath(options_.data_folder, "cpu", "sum"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->case_ids().size(), cases.size());
}

TEST_F(GenerateTest, AnErrorInAnotherProcessNamesItsOperator) {
  options_.jobs = 2;
  fs::create_directories(BaselinePath(options_.data_folder, "cpu", "sum"));  // a folder where the file goes
  const auto summary = Generate(Select("diopiSum"), options_);
  ASSERT_FALSE(summary.ok());
  EXPECT_THAT(std::string(summary.status().message()), ::testing::StartsWith("sum: "));
}

TEST_F(GenerateTest, AChangedCaseMakesItsOperatorAnew) {
  std::vector<v1::Case> cases = Select("diopiSum");
  ASSERT_TRUE(Generate(cases, options_).ok());
  cases[0].set_hash("another");
  const auto again = Generate(cases, options_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->operators_written, 1);
  EXPECT_EQ(again->cases_written, 1);  // the others are carried over
}

// They are no part of its hash.
TEST_F(GenerateTest, AReadingThatWasAddedMakesItsCaseAnew) {
  const std::vector<v1::Case> cases = Select("diopiAdd", "add.*float16.alpha_fraction");
  ASSERT_EQ(cases.size(), 2U);
  std::vector<v1::Case> before = cases;
  before[0].clear_readings();
  ASSERT_TRUE(Generate(before, options_).ok());
  const auto again = Generate(cases, options_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->cases_written, 1);
  const auto reader = BaselineReader::Open(BaselinePath(options_.data_folder, "cpu", "add"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const v1::Case& c : cases) {
    EXPECT_TRUE((*reader)->Read(c.id())->references.contains("rounded_scalars(alpha):out.sigma")) << c.id();
  }
  EXPECT_EQ(Generate(cases, options_)->cases_written, 0);
}

TEST_F(GenerateTest, ASelectionLeavesTheOperatorsOtherCasesInTheFile) {
  const std::vector<v1::Case> all = Select("diopiSum");
  ASSERT_TRUE(Generate(all, options_).ok());
  const std::string path = BaselinePath(options_.data_folder, "cpu", all[0].operator_());
  const auto before = (*BaselineReader::Open(path))->Read(all[5].id());
  options_.force = true;
  const auto one = Generate({all[0]}, options_);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->cases_written, 1);
  const auto reader = BaselineReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->case_ids().size(), all.size());
  const auto after = (*reader)->Read(all[5].id());
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(after->inputs.at("input").data, before->inputs.at("input").data);
  EXPECT_EQ((*reader)->ReadCase(all[5].id())->SerializeAsString(), all[5].SerializeAsString());
}

TEST_F(GenerateTest, AnotherBuildOfTheLibraryMakesEverythingAnew) {
  const std::vector<v1::Case> cases = Select("diopiSum");
  ASSERT_TRUE(Generate(cases, options_).ok());
  // The same code in another file: bytes after the end of an ELF file change nothing but its hash.
  const std::string other = options_.data_folder + "/libother.so";
  fs::copy_file(options_.library_path, other);
  std::ofstream(other, std::ios::app) << "x";
  options_.library_path = other;
  const auto summary = Generate(cases, options_);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->cases_written, static_cast<int64_t>(cases.size()));
}

TEST_F(GenerateTest, ACaseTheReferenceRefusesIsNamedAndTheRestIsWritten) {
  std::vector<v1::Case> cases = Select("diopiSum", "sum.float32.*");
  cases[0].set_function("diopiNoSuchFunction");
  const auto summary = Generate(cases, options_);
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_EQ(summary->failures.size(), 1u);
  EXPECT_THAT(summary->failures[0], ::testing::StartsWith(cases[0].id()));
  EXPECT_EQ(summary->cases_written, static_cast<int64_t>(cases.size()) - 1);
}

TEST_F(GenerateTest, AMissingLibraryIsAnError) {
  options_.library_path = options_.data_folder + "/no_such.so";
  const auto summary = Generate(Select("diopiSum"), options_);
  ASSERT_FALSE(summary.ok());
  EXPECT_THAT(std::string(summary.status().message()), ::testing::HasSubstr("no_such.so"));
}

}  // namespace
}  // namespace diopi::baselines
