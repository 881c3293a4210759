// Summaries, chips, heat, coverage and progress, from real databases.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/heat.h"
#include "reports/model/model_testing.h"
#include "reports/model/outcome.h"
#include "reports/model/progress.h"
#include "reports/model/report.h"
#include "reports/model/run_summary.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::Verdict VerdictOn(int i, const std::string& op, const std::string& function, v1::Dtype::Code dtype,
                      v1::Outcome outcome) {
  v1::Verdict verdict = server::MakeVerdict(i, outcome);
  verdict.set_operator_(op);
  verdict.set_function(function);
  verdict.set_dtype(dtype);
  return verdict;
}

// Every outcome, some with outputs, so that no figure of a report is 0.
std::vector<v1::Verdict> EveryOutcome() {
  std::vector<v1::Verdict> verdicts;
  for (int outcome = 1; outcome <= v1::Outcome_MAX; ++outcome) {
    v1::Verdict v =
        VerdictOn(outcome, outcome % 2 == 0 ? "add" : "sub", outcome % 2 == 0 ? "diopiAdd" : "diopiSub",
                  v1::Dtype::float32, static_cast<v1::Outcome>(outcome));
    if (outcome < 4) {
      v.add_outputs()->set_public_pass(outcome == 2);
      v.mutable_outputs(0)->set_flushed(outcome == 1 ? 3 : 0);
      v.add_contracts("tf32");
    }
    verdicts.push_back(v);
  }
  verdicts.push_back(VerdictOn(90, "mul", "diopiMul", v1::Dtype::int64, P));
  verdicts.push_back(VerdictOn(91, "sort", "diopiSort", v1::Dtype::int64, v1::OUTCOME_NOT_IMPLEMENTED));
  verdicts.push_back(VerdictOn(92, "library", "", v1::Dtype::float32, F));
  verdicts.push_back(VerdictOn(93, "library", "diopiTensorDestructionHook", v1::Dtype::float32, P));
  return verdicts;
}

class OverviewTest : public ModelTest {};

// The database's figures equal those of a report made from whole verdicts.
TEST_F(OverviewTest, ASummaryAgreesWithTheReport) {
  v1::RunOptions options = server::MakeOptions("c");
  options.add_implemented("diopiSort");
  const std::string run = Begin(options, EveryOutcome());
  for (const v1::RunState state : {v1::RUN_STATE_RUNNING, v1::RUN_STATE_FINISHED}) {
    ASSERT_TRUE(database_->SetState(run, state).ok());
    const auto report = LoadReport(*database_, run);
    const auto detail = LoadDetail(*queries_, "latest");
    ASSERT_TRUE(detail.ok()) << detail.status();
    const RunSummary& summary = detail->summary;
    EXPECT_EQ(summary.outcomes, report->outcomes) << state;
    EXPECT_EQ(summary.badges, report->badges) << state;
    EXPECT_EQ(summary.references, report->references) << state;
    EXPECT_EQ(summary.cases, report->cases) << state;
    EXPECT_EQ(summary.cases - summary.done, report->missing) << state;
    EXPECT_EQ(summary.widened, report->widened) << state;
    EXPECT_EQ(summary.correctness.called, report->correctness.called) << state;
    EXPECT_EQ(summary.correctness.passed, report->correctness.passed) << state;
    EXPECT_EQ(summary.coverage.abi_functions, report->coverage.abi_functions) << state;
    EXPECT_EQ(summary.coverage.implemented, report->coverage.implemented) << state;
    EXPECT_EQ(summary.coverage.selected, report->coverage.selected) << state;
    EXPECT_EQ(summary.coverage.with_cases, report->coverage.with_cases) << state;
    EXPECT_EQ(summary.partial, report->partial) << state;
    EXPECT_EQ(summary.coverage.tested, report->coverage.tested) << state;
    EXPECT_EQ(summary.coverage.passing, report->coverage.passing) << state;
    EXPECT_EQ(summary.public_rule.judged, report->public_rule.judged) << state;
    EXPECT_EQ(summary.public_rule.ours_alone, report->public_rule.ours_alone) << state;
    EXPECT_EQ(summary.public_rule.theirs_alone, report->public_rule.theirs_alone) << state;
    EXPECT_EQ(summary.failed, 7) << state;
    EXPECT_EQ(summary.waivers_in_force, 1) << state;
    ASSERT_EQ(detail->operators.size(), report->operators.size());
    for (size_t i = 0; i < detail->operators.size(); ++i) {
      EXPECT_EQ(detail->operators[i].op, report->operators[i].op) << state;
      EXPECT_EQ(detail->operators[i].passed, report->operators[i].passed) << state;
      EXPECT_EQ(detail->operators[i].failed, report->operators[i].failed) << state;
      EXPECT_EQ(detail->operators[i].other, report->operators[i].other) << state;
    }
    ASSERT_EQ(detail->waivers.size(), 1U);
    EXPECT_EQ(detail->waivers[0].reason, "why not");
    EXPECT_EQ(SelectionText(detail->info.options().selection()), "functions add of suite core");
  }
  EXPECT_EQ(SelectionText({}), "all of suite core");
}

