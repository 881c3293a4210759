// Files that are damaged, full, foreign, newer, read-only; processes that write, read and die at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void RunSql(const std::string& path, const std::string& sql) {
  auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  ASSERT_TRUE(connection.ok()) << connection.status();
  ASSERT_TRUE((*connection)->Execute(sql).ok());
}

void MakeDatabase(const std::string& path, int cases) {
  const auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.status();
  ASSERT_TRUE((*database)->CreateRun(MakeOptions("c"), "s", MakeCases(cases)).ok());
}

TEST(DatabaseFaultsTest, UnusableFilesAreRefusedByName) {
  const TestFolder folder;
  struct Row {
    std::string name;
    std::function<void(const std::string&)> make;
    bool read_only;
    absl::StatusCode code;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"text.db", [](const std::string& p) { WriteFile(p, std::string(5000, 'x')); }, false,
       absl::StatusCode::kDataLoss, "not a database"},
      {"foreign.db", [](const std::string& p) { RunSql(p, "CREATE TABLE t (a)"); }, false,
       absl::StatusCode::kDataLoss, "another program"},
      {"newer.db",
       [](const std::string& p) {
         MakeDatabase(p, 1);
         RunSql(p, "PRAGMA user_version = 99");
       },
       false, absl::StatusCode::kFailedPrecondition,
       absl::StrCat("version 99, this program knows up to version ", kSchemaVersion)},
      {"missing.db", [](const std::string&) {}, true, absl::StatusCode::kNotFound, "no such file"},
      {"empty.db", [](const std::string& p) { WriteFile(p, ""); }, true,
       absl::StatusCode::kFailedPrecondition, "version 0"},
      {"file/below.db", [&](const std::string&) { WriteFile(folder / "file", "x"); }, false,
       absl::StatusCode::kFailedPrecondition, "folder cannot be created"},
      {"folder.db", [](const std::string& p) { std::filesystem::create_directory(p); }, false,
       absl::StatusCode::kFailedPrecondition, "cannot be opened"},
  };
  for (const Row& row : rows) {
    const std::string path = folder / row.name;
    row.make(path);
    const absl::Status status = Database::Open(path, {.read_only = row.read_only}).status();
    EXPECT_EQ(status.code(), row.code) << row.name << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
}

TEST(DatabaseFaultsTest, ATruncatedFileIsDataLoss) {
  const TestFolder folder;
  const std::string path = folder / "results.db";
  MakeDatabase(path, 2000);
  std::filesystem::resize_file(path, uintmax_t{3} * 4096);
  absl::Status status = absl::OkStatus();
  const auto database = Database::Open(path, {});
  status = database.ok() ? (*database)->CasesOf("latest").status() : database.status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
}

TEST(DatabaseFaultsTest, DamageIsFoundBeforeAnythingIsWritten) {
  const TestFolder folder;
  const std::string whole = folder / "whole.db";
  MakeDatabase(whole, 2000);
  const uintmax_t size = std::filesystem::file_size(whole);
  const auto open = [](const std::string& path, absl::Duration check_for, std::string* log) {
    return Database::Open(path,
                          {.check_for = check_for, .log = [log](const std::string& text) { *log = text; }})
        .status();
  };
  std::string log;
  EXPECT_TRUE(open(whole, absl::InfiniteDuration(), &log).ok());
  for (uintmax_t page = 1; page < size / 4096; page += 7) {
    const std::string path = folder / absl::StrCat("damaged", page);
    std::filesystem::copy_file(whole, path);
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(page * 4096));
      file << std::string(4096, 'x');
    }
    const absl::Status status = open(path, absl::InfiniteDuration(), &log);
    EXPECT_TRUE(absl::IsDataLoss(status)) << page << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path + ": "));
  }
  const std::string cut = folder / "cut";
  std::filesystem::copy_file(whole, cut);
  std::filesystem::resize_file(cut, size - 4096);
  EXPECT_TRUE(absl::IsDataLoss(open(cut, absl::Nanoseconds(1), &log)));
  EXPECT_EQ(log, "");
  const std::string large = folder / "large.db";
  MakeDatabase(large, 60000);
  EXPECT_TRUE(open(large, absl::Nanoseconds(1), &log).ok());
  EXPECT_THAT(log, HasSubstr("not checked to its end"));
}

