// Tags, removal, archives and smaller files, on real databases beside others that write.
#include "server/store/upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "build_paths.h"
#include "cases/findings/finding.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"
#include "server/store/rows_testing.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UpkeepTest : public testing::Test {
 protected:
  UpkeepTest() : path_(DatabasePath(folder_.path())), database_(*Database::Open(path_, {})) {}

  // A run over `cases` cases; those from `changed` on have reasons of their own.
  std::string AddRun(int cases, int changed, v1::RunState state = v1::RUN_STATE_FINISHED) {
    const std::string id = database_->CreateRun(MakeOptions("c"), "s", MakeCases(cases))->run_id();
    std::vector<v1::Verdict> verdicts;
    for (int i = 0; i < cases; ++i) {
      verdicts.push_back(MakeVerdict(i, i % 9 == 1 ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS));
      verdicts.back().set_elapsed_us(i + 0.125);
      verdicts.back().set_tensor_info(std::string(400, 'y'));  // so that differences save enough
      if (i >= changed) verdicts.back().set_reason(id + std::string(100, 'r'));
    }
    EXPECT_TRUE(database_->Append(id, verdicts).ok());
    if (state != v1::RUN_STATE_RUNNING) {
      EXPECT_TRUE(database_->SetState(id, state).ok());
    }
    return id;
  }
  std::string Count(const std::string& what) const {
    const std::vector<std::string> rows = Rows(path_, "SELECT count(*) FROM " + what);
    return rows.empty() ? "" : rows[0];
  }
  static std::string All(Database& database, const std::string& run) {
    std::string text;
    const std::vector<v1::Verdict> verdicts = *database.Verdicts(run, {});
    for (const v1::Verdict& verdict : verdicts) text += verdict.SerializeAsString();
    return text;
  }

  const TestFolder folder_;
  const std::string path_;
  std::unique_ptr<Database> database_;
};

TEST_F(UpkeepTest, WhatIsSaidOfARunIsStoredAsFieldsAlone) {
  v1::RunOptions options = MakeOptions("c");
  *options.mutable_sandboxed() = Found(v1::Finding::NOT_DROPPED).Part(Found(v1::Finding::TERM).Word("exec"));
  const std::string run = database_->CreateRun(options, "s", MakeCases(2))->run_id();
  const v1::Finding why = Found(v1::Finding::ABANDONED).Limit("3h");
  ASSERT_TRUE(database_->ChangeRun(run, {.state = v1::RUN_STATE_ABORTED, .aborted = why}).ok());
  const v1::RunOptions read = database_->GetRun(run)->options();
  EXPECT_EQ(read.sandbox(), "could not drop: exec");
  EXPECT_EQ(read.abort_reason(), "no agent has worked on it for more than 3h; --resume continues it");
  for (const auto& [what, rows] :
       {std::pair("exec", "1"), std::pair("could not drop", "0"), std::pair("no agent", "0")})
    EXPECT_EQ(Count(absl::StrCat("runs WHERE instr(hex(options), hex('", what, "')) > 0")), rows) << what;
  // It runs again; and a text that an earlier version stored stays.
  ASSERT_TRUE(database_->ChangeRun(run, {.aborted = v1::Finding()}).ok());
  EXPECT_EQ(database_->GetRun(run)->options().abort_reason(), "");
  options.clear_sandboxed();
  options.set_sandbox("strict: a thing of yesterday");
  const std::string old = database_->CreateRun(options, "s", MakeCases(2))->run_id();
  EXPECT_EQ(database_->GetRun(old)->options().sandbox(), "strict: a thing of yesterday");
}

