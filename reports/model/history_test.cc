#include "reports/model/history.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "reports/model/model_testing.h"
#include "reports/model/variant.h"

namespace diopi::reports {
namespace {

constexpr v1::Outcome C = v1::OUTCOME_CRASH;
constexpr v1::Outcome N = v1::OUTCOME_NOT_IMPLEMENTED;
constexpr v1::Outcome S = v1::OUTCOME_SKIPPED;
constexpr v1::Outcome W = v1::OUTCOME_WAIVED;
constexpr v1::Outcome H = v1::OUTCOME_HARNESS_ERROR;

struct HistoryRow {
  const char* name;
  std::vector<std::pair<std::string, v1::Outcome>> runs;  // library and outcome, oldest first
  int first_bad;                                          // index into runs; -1: none
  int last_good;
  bool flaky;
  int changes;
};

const HistoryRow kHistoryRows[] = {
    {"it always passed", {{"a", P}, {"a", P}}, -1, -1, false, 0},
    {"it broke with another library", {{"a", P}, {"a", P}, {"b", F}, {"b", F}}, 2, 1, false, 0},
    {"it always failed", {{"a", F}, {"b", F}}, 0, -1, false, 0},
    {"it was mended", {{"a", F}, {"b", P}}, -1, -1, false, 0},
    {"the same library, two answers", {{"a", P}, {"a", F}}, 1, 0, true, 1},
    {"to and fro", {{"a", P}, {"a", F}, {"a", P}, {"a", F}}, 3, 2, true, 3},
    {"two ways to fail", {{"a", F}, {"a", C}}, 0, -1, true, 1},
    {"libraries that take turns agree with themselves",
     {{"a", P}, {"b", F}, {"a", P}, {"b", F}},
     3,
     2,
     false,
     0},
    {"what says nothing of the chip is passed over",
     {{"a", P}, {"b", F}, {"b", S}, {"b", H}},
     1,
     0,
     false,
     0},
    {"not implemented is no pass", {{"a", P}, {"b", N}}, 1, 0, false, 0},
    {"not implemented is not flaky", {{"a", P}, {"a", N}}, 1, 0, false, 0},
    {"waived is no pass", {{"a", P}, {"b", W}}, 1, 0, false, 0},
    {"nothing but skipped", {{"a", S}}, -1, -1, false, 0},
    {"runs without a verdict are left out", {{"a", P}, {"b", None}, {"b", F}}, 2, 0, false, 0},
};

class HistoryTest : public ModelTest {};

TEST_F(HistoryTest, FirstBadLastGoodAndFlaky) {
  int number = 0;
  for (const HistoryRow& row : kHistoryRows) {
    const std::string chip = absl::StrCat("chip", number++);
    std::vector<std::string> ids;
    ids.reserve(row.runs.size());
    for (const auto& [library, outcome] : row.runs) ids.push_back(Run(chip, library, {outcome, P}));
    const auto history = LoadHistory(*queries_, server::CaseId(0), chip);
    ASSERT_TRUE(history.ok()) << row.name << ": " << history.status();
    const auto id = [&](int index) { return index < 0 ? std::string() : ids[static_cast<size_t>(index)]; };
    EXPECT_EQ(history->first_bad(), id(row.first_bad)) << row.name;
    EXPECT_EQ(history->last_good(), id(row.last_good)) << row.name;
    EXPECT_EQ(history->flaky(), row.flaky) << row.name;
    EXPECT_EQ(history->changes(), row.changes) << row.name;
    // The chip's list of flaky cases agrees.
    const auto flaky = FindFlaky(*queries_, chip, 50, 100);
    ASSERT_TRUE(flaky.ok()) << flaky.status();
    EXPECT_EQ(flaky->size(), row.flaky ? 1U : 0U) << row.name;
    if (row.flaky && flaky->size() == 1) {
      EXPECT_EQ((*flaky)[0].case_id(), server::CaseId(0)) << row.name;
      EXPECT_EQ((*flaky)[0].changes(), row.changes) << row.name;
    }
  }
}

TEST_F(HistoryTest, AnotherCaseUnderTheSameIdIsNotFlaky) {
  v1::Verdict before = server::MakeVerdict(0, P);
  v1::Verdict after = server::MakeVerdict(0, F);
  after.set_case_hash("rewritten");
  Run(server::MakeOptions("c"), {before});
  Run(server::MakeOptions("c"), {after}, "another suite");
  EXPECT_FALSE(LoadHistory(*queries_, server::CaseId(0), "c")->flaky());
  EXPECT_TRUE(FindFlaky(*queries_, "c", 50, 100)->empty());
  // The case's own hash counts, not the suite's: a run of a few cases and a run of all are comparable.
  after.set_case_hash(before.case_hash());
  Run(server::MakeOptions("c"), {after}, "a third suite");
  EXPECT_TRUE(LoadHistory(*queries_, server::CaseId(0), "c")->flaky());
  EXPECT_EQ(FindFlaky(*queries_, "c", 50, 100)->size(), 1U);
}

TEST_F(HistoryTest, TheMostChangesComeFirstAndTheListIsBounded) {
  Run("c", "a", {P, P, F});
  Run("c", "a", {F, P, F});
  Run("c", "a", {P, F, F});
  const auto flaky = FindFlaky(*queries_, "c", 50, 100);
  ASSERT_EQ(flaky->size(), 2U);
  EXPECT_EQ((*flaky)[0].case_id(), server::CaseId(0));
  EXPECT_EQ((*flaky)[0].runs(), 3);
  EXPECT_EQ(FindFlaky(*queries_, "c", 50, 1)->size(), 1U);
  EXPECT_EQ(FindFlaky(*queries_, "c", 1, 100)->size(), 0U);  // one run cannot disagree
  EXPECT_TRUE(absl::IsNotFound(LoadHistory(*queries_, "no such case", "c").status()));
}

TEST(Variant, WhatSeparatesRunsAndWhatDoesNot) {
  struct Change {
    const char* what;
    void (*make)(server::RunFacts*);
    bool separates;
    bool separates_libraries;
  };
  const Change changes[] = {
      {"chip", [](server::RunFacts* r) { r->chip = "x"; }, true, true},
      {"vendor", [](server::RunFacts* r) { r->vendor_name = "x"; }, true, true},
      {"version", [](server::RunFacts* r) { r->impl_version = "x"; }, true, true},
      {"dialect", [](server::RunFacts* r) { r->dialect = "x"; }, true, true},
      {"library", [](server::RunFacts* r) { r->impl_sha256 = "x"; }, true, true},
      {"contracts", [](server::RunFacts* r) { r->contracts = {"tf32"}; }, true, true},
      {"suite", [](server::RunFacts* r) { r->suite_hash = "x"; }, true, false},
      {"host", [](server::RunFacts* r) { r->host = "x"; }, false, false},
      {"path", [](server::RunFacts* r) { r->impl_path = "x"; }, false, false},
      {"agent", [](server::RunFacts* r) { r->agent_version = "x"; }, false, false},
      {"date", [](server::RunFacts* r) { r->created = "x"; }, false, false},
      {"end", [](server::RunFacts* r) { r->finished = "x"; }, false, false},
      {"environment", [](server::RunFacts* r) { r->environment = {"ACME_MATH=fast"}; }, true, true},
      {"adaptor", [](server::RunFacts* r) { r->adaptor = {"all operators: dtype (int64)->int32"}; }, true,
       true},
      {"state", [](server::RunFacts* r) { r->state = v1::RUN_STATE_FINISHED; }, false, false},
      {"id", [](server::RunFacts* r) { r->run_id = "x"; }, false, false},
      {"cases", [](server::RunFacts* r) { r->cases = 7; }, false, false},
  };
  const server::RunFacts base;
  EXPECT_THAT(VariantOf(base), testing::MatchesRegex("[0-9a-f]{8}"));
  for (const Change& change : changes) {
    server::RunFacts other = base;
    change.make(&other);
    EXPECT_EQ(VariantOf(other) != VariantOf(base), change.separates) << change.what;
    EXPECT_EQ(LibraryVariantOf(other) != LibraryVariantOf(base), change.separates_libraries) << change.what;
  }
  // Adjacent texts do not run together.
  server::RunFacts left;
  left.chip = "ab";
  server::RunFacts right;
  right.chip = "a";
  right.vendor_name = "b";
  EXPECT_NE(VariantOf(left), VariantOf(right));
  server::RunFacts variables;
  variables.environment = {"A=1"};
  server::RunFacts rules;
  rules.adaptor = {"A=1"};
  EXPECT_NE(VariantOf(variables), VariantOf(rules));
}

}  // namespace
}  // namespace diopi::reports
