#include "reports/model/report.h"

#include <gtest/gtest.h>

#include <utility>

#include "cases/base/outcome.h"
#include "proto/abi/abi.h"

namespace diopi::reports {
namespace {

v1::Verdict MakeVerdict(const std::string& op, const std::string& function, v1::Outcome outcome, int index) {
  v1::Verdict verdict;
  verdict.set_case_id(op + ".float32.case_" + std::to_string(index));
  verdict.set_operator_(op);
  verdict.set_function(function);
  verdict.set_outcome(outcome);
  verdict.set_reference(outcome == v1::OUTCOME_NOT_IMPLEMENTED ? "" : "cpu oracle");
  return verdict;
}

v1::RunInfo MakeRun(std::vector<std::string> implemented, int64_t cases) {
  v1::RunInfo run;
  run.set_run_id("r1");
  run.set_cases(cases);
  for (std::string& name : implemented) run.mutable_options()->add_implemented(std::move(name));
  return run;
}

TEST(Outcome, NamesAndClasses) {
  EXPECT_EQ(OutcomeName(v1::OUTCOME_NOT_IMPLEMENTED), "not_implemented");
  EXPECT_EQ(OutcomeName(static_cast<v1::Outcome>(77)), "unspecified");
  for (int i = v1::Outcome_MIN; i <= v1::Outcome_MAX; ++i) {
    const auto outcome = static_cast<v1::Outcome>(i);
    if (IsFailure(outcome)) {
      EXPECT_TRUE(IsCalled(outcome)) << OutcomeName(outcome);
    }
  }
  EXPECT_FALSE(IsFailure(v1::OUTCOME_PASS));
  EXPECT_FALSE(IsFailure(v1::OUTCOME_NOT_IMPLEMENTED));
  EXPECT_FALSE(IsCalled(v1::OUTCOME_HARNESS_ERROR));
  EXPECT_TRUE(IsFailure(v1::OUTCOME_MEMORY));
}

TEST(BuildReport, ChecksOfTheLibraryAreOutcomesOfNoFunction) {
  const RunReport report =
      BuildReport(MakeRun({"diopiAdd"}, 3), {MakeVerdict("add", "diopiAdd", v1::OUTCOME_PASS, 1),
                                             MakeVerdict("library", "", v1::OUTCOME_PASS, 2),
                                             MakeVerdict("library", "", v1::OUTCOME_FAIL, 3)});
  EXPECT_EQ(report.coverage.selected(), 1);
  EXPECT_EQ(report.coverage.tested(), 1);
  EXPECT_EQ(report.coverage.passing(), 1);
  EXPECT_EQ(report.correctness.ShortDebugString(), "called: 1 passed: 1 asked: 1");
  EXPECT_EQ(report.outcomes.at(v1::OUTCOME_PASS), 2);
  EXPECT_EQ(report.outcomes.at(v1::OUTCOME_FAIL), 1);
  ASSERT_EQ(report.operators.size(), 2u);
  EXPECT_EQ(report.operators[1].operator_(), "library");
  EXPECT_EQ(report.operators[1].failed(), 1);
}

TEST(BuildReport, CoverageAndCorrectnessAreTwoFigures) {
  std::vector<v1::Verdict> results = {
      MakeVerdict("add", "diopiAdd", v1::OUTCOME_PASS, 1),
      MakeVerdict("add", "diopiAdd", v1::OUTCOME_PASS, 2),
      MakeVerdict("add", "diopiAddInp", v1::OUTCOME_FAIL, 3),
      MakeVerdict("add", "diopiAddInp", v1::OUTCOME_PASS, 4),
      MakeVerdict("sub", "diopiSub", v1::OUTCOME_NOT_IMPLEMENTED, 5),
      MakeVerdict("sort", "diopiSort", v1::OUTCOME_NOT_IMPLEMENTED, 6),
      MakeVerdict("exp", "diopiExp", v1::OUTCOME_UNSUPPORTED_DTYPE, 7),
  };
  // diopiSub is missing; diopiSort is exported, but returns NoImplement.
  const RunReport report =
      BuildReport(MakeRun({"diopiAdd", "diopiAddInp", "diopiSort", "diopiExp"}, 9), std::move(results));
  EXPECT_EQ(report.coverage.abi_functions(), static_cast<int64_t>(abi::Functions().size()));
  EXPECT_EQ(report.coverage.implemented(), 3);
  EXPECT_EQ(report.coverage.selected(), 5);
  EXPECT_EQ(report.coverage.tested(), 2);
  EXPECT_EQ(report.coverage.passing(), 1);
  EXPECT_EQ(report.correctness.ShortDebugString(), "called: 4 passed: 3 asked: 9");
  EXPECT_EQ(report.cases, 9);
  EXPECT_EQ(report.missing, 2);
  EXPECT_EQ(report.references, std::vector<std::string>{"cpu oracle"});
  ASSERT_EQ(report.operators.size(), 4u);
  const v1::OperatorRow& add = report.operators[0];
  EXPECT_EQ(add.operator_(), "add");
  EXPECT_EQ(add.cases(), 4);
  EXPECT_EQ(add.passed(), 3);
  EXPECT_EQ(add.failed(), 1);
}

TEST(BuildReport, WaivedIsNoPass) {
  const RunReport report =
      BuildReport(MakeRun({"diopiAdd"}, 0), {MakeVerdict("add", "diopiAdd", v1::OUTCOME_WAIVED, 1)});
  EXPECT_EQ(report.correctness.called(), 1);
  EXPECT_EQ(report.correctness.passed(), 0);
  EXPECT_EQ(report.coverage.passing(), 0);
  EXPECT_EQ(report.missing, 0);
}

v1::Verdict WithOutput(v1::Outcome outcome, bool public_pass, int index) {
  v1::Verdict verdict = MakeVerdict("add", "diopiAdd", outcome, index);
  v1::OutputStats& stats = *verdict.add_outputs();
  stats.set_public_pass(public_pass);
  stats.set_public_mismatch_ratio(public_pass ? 0 : 0.25);
  verdict.add_outputs()->set_public_pass(true);
  return verdict;
}

TEST(BuildReport, TheBadgesAndThePublicRule) {
  v1::RunInfo run = MakeRun({"diopiAdd"}, 0);
  run.mutable_options()->add_contracts("tf32");
  std::vector<v1::Verdict> results = {
      WithOutput(v1::OUTCOME_PASS, true, 1),
      WithOutput(v1::OUTCOME_PASS, false, 2),
      WithOutput(v1::OUTCOME_FAIL, true, 3),
      WithOutput(v1::OUTCOME_FAIL, false, 4),
      WithOutput(v1::OUTCOME_FAIL, true, 5),
      WithOutput(v1::OUTCOME_HARNESS_ERROR, false, 6),
      MakeVerdict("add", "diopiAdd", v1::OUTCOME_CRASH, 7),
  };
  results[0].add_contracts("tf32");
  results[2].add_would_pass_under("native16");
  results[3].add_would_pass_under("fastconv");
  results[3].add_would_pass_under("native16");
  results[4].set_dtype(v1::Dtype::bfloat16);
  results[4].add_would_pass_under("native16");
  EXPECT_EQ(BuildReport(run, results).badges, std::vector<std::string>{"tf32"});
  results[3].mutable_outputs(1)->set_flushed(1);
  const RunReport report = BuildReport(run, results);
  EXPECT_EQ(report.badges, (std::vector<std::string>{"tf32", "ftz"}));
  EXPECT_EQ(report.widened, 1);
  EXPECT_EQ(report.wrong_numbers, 3);
  ASSERT_EQ(report.would_pass.size(), 2);
  EXPECT_EQ(report.would_pass[0].contract, "native16");
  EXPECT_EQ(report.would_pass[0].cases, 3);
  EXPECT_EQ(report.would_pass[0].by_dtype.at(v1::Dtype::bfloat16), 1);
  EXPECT_EQ(report.would_pass[1].contract, "fastconv");
  EXPECT_EQ(report.would_pass[1].cases, 1);
  EXPECT_EQ(report.public_rule.judged(), 5);
  EXPECT_EQ(report.public_rule.ours_alone(), 2);
  EXPECT_EQ(report.public_rule.theirs_alone(), 1);
  EXPECT_FALSE(PublicVerdictOf(results[6]).has_value());
  EXPECT_EQ(PublicVerdictOf(results[1])->mismatch_ratio, 0.25);
  EXPECT_FALSE(PublicVerdictOf(results[1])->pass);
}

TEST(BuildReport, NothingRun) {
  const RunReport report = BuildReport(MakeRun({}, 0), {});
  EXPECT_EQ(report.correctness.called(), 0);
  EXPECT_EQ(report.coverage.implemented(), 0);
  EXPECT_TRUE(report.operators.empty());
}

// Facts come from fields: nothing parses the texts.
TEST(BuildReport, FactsAreNotReadFromWords) {
  v1::RunInfo run = MakeRun({"diopiAdd"}, 0);
  for (const char* id : {"chip.textproto:1", "chip.textproto:12"})
    run.mutable_options()->mutable_profile()->add_waiver()->set_id(id);
  std::vector<v1::Verdict> results(3, MakeVerdict("add", "diopiAdd", v1::OUTCOME_WAIVED, 1));
  for (v1::Verdict& verdict : results) {
    verdict.set_reason("waived by chip.textproto:1 until never; through the adaptor");
    verdict.set_reference("cpu; device reference: Nobody 1 (library 00; x)");
    verdict.set_waiver("chip.textproto:12");
  }
  results[0].set_device_reference("NVIDIA H200");
  results[1].set_device_reference("Acme (library) 2.1");
  results[1].set_adapted(true);
  const RunReport report = BuildReport(run, results);
  EXPECT_EQ(report.waivers[0].cases, 0);
  EXPECT_EQ(report.waivers[1].cases, 3);
  EXPECT_EQ(report.adapted, 1);
  EXPECT_EQ(report.device_references, (std::vector<std::string>{"Acme (library) 2.1", "NVIDIA H200"}));
}

}  // namespace
}  // namespace diopi::reports