TEST_F(UpkeepTest, LabelsComeWithTheRunAndLater) {
  v1::RunOptions options = MakeOptions("c");
  (*options.mutable_labels())["commit"] = "1f2e3d";
  (*options.mutable_labels())["branch"] = "main";
  const std::string run = database_->CreateRun(options, "s", MakeCases(2))->run_id();
  const auto labelled = LabelRun(path_, "latest", {{"note", "old, driver"}, {"branch", ""}});
  ASSERT_TRUE(labelled.ok()) << labelled.status();
  EXPECT_EQ(labelled->run_id, run);
  EXPECT_EQ(LabelsText(labelled->labels), "commit=1f2e3d, note=old, driver");
  // They stay when the options change, and are stored once.
  ASSERT_TRUE(database_->ChangeRun(run, {.state = v1::RUN_STATE_ABORTED, .aborted = v1::Finding()}).ok());
  EXPECT_EQ(database_->GetRun(run)->options().labels().size(), 2U);
  EXPECT_EQ(Count("run_labels"), "2");
  EXPECT_EQ(Count("runs WHERE instr(options, '1f2e3d') > 0"), "0");
  EXPECT_THAT((*Queries::Open(path_))->Runs({})->front().facts.labels, testing::SizeIs(2));
  // An archive has them, and a removed run leaves none.
  const std::string archive = folder_ / "archive.db";
  ASSERT_TRUE(ArchiveRuns(path_, {run}, archive).ok());
  EXPECT_EQ((*Database::Open(archive, {.read_only = true}))->GetRun(run)->options().labels().at("note"),
            "old, driver");
  ASSERT_TRUE(RemoveRuns(path_, {run}).ok());
  EXPECT_EQ(Count("run_labels"), "0");
}

TEST_F(UpkeepTest, LabelsThatCannotBeAreRefused) {
  const std::string run = AddRun(2, 2);
  EXPECT_TRUE(absl::IsNotFound(LabelRun(path_, "x", {{"a", "b"}}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(LabelRun(path_, run, {{"a b", "c"}}).status()));
  Labels many;
  for (size_t i = 0; i < kMaxLabels; ++i) many[absl::StrCat("k", i)] = "v";
  ASSERT_TRUE(LabelRun(path_, run, many).ok());
  const absl::Status status = LabelRun(path_, run, {{"one_more", "v"}}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("a run has at most 32 labels; these are 33"));
  EXPECT_EQ(Count("run_labels"), "32");
}

TEST_F(UpkeepTest, ATagNamesARun) {
  const std::string first = AddRun(2, 2);
  const std::string second = AddRun(2, 2);
  EXPECT_EQ(*TagRun(path_, "latest", "v1.0"), second);
  EXPECT_EQ(*TagRun(path_, first, "old"), first);
  EXPECT_EQ(database_->GetRun("v1.0")->run_id(), second);
  EXPECT_EQ((*Queries::Open(path_))->Run("old")->facts.run_id, first);
  EXPECT_EQ(*TagRun(path_, first, "v1.0"), first);  // moved from the second run
  const auto tags = Tags(path_);
  ASSERT_EQ(tags->size(), 2U);
  EXPECT_EQ((*tags)[1].tag, "v1.0");
  EXPECT_EQ((*tags)[1].run_id, first);
  for (const std::string& wrong :
       {std::string(), std::string("latest"), second, std::string("a\nb"), std::string(65, 'x')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(TagRun(path_, first, wrong).status())) << wrong;
  }
  EXPECT_TRUE(absl::IsNotFound(TagRun(path_, "nothing", "x").status()));
  EXPECT_TRUE(RemoveTag(path_, "old").ok());
  EXPECT_TRUE(absl::IsNotFound(RemoveTag(path_, "old")));
  EXPECT_TRUE(absl::IsNotFound(Tags(folder_ / "nothing.db").status()));
}

TEST_F(UpkeepTest, WhatIsRemovedIsGoneAndWhatIsSharedStays) {
  const std::string first = AddRun(300, 300);
  const std::string second = AddRun(300, 100);
  const std::string third = AddRun(300, 100);
  const std::string other = AddRun(2, 0);  // another suite
  EXPECT_EQ(Count("contents"), absl::StrCat(300 + 200 + 200 + 2));
  const std::string before = All(*database_, third);
  const auto bytes = BytesOfRuns(path_, {first, second, other});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)[0].verdicts, 300);
  EXPECT_GT((*bytes)[1].bytes, (*bytes)[0].bytes);  // the first one's contents are the third's, too
  EXPECT_GT((*bytes)[1].bytes, 200 * 100);
  const auto removed = RemoveRuns(path_, {first, second, other});
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_EQ(removed->runs, 3);
  EXPECT_EQ(removed->verdicts, 602);
  EXPECT_EQ(All(*database_, third), before);
  EXPECT_EQ(database_->ListRuns("", 0)->size(), 1U);
  EXPECT_EQ(Count("verdicts"), "300");
  EXPECT_EQ(Count("contents"), absl::StrCat(300 + 200));  // the bases of the third's are the first's
  EXPECT_EQ(Count("suites"), "1");
  EXPECT_EQ(Count("cases"), "300");
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
  AddRun(300, 100);
  ASSERT_TRUE(RemoveRuns(path_, {third, "latest"}).ok());
  EXPECT_EQ(Count("contents"), "0");
  EXPECT_EQ(Count("cases"), "0");
  EXPECT_EQ(Count("run_tallies"), "0");
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
}

