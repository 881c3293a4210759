// Sound databases, each way in which one can be wrong, and backups while others write.
#include "server/store/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
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
void MakeSmallDatabase(const std::string& path) {
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
          ->Execute(absl::StrCat(
              "PRAGMA foreign_keys = OFF; DROP TRIGGER verdicts_are_final; DROP TRIGGER contents_are_final; ",
              sql));
  ASSERT_TRUE(status.ok()) << status;
}

TEST(CheckDatabaseTest, AWholeOneIsClean) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  EXPECT_TRUE(absl::IsNotFound(CheckDatabase(path).status()));
  MakeSmallDatabase(path);
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
      {"UPDATE verdicts SET outcome = 77 WHERE case_row = 2",
       "verdicts row 1, 2 (case add.float32.p1): unknown outcome 77"},
      {"UPDATE verdicts SET outcome = 0 WHERE case_row = 2",
       "verdicts row 1, 2 (case add.float32.p1): unknown outcome 0"},
      {"UPDATE contents SET body = x'020a' || 'other' WHERE id = 3",
       "verdicts row 1, 3 (case add.float32.p2): its case hash is other, the run has hash2"},
      {"UPDATE contents SET body = x'80800280' WHERE id = 3",
       "verdicts row 1, 3 (case add.float32.p2): its content cannot be read"},
      {"UPDATE contents SET body = x'8080028101' WHERE id = 3",
       "verdicts row 1, 3 (case add.float32.p2): unknown dtype -65"},
      {"UPDATE contents SET base = 2 WHERE id = 1; UPDATE contents SET base = 3 WHERE id = 2",
       "contents row 1: its base, row 2, has a base itself"},
      {"UPDATE verdicts SET content = 99 WHERE case_row = 2",
       "refers to a row of contents that is not there"},
      {"UPDATE verdicts SET reference = 99 WHERE case_row = 3", "refers to a row of provenances"},
      {"UPDATE appends SET stored = 'noon' WHERE run = 1", "appends row 1, 3: not a time: noon"},
      {"UPDATE appends SET case_rows = x'020a02' WHERE run = 1",
       "appends row 1, 3: its verdicts are not those of the run"},
      {"UPDATE appends SET last = 4 WHERE run = 1", "4 verdicts arrived, it has 3"},
      {"UPDATE verdicts SET case_row = 20 WHERE case_row = 3", "verdicts row 1, 20: run "},
      {"DELETE FROM suite_cases WHERE suite = 2 AND position = 9",
       "suites row 2: it says 30 cases and has 29"},
      {"UPDATE suite_cases SET position = 70 WHERE suite = 2 AND position = 6",
       "suites row 2: the positions of its cases are not 0 to 29"},
      {"UPDATE runs SET cases = 31 WHERE id = 2", "it says 31 cases and has 30"},
      {"UPDATE runs SET suite = NULL WHERE id = 2", "it has no suite"},
      {"DELETE FROM verdicts WHERE case_row = 1", "finished with 2 verdicts on 3 cases"},
      {"UPDATE runs SET finished = '' WHERE id = 1", "it is finished, but its end is \"\""},
      {"UPDATE runs SET finished = 'x' WHERE id = 2", "it is running, but its end is \"x\""},
      {"UPDATE runs SET options = x'ff' WHERE id = 2", "runs row 2 ("},
      {"UPDATE runs SET submission = x'ff' WHERE id = 2", "its submission cannot be read"},
      {"INSERT INTO agents VALUES ('a', x'ff', '')", "agents row a: its facts cannot be read"},
      {"PRAGMA user_version = 0", "its schema is version 0"},
      {"PRAGMA user_version = 99", "written by a newer program"},
  };
  for (const Row& row : rows) {
    const TestFolder folder;
    const std::string path = DatabasePath(folder.path());
    MakeSmallDatabase(path);
    Spoil(path, row.sql);
    const auto check = CheckDatabase(path);
    ASSERT_TRUE(check.ok()) << check.status();
    EXPECT_THAT(check->problems, Contains(testing::AllOf(HasSubstr(path), HasSubstr(row.says)))) << row.sql;
  }
}

TEST(CheckDatabaseTest, ManyOfAKindAreCounted) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeSmallDatabase(path);
  {
    const auto database = Database::Open(path, {});
    for (int i = 5; i < 30; ++i)
      ASSERT_TRUE((*database)->Append("latest", {MakeVerdict(i, v1::OUTCOME_PASS)}).ok());
  }
  Spoil(path, "UPDATE verdicts SET outcome = 77 WHERE run = 2");
  const auto check = CheckDatabase(path);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_EQ(check->problems.size(), 21U);
  EXPECT_THAT(check->problems.back(), HasSubstr("... and 6 more of this kind"));
}

// Damage to any page is detected.
TEST(CheckDatabaseTest, EveryDamagedPageIsSeen) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  MakeSmallDatabase(path);
  Spoil(path, "PRAGMA journal_mode = DELETE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  constexpr int kPage = 4096;
  const auto pages = static_cast<int>(std::filesystem::file_size(path) / kPage);
  ASSERT_GT(pages, 10);
  for (int page = 0; page < pages; ++page) {
    const std::string damaged = folder / absl::StrCat("damaged", page);
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
  const TestFolder folder;
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
    const std::string copy = folder / absl::StrCat("copy", i);
    const absl::StatusOr<CopiedDatabase> copied = BackUpDatabase(path, copy);
    ASSERT_TRUE(copied.ok()) << copied.status();
    EXPECT_GE(copied->rows, 2 * kCases);  // cases, and their places in the suite
    const auto check = CheckDatabase(copy);
    ASSERT_TRUE(check.ok()) << check.status();
    EXPECT_THAT(check->problems, IsEmpty());
    const size_t done = (*Database::Open(copy, {.read_only = true}))->DoneCases("latest")->size();
    EXPECT_EQ(done % kBatch, 0U);
    EXPECT_GE(done, std::max(last, static_cast<size_t>(least)));
    last = done;
    // The next backup must have more to copy.
    while (stored < std::min(kCases, static_cast<int>(last) + kBatch)) std::this_thread::yield();
  }
  stop = true;
  writer.join();
  EXPECT_TRUE(absl::IsAlreadyExists(BackUpDatabase(path, folder / "copy0").status()));
  EXPECT_TRUE(absl::IsNotFound(BackUpDatabase(folder / "nothing.db", folder / "new").status()));
}

// Pages are copied as they are: only who reads the copy sees that they are damaged.
TEST(BackUpDatabaseTest, ReadsWhatItWrote) {
  const TestFolder folder;
  const std::string path = DatabasePath(folder.path());
  {
    const auto database = Database::Open(path, {});
    ASSERT_TRUE((*database)->CreateRun(MakeOptions("c"), "s", MakeCases(2000)).ok());
    ASSERT_TRUE((*database)->Checkpoint().ok());
  }
  const size_t size = std::filesystem::file_size(path);
  int damaged = 0;
  for (size_t page = 2; page * 4096 < size; page += 5) {
    const std::string spoilt = folder / absl::StrCat("spoilt", page);
    std::filesystem::copy_file(path, spoilt);
    {
      std::fstream file(spoilt, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(page * 4096));
      file << std::string(4096, 'x');
    }
    const absl::Status status = BackUpDatabase(spoilt, folder / absl::StrCat("copy", page)).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << page << ": " << status;
    damaged += absl::IsDataLoss(status) ? 1 : 0;
  }
  EXPECT_GT(damaged, 10);
}

}  // namespace
}  // namespace diopi::server
