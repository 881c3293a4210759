#include "client/cli/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace diopi::cli {
namespace {

using ::testing::ElementsAre;

absl::Time Now() {
  return absl::FromCivil(absl::CivilDay(2026, 11, 23), absl::UTCTimeZone());
}

// A finished run of ten cases.
server::RunRow RunOf(const std::string& id, const std::string& chip, int days_ago, int failures) {
  server::RunRow run;
  run.facts.run_id = id;
  run.facts.chip = chip;
  run.facts.state = v1::RUN_STATE_FINISHED;
  run.facts.finished =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", Now() - absl::Hours(24) * days_ago, absl::UTCTimeZone());
  run.facts.created = run.facts.finished;
  run.facts.cases = 10;
  run.totals.done = 10;
  run.totals.outcomes[v1::OUTCOME_PASS] = 10 - failures;
  if (failures > 0) run.totals.outcomes[v1::OUTCOME_FAIL] = failures;
  return run;
}

std::vector<std::string> Kept(const std::vector<server::RunRow>& runs, const RetentionPolicy& policy,
                              const std::map<std::string, std::string>& tags = {}) {
  const auto rows =
      Decide(runs, tags, policy, Now(), [](const server::RunRow& run) { return AllPassed(run); });
  EXPECT_TRUE(rows.ok()) << rows.status();
  std::vector<std::string> kept;
  for (const RetentionRow& row : *rows) {
    if (!row.kept.empty()) kept.push_back(absl::StrCat(row.run->facts.run_id, ": ", row.kept));
  }
  return kept;
}

TEST(Retention, AgeAndNumber) {
  const std::vector<server::RunRow> runs = {RunOf("a1", "a", 1, 1), RunOf("b1", "b", 5, 1),
                                            RunOf("a2", "a", 10, 1), RunOf("a3", "a", 200, 1),
                                            RunOf("b2", "b", 300, 1)};
  EXPECT_THAT(Kept(runs, {.older_than = absl::Hours(24 * 180)}),
              ElementsAre("a1: not old enough", "b1: not old enough", "a2: not old enough"));
  EXPECT_THAT(Kept(runs, {.keep = 1}), ElementsAre("a1: newest 1 of its chip", "b1: newest 1 of its chip"));
  EXPECT_THAT(Kept(runs, {.older_than = absl::Hours(24 * 7), .keep = 1}),
              ElementsAre("a1: newest 1 of its chip", "b1: newest 1 of its chip"));
  EXPECT_THAT(Kept(runs, {.older_than = absl::Hours(24 * 20), .keep = 1}),
              ElementsAre("a1: newest 1 of its chip", "b1: newest 1 of its chip", "a2: not old enough"));
  EXPECT_THAT(Kept(runs, {.keep = 0}), ElementsAre());
}

TEST(Retention, WhatIsNeededStays) {
  std::vector<server::RunRow> runs = {RunOf("running", "a", 900, 0), RunOf("stalled", "a", 900, 0),
                                      RunOf("failed", "a", 901, 1),  RunOf("green", "a", 902, 0),
                                      RunOf("older", "a", 903, 0),   RunOf("part", "a", 904, 0),
                                      RunOf("tagged", "a", 905, 1),  RunOf("missing", "b", 906, 0),
                                      RunOf("aborted", "b", 907, 0), RunOf("waived", "b", 908, 0)};
  runs[0].facts.state = v1::RUN_STATE_RUNNING;
  runs[0].facts.finished.clear();
  runs[1].facts.state = v1::RUN_STATE_STALLED;
  runs[1].facts.finished.clear();
  runs[5].facts.scope.mutable_selection()->add_functions("add");  // gates compare it with others of its kind
  runs[7].totals.done = 9;
  runs[8].facts.state = v1::RUN_STATE_ABORTED;
  runs[9].totals.outcomes[v1::OUTCOME_WAIVED] = 2;
  EXPECT_THAT(Kept(runs, {.older_than = absl::Hours(24)}, {{"tagged", "v1"}}),
              ElementsAre("running: running", "green: last green run", "part: last green run",
                          "tagged: tag v1", "waived: last green run"));
}

TEST(Retention, ExplorationsCountByThemselvesAndAreNeverGreen) {
  std::vector<server::RunRow> runs = {RunOf("run", "a", 1, 1), RunOf("explored", "a", 2, 0),
                                      RunOf("explored before", "a", 3, 0), RunOf("run before", "a", 4, 1)};
  for (const size_t i : {1U, 2U}) runs[i].facts.scope.mutable_exploration()->set_calls(10);
  EXPECT_THAT(Kept(runs, {.keep = 1}),
              ElementsAre("run: newest 1 of its chip", "explored: newest 1 of its chip"));
}

TEST(Retention, Ages) {
  EXPECT_EQ(*ParseAge("180d"), absl::Hours(24 * 180));
  EXPECT_EQ(*ParseAge("36h"), absl::Hours(36));
  EXPECT_EQ(*ParseAge("2w"), absl::Hours(24 * 14));
  EXPECT_EQ(*ParseAge("1y"), absl::Hours(24 * 365));
  for (const char* wrong : {"", "d", "180", "-1d", "1.5d", "1m", "180 days"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseAge(wrong).status())) << wrong;
  }
}

}  // namespace
}  // namespace diopi::cli
