// Libraries that are wrong in every function: errors that the public harness passes, and others. All run over
// suite smoke, which has every point of core, or over a part of it. Libraries with one wrong function are in
// run_test and, for errors that only the worker sees, in impl_loader/worker/faults_test.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/testing/core_baselines.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"
#include "reports/model/failure_groups.h"

namespace diopi::testing {
namespace {

class BadLibraryTest : public CoreBaselinesTest {
 protected:
  static Finished Agent(const std::string& library, const std::vector<std::string>& more = {},
                        const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--impl", VendorPath(library), "--data", data(), "--error-report",
        *folder_ / "errors",    "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, environment);
  }

  static StoredRun Spoilt(const std::string& how, const std::vector<std::string>& cases) {
    const Finished run = Agent("vendor_spoilt", cases, {"DIOPI_TEST_SPOIL=" + how});
    EXPECT_EQ(run.code, 1) << how << ": " << run.out << run.err;
    return WithoutLibraryChecks(ReadRun(data()));
  }

  static std::vector<std::string> Smoke() { return {"--suite", "smoke"}; }
  // For errors that the same checks find in every case.
  static std::vector<std::string> PartOfSmoke(int part, int parts) {
    return {"--suite", "smoke", "--shard-index", absl::StrCat(part), "--shard-count", absl::StrCat(parts)};
  }

