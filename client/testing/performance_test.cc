// diopi-agent --performance and diopi-cli performance, as processes. No expectation depends on how fast or
// how busy this machine is: functions that do their work 40 times stand out on any. How small a change is
// found, and that nothing else is accused, depends on the machine: client/testing/bench_performance.sh
// measures it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Performance : public ::testing::Test {
 protected:
  Finished Measure(const std::string& library, std::vector<std::string> selection,
                   std::vector<std::string> environment = {}) {
    std::vector<std::string> words = {BinPath("diopi-agent"),
                                      "--impl",
                                      library,
                                      "--data",
                                      folder_ / "data",
                                      "--error-report",
                                      folder_ / "errors.csv",
                                      "--performance",
                                      "--performance-seconds",
                                      "0.02"};
    words.insert(words.end(), selection.begin(), selection.end());
    return RunProgram(words, std::move(environment));
  }
  Finished Cli(std::vector<std::string> words) {
    words.insert(words.begin(), BinPath("diopi-cli"));
    words.insert(words.end(), {"--data", folder_ / "data"});
    return RunProgram(words);
  }
  static std::string RunOf(const Finished& agent) {
    const size_t at = agent.out.find("Results      run ");
    return at == std::string::npos ? "" : agent.out.substr(at + 17, agent.out.find(' ', at + 17) - at - 17);
  }
  TestFolder folder_;
};

// Three slow functions among ten: what most of them share would be divided out. Timing points do not fit.
const std::vector<std::string> kFunctions = {
    "--fname",         "diopiSoftmax",   "diopiLayerNorm", "diopiSort",
    "diopiExp",        "diopiAdd",       "diopiSum",       "diopiPermute",
    "diopiLogSoftmax", "diopiBatchNorm", "diopiGelu",      "--dtype",
    "float32",         "--suite",        "smoke",          "--performance-max-bytes",
    "4000000"};

TEST_F(Performance, FindsTheFunctionsThatAreSlow) {
  const Finished reference = Measure(LibPath("libdiopi_cpu.so"), kFunctions);
  ASSERT_EQ(reference.code, 0) << reference.err;
  EXPECT_THAT(reference.out, HasSubstr("Measured 10 calls, 0 were not timed"));
  const Finished slow = Measure(VendorPath("vendor_slow"), kFunctions, {"DIOPI_SLOW=very_slow"});
  ASSERT_EQ(slow.code, 0) << slow.err;
  const std::string before = RunOf(reference), after = RunOf(slow);

  const Finished compared = Cli({"performance", "--run", after, "--against", before});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.out, ContainsRegex("functions are slower: .*diopiLayerNorm.*diopiSoftmax.*diopiSort"));

  const Finished gate =
      Cli({"gate", "--run", after, "--against", before, "--max-slowdown", "1.5", "--partial"});
  EXPECT_EQ(gate.code, 1) << gate.out;
  for (const char* function : {"diopiLayerNorm", "diopiSoftmax", "diopiSort"}) {
    EXPECT_THAT(gate.out, HasSubstr(function));
  }
  EXPECT_EQ(Cli({"gate", "--run", before, "--against", before, "--max-slowdown", "1.5", "--partial"}).code,
            2);
}

TEST_F(Performance, FiguresOfARun) {
  const Finished run = Measure(LibPath("libdiopi_cpu.so"),
                               {"--fname", "diopiMatmul", "--dtype", "float32", "--performance-rounds", "1"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Finished text = Cli({"performance"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Roofline: measured by the library's own calls: a copy at "));
  EXPECT_THAT(text.out, HasSubstr("a float32 product at "));
  EXPECT_THAT(text.out, HasSubstr("diopiMatmul"));
  const Finished csv = Cli({"performance", "--format", "csv"});
  EXPECT_THAT(
      csv.out,
      HasSubstr("function,dtype,shapes,us,low,high,cold us,first us,GB/s,Gop/s,% roof,bound,score,note"));
  const Finished json = Cli({"performance", "--format", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"round_medians_us\""));
  EXPECT_THAT(json.out,
              HasSubstr("\"reference\": \"NVIDIA A100 (github.com/DeepLink-org/AIChipBenchmark)\""));
  const Finished archived = Cli({"archive", RunOf(run), "--to", folder_ / "runs.db"});
  EXPECT_EQ(archived.code, 0) << archived.err;
  const Finished kept = RunProgram({BinPath("diopi-cli"), "performance", "--data", folder_ / "runs.db"});
  EXPECT_EQ(kept.out, text.out) << kept.err;
}

TEST_F(Performance, AWrongResultHasNoTime) {
  const Finished run = Measure(VendorPath("vendor_noimplement"), {"--fname", "diopiAdd", "--suite", "smoke"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Measured 0 calls, 0 were not timed"));
  const Finished model = Measure(VendorPath("vendor_noimplement"),
                                 {"--model", "bert_large", "--max-bytes", "16K", "--fname", "add"});
  EXPECT_THAT(model.out, HasSubstr("Measured 0 calls"));
  EXPECT_THAT(Cli({"performance"}).out, HasSubstr("does not pass: unsupported_dtype"));
}

TEST_F(Performance, AModelsCallsAtTheirTrueSize) {
  const Finished run = Measure(LibPath("libdiopi_cpu.so"),
                               {"--model", "llama3_8b", "--max-bytes", "16K", "--fname", "rms_norm",
                                "rotary_embedding", "--performance-max-bytes", "4000000"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Finished text = Cli({"performance"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("decode"));
  EXPECT_THAT(text.out, HasSubstr("16x4096"));  // not what the case was scaled to
  EXPECT_THAT(text.out, HasSubstr("--performance-max-bytes allows"));
}

TEST_F(Performance, UsageErrors) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--watch"},
                                                {"--resume", "latest"},
                                                {"--shard-index", "0", "--shard-count", "2"}}) {
    EXPECT_EQ(Measure(LibPath("libdiopi_cpu.so"), words).code, 2) << words[0];
  }
  EXPECT_EQ(Cli({"performance"}).code, 2);
}

}  // namespace
}  // namespace diopi::testing