TEST_F(OverviewTest, ChipsWithTheirTrend) {
  EXPECT_THAT(LoadChips(*queries_).value(), IsEmpty());
  EXPECT_THAT(std::string(LoadChip(*queries_, "x").status().message()), HasSubstr("there are no runs yet"));
  const std::string first = Run("alpha", "a", {P, F});
  const std::string second = Run("alpha", "b", {P, P});
  Run("", "a", {P});
  const std::string empty =
      Begin(server::MakeOptions("alpha"), {server::MakeVerdict(0, v1::OUTCOME_UNSPECIFIED)});
  const auto chips = LoadChips(*queries_);
  ASSERT_TRUE(chips.ok()) << chips.status();
  ASSERT_EQ(chips->size(), 2U);
  EXPECT_EQ((*chips)[0].chip, "");
  EXPECT_EQ((*chips)[0].runs, 1);
  const ChipOverview& alpha = (*chips)[1];
  EXPECT_EQ(alpha.runs, 3);
  EXPECT_EQ(alpha.latest.facts.run_id, empty);
  ASSERT_EQ(alpha.trend.size(), 2U);  // the run without a verdict is no point
  EXPECT_EQ(alpha.trend[0].run_id, first);
  EXPECT_EQ(alpha.trend[0].failed, 1);
  EXPECT_EQ(alpha.trend[1].correctness.passed, 2);
  EXPECT_NE(alpha.trend[0].variant, alpha.trend[1].variant);
  const auto chip = LoadChip(*queries_, "alpha");
  ASSERT_TRUE(chip.ok()) << chip.status();
  EXPECT_EQ(chip->runs.size(), 3U);
  EXPECT_EQ(chip->heat.run_id, second);
  EXPECT_EQ(LoadChip(*queries_, "")->runs.size(), 1U);
  EXPECT_THAT(std::string(LoadChip(*queries_, "x").status().message()), HasSubstr("(no name), alpha"));
}

