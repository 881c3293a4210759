// `diopi-server check` and `diopi-server backup`, on data folders that real servers write to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "baselines/store/store.h"
#include "cases/base/test_folder.h"
#include "cases/fill/fill.h"
#include "server/maintenance/backup.h"
#include "server/maintenance/check.h"
#include "server/rpc/program_testing.h"
#include "server/rpc/server_testing.h"

namespace diopi::server {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Flips a bit wherever `bytes` occur in the file: HDF5's attributes repeat the cases' texts.
void Flip(const std::string& path, const std::string& bytes) {
  std::string text = ReadText(path);
  size_t at = text.find(bytes);
  ASSERT_NE(at, std::string::npos);
  for (; at != std::string::npos; at = text.find(bytes, at)) text[at] = static_cast<char>(text[at] ^ 1);
  WriteText(path, text);
}

class FolderTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  const TestFolder folder_;
};

class CheckTest : public FolderTest {};

TEST_F(CheckTest, AFolderInUseIsClean) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun(std::vector<std::string>{})->run_id();
  EXPECT_EQ(agent.DoAll(run, 3), 8);
  ASSERT_TRUE(agent.Finish(run, false).ok());
  agent.CreateRun({"relu"}).IgnoreError();
  const auto report = CheckDataFolder(server.data_folder());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_EQ(report->runs, 2);
  EXPECT_EQ(report->results, 8);
  EXPECT_EQ(report->files, 2);
  EXPECT_EQ(report->cases, 8);
  EXPECT_EQ(report->tensors, 6 * 4 + 2 * 3);
  EXPECT_EQ(report->quarantined, 0);
}

TEST_F(CheckTest, FoldersWithoutAnything) {
  EXPECT_TRUE(absl::IsNotFound(CheckDataFolder(Path("nothing")).status()));
  const auto empty = CheckDataFolder(folder_.path());
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_THAT(empty->problems, IsEmpty());
}

TEST_F(CheckTest, QuarantinedCasesAreCounted) {
  const std::vector<v1::Case> cases = TestCases("relu");
  const std::string path = baselines::BaselinePath(folder_.path(), "cpu", "relu");
  fs::create_directories(fs::path(path).parent_path());
  baselines::Provenance provenance;
  provenance.reference = "cpu";
  auto writer = baselines::BaselineWriter::Create(path, "relu", provenance);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const v1::Case& c : cases) {
    baselines::Baseline baseline{c, *FillInputs(c), ReferencesOf(c)};
    if (&c == &cases[1]) baseline.quarantined = "a conflict";
    ASSERT_TRUE((*writer)->Add(baseline).ok());
  }
  ASSERT_TRUE((*writer)->Commit().ok());
  const auto report = CheckDataFolder(folder_.path());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_EQ(report->quarantined, 1);
}

TEST_F(CheckTest, EveryDamageIsNamed) {
  const std::vector<v1::Case> cases = TestCases("relu");
  v1::Case changed = cases[0];
  changed.set_hash(std::string(32, 'f'));
  const std::string tensor = FillInputs(cases[0])->at("input").data;
  struct Row {
    std::function<void(const std::string&)> spoil;
    std::string says;
  };
  const std::vector<Row> rows = {
      {[&](const std::string& path) { Flip(path, tensor); }, "tensor input does not match its checksum"},
      {[](const std::string& path) { Flip(path, "\"relu.float64.small\""); },
       "the text of case relu.float64.small does not match its checksum"},
      {[](const std::string& path) { Flip(path, "diopi-baselines 2 "); },
       "the index does not match its checksum"},
      {[](const std::string& path) { fs::resize_file(path, fs::file_size(path) - 1); }, "truncated"},
      {[](const std::string& path) { fs::resize_file(path, 0); }, "not an HDF5 file"},
      {[](const std::string& path) { WriteText(path, "text"); }, "not an HDF5 file"},
      {[](const std::string& path) { fs::rename(path, fs::path(path).parent_path() / "relu2.h5"); },
       "relu2.h5: holds the operator relu"},
      {[](const std::string& path) {
         fs::create_directories(fs::path(path).parent_path().parent_path() / "cuda");
         fs::rename(path, fs::path(path).parent_path().parent_path() / "cuda/relu.h5");
       },
       "cuda/relu.h5: holds baselines of the reference cpu"},
      {[&](const std::string&) {
         WriteBaselines(folder_.path(), "relu", {changed, cases[1]});
       },
       absl::StrCat("its hash is ", changed.hash(), ", its content has ", cases[0].hash())},
      {[&](const std::string& path) {
         fs::remove(path);
         fs::create_directory(path);
       },
       "relu.h5"},
  };
  for (const Row& row : rows) {
    fs::remove_all(Path("baselines"));
    WriteBaselines(folder_.path(), "relu", cases);
    WriteBaselines(folder_.path(), "add", TestCases("add"));
    row.spoil(baselines::BaselinePath(folder_.path(), "cpu", "relu"));
    const auto report = CheckDataFolder(folder_.path());
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_THAT(report->problems,
                ElementsAre(testing::AllOf(HasSubstr(Path("baselines/")), HasSubstr(row.says))));
    EXPECT_EQ(report->files, 2) << row.says;
  }
}

