// Queries on real files, beside a Database that writes them.
#include "server/store/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/rows_testing.h"
#include "server/store/upkeep.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class QueriesTest : public testing::Test {
 protected:
  QueriesTest() : path_(DatabasePath(folder_.path())), database_(*Database::Open(path_, {})) {}

  std::string Create(const std::string& chip, int cases) {
    return database_->CreateRun(MakeOptions(chip), "s", MakeCases(cases))->run_id();
  }
  void Append(const std::string& run, const std::vector<v1::Verdict>& verdicts) {
    const auto result = database_->Append(run, verdicts);
    ASSERT_TRUE(result.ok()) << result.status();
  }
  void Finish(const std::string& run, v1::RunState state = v1::RUN_STATE_FINISHED) {
    ASSERT_TRUE(database_->SetState(run, state).ok());
  }
  std::unique_ptr<Queries> Open() {
    auto queries = Queries::Open(path_);
    EXPECT_TRUE(queries.ok()) << queries.status();
    return *std::move(queries);
  }
  std::vector<std::string> KeptTotals() const {
    return Rows(path_, "SELECT run FROM run_totals ORDER BY run");
  }

  const TestFolder folder_;
  const std::string path_;
  std::unique_ptr<Database> database_;
};

v1::Verdict WithOutput(int i, v1::Outcome outcome, bool public_pass, int64_t flushed) {
  v1::Verdict verdict = MakeVerdict(i, outcome);
  v1::OutputStats& output = *verdict.add_outputs();
  output.set_key("out");
  output.set_public_pass(public_pass);
  output.set_flushed(flushed);
  return verdict;
}

TEST_F(QueriesTest, EveryQueryOfAnUnknownRunNamesThoseThatExist) {
  const struct {
    const char* name;
    absl::Status (*ask)(Queries&, const std::string&);
  } rows[] = {
      {"Run", [](Queries& q, const std::string& run) { return q.Run(run).status(); }},
      {"RunCounts", [](Queries& q, const std::string& run) { return q.RunCounts(run).status(); }},
      {"Describe", [](Queries& q, const std::string& run) { return q.Describe(run).status(); }},
      {"Tallies", [](Queries& q, const std::string& run) { return q.Tallies(run).status(); }},
      {"ExportedFunctions",
       [](Queries& q, const std::string& run) { return q.ExportedFunctions(run).status(); }},
      {"Devices", [](Queries& q, const std::string& run) { return q.Devices(run).status(); }},
      {"Cases", [](Queries& q, const std::string& run) { return q.Cases(run, {}).status(); }},
      {"Verdict", [](Queries& q, const std::string& run) { return q.Verdict(run, CaseId(0)).status(); }},
      {"FailedVerdicts", [](Queries& q, const std::string& run) { return q.FailedVerdicts(run).status(); }},
      {"Failures", [](Queries& q, const std::string& run) { return q.Failures(run).status(); }},
      {"OutcomesOf",
       [](Queries& q, const std::string& run) { return q.OutcomesOf(run, {CaseId(0)}).status(); }},
      {"Times", [](Queries& q, const std::string& run) { return q.Times(run).status(); }},
      {"Performance", [](Queries& q, const std::string& run) { return q.Performance(run).status(); }},
      {"MeasuredCalls", [](Queries& q, const std::string& run) { return q.MeasuredCalls(run).status(); }},
      {"Recent", [](Queries& q, const std::string& run) { return q.Recent(run, 0, 1).status(); }},
  };
  const std::string run = Create("c", 1);
  Append(run, {MakeVerdict(0, v1::OUTCOME_PASS)});
  const auto queries = Open();
  for (const auto& row : rows) {
    EXPECT_TRUE(row.ask(*queries, run).ok()) << row.name;
    EXPECT_TRUE(row.ask(*queries, "latest").ok()) << row.name;
    const absl::Status unknown = row.ask(*queries, "x");
    EXPECT_TRUE(absl::IsNotFound(unknown)) << row.name;
    EXPECT_THAT(std::string(unknown.message()), HasSubstr("no run 'x'; there are " + run)) << row.name;
  }
}