// A run of one operator, of one dtype, a shard or an aborted run says nothing about the chip.
TEST_F(OverviewTest, APartialRunNeverStandsForTheChip) {
  v1::RunOptions one = server::MakeOptions("alpha");  // of operator add
  Run(one, {server::MakeVerdict(0, P)});
  EXPECT_FALSE(LoadChips(*queries_)->front().complete.has_value());
  EXPECT_FALSE(LoadChip(*queries_, "alpha")->complete.has_value());
  const std::string whole = Run("alpha", "a", {P, F});
  const std::string older_partial = Run(one, {server::MakeVerdict(0, P)});
  v1::RunOptions all = one;
  all.clear_selection();
  ASSERT_TRUE(
      database_
          ->SetState(Begin(all, {server::MakeVerdict(0, P), server::MakeVerdict(1, v1::OUTCOME_UNSPECIFIED)}),
                     v1::RUN_STATE_ABORTED)
          .ok());
  v1::RunOptions shard = all;
  shard.set_shard_count(2);
  Run(shard, {server::MakeVerdict(0, P)});
  for (int i = 0; i < kTrendRuns; ++i) Run(one, {server::MakeVerdict(0, P)});
  const ChipOverview chip = LoadChips(*queries_)->front();
  ASSERT_TRUE(chip.complete.has_value());
  EXPECT_EQ(chip.complete->facts.run_id, whole);
  EXPECT_EQ(chip.complete->partial, "");
  EXPECT_EQ(chip.latest.partial, "functions add of suite core");
  ASSERT_EQ(chip.trend.size(), 1U);
  EXPECT_EQ(chip.trend[0].run_id, whole);
  const auto detail = LoadChip(*queries_, "alpha");
  EXPECT_EQ(detail->complete->facts.run_id, whole);
  EXPECT_EQ(detail->heat.run_id, whole);
  EXPECT_EQ(LoadSummary(*queries_, older_partial)->partial, "functions add of suite core");
}

