// Explorations beside runs: stored, listed by themselves, and in no figure that stands for a chip.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"
#include "server/store/sqlite.h"
#include "server/store/upkeep.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class ExplorationsTest : public testing::Test {
 protected:
  ExplorationsTest() : path_(DatabasePath(folder_.path())), database_(*Database::Open(path_, {})) {}

  // A finished run of two cases that took a second each.
  std::string AddRun(const std::string& chip) {
    const std::string id = database_->CreateRun(MakeOptions(chip), "s", MakeCases(2))->run_id();
    std::vector<v1::Verdict> verdicts = {MakeVerdict(0, v1::OUTCOME_PASS), MakeVerdict(1, v1::OUTCOME_PASS)};
    for (v1::Verdict& verdict : verdicts) verdict.set_elapsed_us(1e6);
    EXPECT_TRUE(database_->Append(id, verdicts).ok());
    EXPECT_TRUE(database_->SetState(id, v1::RUN_STATE_FINISHED).ok());
    return id;
  }
  std::string AddExploration(const std::string& chip, v1::RunState state) {
    v1::RunOptions options = MakeOptions(chip);
    options.mutable_exploration()->set_seconds(60);
    options.mutable_exploration()->set_seed(7);
    const std::string id = database_->CreateRun(options, "s", {})->run_id();
    EXPECT_TRUE(database_->WriteExploration(id, Found()).ok());
    if (state != v1::RUN_STATE_RUNNING) {
      EXPECT_TRUE(database_->SetState(id, state).ok());
    }
    return id;
  }
  static v1::Exploration Found() {
    v1::Exploration exploration;
    exploration.set_calls(12);
    exploration.set_seconds(1.5);
    (*exploration.mutable_outcomes())["pass"] = 9;
    (*exploration.mutable_outcomes())["fail"] = 3;
    exploration.add_functions()->set_name("diopiAdd");
    v1::Exploration::Cause& cause = *exploration.add_causes();
    cause.set_key("0a1b2c3d");
    cause.set_outcome(v1::OUTCOME_FAIL);
    cause.set_text("operator: \"add\"");
    return exploration;
  }
  static std::vector<std::string> Ids(const std::vector<RunFacts>& runs) {
    std::vector<std::string> ids;
    ids.reserve(runs.size());
    for (const RunFacts& run : runs) ids.push_back(run.run_id);
    return ids;
  }

  const TestFolder folder_;
  const std::string path_;
  const std::unique_ptr<Database> database_;
};

TEST_F(ExplorationsTest, CountInNoFigureOfAChip) {
  const std::string run = AddRun("c");
  std::vector<std::string> explorations;
  explorations.reserve(kTimedRuns);
  for (int i = 0; i < kTimedRuns; ++i) explorations.push_back(AddExploration("c", v1::RUN_STATE_FINISHED));
  AddExploration("only explored", v1::RUN_STATE_FINISHED);
  EXPECT_EQ(database_->GetRun("latest")->run_id(), run);
  const auto listed = database_->ListRuns("", 0);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().run_id(), run);
  EXPECT_THAT(*database_->CaseSeconds("c"), ElementsAre(Pair(CaseId(0), 1.0), Pair(CaseId(1), 1.0)));
  const auto queries = *Queries::Open(path_);
  EXPECT_EQ(queries->Run("latest")->facts.run_id, run);
  const auto chips = *queries->Chips();
  ASSERT_EQ(chips.size(), 1U);
  EXPECT_EQ(chips[0].runs, 1);
  EXPECT_EQ(chips[0].latest, run);
  EXPECT_THAT(Ids(*queries->RunsFacts({})), ElementsAre(run));
  EXPECT_THAT(Ids(*queries->RunsFacts({.chip = "c"})), ElementsAre(run));
  EXPECT_THAT(Ids(*queries->RunsFacts({.chip = "c", .limit = 2, .kind = RunKind::kExploration})),
              ElementsAre(explorations[3], explorations[2]));
  EXPECT_EQ(queries->RunsFacts({.kind = RunKind::kAny})->size(), 6U);
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
}

