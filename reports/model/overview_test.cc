// Summaries, chips, heat, coverage and progress, from real databases.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "cases/base/outcome.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/heat.h"
#include "reports/model/lab.h"
#include "reports/model/model_testing.h"
#include "reports/model/progress.h"
#include "reports/model/report.h"
#include "reports/model/run_summary.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
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
    const auto detail = LoadRun(*queries_, "latest");
    ASSERT_TRUE(detail.ok()) << detail.status();
    const v1::RunSummary& summary = detail->summary();
    OutcomeCounts outcomes;
    for (const v1::OutcomeCount& count : summary.outcomes()) outcomes[count.outcome()] = count.cases();
    EXPECT_EQ(outcomes, report->outcomes) << state;
    EXPECT_THAT(summary.badges(), ElementsAreArray(report->badges)) << state;
    EXPECT_THAT(summary.references(), ElementsAreArray(report->references)) << state;
    EXPECT_EQ(summary.cases(), report->cases) << state;
    EXPECT_EQ(summary.cases() - summary.done(), report->missing) << state;
    EXPECT_EQ(summary.widened(), report->widened) << state;
    EXPECT_EQ(summary.partial(), report->partial) << state;
    EXPECT_EQ(summary.correctness().DebugString(), report->correctness.DebugString()) << state;
    EXPECT_EQ(summary.coverage().DebugString(), report->coverage.DebugString()) << state;
    EXPECT_EQ(detail->public_rule().DebugString(), report->public_rule.DebugString()) << state;
    EXPECT_EQ(summary.failed(), 7) << state;
    EXPECT_EQ(summary.waivers_in_force(), 1) << state;
    ASSERT_EQ(detail->operators_size(), std::ssize(report->operators));
    for (int i = 0; i < detail->operators_size(); ++i) {
      EXPECT_EQ(detail->operators(i).DebugString(), report->operators[static_cast<size_t>(i)].DebugString())
          << state;
    }
    ASSERT_EQ(detail->waivers_size(), 1);
    EXPECT_EQ(detail->waivers(0).reason(), "why not");
    EXPECT_EQ(detail->options().selection(), "functions add of suite core");
  }
  EXPECT_EQ(FindingText(SelectionOf({})), "all of suite core");
}

TEST_F(OverviewTest, ChipsWithTheirTrend) {
  EXPECT_THAT(LoadChips(*queries_)->chips(), IsEmpty());
  EXPECT_THAT(std::string(LoadChip(*queries_, "x").status().message()), HasSubstr("there are no runs yet"));
  const std::string first = Run("alpha", "a", {P, F});
  const std::string second = Run("alpha", "b", {P, P});
  Run("", "a", {P});
  const std::string empty =
      Begin(server::MakeOptions("alpha"), {server::MakeVerdict(0, v1::OUTCOME_UNSPECIFIED)});
  const auto chips = LoadChips(*queries_);
  ASSERT_TRUE(chips.ok()) << chips.status();
  ASSERT_EQ(chips->chips_size(), 2);
  EXPECT_EQ(chips->chips(0).chip(), "");
  EXPECT_EQ(chips->chips(0).runs(), 1);
  const v1::ChipRow& alpha = chips->chips(1);
  EXPECT_EQ(alpha.runs(), 3);
  EXPECT_EQ(alpha.latest().run_id(), empty);
  ASSERT_EQ(alpha.trend_size(), 2);  // the run without a verdict is no point
  EXPECT_EQ(alpha.trend(0).run_id(), first);
  EXPECT_EQ(alpha.trend(0).failed(), 1);
  EXPECT_EQ(alpha.trend(1).correctness().passed(), 2);
  EXPECT_NE(alpha.trend(0).variant(), alpha.trend(1).variant());
  const auto chip = LoadChip(*queries_, "alpha");
  ASSERT_TRUE(chip.ok()) << chip.status();
  EXPECT_EQ(chip->runs_size(), 3);
  EXPECT_EQ(chip->heat().run_id(), second);
  EXPECT_EQ(LoadChip(*queries_, "")->runs_size(), 1);
  EXPECT_THAT(std::string(LoadChip(*queries_, "x").status().message()), HasSubstr("(no name), alpha"));
}