TEST_F(OverviewTest, FailuresOfARunAreGrouped) {
  v1::Verdict first = server::MakeVerdict(0, F);
  v1::Verdict second = server::MakeVerdict(1, F);
  second.set_dtype(v1::Dtype::float16);
  const std::string run = Run(server::MakeOptions("c"), {first, second, server::MakeVerdict(2, P)});
  const auto failures = LoadFailures(*queries_, "latest");
  ASSERT_TRUE(failures.ok()) << failures.status();
  EXPECT_EQ(failures->run.run_id(), run);
  EXPECT_EQ(failures->cases, 2);
  ASSERT_EQ(failures->groups.size(), 1U);
  EXPECT_EQ(failures->groups[0].key, LoadReport(*database_, run)->failures.at(0).key);
  EXPECT_EQ(LoadFailures(*queries_, "x").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(OverviewTest, HeatByOperatorAndDtype) {
  std::vector<v1::Verdict> verdicts = EveryOutcome();
  const std::string run = Run(server::MakeOptions("c"), verdicts);
  const auto heat = LoadHeat(*queries_, run);
  ASSERT_TRUE(heat.ok()) << heat.status();
  EXPECT_THAT(heat->operators, ElementsAre("add", "mul", "sort", "sub"));  // not the library's checks
  ASSERT_EQ(heat->dtypes.size(), 2U);
  ASSERT_EQ(heat->cells.size(), 4U);
  int64_t cases = 0;
  for (const HeatCell& cell : heat->cells) {
    EXPECT_EQ(cell.cases, cell.passed + cell.failed + cell.other);
    cases += cell.cases;
  }
  EXPECT_EQ(cases, static_cast<int64_t>(verdicts.size()) - 2);
  EXPECT_EQ(heat->operators[static_cast<size_t>(heat->cells[1].op)], "mul");
  EXPECT_EQ(heat->dtypes[static_cast<size_t>(heat->cells[1].dtype)], v1::Dtype::int64);
  EXPECT_EQ(heat->cells[1].passed, 1);
}

TEST_F(OverviewTest, CoverageTakesTheNewestWordOnEachFunction) {
  v1::RunOptions options = server::MakeOptions("c");
  options.clear_selection();
  options.set_impl_sha256("old");
  Run(options, {VerdictOn(0, "mul", "diopiMul", v1::Dtype::float32, P)});
  options.set_impl_sha256("new");
  options.add_implemented("diopiSort");
  const std::string whole =
      Run(options, {VerdictOn(0, "add", "diopiAdd", v1::Dtype::float32, F),
                    VerdictOn(1, "sort", "diopiSort", v1::Dtype::float32, v1::OUTCOME_NOT_IMPLEMENTED),
                    VerdictOn(2, "sub", "diopiSub", v1::Dtype::float32, P)});
  const std::string part = Run(options, {VerdictOn(0, "add", "diopiAdd", v1::Dtype::float32, P),
                                         VerdictOn(1, "add", "diopiAdd", v1::Dtype::float16, F)});
  v1::RunOptions selected = options;  // hides nothing
  selected.mutable_selection()->add_dtypes(v1::Dtype::float32);
  Run(selected, {VerdictOn(0, "add", "diopiAdd", v1::Dtype::float32, P)});
  Run("other", "a", {});
  const auto matrix = LoadCoverage(*queries_);
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_THAT(matrix->chips, ElementsAre("c", "other"));
  EXPECT_EQ(matrix->functions.size(), 538U);
  const auto cell = [&](const std::string& name) {
    for (const FunctionCoverage& function : matrix->functions) {
      if (function.name == name) return function.cells[0];
    }
    return std::optional<CoverageCell>();
  };
  EXPECT_EQ(cell("diopiAdd")->run_id, part);
  EXPECT_EQ(cell("diopiAdd")->cases, 2);
  EXPECT_EQ(cell("diopiAdd")->passed, 1);
  EXPECT_EQ(cell("diopiSub")->run_id, whole);
  EXPECT_TRUE(cell("diopiSub")->tested);
  EXPECT_FALSE(cell("diopiSort")->implemented);  // exported, but it returns NoImplement
  EXPECT_FALSE(cell("diopiSort")->tested);
  EXPECT_FALSE(cell("diopiMul").has_value());  // from another library
  for (const FunctionCoverage& function : matrix->functions) {
    EXPECT_FALSE(function.cells[1].has_value());
    EXPECT_NE(function.header, "") << function.name;
    if (function.name == "diopiAdd") {
      EXPECT_EQ(function.family, "elementwise");
    }
  }
}

TEST_F(OverviewTest, Progress) {
  const absl::Time start = absl::Now();
  std::vector<v1::Verdict> verdicts;
  verdicts.reserve(40);
  for (int i = 0; i < 40; ++i)
    verdicts.push_back(server::MakeVerdict(i, i < 30 ? P : v1::OUTCOME_UNSPECIFIED));
  const std::string run = Begin(server::MakeOptions("c"), verdicts);
  const auto now = LoadProgress(*queries_, run, 0, start);
  ASSERT_TRUE(now.ok()) << now.status();
  EXPECT_EQ(now->state, v1::RUN_STATE_RUNNING);
  EXPECT_EQ(now->cases, 40);
  EXPECT_EQ(now->done, 30);
  EXPECT_EQ(now->outcomes.at(P), 30);
  ASSERT_EQ(now->recent.size(), 20U);
  EXPECT_EQ(now->recent[0].case_id, server::CaseId(29));
  EXPECT_FALSE(now->cases_per_s.has_value());  // too soon to say
  const auto later = LoadProgress(*queries_, run, now->cursor, start + absl::Seconds(29));
  EXPECT_THAT(later->recent, IsEmpty());
  EXPECT_EQ(later->cursor, now->cursor);
  ASSERT_TRUE(later->cases_per_s.has_value());
  EXPECT_NEAR(*later->cases_per_s, 1, 0.1);
  EXPECT_NEAR(*later->left_s, 10, 1);
  ASSERT_TRUE(database_->Append(run, {server::MakeVerdict(31, F)}).ok());
  EXPECT_EQ(LoadProgress(*queries_, run, now->cursor, start)->recent.size(), 1U);
  ASSERT_TRUE(database_->SetState(run, v1::RUN_STATE_ABORTED).ok());
  EXPECT_FALSE(LoadProgress(*queries_, run, 0, start + absl::Seconds(30))->cases_per_s.has_value());
}

}  // namespace
}  // namespace diopi::reports