// A verdict of each kind that is counted differently.
std::vector<v1::Verdict> Mixture() {
  std::vector<v1::Verdict> verdicts = {
      WithOutput(0, v1::OUTCOME_PASS, true, 0), WithOutput(1, v1::OUTCOME_PASS, false, 2),
      WithOutput(2, v1::OUTCOME_FAIL, true, 0), WithOutput(3, v1::OUTCOME_HARNESS_ERROR, false, 0),
      MakeVerdict(4, v1::OUTCOME_CRASH),        MakeVerdict(5, v1::OUTCOME_NOT_IMPLEMENTED),
      MakeVerdict(6, v1::OUTCOME_PASS),         MakeVerdict(7, v1::OUTCOME_WAIVED),
  };
  verdicts[2].add_contracts("tf32");
  verdicts[2].add_outputs()->set_public_pass(true);
  verdicts[5].set_function("diopiSub");
  verdicts[5].set_reference("");
  verdicts[6].set_function("");  // a check of the library
  verdicts[6].set_operator_("library");
  verdicts[7].set_reference("another");
  return verdicts;
}

// A page about a large run must not delay the end of the server.
TEST_F(QueriesTest, NothingLargeIsReadAfterTheEnd) {
  constexpr int kCases = 2000;
  const std::string run = Create("chip", kCases);
  std::vector<v1::Verdict> verdicts;
  for (int i = 0; i < kCases; ++i) verdicts.push_back(WithOutput(i, v1::OUTCOME_FAIL, false, 0));
  Append(run, verdicts);
  const std::unique_ptr<Queries> queries = Open();
  EXPECT_EQ(queries->FailedVerdicts(run)->size(), size_t{kCases});
  queries->End();
  EXPECT_TRUE(absl::IsUnavailable(queries->FailedVerdicts(run).status()))
      << queries->FailedVerdicts(run).status();
}

TEST_F(QueriesTest, TotalsAreTheSameWhileTheRunGoesOnAndAfterwards) {
  const std::string run = Create("c", 9);
  const auto queries = Open();
  EXPECT_EQ(queries->Run(run)->totals.done, 0);
  Append(run, Mixture());
  const auto live = queries->Run(run);
  ASSERT_TRUE(live.ok()) << live.status();
  EXPECT_THAT(KeptTotals(), IsEmpty());
  const RunTotals& totals = live->totals;
  EXPECT_EQ(totals.done, 8);
  EXPECT_EQ(totals.outcomes.at(v1::OUTCOME_PASS), 3);
  EXPECT_EQ(totals.called, 5);  // neither the library's check, nor harness_error, nor not_implemented
  EXPECT_EQ(totals.passed, 2);
  EXPECT_EQ(totals.implemented, 1);  // diopiSub is exported and says NoImplement
  EXPECT_EQ(totals.selected, 2);
  EXPECT_EQ(totals.tested, 1);
  EXPECT_EQ(totals.passing, 0);
  EXPECT_EQ(totals.flushed, 1);
  EXPECT_EQ(totals.widened, 1);
  EXPECT_EQ(totals.judged, 3);
  EXPECT_EQ(totals.ours_alone, 1);
  EXPECT_EQ(totals.theirs_alone, 1);
  EXPECT_THAT(totals.references, ElementsAre("another", "cpu oracle 1"));
  const auto live_tallies = queries->Tallies(run);
  Finish(run, v1::RUN_STATE_ABORTED);
  EXPECT_THAT(KeptTotals(), ElementsAre("1"));
  EXPECT_EQ(queries->Run(run)->totals, totals);
  EXPECT_EQ(Open()->Run(run)->totals, totals);
  const auto kept_tallies = queries->Tallies(run);
  ASSERT_TRUE(live_tallies.ok() && kept_tallies.ok());
  ASSERT_EQ(live_tallies->size(), 7U);
  ASSERT_EQ(kept_tallies->size(), 7U);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ((*live_tallies)[i].op, (*kept_tallies)[i].op);
    EXPECT_EQ((*live_tallies)[i].outcome, (*kept_tallies)[i].outcome);
    EXPECT_EQ((*live_tallies)[i].cases, (*kept_tallies)[i].cases);
  }
  EXPECT_EQ(queries->RunCounts(run)->totals.outcomes, totals.outcomes);
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
}

