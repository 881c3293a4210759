// Information that accompanies a verdict from the command line to the reports: contracts, likely causes, the
// device reference and quarantined cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class VerdictFlowTest : public ::testing::Test {
 protected:
  std::string data() const { return folder_ / "data"; }

  Finished Agent(const std::string& library, std::vector<std::string> more,
                 const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--impl",         library, "--data", data(), "--quiet",
        "--error-report",       folder_ / "e.csv"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, environment);
  }

  Finished Cli(std::vector<std::string> arguments) const {
    std::vector<std::string> command = {BinPath("diopi-cli")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--data", data()});
    return RunProgram(command);
  }

  TestFolder folder_;
};

TEST_F(VerdictFlowTest, ContractsAreStoredShownAndKept) {
  const std::string cpu = LibPath("libdiopi_cpu.so");
  const Finished run = Agent(cpu, {"--fname", "matmul", "--contract", "tc32,tf32", "--contract", "tf32"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("Contracts    tf32, tc32"));
  for (const char* format : {"text", "csv", "json", "junit", "error_report"}) {
    const std::string report = Cli({"report", "--format", format}).out;
    EXPECT_THAT(report, HasSubstr("tf32")) << format;
    EXPECT_THAT(report, HasSubstr("tc32")) << format;
  }
  EXPECT_THAT(Cli({"runs"}).out, HasSubstr("  tf32,tc32"));
  EXPECT_THAT(ReadFile(folder_ / "e.csv"), HasSubstr("Contracts: tf32, tc32"));

  const Finished unknown = Agent(cpu, {"--fname", "matmul", "--contract", "tf23"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown contract 'tf23'; known: tf32, tc32"));
  const Finished resumed = Agent(cpu, {"--resume", "latest", "--contract", "tf32"});
  EXPECT_NE(resumed.code, 0);
  EXPECT_THAT(resumed.err,
              HasSubstr("another set of contracts: it was created with 'tc32,tf32', this is 'tf32'"));
  const Finished same = Agent(cpu, {"--resume", "latest", "--contract", "tf32,tc32"});
  EXPECT_EQ(same.code, 0) << same.err;
}

// The first line tells the vendor of a chip with undeclared arithmetic which contract to declare.
TEST_F(VerdictFlowTest, UndeclaredWinogradIsNamedInEveryReason) {
  for (const char* variant : {"conv2d_winograd4_everywhere", "conv2d_winograd2_everywhere"}) {
    const Finished run = Agent(VendorPath("libdiopi_variants"), {"--fname", "conv2d", "--dtype", "float32"},
                               {absl::StrCat("DIOPI_VARIANT=", variant)});
    EXPECT_EQ(run.code, 1) << run.err;
    for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
      if (verdict.outcome() != v1::OUTCOME_FAIL) continue;
      const std::string first = verdict.reason().substr(0, verdict.reason().find('\n'));
      EXPECT_THAT(first, HasSubstr("fastconv")) << verdict.case_id();
    }
  }
}

// The alterations of baselines/diagnose find the injected bug, and blame no argument for other bugs.
TEST_F(VerdictFlowTest, AnIgnoredArgumentIsNamed) {
  struct Row {
    std::string library;
    std::string mutant;
  };
  for (const Row& row : {Row{VendorPath("libdiopi_faulty"), ""},
                         Row{VendorPath("libdiopi_mutants"), "DIOPI_MUTANT=add_alpha_ignored"}}) {
    const std::vector<std::string> environment =
        row.mutant.empty() ? std::vector<std::string>() : std::vector<std::string>{row.mutant};
    const Finished run = Agent(row.library, {"--fname", "add", "sub"}, environment);
    EXPECT_EQ(run.code, 1) << run.out << run.err;
    int named = 0;
    int failed = 0;
    for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
      if (verdict.outcome() != v1::OUTCOME_FAIL) continue;
      if (verdict.function() == "diopiAdd") {
        ++failed;
        if (verdict.likely_cause().find("alpha taken as 1") == std::string::npos) continue;
        ++named;
        EXPECT_THAT(verdict.reason(), HasSubstr("consistent with alpha taken as 1"));
      } else if (verdict.function() == "diopiSub") {
        EXPECT_THAT(verdict.likely_cause(), Not(HasSubstr("consistent with"))) << verdict.case_id();
      }
    }
    // The first 50 failures of a function are diagnosed; those with very few elements say too little.
    EXPECT_GE(named, std::min(failed, 40)) << row.library;
    EXPECT_GT(failed, 0);
    EXPECT_THAT(Cli({"report"}).out, HasSubstr("consistent with alpha taken as 1"));
  }
}

TEST_F(VerdictFlowTest, TheDeviceReferenceJudgesBesideAndItsConflictsAreSkipped) {
  const Finished gen = Cli({"gen", "--fname", "add", "exp", "--device-reference",
                            VendorPath("libdiopi_faulty"), "--contract", "tf32"});
  EXPECT_EQ(gen.code, 0) << gen.err;
  EXPECT_THAT(gen.out, HasSubstr("quarantined: add.float32."));
  EXPECT_THAT(gen.out, HasSubstr("contracts tf32: "));
  EXPECT_THAT(gen.out, Not(HasSubstr("NVIDIA")));
  const Finished run = Agent(LibPath("libdiopi_cpu.so"), {"--fname", "add", "exp"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  int skipped = 0;
  int graded = 0;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (verdict.operator_() == "library") continue;  // no case of an operator
    EXPECT_THAT(verdict.reference(), HasSubstr("device reference: ")) << verdict.case_id();
    EXPECT_THAT(verdict.reference(), HasSubstr("; contracts tf32")) << verdict.case_id();
    if (verdict.outcome() == v1::OUTCOME_SKIPPED) {
      ++skipped;
      EXPECT_THAT(verdict.reason(), ::testing::StartsWith("quarantined: ")) << verdict.case_id();
      EXPECT_TRUE(verdict.function() == "diopiAdd" || verdict.function() == "diopiExp") << verdict.case_id();
      continue;
    }
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
    for (const v1::OutputStats& stats : verdict.outputs()) graded += stats.grade().empty() ? 0 : 1;
  }
  EXPECT_GT(skipped, 0);
  EXPECT_GT(graded, 0);
  EXPECT_THAT(run.out, HasSubstr("skipped " + std::to_string(skipped)));

  const Finished right =
      Cli({"gen", "--fname", "add", "exp", "--device-reference", LibPath("libdiopi_cpu.so")});
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_THAT(right.out, HasSubstr(" 0 quarantined, 0 not implemented by it"));
  EXPECT_EQ(Cli({"gen", "--fname", "add", "--contract", "tf32"}).code, 2);
  EXPECT_EQ(Cli({"gen", "--fname", "add", "--device-reference", "/nowhere.so"}).code, 2);
}

}  // namespace
}  // namespace diopi::testing
