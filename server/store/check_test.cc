// Whole databases, and each way in which one can be wrong; backups while others write.
#include "server/store/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/store/backup.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A finished run of three cases, one of them with two outputs, and one under way.
void MakeDatabase(const std::string& path) {
  const auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  const std::string first = (*database)->CreateRun(MakeOptions("c"), "s", MakeCases(3))->run_id();
  v1::Verdict failed = MakeVerdict(1, v1::OUTCOME_FAIL);
  failed.add_outputs()->set_key("out");
  failed.add_outputs()->set_key("out2");
  failed.mutable_outputs(1)->add_first()->set_actual_text("1");
  ASSERT_TRUE(
      (*database)
          ->Append(first, {MakeVerdict(0, v1::OUTCOME_PASS), failed, MakeVerdict(2, v1::OUTCOME_WAIVED)})
          .ok());
  ASSERT_TRUE((*database)->SetState(first, v1::RUN_STATE_FINISHED).ok());
  const std::string second = (*database)->CreateRun(MakeOptions("c"), "s", MakeCases(30))->run_id();
  ASSERT_TRUE((*database)->Append(second, {MakeVerdict(4, v1::OUTCOME_PASS)}).ok());
}

void Spoil(const std::string& path, const std::string& sql) {
  const auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  ASSERT_TRUE(connection.ok()) << connection.status();
  const absl::Status status =
      (*connection)
          ->Execute(absl::StrCat("PRAGMA foreign_keys = OFF; DROP TRIGGER results_are_final; ", sql));
  ASSERT_TRUE(status.ok()) << status;
}

TEST(CheckDatabaseTest, AWholeOneIsClean) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  EXPECT_TRUE(absl::IsNotFound(CheckDatabase(path).status()));
  MakeDatabase(path);
  const auto check = CheckDatabase(path);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_THAT(check->problems, IsEmpty());
  EXPECT_EQ(check->runs, 2);
  EXPECT_EQ(check->results, 4);
}

TEST(CheckDatabaseTest, EveryWrongRowIsNamed) {
  struct Row {
    std::string sql;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"UPDATE results SET outcome = 77 WHERE id = 2",
       "results row 2 (case add.float32.p1): unknown outcome 77"},
      {"UPDATE results SET outcome = 0 WHERE id = 2",
       "results row 2 (case add.float32.p1): unknown outcome 0"},
      {"UPDATE results SET dtype = 999 WHERE id = 1",
       "results row 1 (case add.float32.p0): unknown dtype 999"},
      {"UPDATE result_outputs SET dtype = -3 WHERE ordinal = 1",
       "result_outputs row 2, 1 (out2): unknown dtype -3"},
      {"UPDATE results SET case_hash = 'x' WHERE id = 3",
       "case add.float32.p2): its case hash is x, the run has hash2"},
      {"UPDATE results SET stored = 'noon' WHERE id = 3",
       "results row 3 (case add.float32.p2): no time: noon"},
      {"UPDATE results SET reference = 99 WHERE id = 3", "results row 3: refers to a row of provenances"},
      {"UPDATE results SET case_id = 'gone' WHERE id = 3",
       "results row 3: of run 1 and case gone, which no run covers"},
      {"DELETE FROM run_cases WHERE run = 2 AND case_id = 'add.float32.p9'", "it says 30 cases and has 29"},
      {"UPDATE run_cases SET position = 7 WHERE run = 2 AND position = 6",
       "the positions of its cases are not 0 to 29"},
      {"DELETE FROM results WHERE id = 1", "finished with 2 verdicts on 3 cases"},
      {"UPDATE runs SET finished = '' WHERE id = 1", "it is finished, but its end is \"\""},
      {"UPDATE runs SET finished = 'x' WHERE id = 2", "it is running, but its end is \"x\""},
      {"UPDATE runs SET options = x'ff' WHERE id = 2", "runs row 2 ("},
      {"UPDATE runs SET submission = x'ff' WHERE id = 2", "its submission cannot be read"},
      {"INSERT INTO agents VALUES ('a', x'ff', '')", "agents row a: its facts cannot be read"},
      {"UPDATE result_outputs SET extra = x'0a' WHERE ordinal = 1",
       "result_outputs row 2, 1 (out2): its extra cannot"},
      {"UPDATE result_outputs SET ordinal = 5 WHERE ordinal = 1",
       "results row 2 (case add.float32.p1): its outputs"},
      {"PRAGMA user_version = 0", "its schema is version 0"},
      {"PRAGMA user_version = 99", "written by a newer program"},
  };
  for (const Row& row : rows) {
    const ScratchFolder folder;
    const std::string path = DatabasePath(folder.path());
    MakeDatabase(path);
    Spoil(path, row.sql);
    const auto check = CheckDatabase(path);
    ASSERT_TRUE(check.ok()) << check.status();
    EXPECT_THAT(check->problems, Contains(testing::AllOf(HasSubstr(path), HasSubstr(row.says)))) << row.sql;
  }
}