TEST_F(UpkeepTest, RunsThatGoOnOrHaveATagStay) {
  const std::string done = AddRun(3, 3);
  const std::string running = AddRun(3, 3, v1::RUN_STATE_RUNNING);
  const std::string tagged = AddRun(3, 3, v1::RUN_STATE_ABORTED);
  ASSERT_TRUE(TagRun(path_, tagged, "release").ok());
  absl::Status status = RemoveRuns(path_, {done, running}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("is running"));
  status = RemoveRuns(path_, {done, tagged}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("has the tag release"));
  EXPECT_TRUE(absl::IsNotFound(RemoveRuns(path_, {done, "nothing"}).status()));
  EXPECT_EQ(database_->ListRuns("", 0)->size(), 3U);
  // A run that nobody works on any more may be removed.
  ASSERT_TRUE(database_->KeepAlive(running, absl::Seconds(-1)).ok());
  EXPECT_EQ(RemoveRuns(path_, {running})->runs, 1);
}

TEST_F(UpkeepTest, AServerWritesOnMeanwhile) {
  constexpr int kCases = 2000;
  std::vector<std::string> old;
  for (int i = 0; i < 6; ++i) old.push_back(AddRun(kCases, i % 2 == 0 ? 0 : kCases));
  const std::string run = database_->CreateRun(MakeOptions("c"), "s", MakeCases(kCases))->run_id();
  std::atomic<int> stored = 0;
  std::thread writer([&] {
    const auto database = Database::Open(path_, {});
    for (int i = 0; i < kCases; i += 5) {
      std::vector<v1::Verdict> verdicts;
      for (int j = i; j < i + 5; ++j) verdicts.push_back(MakeVerdict(j, v1::OUTCOME_PASS));
      EXPECT_TRUE((*database)->Append(run, verdicts).ok());
      stored += 5;
    }
  });
  while (stored < 10) std::this_thread::yield();
  const auto removed = RemoveRuns(path_, old);
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_TRUE(Vacuum(path_, false).ok());
  writer.join();
  const std::vector<v1::Verdict> verdicts = *database_->Verdicts(run, {});
  ASSERT_EQ(verdicts.size(), static_cast<size_t>(kCases));
  for (int i = 0; i < kCases; ++i) {
    ASSERT_EQ(verdicts[i].SerializeAsString(), MakeVerdict(i, v1::OUTCOME_PASS).SerializeAsString());
  }
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
}

