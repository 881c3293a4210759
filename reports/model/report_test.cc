#include "reports/model/report.h"

#include <gtest/gtest.h>

#include <utility>

#include "proto/abi/abi.h"
#include "reports/model/outcome.h"

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
  // diopiSub is absent; diopiSort is exported, but says NoImplement.
  const RunReport report =
      BuildReport(MakeRun({"diopiAdd", "diopiAddInp", "diopiSort", "diopiExp"}, 9), std::move(results));
  EXPECT_EQ(report.coverage.abi_functions, static_cast<int64_t>(abi::Functions().size()));
  EXPECT_EQ(report.coverage.implemented, 3);
  EXPECT_EQ(report.coverage.selected, 5);
  EXPECT_EQ(report.coverage.tested, 2);
  EXPECT_EQ(report.coverage.passing, 1);
  EXPECT_EQ(report.correctness.called, 4);
  EXPECT_EQ(report.correctness.passed, 3);
  EXPECT_EQ(report.cases, 9);
  EXPECT_EQ(report.missing, 2);
  EXPECT_EQ(report.references, std::vector<std::string>{"cpu oracle"});
  ASSERT_EQ(report.operators.size(), 4u);
  const OperatorRow& add = report.operators[0];
  EXPECT_EQ(add.op, "add");
  EXPECT_EQ(add.cases, 4);
  EXPECT_EQ(add.passed, 3);
  EXPECT_EQ(add.failed, 1);
}

TEST(BuildReport, WaivedIsNoPass) {
  const RunReport report =
      BuildReport(MakeRun({"diopiAdd"}, 0), {MakeVerdict("add", "diopiAdd", v1::OUTCOME_WAIVED, 1)});
  EXPECT_EQ(report.correctness.called, 1);
  EXPECT_EQ(report.correctness.passed, 0);
  EXPECT_EQ(report.coverage.passing, 0);
  EXPECT_EQ(report.missing, 0);
}

TEST(BuildReport, NothingRun) {
  const RunReport report = BuildReport(MakeRun({}, 0), {});
  EXPECT_EQ(report.correctness.called, 0);
  EXPECT_EQ(report.coverage.implemented, 0);
  EXPECT_TRUE(report.operators.empty());
}

}  // namespace
}  // namespace diopi::reports
