// The calls of all models, scaled: generated, run, and counted per model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ModelsTest : public ::testing::Test {
 protected:
  Finished Agent(const std::string& library, const std::string& chip, const std::vector<std::string>& more) {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--impl", library, "--data", data(), "--chip", chip, "--error-report",
        folder_ / "errors.csv", "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command);
  }
  // What `diopi-cli models` says of each model, in its last column.
  std::map<std::string, std::string> Models() {
    const Finished list = RunProgram({BinPath("diopi-cli"), "models", "--data", data(), "--format", "csv"});
    EXPECT_EQ(list.code, 0) << list.err;
    std::map<std::string, std::string> models;
    for (const std::string& line :
         std::vector<std::string>(absl::StrSplit(list.out, "\r\n", absl::SkipEmpty()))) {
      models[line.substr(0, line.find(','))] = line;
    }
    models.erase("model");
    return models;
  }
  std::string data() const { return folder_ / "data"; }

  TestFolder folder_;
};

TEST_F(ModelsTest, EveryModelIsReadyOnTheReferenceItself) {
  const Finished run = Agent(LibPath("libdiopi_cpu.so"), "cpu", {"--model", "*", "--max-bytes", "4K"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_GE(stored.verdicts.size(), 5000U);
  for (const v1::Verdict& verdict : stored.verdicts)
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
  const std::map<std::string, std::string> models = Models();
  EXPECT_GE(models.size(), 57U);
  for (const auto& [name, words] : models)
    EXPECT_THAT(words, AnyOf(HasSubstr("passes scaled; "), HasSubstr("ready ("))) << name;
}

TEST_F(ModelsTest, AFaultyLibraryIsNotReadyAndItsFailuresAreRepeated) {
  const Finished run =
      Agent(VendorPath("libdiopi_faulty"), "faulty", {"--model", "crnn,bert_large", "--max-bytes", "16K"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const std::map<std::string, std::string> models = Models();
  ASSERT_EQ(models.size(), 2U);
  EXPECT_THAT(models.at("crnn"), HasSubstr("failing: "));
  EXPECT_THAT(models.at("crnn"), Not(HasSubstr("ready")));
  std::string failing;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (verdict.outcome() != v1::OUTCOME_PASS) failing = verdict.case_id();
  }
  ASSERT_NE(failing, "");
  const Finished repro = RunProgram(
      {BinPath("diopi-cli"), "repro", failing, "--impl", VendorPath("libdiopi_faulty"), "--data", data()});
  EXPECT_EQ(repro.code, 1) << repro.out << repro.err;
  EXPECT_THAT(repro.out, HasSubstr(failing));
  const Finished again = Agent(LibPath("libdiopi_cpu.so"), "faulty", {"--rerun-failed", "latest"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST_F(ModelsTest, LargeCallsAreJudgedOnSlices) {
  const std::vector<std::string> calls = {"--model", "resnet50", "--max-bytes", "8M", "--fname", "add"};
  const Finished right = Agent(LibPath("libdiopi_cpu.so"), "cpu", calls);
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const Finished run = Agent(VendorPath("libdiopi_faulty"), "faulty", calls);
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  std::string failing;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (absl::StrContains(verdict.reason(), "compared on slices")) failing = verdict.case_id();
  }
  ASSERT_NE(failing, "");
  const Finished repro = RunProgram(
      {BinPath("diopi-cli"), "repro", failing, "--impl", VendorPath("libdiopi_faulty"), "--data", data()});
  EXPECT_EQ(repro.code, 1) << repro.out << repro.err;
  EXPECT_THAT(repro.out, HasSubstr("compared on slices"));
  EXPECT_THAT(repro.out, HasSubstr("C file     none: "));
}

// The worker leaves it to the judge to see that two calls differ, and is asked once more for the reason.
TEST_F(ModelsTest, LargeOutputsThatDifferAreExplained) {
  const Finished run = Agent(VendorPath("libdiopi_faulty"), "faulty",
                             {"--model", "stgcn", "--max-bytes", "8M", "--fname", "relu"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_GE(stored.verdicts.size(), 2U);
  for (const v1::Verdict& verdict : stored.verdicts) {
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_MEMORY) << verdict.reason();
    EXPECT_THAT(verdict.reason(), HasSubstr(" elements of out were not written, the first at 0"));
  }
}

TEST_F(ModelsTest, AServerWithoutTheirBaselinesSaysHowToMakeThem) {
  Running server({BinPath("diopi-server"), "--data", data(), "--listen", "127.0.0.1:0", "--ready-fd", "1",
                  "--log-level", "error"},
                 {});
  const std::string address = server.WaitForLine("ready ").substr(std::string("ready ").size());
  const std::vector<std::string> command = {BinPath("diopi-agent"),
                                            "--server",
                                            address,
                                            "--impl",
                                            LibPath("libdiopi_cpu.so"),
                                            "--error-report",
                                            folder_ / "e",
                                            "--model",
                                            "vit",
                                            "--max-bytes",
                                            "4K",
                                            "--fname",
                                            "add,layer_norm",
                                            "--dtype",
                                            "float32"};
  const Finished without = RunProgram(command);
  EXPECT_EQ(without.code, 4) << without.out;
  const std::string how = "On its machine run: diopi-cli ";
  ASSERT_THAT(without.err, HasSubstr(how));
  std::string words(absl::StripAsciiWhitespace(without.err.substr(without.err.find(how) + how.size())));
  EXPECT_THAT(words, HasSubstr("--model vit --max-bytes 4096"));
  std::vector<std::string> gen = {BinPath("diopi-cli")};
  for (const auto word : absl::StrSplit(words, ' ')) gen.emplace_back(word);
  const Finished made = RunProgram(gen);
  EXPECT_EQ(made.code, 0) << made.err;
  const Finished run = RunProgram(command);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST_F(ModelsTest, AreListedByWhatTheyCall) {
  const Finished all = RunProgram({BinPath("diopi-cli"), "list", "models"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("\nllama3_8b "));
  EXPECT_THAT(all.out, HasSubstr("\nresnet50 "));
  const Finished some = RunProgram(
      {BinPath("diopi-cli"), "list", "models", "--fname", "diopiFlashAttention", "--max-bytes", "16K"});
  EXPECT_THAT(some.out, HasSubstr("    3 calls,    3 scaled  Llama 3 8B"));
  EXPECT_THAT(some.out, Not(HasSubstr("resnet50")));
  const Finished none = RunProgram({BinPath("diopi-cli"), "list", "models", "--suite", "smoke"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("'smoke' is no suite of models"));
}

TEST_F(ModelsTest, WrongNamesAreToldApart) {
  const struct {
    std::vector<std::string> arguments;
    const char* expected;
  } rows[] = {
      {{"--model", "resnet5"}, "there is no suite for a model 'resnet5'; did you mean resnet50"},
      {{"--model", "vit", "--suite", "smoke"}, "--model and --suite exclude each other"},
      {{"--model", "vit", "--max-bytes", "12"}, "--max-bytes"},
      {{"--suite", "models/"}, "names no model"},
  };
  for (const auto& row : rows) {
    const Finished run = Agent(LibPath("libdiopi_cpu.so"), "cpu", row.arguments);
    EXPECT_EQ(run.code, 2) << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr(row.expected));
  }
}

}  // namespace
}  // namespace diopi::testing