// A run of one operator, of one dtype, a shard or an aborted run says nothing about the chip.
TEST_F(OverviewTest, APartialRunNeverStandsForTheChip) {
  v1::RunOptions one = server::MakeOptions("alpha");  // of operator add
  Run(one, {server::MakeVerdict(0, F)});
  const std::string newer = Run(one, {VerdictOn(0, "sub", "diopiSub", v1::Dtype::float32, P)});
  const v1::ChipRow before = LoadChips(*queries_)->chips(0);
  EXPECT_FALSE(before.has_complete());
  EXPECT_EQ(before.known().tested(), 2);
  EXPECT_EQ(before.known().passing(), 1);
  EXPECT_EQ(before.known().newest(), LoadSummary(*queries_, newer)->created());
  const auto only_partial = LoadChip(*queries_, "alpha");
  EXPECT_FALSE(only_partial->has_complete());
  EXPECT_EQ(only_partial->heat().run_id(), "");
  ASSERT_EQ(only_partial->known_size(), 2);
  EXPECT_EQ(only_partial->known(0).name(), "diopiAdd");
  EXPECT_EQ(only_partial->known(0).cell().passed(), 0);
  EXPECT_EQ(only_partial->known(1).cell().run_id(), newer);
  EXPECT_NE(only_partial->known(1).cell().created(), "");
  const auto lab = LoadLab(*queries_, {});
  EXPECT_FALSE(lab->chips(0).has_run());
  EXPECT_THAT(lab->failures(), IsEmpty());
  EXPECT_THAT(lab->operators(), IsEmpty());
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
  const v1::ChipRow chip = LoadChips(*queries_)->chips(0);
  ASSERT_TRUE(chip.has_complete());
  EXPECT_EQ(chip.complete().run_id(), whole);
  EXPECT_EQ(chip.complete().partial(), "");
  EXPECT_EQ(chip.latest().partial(), "functions add of suite core");
  ASSERT_EQ(chip.trend_size(), 1);
  EXPECT_EQ(chip.trend(0).run_id(), whole);
  const auto detail = LoadChip(*queries_, "alpha");
  EXPECT_EQ(detail->complete().run_id(), whole);
  EXPECT_EQ(detail->heat().run_id(), whole);
  EXPECT_THAT(detail->known(), IsEmpty());
  EXPECT_FALSE(chip.has_known());
  EXPECT_EQ(LoadSummary(*queries_, older_partial)->partial(), "functions add of suite core");
}

// A typo in the chip of a submission makes no chip.
TEST_F(OverviewTest, ARunWithoutAVerdictMakesNoChip) {
  Begin(server::MakeOptions("typo"), {server::MakeVerdict(0, None)});
  Run("alpha", "a", {P});
  EXPECT_EQ(LoadChips(*queries_)->chips_size(), 1);
  EXPECT_THAT(LoadCoverage(*queries_)->chips(), ElementsAre("alpha"));
  EXPECT_TRUE(LoadChip(*queries_, "typo").ok());  // its page has the run
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
  EXPECT_THAT(heat->operators(), ElementsAre("add", "mul", "sort", "sub"));  // not the library's checks
  ASSERT_EQ(heat->dtypes_size(), 2);
  ASSERT_EQ(heat->cells_size(), 4);
  int64_t cases = 0;
  for (const v1::HeatCell& cell : heat->cells()) {
    EXPECT_EQ(cell.cases(), cell.passed() + cell.failed() + cell.other());
    cases += cell.cases();
  }
  EXPECT_EQ(cases, static_cast<int64_t>(verdicts.size()) - 2);
  EXPECT_EQ(heat->operators(heat->cells(1).operator_()), "mul");
  EXPECT_EQ(heat->dtypes(heat->cells(1).dtype()), v1::Dtype::int64);
  EXPECT_EQ(heat->cells(1).passed(), 1);
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
  Run("other", "a", {v1::OUTCOME_SKIPPED});
  const auto matrix = LoadCoverage(*queries_);
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_THAT(matrix->chips(), ElementsAre("c", "other"));
  EXPECT_EQ(matrix->functions_size(), 538);
  const auto cell = [&](const std::string& name) {
    for (const v1::FunctionCoverage& function : matrix->functions()) {
      if (function.name() == name) return function.cells(0);
    }
    return v1::CoverageCell();
  };
  EXPECT_EQ(cell("diopiAdd").run_id(), part);
  EXPECT_EQ(cell("diopiAdd").cases(), 2);
  EXPECT_EQ(cell("diopiAdd").passed(), 1);
  EXPECT_EQ(cell("diopiSub").run_id(), whole);
  EXPECT_TRUE(cell("diopiSub").tested());
  EXPECT_FALSE(cell("diopiSort").implemented());  // exported, but it returns NoImplement
  EXPECT_FALSE(cell("diopiSort").tested());
  EXPECT_EQ(cell("diopiMul").ByteSizeLong(), 0U);  // from another library
  for (const v1::FunctionCoverage& function : matrix->functions()) {
    EXPECT_FALSE(function.cells(1).tested()) << function.name();
    EXPECT_NE(function.header(), "") << function.name();
    if (function.name() == "diopiAdd") {
      EXPECT_EQ(function.family(), "elementwise");
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
  EXPECT_EQ(now->state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(now->cases(), 40);
  EXPECT_EQ(now->done(), 30);
  EXPECT_EQ(now->outcomes(0).ShortDebugString(), "outcome: OUTCOME_PASS cases: 30");
  ASSERT_EQ(now->recent_size(), 20);
  EXPECT_EQ(now->recent(0).case_id(), server::CaseId(29));
  EXPECT_FALSE(now->has_cases_per_s());  // too soon to say
  const auto later = LoadProgress(*queries_, run, now->since(), start + absl::Seconds(29));
  EXPECT_THAT(later->recent(), IsEmpty());
  EXPECT_EQ(later->since(), now->since());
  ASSERT_TRUE(later->has_cases_per_s());
  EXPECT_NEAR(later->cases_per_s(), 1, 0.1);
  EXPECT_NEAR(later->left_s(), 10, 1);
  ASSERT_TRUE(database_->Append(run, {server::MakeVerdict(31, F)}).ok());
  EXPECT_EQ(LoadProgress(*queries_, run, now->since(), start)->recent_size(), 1);
  ASSERT_TRUE(database_->SetState(run, v1::RUN_STATE_ABORTED).ok());
  EXPECT_FALSE(LoadProgress(*queries_, run, 0, start + absl::Seconds(30))->has_cases_per_s());
}

}  // namespace
}  // namespace diopi::reports