TEST_F(QueriesTest, WhatWasKeptGoesWhenTheRunGoesOn) {
  const std::string run = Create("c", 3);
  Append(run, {MakeVerdict(0, v1::OUTCOME_PASS)});
  Finish(run, v1::RUN_STATE_ABORTED);
  const auto queries = Open();
  EXPECT_EQ(queries->Run(run)->totals.done, 1);
  // A verdict that comes after the end.
  Append(run, {MakeVerdict(1, v1::OUTCOME_FAIL)});
  EXPECT_THAT(KeptTotals(), IsEmpty());
  EXPECT_EQ(queries->Run(run)->totals.done, 2);
  EXPECT_EQ(queries->Tallies(run)->size(), 2U);
  // The next start stores them again.
  database_.reset();
  database_ = *Database::Open(path_, {});
  EXPECT_THAT(KeptTotals(), ElementsAre("1"));
  EXPECT_EQ(queries->Run(run)->totals.done, 2);
  Finish(run, v1::RUN_STATE_RUNNING);
  EXPECT_THAT(KeptTotals(), IsEmpty());
  Append(run, {MakeVerdict(2, v1::OUTCOME_FAIL)});
  EXPECT_EQ(queries->Run(run)->totals.outcomes.at(v1::OUTCOME_FAIL), 2);
}

TEST_F(QueriesTest, RunsAndChips) {
  const auto queries = Open();
  EXPECT_THAT(queries->Chips().value(), IsEmpty());
  const absl::Status none = queries->Run("latest").status();
  EXPECT_TRUE(absl::IsNotFound(none));
  EXPECT_THAT(std::string(none.message()), HasSubstr("there are no runs yet"));
  const std::string a = Create("alpha", 1);
  const std::string b = Create("beta", 1);
  const std::string c = Create("alpha", 1);
  const std::string nameless = Create("", 1);
  EXPECT_THAT(queries->Chips().value(), IsEmpty());  // no run has a verdict
  for (const std::string& run : {a, b, nameless}) Append(run, {MakeVerdict(0, v1::OUTCOME_PASS)});
  const auto chips = queries->Chips();
  ASSERT_EQ(chips->size(), 3U);
  EXPECT_EQ((*chips)[0].chip, "");
  EXPECT_EQ((*chips)[1].chip, "alpha");
  EXPECT_EQ((*chips)[1].runs, 2);
  EXPECT_EQ((*chips)[1].latest, c);
  const auto ids = [&](const RunFilter& filter) {
    std::vector<std::string> list;
    const std::vector<RunFacts> runs = queries->RunsFacts(filter).value();
    list.reserve(runs.size());
    for (const RunFacts& run : runs) list.push_back(run.run_id);
    EXPECT_EQ(queries->Runs(filter)->size(), list.size());
    return list;
  };
  EXPECT_THAT(ids({}), ElementsAre(nameless, c, b, a));
  EXPECT_THAT(ids({std::nullopt, 2}), ElementsAre(nameless, c));
  EXPECT_THAT(ids({"alpha", 0}), ElementsAre(c, a));
  EXPECT_THAT(ids({"", 0}), ElementsAre(nameless));
  EXPECT_THAT(ids({"gamma", 0}), IsEmpty());
  ASSERT_TRUE(LabelRun(path_, a, {{"branch", "main"}, {"note", "x"}}).ok());
  ASSERT_TRUE(LabelRun(path_, b, {{"branch", "main"}}).ok());
  using Label = Labels::value_type;
  EXPECT_THAT(ids({.label = Label("branch", "main")}), ElementsAre(b, a));
  EXPECT_THAT(ids({.chip = "alpha", .label = Label("branch", "main")}), ElementsAre(a));
  EXPECT_THAT(ids({.label = Label("branch", "x")}), IsEmpty());  // the value of another
  EXPECT_EQ(queries->Run("latest")->facts.run_id, nameless);
  const absl::Status wrong = queries->Cases("x", {}).status();
  EXPECT_TRUE(absl::IsNotFound(wrong));
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("no run 'x'; there are"));
  EXPECT_THAT(*queries->ExportedFunctions(a), ElementsAre("diopiAdd", "diopiSub"));
}