  // How many cases had each outcome.
  static std::map<v1::Outcome, size_t> Count(const StoredRun& run) {
    std::map<v1::Outcome, size_t> outcomes;
    for (const v1::Verdict& verdict : run.verdicts) ++outcomes[verdict.outcome()];
    return outcomes;
  }
};

// A case that passes here is blind: improve its point (cases/ops/GUIDE.md) instead of excusing it here.
TEST_F(BadLibraryTest, DoingNothingPassesOnlyWhereThereIsNothingToDo) {
  const Finished run = Agent("vendor_nothing", Smoke());
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  // It exports everything, but exports are not coverage.
  EXPECT_NE(run.out.find("Coverage     0 of 538 functions pass (0.00 %)\n             538 exported, "),
            std::string::npos)
      << run.out;
  const StoredRun stored = WithoutLibraryChecks(ReadRun(data()));
  const std::vector<reports::FailureGroup> groups = reports::GroupFailures(stored.verdicts);
  // One group for all that stays unchanged; cases of fewer than four wrong elements show less.
  EXPECT_LE(groups.size(), 45u) << RunProgram({BinPath("diopi-cli"), "report", "--data", data()}).out;
  EXPECT_GE(stored.verdicts.size(), 2000u);
  for (const v1::Verdict& verdict : stored.verdicts) {
    const bool wrong = verdict.outcome() == v1::OUTCOME_FAIL || verdict.outcome() == v1::OUTCOME_MEMORY;
    const bool empty = verdict.outcome() == v1::OUTCOME_PASS && NothingToGetWrong(verdict);
    // Callers fill index_put's out, and without an index it stays unchanged: this point is for crashes.
    const bool filled =
        verdict.function() == "diopiIndexPut" && absl::EndsWith(verdict.case_id(), ".no_index");
    // In evaluation an in-place dropout changes nothing; this point is for libraries that drop elements
    // anyway.
    const bool evaluation =
        verdict.function() == "diopiDropoutInp" && absl::EndsWith(verdict.case_id(), ".eval");
    EXPECT_TRUE(wrong || empty || filled || evaluation)
        << verdict.case_id() << ": " << v1::Outcome_Name(verdict.outcome()) << " " << verdict.reason();
  }
}

TEST_F(BadLibraryTest, NotImplementedEverywhereIsNeverGreen) {
  const Finished run = Agent("vendor_nothing_implemented", PartOfSmoke(0, 4));
  EXPECT_EQ(run.code, 0) << run.out << run.err;  // nothing failed, and nothing passed
  EXPECT_NE(run.out.find("Coverage     0 of 538 functions pass (0.00 %)\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" 0 tested of 538 with cases, 0 passing"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("0 of 0 called cases pass"), std::string::npos) << run.out;
  const StoredRun stored = WithoutLibraryChecks(ReadRun(data()));
  const std::map<v1::Outcome, size_t> outcomes = {{v1::OUTCOME_NOT_IMPLEMENTED, stored.verdicts.size()}};
  EXPECT_EQ(Count(stored), outcomes);
}

// A library that throws once caused 5.9 MB of standard output: each case had its backtrace.
TEST_F(BadLibraryTest, OneExceptionEverywhereIsOneGroup) {
  std::vector<std::string> command = {
      BinPath("diopi-agent"), "--impl",           VendorPath("vendor_throws_everywhere"), "--data", data(),
      "--error-report",       *folder_ / "errors"};
  for (const std::string& argument : PartOfSmoke(1, 4)) command.push_back(argument);
  const Finished run = RunProgram(command);
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_LT(run.out.size(), 100'000u);
  EXPECT_EQ(run.out.find("frame #"), std::string::npos);
  const StoredRun stored = WithoutLibraryChecks(ReadRun(data()));
  const std::vector<reports::FailureGroup> groups = reports::GroupFailures(stored.verdicts);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].cause, "the function threw a C++ exception: framework::Error: Half is not supported");
  EXPECT_EQ(groups[0].cases.size(), stored.verdicts.size());
  EXPECT_NE(stored.verdicts[0].backtrace().find("frame #1"), std::string::npos);
  EXPECT_NE(run.out.find(groups[0].cause), std::string::npos) << run.out;
}

// vendor_spoilt answers "not implemented" where it finds nothing to make wrong, so every other case is wrong.
TEST_F(BadLibraryTest, SmallChangesToEveryInputAreMemoryFaults) {
  int half = 0;
  for (const char* how : {"input_off", "input_doubled"}) {
    std::map<v1::Outcome, size_t> outcomes;
    for (const v1::Verdict& verdict : Spoilt(how, PartOfSmoke(half++, 2)).verdicts) {
      ++outcomes[verdict.outcome()];
      if (verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED) continue;
      // Where the input is also the output, its change is a wrong result.
      const std::string& id = verdict.case_id();
      if (absl::StrContains(id, ".inplace.") && absl::StrContains(id, "_same") &&
          verdict.outcome() == v1::OUTCOME_FAIL) {
        continue;
      }
      EXPECT_EQ(verdict.outcome(), v1::OUTCOME_MEMORY) << how << ": " << verdict.case_id();
      EXPECT_NE(verdict.reason().find(" changed, the first at "), std::string::npos) << verdict.reason();
    }
    EXPECT_GE(outcomes[v1::OUTCOME_MEMORY], 1000u) << how;
  }
}

// Cases in which a wrong element is legitimately not seen.
bool Unseen(const v1::Verdict& verdict, bool doubled) {
  const std::string& id = verdict.case_id();
  // In evaluation the saved statistics, the only float32 output, are not needed.
  if (absl::StartsWith(id, "batch_norm.float16.") || absl::StartsWith(id, "batch_norm.bfloat16."))
    return absl::StrContains(id, "eval");
  // Its softmax_lse, the only float32 output, is undefined beyond a sequence's end and not judged.
  if (verdict.function() == "diopiFlashAttentionVarLen" ||
      verdict.function() == "diopiMultiHeadAttentionVarLen")
    return verdict.outcome() == v1::OUTCOME_PASS;
  // The distances that they keep are scratch.
  if (absl::StartsWith(verdict.function(), "diopiFurthestPointSampling"))
    return verdict.outcome() == v1::OUTCOME_PASS;
  if (!doubled) return false;
  // Twice a random number is an equally good random number; in large samples the distribution shows it.
  if (absl::StartsWith(id, "normal.")) return verdict.outputs(0).elements() < 1 << 17;
  // The same where no upper limit is given.
  if (absl::StartsWith(id, "random."))
    return absl::StrContains(id, "_open") || absl::StrContains(id, ".no_limit");
  // The doubled element is only rounding noise: 1 - out * out, or 1 - out where out is nearly 1.
  return id == "tanh.backward.float32.saturated" || id == "softmax.backward.float32.n17_flat_offset_last";
}

TEST_F(BadLibraryTest, FewWrongElementsFail) {
  int half = 0;
  for (const std::string how : {"output_doubled", "output_nan"}) {
    size_t failed = 0;
    size_t pass_by_public_rule = 0;
    for (const v1::Verdict& verdict : Spoilt(how, PartOfSmoke(half++, 2)).verdicts) {
      if (verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED || Unseen(verdict, how == "output_doubled"))
        continue;
      if (verdict.readings_size() > 0) continue;  // a NaN where another reading of the definition has one
      // The header declares inputs of these functions as if they were written, so they are changed, too.
      const bool wide =
          !absl::StrContains(verdict.case_id(), ".float16.");  // only float32 and wider is spoilt
      const bool input_spoilt = verdict.function() == "diopiSigmoidFocalLossBackward" ||
                                verdict.function() == "diopiDeformConvBackwardParametersMmcv" ||
                                (wide && verdict.function() == "diopiMultiHeadAttention") ||
                                (wide && verdict.function() == "diopiMultiHeadAttentionVarLen");
      EXPECT_EQ(verdict.outcome(), input_spoilt ? v1::OUTCOME_MEMORY : v1::OUTCOME_FAIL)
          << how << ": " << verdict.case_id() << ": " << verdict.reason();
      ++failed;
      for (const v1::OutputStats& output : verdict.outputs())
        pass_by_public_rule += !output.ok() && output.public_pass() ? 1 : 0;
    }
    EXPECT_GE(failed, 2000u) << how;
    EXPECT_GT(pass_by_public_rule, 0u) << how << ": the public rule is said to let some of them pass";
  }
}

// A relative error of 1e-6 is eight float32 ulps: only the rounding noise of long sums hides it.
TEST_F(BadLibraryTest, ComputingWithInputsThatAreOffFails) {
  std::map<std::string, size_t> failed;
  std::set<std::string> called;
  // Signs, truth values, positions of the largest or of non-zero elements, and which boxes and points are
  // chosen do not change; random numbers are judged by their distribution; attention in 16 bits has no wider
  // input than ALiBi's slopes, and rounds away what they change.
  const std::set<std::string> insensitive = {
      "diopiArgmax",
      "diopiArgsort",
      "diopiBernoulli",
      "diopiMultinomial",
      "diopiArgmin",
      "diopiNonzero",
      "diopiNormalTensor",
      "diopiNormalTensorScalar",
      "diopiAll",
      "diopiAny",
      "diopiNormalScalarTensor",
      "diopiIsNan",
      "diopiLogicalAnd",
      "diopiLogicalNot",
      "diopiLogicalOr",
      "diopiSign",
      "diopiSgn",
      "diopiAmpUpdateScaleInp",
      "diopiBallQueryMmcv",
      "diopiFurthestPointSamplingMmcv",
      "diopiFurthestPointSamplingWithDistMmcv",
      "diopiDiffIouRotatedSortVerticesMmcv",
      "diopiDynamicVoxelizeMmcv",
      "diopiIou3dNms3dMmcv",
      "diopiIou3dNms3dNormalMmcv",
      "diopiMinAreaPolygonsMmcv",  // turned by an angle and back in float32
      "diopiNmsMmcv",
      "diopiNmsRotatedMmcv",
      "diopiPointsInPolygonsMmcv",
      "diopiStackBallQueryMmcv",
      "diopiTopKSampling",
      "diopiCustomizedFlashAttention"};
  // These change only next to a step.
  const std::set<std::string> steps = {"diopiCeil",     "diopiFloor",    "diopiEqual",    "diopiEq",
                                       "diopiNe",       "diopiGe",       "diopiGt",       "diopiLe",
                                       "diopiLt",       "diopiEqScalar", "diopiNeScalar", "diopiGeScalar",
                                       "diopiGtScalar", "diopiLeScalar", "diopiLtScalar"};
  size_t wide = 0;
  size_t wide_failed = 0;
  for (const v1::Verdict& verdict : Spoilt("computed_off", Smoke()).verdicts) {
    if (verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED || NothingToGetWrong(verdict)) continue;
    const bool fail = verdict.outcome() == v1::OUTCOME_FAIL;
    called.insert(verdict.function());
    failed[verdict.function()] += fail ? 1 : 0;
    if (verdict.dtype() != v1::Dtype::float64 || insensitive.contains(verdict.function()) ||
        steps.contains(verdict.function())) {
      continue;
    }
    ++wide;
    wide_failed += fail ? 1 : 0;
  }
  EXPECT_GE(called.size(), 80u);
  for (const std::string& function : called)
    EXPECT_EQ(failed[function] == 0, insensitive.contains(function)) << function;
  EXPECT_GE(wide, 700u);
  EXPECT_GE(wide_failed * 100, wide * 93) << wide_failed << " of " << wide;
}

TEST_F(BadLibraryTest, TopkReversedFails) {
  size_t failed = 0;
  for (const v1::Verdict& verdict : Spoilt("topk_reversed", {"--fname", "topk"}).verdicts) {
    if (verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED) continue;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL) << verdict.case_id();
    ++failed;
  }
  EXPECT_GE(failed, 30u);  // the public harness ran 71 and caught none
}

// Fast libraries with one function that the other tests leave out.
TEST_F(BadLibraryTest, OneFunction) {
  struct Row {
    const char* name;
    const char* library;
    std::vector<std::string> more;
    const char* environment;
    std::set<v1::Outcome> outcomes;  // of some cases; several where the bug shows in two ways
    const char* text;                // in the reason of one of them
    bool others_pass;                // every other case passes
  };
  const std::string split = VendorPath("vendor_split_device");
  const std::set<v1::Outcome> memory = {v1::OUTCOME_MEMORY};
  const std::set<v1::Outcome> error = {v1::OUTCOME_ERROR};
  const std::set<v1::Outcome> timeout = {v1::OUTCOME_TIMEOUT};
  const std::set<v1::Outcome> differs = {v1::OUTCOME_NONDETERMINISTIC};
  const std::set<v1::Outcome> late = {v1::OUTCOME_MEMORY, v1::OUTCOME_NONDETERMINISTIC};
  const Row rows[] = {
      {"random bits", "vendor_nondeterministic", {}, "", differs, "between two equal calls", true},
      {"hang, locked", "vendor_hang_locked", {"--timeout-s", "0.5"}, "", timeout, "ignored SIGTERM", false},
      {"no synchronisation", "vendor_unsynchronised", {}, "", late, "out ", false},
      {"device, current dialect", "vendor_conform_device", {}, "", memory, "past its end", true},
      {"device, older dialect", "vendor_register_device", {}, "", memory, "past its end", true},
      {"device library", "vendor_split_ops", {"--device-lib", split}, "", memory, "past its end", true},
      {"device library forgotten", "vendor_split_ops", {}, "", error, "diopiErrorOccurred", false},
      {"synchronising fails",
       "vendor_conform_device",
       {},
       "DIOPI_TEST_SYNC_FAILS=1",
       error,
       "failed with 1",
       false},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = {"--fname", "diopiAdd", "--case", "add.float32.n?"};
    arguments.insert(arguments.end(), row.more.begin(), row.more.end());
    const std::string variable = row.environment;
    const Finished run =
        Agent(row.library, arguments, variable.empty() ? std::vector<std::string>{} : std::vector{variable});
    EXPECT_EQ(run.code, 1) << row.name << ": " << run.out << run.err;
    const StoredRun stored = ReadRun(data());
    EXPECT_EQ(stored.verdicts.size(), 3u) << row.name;
    bool told = false;
    size_t as_said = 0;
    for (const v1::Verdict& verdict : stored.verdicts) {
      const bool wrong = row.outcomes.contains(verdict.outcome());
      const bool passes = row.others_pass && verdict.outcome() == v1::OUTCOME_PASS;
      EXPECT_TRUE(wrong || passes) << row.name << ": " << verdict.case_id() << ": " << verdict.reason();
      as_said += wrong ? 1 : 0;
      told = told || verdict.reason().find(row.text) != std::string::npos;
    }
    EXPECT_TRUE(told) << row.name << ": no case says '" << row.text << "'";
    EXPECT_EQ(as_said == stored.verdicts.size(), !row.others_pass) << row.name;
  }
}

}  // namespace
}  // namespace diopi::testing