TEST_F(ExplorationsTest, ShowWhatTheyDidAndFound) {
  const std::string id = AddExploration("c", v1::RUN_STATE_RUNNING);
  const v1::RunInfo info = *database_->GetRun(id);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(info.exploration(), Found()));
  EXPECT_EQ(info.done(), 12);
  EXPECT_EQ(info.outcomes().at("fail"), 3);
  EXPECT_EQ(info.options().exploration().seed(), 7U);
  const auto queries = *Queries::Open(path_);
  const RunRow row = *queries->Run(id);
  EXPECT_TRUE(row.facts.scope.has_exploration());
  EXPECT_EQ(row.totals.done, 12);
  EXPECT_EQ(row.totals.outcomes.at(v1::OUTCOME_FAIL), 3);
  // Lists leave out what is large.
  const std::vector<v1::RunInfo> list = *queries->Explorations({.chip = "c"});
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].exploration().functions_size(), 0);
  ASSERT_EQ(list[0].exploration().causes_size(), 1);
  EXPECT_EQ(list[0].exploration().causes(0).key(), "0a1b2c3d");
  EXPECT_EQ(list[0].exploration().causes(0).text(), "");
  EXPECT_EQ(list[0].outcomes().at("pass"), 9);
}

TEST_F(ExplorationsTest, HaveTheStatesOfRuns) {
  const std::string id = AddExploration("c", v1::RUN_STATE_RUNNING);
  ASSERT_TRUE(database_->KeepAlive(id, -absl::Seconds(5)).ok());
  EXPECT_EQ(database_->GetRun(id)->state(), v1::RUN_STATE_STALLED);
  EXPECT_EQ(database_->AbandonedRuns(absl::Seconds(1))->size(), 1U);
  // It goes on: nothing but the clock tells them apart.
  EXPECT_TRUE(database_->WriteExploration(id, Found()).ok());
  ASSERT_TRUE(database_->SetState(id, v1::RUN_STATE_FINISHED).ok());
  const absl::Status late = database_->WriteExploration(id, {});
  EXPECT_TRUE(absl::IsFailedPrecondition(late)) << late;
  EXPECT_EQ(database_->GetRun(id)->exploration().calls(), 12);
  EXPECT_TRUE(absl::IsFailedPrecondition(database_->WriteExploration(AddRun("c"), Found())));
}

TEST_F(ExplorationsTest, AreCheckedArchivedAndRemoved) {
  const std::string id = AddExploration("c", v1::RUN_STATE_FINISHED);
  const std::string run = AddRun("c");
  EXPECT_GT(BytesOfRuns(path_, {id})->front().bytes, 0);
  const std::string archive = folder_ / "archive.db";
  const auto archived = ArchiveRuns(path_, {id, run}, archive);
  ASSERT_TRUE(archived.ok()) << archived.status();
  EXPECT_EQ((*Database::Open(archive, {.read_only = true}))->GetRun(id)->exploration().causes(0).text(),
            "operator: \"add\"");
  ASSERT_TRUE(RemoveRuns(path_, {id}).ok());
  EXPECT_TRUE(absl::IsNotFound(database_->GetRun(id).status()));
  const std::string damaged = AddExploration("c", v1::RUN_STATE_FINISHED);
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
  auto connection = Connection::Open(path_, Connection::Mode::kReadWrite);
  ASSERT_TRUE(
      (*connection)->Execute("UPDATE runs SET exploration = x'ff' WHERE exploration IS NOT NULL").ok());
  EXPECT_THAT(CheckDatabase(path_)->problems, ElementsAre(HasSubstr("exploration")));
  EXPECT_TRUE(absl::IsDataLoss(database_->GetRun(damaged).status()));
}

}  // namespace
}  // namespace diopi::server