TEST_F(QueriesTest, CasesInTheirOrderWithTheWorstOfAllOutputs) {
  const std::string run = Create("c", 12);  // as text p10 comes before p2
  v1::Verdict two = MakeVerdict(10, v1::OUTCOME_FAIL);
  two.set_reason("first line\nsecond line");
  two.set_call_us(3.5);
  two.set_device_index(7);
  v1::OutputStats& good = *two.add_outputs();
  good.set_elements(10);
  good.set_max_ulp(3);
  good.set_max_z(std::nan(""));
  good.set_public_pass(true);
  good.set_grade("C");
  v1::OutputStats& bad = *two.add_outputs();
  bad.set_elements(4);
  bad.set_mismatches(1);
  bad.set_max_ulp(1);
  bad.set_max_z(std::numeric_limits<double>::infinity());
  bad.set_gates("P,R");
  bad.set_grade("A");
  v1::Verdict one = MakeVerdict(2, v1::OUTCOME_PASS);
  one.set_operator_("add");
  one.set_dtype(v1::Dtype::float16);
  Append(run, {two, one, MakeVerdict(11, v1::OUTCOME_CRASH)});
  const auto queries = Open();
  const auto rows = queries->Cases(run, {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[0].case_id, CaseId(2));
  EXPECT_TRUE(std::isnan((*rows)[0].max_ulp));
  EXPECT_FALSE((*rows)[0].public_pass.has_value());
  EXPECT_EQ((*rows)[0].device_index, -1);
  const CaseRow& row = (*rows)[1];
  EXPECT_EQ(row.case_id, CaseId(10));
  EXPECT_EQ(row.reason, "first line");
  EXPECT_EQ(row.call_us, 3.5);
  EXPECT_EQ(row.device_index, 7);
  EXPECT_EQ(row.max_ulp, 3);
  EXPECT_TRUE(std::isinf(row.max_z));
  EXPECT_EQ(row.mismatch_ratio, 0.25);
  EXPECT_EQ(row.grade, "C");
  EXPECT_EQ(row.gates, "P,R");
  EXPECT_EQ(row.public_pass, false);
  EXPECT_EQ((*rows)[2].case_id, CaseId(11));
  const auto count = [&](const CaseFilter& filter) { return queries->Cases(run, filter)->size(); };
  EXPECT_EQ(count({{v1::OUTCOME_FAIL, v1::OUTCOME_CRASH}, {}, {}}), 2U);
  EXPECT_EQ(count({{}, {"sub"}, {}}), 0U);
  EXPECT_EQ(count({{}, {}, {v1::Dtype::float16}}), 1U);
  const auto verdict = queries->Verdict(run, CaseId(10));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->outputs_size(), 2);
  EXPECT_TRUE(absl::IsNotFound(queries->Verdict(run, CaseId(3)).status()));
  EXPECT_TRUE(absl::IsNotFound(queries->Verdict(run, "").status()));
  const auto devices = queries->Devices(run);
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ((*devices)[0].device_index, -1);
  EXPECT_EQ((*devices)[0].cases, 2);
  EXPECT_EQ((*devices)[0].passed, 1);
}