TEST_F(CheckTest, TheProgramsExitStatuses) {
  const std::string data = Path("data");
  WriteBaselines(data, "relu", TestCases("relu"));
  ServerProcess server({"--data", data, "--listen", "127.0.0.1:0", "--ready-fd", "9", "--log-level", "off"});
  TestAgent agent(server.Address(), "a");
  ASSERT_TRUE(agent.CreateRun({"relu"}).ok());
  {
    ServerProcess check({"check", "--data", data});
    EXPECT_THAT(check.Errors(), HasSubstr("checked 1 runs with 0 verdicts, 1 baseline files with 2 cases (0 "
                                          "quarantined) and 6 tensors: 0 problems\n"));
    EXPECT_EQ(check.Wait(), 0);
  }
  WriteText(baselines::BaselinePath(data, "cpu", "relu"), "text");
  {
    ServerProcess check({"check", "--data", data});
    EXPECT_THAT(check.Errors(), HasSubstr("relu.h5: not an HDF5 file\n"));
    EXPECT_EQ(check.Wait(), 1);
  }
  struct Row {
    std::vector<std::string> arguments;
    int exit;
    std::string says;
  };
  for (const Row& row :
       std::vector<Row>{{{"check", "--data", Path("nothing")}, 2, "no such data folder"},
                        {{"check", "--bogus"}, 2, "--bogus"},
                        {{"backup", "--data", data}, 2, "--to is required"},
                        {{"backup", "--data", data, "--to", data}, 2, "already exists"},
                        {{"backup", "--data", data, "--to", data + "/x"}, 2, "is within"},
                        {{"backup", "--data", Path("nothing"), "--to", Path("x")}, 2, "no such"},
                        {{"check", "backup"}, 2, ""},
                        {{"check", "--help"}, 0, "Verify every baseline file"},
                        {{"--help"}, 0, "Without a subcommand it"}}) {
    ServerProcess program(row.arguments);
    EXPECT_THAT(program.Errors(), HasSubstr(row.says));
    EXPECT_EQ(program.Wait(), row.exit) << row.says;
  }
  EXPECT_EQ(server.Stop(SIGTERM), 0);
}

class BackupTest : public FolderTest {};

TEST_F(BackupTest, WhileARunIsWrittenAndTheCopyServesOn) {
  const std::string data = Path("data");
  ServerProcess server({"--data", data, "--listen", "127.0.0.1:0", "--ready-fd", "9", "--log-level", "off"});
  const std::string address = server.Address();
  WriteBaselines(data, "relu", TestCases("relu"));
  WriteText(data + "/baselines/cpu/half.h5.tmp", "half");
  WriteText(data + "/other", "kept");
  TestAgent creator(address, "a");
  const auto run = creator.CreateRun(std::vector<std::string>{});
  ASSERT_TRUE(run.ok()) << run.status();
  std::atomic<int> stored = 0;
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    TestAgent agent(address, "a");
    while (!stop) {
      const ReceivedLease lease = agent.Lease(run->run_id(), 5);
      if (lease.cases.empty()) return;
      stored += agent.Report(run->run_id(), lease.cases)->stored();
    }
  });
  while (stored < 5) std::this_thread::yield();
  const int least = stored;
  ServerProcess backup({"backup", "--data", data, "--to", Path("copy/")});
  EXPECT_THAT(backup.Errors(), HasSubstr("the database and 3 other files"));
  EXPECT_EQ(backup.Wait(), 0);
  const int most = stored;
  stop = true;
  writer.join();
  // Killed, so that what follows can only come from the copy.
  EXPECT_EQ(server.Stop(SIGKILL), -SIGKILL);

  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(Path("copy"))) {
    if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(Path("copy")).string());
  }
  EXPECT_THAT(names, ElementsAre("baselines/cpu/relu.h5", "lease_key", "other", "results.db"));
  const auto report = CheckDataFolder(Path("copy"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_EQ(report->cases, 2);
  EXPECT_GE(report->results, least);
  EXPECT_LE(report->results, most + 5);  // one batch may be stored and not yet counted here
  EXPECT_LT(report->results, run->cases()) << "the run ended before the backup, so this test shows nothing";

  ServerProcess restored(
      {"--data", Path("copy"), "--listen", "127.0.0.1:0", "--ready-fd", "9", "--log-level", "off"});
  TestAgent agent(restored.Address(), "b");
  const auto resumed = agent.Resume(run->run_id());
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->done(), report->results);
  EXPECT_GT(agent.Report(run->run_id(), agent.Lease(run->run_id(), 5).cases)->stored(), 0);
}

TEST_F(BackupTest, RefusesWhatIsThere) {
  TestServer server;
  for (const char* name : {"folder", "file", "link"}) {
    if (std::string(name) == "folder") fs::create_directory(Path(name));
    if (std::string(name) == "file") WriteText(Path(name), "x");
    if (std::string(name) == "link") fs::create_symlink("nowhere", Path(name));
    const absl::Status status = BackUp(server.data_folder(), Path(name)).status();
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(BackUp(folder_.path(), Path("below/deep")).status()));
}

TEST_F(BackupTest, AFailureLeavesNothing) {
  TestServer server;
  // Files cannot grow beyond 60,000 bytes, so the copy fails half-way.
  ServerProcess backup({"backup", "--data", server.data_folder(), "--to", Path("copy")}, 60'000);
  EXPECT_THAT(backup.Errors(), HasSubstr(server.data_folder()));
  EXPECT_GT(backup.Wait(), 0);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  const auto report = BackUp(server.data_folder(), Path("copy"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->files, 3);
  EXPECT_EQ(ReadText(Path("copy/baselines/cpu/add.h5")),
            ReadText(server.data_folder() + "/baselines/cpu/add.h5"));
}

TEST_F(BackupTest, AFolderWithoutDatabase) {
  WriteBaselines(Path("data"), "relu", TestCases("relu"));
  const auto report = BackUp(Path("data"), Path("copy"));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->database);
  EXPECT_EQ(report->files, 1);
  EXPECT_TRUE(CheckDataFolder(Path("copy"))->problems.empty());
}

}  // namespace
}  // namespace diopi::server