TEST(CheckDatabaseTest, ManyOfAKindAreCounted) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeDatabase(path);
  {
    const auto database = Database::Open(path, {});
    for (int i = 5; i < 30; ++i)
      ASSERT_TRUE((*database)->Append("latest", {MakeVerdict(i, v1::OUTCOME_PASS)}).ok());
  }
  Spoil(path, "UPDATE results SET outcome = 77 WHERE run = 2");
  const auto check = CheckDatabase(path);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_EQ(check->problems.size(), 21U);
  EXPECT_THAT(check->problems.back(), HasSubstr("... and 6 more of the kind"));
}

// Whichever page is overwritten, that is seen.
TEST(CheckDatabaseTest, EveryDamagedPageIsSeen) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeDatabase(path);
  Spoil(path, "PRAGMA journal_mode = DELETE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  constexpr int kPage = 4096;
  const auto pages = static_cast<int>(std::filesystem::file_size(path) / kPage);
  ASSERT_GT(pages, 10);
  for (int page = 0; page < pages; ++page) {
    const std::string damaged = folder.File(absl::StrCat("damaged", page));
    std::filesystem::copy_file(path, damaged);
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(std::streamoff{page} * kPage);
    file << std::string(kPage, 'x');
    file.close();
    const auto check = CheckDatabase(damaged);
    ASSERT_TRUE(check.ok()) << check.status();
    EXPECT_FALSE(check->problems.empty()) << "page " << page;
  }
}

TEST(BackUpDatabaseTest, IsOfOneMomentWhileOthersWrite) {
  const ScratchFolder folder;
  const std::string path = DatabasePath(folder.path());
  constexpr int kBatch = 5;
  constexpr int kCases = 5000;
  {
    const auto database = Database::Open(path, {});
    ASSERT_TRUE((*database)->CreateRun(MakeOptions("c"), "s", MakeCases(kCases)).ok());
  }
  std::atomic<bool> stop = false;
  std::atomic<int> stored = 0;
  std::thread writer([&] {
    const auto database = Database::Open(path, {});
    for (int i = 0; i + kBatch <= kCases && !stop; i += kBatch) {
      std::vector<v1::Verdict> verdicts;
      verdicts.reserve(kBatch);
      for (int j = 0; j < kBatch; ++j) verdicts.push_back(MakeVerdict(i + j, v1::OUTCOME_PASS));
      EXPECT_TRUE((*database)->Append("latest", verdicts).ok());
      stored += kBatch;
    }
  });
  size_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const int least = stored;
    const std::string copy = folder.File(absl::StrCat("copy", i));
    const absl::Status status = BackUpDatabase(path, copy);
    ASSERT_TRUE(status.ok()) << status;
    const auto check = CheckDatabase(copy);
    ASSERT_TRUE(check.ok()) << check.status();
    EXPECT_THAT(check->problems, IsEmpty());
    const size_t done = (*Database::Open(copy, {.read_only = true}))->DoneCases("latest")->size();
    EXPECT_EQ(done % kBatch, 0U);
    EXPECT_GE(done, std::max(last, static_cast<size_t>(least)));
    last = done;
    // More than before is in the next one.
    while (stored < std::min(kCases, static_cast<int>(last) + kBatch)) std::this_thread::yield();
  }
  stop = true;
  writer.join();
  EXPECT_TRUE(absl::IsAlreadyExists(BackUpDatabase(path, folder.File("copy0"))));
  EXPECT_TRUE(absl::IsNotFound(BackUpDatabase(folder.File("nothing.db"), folder.File("new"))));
}

}  // namespace
}  // namespace diopi::server