TEST_F(QueriesTest, HistoryFailuresAndTheNewest) {
  const auto queries = Open();
  std::vector<std::string> runs;
  for (const v1::Outcome outcome : {v1::OUTCOME_PASS, v1::OUTCOME_FAIL, v1::OUTCOME_SKIPPED}) {
    runs.push_back(Create("c", 3));
    Append(runs.back(), {MakeVerdict(0, outcome)});
    Append(runs.back(), {MakeVerdict(1, v1::OUTCOME_TIMEOUT)});
  }
  Append(Create("other", 1), {MakeVerdict(0, v1::OUTCOME_PASS)});
  const auto points = queries->History(CaseId(0), "c", 0);
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_EQ(points->size(), 3U);
  EXPECT_EQ((*points)[0].run.run_id, runs[0]);
  EXPECT_EQ((*points)[1].verdict.outcome, v1::OUTCOME_FAIL);
  EXPECT_EQ((*points)[2].run.chip, "c");
  EXPECT_EQ((*points)[2].run.cases, 3);
  const auto newest = queries->History(CaseId(0), "c", 2);
  ASSERT_EQ(newest->size(), 2U);
  EXPECT_EQ((*newest)[0].run.run_id, runs[1]);
  EXPECT_TRUE(absl::IsNotFound(queries->History(CaseId(2), "c", 0).status()));
  EXPECT_TRUE(absl::IsNotFound(queries->History(CaseId(0), "", 0).status()));
  const auto failures = queries->Failures(runs[1]);
  ASSERT_EQ(failures->size(), 2U);
  EXPECT_EQ((*failures)[0].case_id, CaseId(0));
  EXPECT_EQ((*failures)[0].case_hash, "hash0");
  EXPECT_EQ((*failures)[1].outcome, v1::OUTCOME_TIMEOUT);
  EXPECT_EQ(queries->Failures(runs[0])->size(), 1U);
  const auto outcomes = queries->OutcomesOf(runs[0], {CaseId(0), CaseId(2)});
  ASSERT_EQ(outcomes->size(), 1U);
  EXPECT_EQ((*outcomes)[0].outcome, v1::OUTCOME_PASS);
  const auto recent = queries->Recent(runs[2], 0, 10);
  ASSERT_EQ(recent->size(), 2U);
  EXPECT_EQ((*recent)[0].case_id, CaseId(1));
  EXPECT_EQ(queries->Recent(runs[2], (*recent)[1].cursor, 10)->size(), 1U);
  EXPECT_EQ(queries->Recent(runs[2], 0, 1)->size(), 1U);
}

// The planner uses the partial index only when the query's condition contains the index's.
TEST_F(QueriesTest, WhatDidNotPassComesFromItsIndex) {
  const std::vector<std::string> index =
      Rows(path_, "SELECT sql FROM sqlite_master WHERE name = 'verdicts_not_passed'");
  ASSERT_EQ(index.size(), 1U);
  EXPECT_THAT(index[0], HasSubstr(absl::StrCat("WHERE outcome <> ", v1::OUTCOME_PASS)));
  auto connection = Connection::Open(path_, Connection::Mode::kReadOnly);
  auto explain =
      (*connection)
          ->Prepare(
              "EXPLAIN QUERY PLAN SELECT case_row FROM verdicts v WHERE v.run = ? AND v.outcome <> 1 "
              "AND v.outcome IN (2, 3, 6, 7, 8, 9)");
  ASSERT_TRUE(explain.ok()) << explain.status();
  ASSERT_TRUE(*explain->Step());
  EXPECT_THAT(explain->Text(3), HasSubstr("COVERING INDEX verdicts_not_passed"));
}

TEST_F(QueriesTest, ReadersDoNotWaitForAWriter) {
  const std::string run = Create("c", 2);
  Append(run, {MakeVerdict(0, v1::OUTCOME_PASS)});
  const auto queries = Open();
  auto writer = Connection::Open(path_, Connection::Mode::kReadWrite);
  ASSERT_TRUE((*writer)->Execute("BEGIN EXCLUSIVE; DELETE FROM verdicts").ok());
  EXPECT_EQ(queries->Run(run)->totals.done, 1);
  EXPECT_EQ(queries->Cases(run, {})->size(), 1U);
  ASSERT_TRUE((*writer)->Execute("COMMIT").ok());
}

}  // namespace
}  // namespace diopi::server