TEST_F(UpkeepTest, AnArchiveHoldsTheRunsWhole) {
  const std::string first = AddRun(40, 40);
  const std::string second = AddRun(40, 10);  // its contents have the first one's as bases
  AddRun(5, 0);
  ASSERT_TRUE(TagRun(path_, second, "release").ok());
  const std::string to = folder_ / "archive.db";
  const auto archived = ArchiveRuns(path_, {"release"}, to);
  ASSERT_TRUE(archived.ok()) << archived.status();
  EXPECT_EQ(archived->verdicts, 40);
  EXPECT_FALSE(std::filesystem::exists(to + ".partial"));
  const auto copy = Database::Open(DatabasePath(to), {.read_only = true});
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ((*copy)->ListRuns("", 0)->size(), 1U);
  EXPECT_EQ((*copy)->GetRun("release")->run_id(), second);
  EXPECT_EQ(All(**copy, second), All(*database_, second));
  EXPECT_EQ((*Queries::Open(to))->Run(second)->totals, (*Queries::Open(path_))->Run(second)->totals);
  EXPECT_EQ((*Queries::Open(to))->Recent(second, 0, 5)->front().stored,
            (*Queries::Open(path_))->Recent(second, 0, 5)->front().stored);
  EXPECT_TRUE(absl::IsAlreadyExists(ArchiveRuns(path_, {first}, to).status()));
  EXPECT_TRUE(absl::IsNotFound(ArchiveRuns(path_, {"nothing"}, folder_ / "x").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(
      ArchiveRuns(path_, {AddRun(2, 2, v1::RUN_STATE_RUNNING)}, folder_ / "x").status()));
  EXPECT_FALSE(ArchiveRuns(path_, {first}, folder_ / "no/such/folder/x").ok() &&
               !std::filesystem::exists(folder_ / "no/such/folder/x"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

// A damaged verdict is not archived as if it were whole.
TEST_F(UpkeepTest, AnArchiveThatDiffersIsNoArchive) {
  const std::string run = AddRun(40, 40);
  {
    auto connection = Connection::Open(path_, Connection::Mode::kReadWrite);
    ASSERT_TRUE(
        (*connection)
            ->Execute("DROP TRIGGER contents_are_final; UPDATE contents SET body = x'ff' WHERE id = 7")
            .ok());
  }
  const absl::Status status = ArchiveRuns(path_, {run}, folder_ / "x").status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.partial"));
}

TEST_F(UpkeepTest, AVacuumGivesTheRoomBack) {
  std::vector<std::string> runs;
  for (int i = 0; i < 4; ++i) runs.push_back(AddRun(1000, 0));
  database_.reset();
  const int64_t full = UseOf(path_)->bytes;
  runs.pop_back();
  ASSERT_TRUE(RemoveRuns(path_, runs).ok());
  FileUse use = *UseOf(path_);
  EXPECT_TRUE(use.in_pieces);
  EXPECT_EQ(use.bytes, full);
  EXPECT_GT(use.free, full / 5);
  ASSERT_TRUE(Vacuum(path_, false).ok());
  use = *UseOf(path_);
  EXPECT_LT(use.bytes, full * 4 / 5);
  EXPECT_EQ(use.free, 0);
  EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(path_)), use.bytes);
  ASSERT_TRUE(Vacuum(path_, true).ok());
  EXPECT_LE(UseOf(path_)->bytes, use.bytes);
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
}

// A file of an earlier version is rewritten once; from then on it shrinks in pieces.
TEST_F(UpkeepTest, AnOldFileIsWrittenAnewOnce) {
  const std::string path = folder_ / "old.db";
  {
    std::ifstream in(std::string(DIOPI_SOURCE_DIR) + "/server/store/testdata/version_1.sql");
    const std::string sql{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
    ASSERT_TRUE((*connection)->Execute("PRAGMA foreign_keys = OFF;" + sql).ok());
  }
  ASSERT_TRUE(Database::Open(path, {}).ok());
  EXPECT_FALSE(UseOf(path)->in_pieces);
  EXPECT_GT(UseOf(path)->free, 0);
  ASSERT_TRUE(Vacuum(path, false).ok());
  EXPECT_TRUE(UseOf(path)->in_pieces);
  EXPECT_EQ(UseOf(path)->free, 0);
  EXPECT_THAT(CheckDatabase(path)->problems, IsEmpty());
}

// A removal that dies leaves each run whole or gone, and the next one frees what it left.
TEST_F(UpkeepTest, AKilledRemovalLeavesWholeRuns) {
  constexpr int kCases = 1500;
  std::vector<std::string> runs;
  for (int i = 0; i < 12; ++i) runs.push_back(AddRun(kCases, 0));
  const std::string kept = AddRun(kCases, 0);
  const pid_t child = fork();
  if (child == 0) _exit(RemoveRuns(path_, runs).ok() ? 0 : 1);
  while (database_->ListRuns("", 0)->size() > 9) std::this_thread::yield();
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_THAT(CheckDatabase(path_)->problems, IsEmpty());
  std::vector<std::string> left;
  const std::vector<v1::RunInfo> infos = *database_->ListRuns("", 0);
  for (const v1::RunInfo& run : infos) {
    EXPECT_EQ(run.done(), kCases);
    if (run.run_id() != kept) left.push_back(run.run_id());
  }
  ASSERT_TRUE(RemoveRuns(path_, left).ok());
  EXPECT_EQ(Count("contents"), absl::StrCat(2 * kCases));  // its own, and their bases
}

}  // namespace
}  // namespace diopi::server