TEST(DatabaseFaultsTest, AFullDiskLosesNothingThatWasStored) {
  const TestFolder folder;
  const std::string path = folder / "results.db";
  MakeDatabase(path, 400);
  const auto database = Database::Open(path, {.max_bytes = int64_t{60} * 4096});
  ASSERT_TRUE(database.ok()) << database.status();
  int stored = 0;
  absl::Status status = absl::OkStatus();
  while (stored < 400 && status.ok()) {
    v1::Verdict verdict = MakeVerdict(stored, v1::OUTCOME_CRASH);
    verdict.set_backtrace(std::string(3000, 'b'));
    status = (*database)->Append("latest", {verdict}).status();
    stored += status.ok() ? 1 : 0;
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  EXPECT_GT(stored, 0);
  EXPECT_EQ((*database)->DoneCases("latest")->size(), static_cast<size_t>(stored));
  // With space again, another connection writes and the first one sees it.
  const auto roomy = Database::Open(path, {});
  ASSERT_TRUE((*roomy)->Append("latest", {MakeVerdict(399, v1::OUTCOME_PASS)}).ok());
  EXPECT_EQ((*database)->DoneCases("latest")->size(), static_cast<size_t>(stored) + 1);
}

// Runs `body` in a child process, as a user who may not write root's files. The child's exit status.
int RunUnprivileged(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(77);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(DatabaseFaultsTest, AReadOnlyFileIsReadAndNotWritten) {
  const TestFolder folder;
  const std::string path = folder / "results.db";
  MakeDatabase(path, 2);
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  EXPECT_EQ(RunUnprivileged([&] {
              const absl::Status status = Database::Open(path, {}).status();
              return absl::IsFailedPrecondition(status) &&
                     std::string(status.message()).find(path) != std::string::npos;
            }),
            0);
  EXPECT_EQ(RunUnprivileged([&] {
              const auto database = Database::Open(path, {.read_only = true});
              return database.ok() && (*database)->CasesOf("latest")->size() == 2 &&
                     absl::IsFailedPrecondition(
                         (*database)->Append("latest", {MakeVerdict(0, v1::OUTCOME_PASS)}).status());
            }),
            0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
}

TEST(DatabaseFaultsTest, ReadersSeeWholeBatchesWhileOthersWrite) {
  const TestFolder folder;
  const std::string path = folder / "results.db";
  constexpr int kBatches = 100;
  constexpr int kBatch = 4;
  MakeDatabase(path, 2 * kBatches * kBatch);
  std::atomic<int> writers = 2;
  const auto write = [&](int first) {
    const auto database = Database::Open(path, {});
    for (int batch = 0; batch < kBatches; ++batch) {
      std::vector<v1::Verdict> verdicts;
      verdicts.reserve(kBatch);
      for (int i = 0; i < kBatch; ++i) {
        verdicts.push_back(MakeVerdict(first + batch * kBatch + i, v1::OUTCOME_PASS));
      }
      EXPECT_TRUE((*database)->Append("latest", verdicts).ok());
    }
    --writers;
  };
  std::thread one(write, 0);
  std::thread two(write, kBatches * kBatch);
  const auto reader = Database::Open(path, {.read_only = true});
  ASSERT_TRUE(reader.ok()) << reader.status();
  size_t before = 0;
  while (writers > 0) {
    const auto done = (*reader)->DoneCases("latest");
    EXPECT_TRUE(done.ok()) << done.status();
    EXPECT_EQ(done->size() % kBatch, 0U);
    EXPECT_GE(done->size(), before);
    before = done->size();
  }
  one.join();
  two.join();
  EXPECT_EQ((*reader)->DoneCases("latest")->size(), 2U * kBatches * kBatch);
}

// Appends batches of three in the child, and writes the number of each to the pipe once it is stored.
[[noreturn]] void AppendForEver(const std::string& path, int batches, int pipe_fd) {
  const auto database = Database::Open(path, {});
  for (int batch = 0; batch < batches; ++batch) {
    std::vector<v1::Verdict> verdicts;
    verdicts.reserve(3);
    for (int i = 0; i < 3; ++i) verdicts.push_back(MakeVerdict(3 * batch + i, v1::OUTCOME_PASS));
    if (!(*database)->Append("latest", verdicts).ok()) _exit(1);
    if (write(pipe_fd, &batch, sizeof(batch)) != sizeof(batch)) _exit(1);
  }
  _exit(0);
}

TEST(DatabaseFaultsTest, AKilledWriterLosesNoCommittedRow) {
  constexpr int kBatches = 3000;
  for (const int kill_after : {0, 7, 150}) {
    const TestFolder folder;
    const std::string path = folder / "results.db";
    MakeDatabase(path, 3 * kBatches);
    std::array<int, 2> fds{};
    ASSERT_EQ(pipe(fds.data()), 0);
    const pid_t child = fork();
    if (child == 0) AppendForEver(path, kBatches, fds[1]);
    close(fds[1]);
    int acknowledged = -1;
    while (acknowledged < kill_after && read(fds[0], &acknowledged, sizeof(int)) == sizeof(int)) {
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (read(fds[0], &acknowledged, sizeof(int)) == sizeof(int)) {
    }
    close(fds[0]);
    const auto database = Database::Open(path, {});
    ASSERT_TRUE(database.ok()) << database.status();
    const auto done = (*database)->DoneCases("latest");
    ASSERT_TRUE(done.ok()) << done.status();
    EXPECT_GE(done->size(), 3U * (acknowledged + 1));
    EXPECT_EQ(done->size() % 3, 0U);
    const auto again = (*database)->Append("latest", {MakeVerdict(0, v1::OUTCOME_FAIL)});
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->duplicates, 1);
  }
}

std::vector<v1::Verdict> VerdictsOn(int cases) {
  std::vector<v1::Verdict> verdicts;
  verdicts.reserve(static_cast<size_t>(cases));
  for (int i = 0; i < cases; ++i) {
    verdicts.push_back(MakeVerdict(i, v1::OUTCOME_CRASH));
    verdicts.back().set_backtrace(std::string(1000, 'x'));
  }
  return verdicts;
}

TEST(DatabaseFaultsTest, OnAFullDiskAFinishedRunIsThereOrIsNot) {
  constexpr int kCases = 300;
  int failures = 0;
  bool stored = false;
  for (int pages = 80; !stored; pages += 10) {
    ASSERT_LT(pages, 1000);
    const TestFolder folder;
    const std::string path = folder / "results.db";
    const auto database = Database::Open(path, {.max_bytes = int64_t{pages} * 4096});
    ASSERT_TRUE(database.ok()) << database.status();
    const auto run =
        (*database)->AddFinishedRun(MakeOptions("c"), "s", MakeCases(kCases), VerdictsOn(kCases));
    stored = run.ok();
    failures += stored ? 0 : 1;
    EXPECT_TRUE(stored || absl::IsResourceExhausted(run.status())) << run.status();
    const auto runs = (*database)->ListRuns("", 0);
    ASSERT_TRUE(runs.ok()) << runs.status();
    EXPECT_EQ(runs->size(), stored ? 1U : 0U) << pages;
    // The same connection can still write.
    EXPECT_TRUE((*database)->CreateRun(MakeOptions("c"), "s", MakeCases(1)).ok());
  }
  EXPECT_GT(failures, 3);
}

TEST(DatabaseFaultsTest, AKilledWriterLeavesNoHalfFinishedRun) {
  constexpr int kCases = 200;
  for (const int kill_after : {0, 3, 20}) {
    const TestFolder folder;
    const std::string path = folder / "results.db";
    std::array<int, 2> fds{};
    ASSERT_EQ(pipe(fds.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto database = Database::Open(path, {});
      for (char i = 0; i < 100; ++i) {
        if (write(fds[1], &i, 1) != 1) _exit(1);
        if (!(*database)->AddFinishedRun(MakeOptions("c"), "s", MakeCases(kCases), VerdictsOn(kCases)).ok())
          _exit(1);
      }
      pause();
    }
    close(fds[1]);
    char begun = -1;
    while (begun < kill_after && read(fds[0], &begun, 1) == 1) {
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(fds[0]);
    const auto database = Database::Open(path, {});
    ASSERT_TRUE(database.ok()) << database.status();
    const auto runs = (*database)->ListRuns("", 0);
    ASSERT_TRUE(runs.ok()) << runs.status();
    EXPECT_GE(runs->size(), static_cast<size_t>(kill_after));
    for (const v1::RunInfo& run : *runs) {
      EXPECT_EQ(run.state(), v1::RUN_STATE_FINISHED);
      EXPECT_EQ(run.done(), kCases);
    }
  }
}

TEST(DatabaseFaultsTest, ManyProcessesMayCreateTheSameFile) {
  const TestFolder folder;
  const std::string path = folder / "results.db";
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const auto database = Database::Open(path, {});
      const bool ok = database.ok() && (*database)->CreateRun(MakeOptions("c"), "s", MakeCases(2)).ok();
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ((*Database::Open(path, {}))->ListRuns("", 0)->size(), 6U);
}

}  // namespace
}  // namespace diopi::server
