// The lab's home page, from a real database.
#include "reports/model/lab.h"

#include <gmock/gmock.h>

#include "reports/model/chips.h"
#include "reports/model/model_testing.h"
#include "server/store/rows_testing.h"
#include "server/store/sqlite.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LabTest : public ModelTest {
 protected:
  // The run as if it had been made on this day.
  void Date(const std::string& run, const std::string& day) const {
    auto connection = server::Connection::Open(path_, server::Connection::Mode::kReadWrite);
    ASSERT_TRUE(connection.ok()) << connection.status();
    const absl::Status dated =
        (*connection)
            ->Execute("UPDATE runs SET created = '" + day + "T10:00:00Z' WHERE run_id = '" + run + "'");
    ASSERT_TRUE(dated.ok()) << dated;
  }
  v1::LabPage Load(const server::TimeRange& range = {}) const {
    absl::StatusOr<v1::LabPage> lab = LoadLab(*queries_, range);
    EXPECT_TRUE(lab.ok()) << lab.status();
    return lab.ok() ? *std::move(lab) : v1::LabPage();
  }
};

TEST_F(LabTest, NoRunNoChip) {
  EXPECT_THAT(Load().chips(), IsEmpty());
}

TEST_F(LabTest, WhatChangedSinceTheLastGreenRun) {
  Run("alpha", "a", {P, P, F});
  const std::string green = Run("alpha", "b", {P, P, v1::OUTCOME_NOT_IMPLEMENTED});
  Run("alpha", "c", {F, P, P});
  const std::string newest = Run("alpha", "d", {F, F, P});
  Run("beta", "a", {F});
  const std::string good = Run("gamma", "a", {P});
  const v1::LabPage lab = Load();
  ASSERT_EQ(lab.chips_size(), 3);
  const v1::LabChip& alpha = lab.chips(0);
  EXPECT_EQ(alpha.run().run_id(), newest);
  EXPECT_EQ(alpha.green().run_id(), green);
  EXPECT_EQ(alpha.runs_since(), 2);
  ASSERT_EQ(alpha.changes_size(), 1);
  EXPECT_EQ(alpha.changes(0).operator_(), "add");
  EXPECT_EQ(alpha.changes(0).before().ShortDebugString(), "cases: 3 passed: 2");
  EXPECT_EQ(alpha.changes(0).now().ShortDebugString(), "cases: 3 passed: 1 failed: 2");
  EXPECT_FALSE(lab.chips(1).has_green());
  EXPECT_EQ(lab.chips(1).runs_since(), 1);
  EXPECT_EQ(lab.chips(2).green().run_id(), good);
  EXPECT_EQ(lab.chips(2).runs_since(), 0);
  EXPECT_THAT(lab.chips(2).changes(), IsEmpty());
  ASSERT_EQ(lab.operators_size(), 1);
  EXPECT_EQ(lab.operators(0).ShortDebugString(),
            "operator: \"add\" cells { cases: 3 passed: 1 failed: 2 } cells { cases: 1 failed: 1 } "
            "cells { cases: 1 passed: 1 }");
}

TEST_F(LabTest, FailuresOfAllChipsByCause) {
  Run("alpha", "a", {F, F});
  const std::string beta = Run("beta", "a", {F, v1::OUTCOME_CRASH, v1::OUTCOME_CRASH, v1::OUTCOME_CRASH});
  const v1::LabPage lab = Load();
  ASSERT_EQ(lab.failures_size(), 2);
  EXPECT_EQ(lab.failures(0).outcome(), F);  // on two chips, though crashes are as many
  EXPECT_EQ(lab.failures(0).cases(), 3);
  ASSERT_EQ(lab.failures(0).chips_size(), 2);
  EXPECT_EQ(lab.failures(0).chips(1).run_id(), beta);
  EXPECT_EQ(lab.failures(0).chips(1).cases(), 1);
  EXPECT_EQ(lab.failures(1).outcome(), v1::OUTCOME_CRASH);
  EXPECT_EQ(lab.failures(1).cases(), 3);
}

TEST_F(LabTest, ARangeOfTime) {
  const std::string green = Run("alpha", "a", {P});
  const std::string red = Run("alpha", "b", {F});
  const std::string late = Run("alpha", "c", {P});
  const std::string other = Run("beta", "a", {P});
  Date(green, "2026-01-10");
  Date(red, "2026-02-10");
  Date(late, "2026-03-10");
  Date(other, "2026-03-10");
  const server::TimeRange february{"2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"};
  const v1::LabPage lab = Load(february);
  ASSERT_EQ(lab.chips_size(), 1);
  EXPECT_EQ(lab.chips(0).run().run_id(), red);
  EXPECT_EQ(lab.chips(0).green().run_id(), green);  // older than the range
  EXPECT_EQ(lab.chips(0).runs_since(), 1);
  EXPECT_EQ(LoadChips(*queries_, february)->chips(0).runs(), 1);
  EXPECT_EQ(LoadChips(*queries_, february)->chips(0).latest().run_id(), red);
  EXPECT_EQ(LoadRuns(*queries_, {.range = {.from = "2026-02-10T10:00:00Z"}})->runs_size(), 3);
  EXPECT_EQ(LoadRuns(*queries_, {.range = {.to = "2026-02-10T10:00:00Z"}})->runs_size(), 1);
}

}  // namespace
}  // namespace diopi::reports
