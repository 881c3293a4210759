// Habits of vendors' libraries that leave work to their callers, which the public harness allows (PyTorch's
// implementation of the ABI has all of them), are not failures; the same functions with an additional bug
// fail.
#include <gmock/gmock.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;

struct Habit {
  const char* name;       // the name in the library of variants or bugs
  const char* functions;  // all their cases are run
  const char* cases;
  int wrong;         // at least this many cases fail; 0: none may
  const char* text;  // in the reason of one of them, or of one that passes
};

class VendorHabitsTest : public ::testing::TestWithParam<Habit> {};

TEST_P(VendorHabitsTest, IsJudgedByWhatItWrites) {
  const Habit& habit = GetParam();
  const bool bug = habit.wrong > 0;
  TestFolder folder;
  const Finished run = RunProgram(
      {BinPath("diopi-agent"), "--impl", VendorPath(bug ? "libdiopi_mutants" : "libdiopi_variants"), "--data",
       folder / "data", "--error-report", folder / "errors", "--quiet", "--fname", habit.functions, "--case",
       habit.cases},
      {absl::StrCat(bug ? "DIOPI_MUTANT=" : "DIOPI_VARIANT=", habit.name)});
  EXPECT_EQ(run.code, bug ? 1 : 0) << run.out << run.err;
  int wrong = 0;
  int all = 0;
  bool told = false;
  for (const v1::Verdict& verdict : WithoutLibraryChecks(ReadRun(folder / "data")).verdicts) {
    ++all;
    const bool failed = verdict.outcome() == v1::OUTCOME_FAIL || verdict.outcome() == v1::OUTCOME_MEMORY;
    wrong += failed ? 1 : 0;
    told = told || ((failed || !bug) && verdict.reason().find(habit.text) != std::string::npos);
    const bool as_expected = verdict.outcome() == v1::OUTCOME_PASS || (bug && failed);
    EXPECT_TRUE(as_expected) << verdict.case_id() << ": " << verdict.reason();
  }
  EXPECT_GT(all, 3);
  EXPECT_GE(wrong, habit.wrong);
  EXPECT_TRUE(told) << habit.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, VendorHabitsTest,
    ::testing::Values(
        Habit{"index_put_into_out", "diopiIndexPut", "*", 0,
              "relies on values that the caller puts into an output"},
        Habit{"index_put_does_nothing", "diopiIndexPut", "*", 100, "out: "},
        Habit{"index_put_into_out_accumulate_ignored", "diopiIndexPut", "*", 15, "out: "},
        Habit{"batch_norm_statistics_unwritten", "diopiBatchNorm", "*.eval_*", 0, ""},
        Habit{"bn_evaluation_writes_statistics_only", "diopiBatchNorm", "*.eval_*", 12,
              "of out were not written"},
        Habit{"dropout_mask_unwritten", "dropout", "*.eval", 0, ""},
        Habit{"dropout_mask_zero_in_evaluation", "diopiDropout", "*.eval", 4, "mask: "},
        Habit{"dropout_mask_half_in_evaluation", "diopiDropout", "*.eval", 4, "of mask were not written"},
        Habit{"conv2d_no_sizes_no_bias", "diopiConvolution2dBackward", "*", 0, ""},
        Habit{"conv_backward_bias_zero_without_sizes", "diopiConvolution2dBackward", "*", 4, "grad_bias: "}),
    [](const ::testing::TestParamInfo<Habit>& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace diopi::testing
