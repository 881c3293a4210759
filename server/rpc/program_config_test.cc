// The program diopi-server: options in a file, tokens that expire, readiness.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/descriptor.h"
#include "cases/base/test_folder.h"
#include "server/http/http_testing.h"
#include "server/rpc/program_testing.h"
#include "server/rpc/server_testing.h"
#include "server/store/database.h"
#include "server/store/full_disk_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

// Another process that writes to the database without end: SQLite's lock for that is byte 120 of the shared
// memory.
class WritesWithoutEnd {
 public:
  explicit WritesWithoutEnd(const std::string& data)
      : memory_(open((DatabasePath(data) + "-shm").c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock writing {};
    writing.l_type = F_WRLCK;
    writing.l_start = 120;
    writing.l_len = 1;
    EXPECT_EQ(fcntl(memory_.get(), F_SETLK, &writing), 0);
  }

 private:
  const Descriptor memory_;  // whose end is the lock's
};

class ProgramConfigTest : public testing::Test {
 protected:
  std::string Write(const std::string& text) const {
    std::string path = folder_ / "server.toml";
    std::ofstream(path) << text;
    return path;
  }
  std::string Refusal(const std::string& text) const {
    ServerProcess server({"--config", Write(text)});
    std::string errors = server.Errors();
    EXPECT_EQ(server.Wait(), 2) << text;
    return errors;
  }

  const TestFolder folder_;
};

TEST_F(ProgramConfigTest, AFileSetsOptionsAndTheCommandLineOverridesIt) {
  const std::string path = Write(absl::StrCat("# comment\ndata = \"", folder_.path(),
                                              "/data\"\nlisten = \"127.0.0.1:0\"\nhttp = \"nowhere\"\n"
                                              "log-format = \"json\"\nrequire-token = true\n"
                                              "http-host = [\"one.example\", \"two.example\"]\n"));
  ServerProcess server({"--config", path, "--http", "127.0.0.1:0", "--ready-fd", "9"});
  const std::vector<std::string> lines = absl::StrSplit(server.ReadyLine(), '\n');
  ASSERT_EQ(lines.size(), 3U) << server.Errors();
  const std::string http = lines[1].substr(5);
  EXPECT_EQ(HttpGet(http, "/metrics").status, 401);
  for (const char* host : {"one.example", "two.example"}) {
    EXPECT_EQ(HttpGet(http, "/healthz", {"", "", "", "", host}).status, 200) << host;
  }
  EXPECT_EQ(HttpGet(http, "/healthz", {"", "", "", "", "three.example"}).status, 421);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "data/results.db"));
  EXPECT_EQ(server.Stop(SIGTERM), 0);
  EXPECT_THAT(server.Errors(), HasSubstr("\"event\":\"serving\""));
}

TEST_F(ProgramConfigTest, AWrongKeyIsAnErrorThatNamesFileAndKey) {
  const std::string path = folder_ / "server.toml";
  EXPECT_THAT(Refusal("lisen = \"127.0.0.1:0\"\n"),
              HasSubstr(absl::StrCat(path, ":1: 'lisen' is not an option; nearest: ")));
  EXPECT_THAT(Refusal("[http]\nhost = \"a\"\n"), HasSubstr(absl::StrCat(path, ":1: 'http' is a section")));
  EXPECT_THAT(Refusal("ready-fd = 9\n"),
              HasSubstr(absl::StrCat(path, ":1: 'ready-fd' cannot be set in a file")));
  EXPECT_THAT(Refusal("lease-s = 1\ndata = \"a\"\nlease-s = 2\n"),
              HasSubstr(absl::StrCat(path, ":3: 'lease-s' is set twice")));
  EXPECT_THAT(Refusal("lease-s = -1\n"), HasSubstr(absl::StrCat(path, ":1: 'lease-s' cannot be '-1'")));
  ServerProcess missing({"--config", folder_ / "missing.toml"});
  EXPECT_THAT(missing.Errors(), HasSubstr(folder_ / "missing.toml"));
  EXPECT_EQ(missing.Wait(), 2);
}

TEST_F(ProgramConfigTest, TokensExpireWhenTheyWereToldTo) {
  const auto run = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"token", more[0], "--data", folder_.path()};
    arguments.insert(arguments.end(), more.begin() + 1, more.end());
    ServerProcess program(arguments);
    const std::string printed = program.Errors();
    return std::pair(program.Wait(), printed);
  };
  EXPECT_EQ(run({"add", "--name", "ci", "--role", "run", "--expires", "90d"}).first, 0);
  EXPECT_EQ(run({"add", "--name", "boss", "--role", "admin"}).first, 0);
  const auto [exit, says] = run({"add", "--name", "late", "--role", "run", "--expires", "2020-01-31"});
  EXPECT_EQ(exit, 2);
  EXPECT_EQ(says, "diopi-server: '2020-01-31' has passed\n");
  const std::string list = run({"list"}).second;
  EXPECT_THAT(list,
              testing::ContainsRegex("ci +run .* expires 2[0-9-]+T[0-9:]+Z\nboss +admin .* expires never\n"));
}

TEST_F(ProgramConfigTest, ReadinessTriesTheDatabaseAndHealthDoesNot) {
  ServerProcess server({"--data", folder_ / "data", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                        "--ready-fd", "9", "--require-token"});
  const std::vector<std::string> lines = absl::StrSplit(server.ReadyLine(), '\n');
  ASSERT_EQ(lines.size(), 3U) << server.Errors();
  const std::string http = lines[1].substr(5);
  EXPECT_EQ(HttpGet(http, "/readyz").body, "ready\n");
  const std::string database = DatabasePath(folder_ / "data");
  auto other = std::make_unique<WritesWithoutEnd>(folder_ / "data");
  std::string body;
  while ((body = HttpGet(http, "/readyz").body) == "ready\n") std::this_thread::yield();
  EXPECT_THAT(body, testing::StartsWith("not ready\n"));
  EXPECT_EQ(HttpGet(http, "/readyz").status, 503);
  EXPECT_EQ(HttpGet(http, "/healthz").status, 200);
  other = nullptr;
  while (HttpGet(http, "/readyz").status != 200) std::this_thread::yield();
  server.Stop(SIGTERM);
  EXPECT_THAT(server.Errors(),
              testing::AllOf(HasSubstr(absl::StrCat("event=not_ready status=\"database: ", database)),
                             HasSubstr("event=ready")));
}

TEST_F(ProgramConfigTest, AServerWithAFullDiskIsNotReady) {
  ServerProcess server(
      {"--data", folder_ / "data", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--ready-fd", "9"},
      rlim_t{1} << 40);
  const std::vector<std::string> lines = absl::StrSplit(server.ReadyLine(), '\n');
  ASSERT_EQ(lines.size(), 3U) << server.Errors();
  const std::string http = lines[1].substr(5);
  EXPECT_EQ(HttpGet(http, "/readyz").body, "ready\n");
  {
    const FullDisk full(server.pid());
    while (HttpGet(http, "/readyz").status == 200) std::this_thread::yield();
    const std::string full_body = HttpGet(http, "/readyz").body;
    EXPECT_THAT(full_body, testing::StartsWith("not ready\ndatabase: results.db: "));  // in SQLite's words
    EXPECT_THAT(full_body,
                HasSubstr("\ndisk: 1024 KiB cannot be written beside the database: File too large\n"));
  }
  while (HttpGet(http, "/readyz").status != 200) std::this_thread::yield();
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "data")) {
    left.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(left,
              testing::UnorderedElementsAre("results.db", "results.db-wal", "results.db-shm", "lease_key"));
}

// Its call waits for another process that writes without end.
TEST_F(ProgramConfigTest, AServerEndsEvenIfACallHangs) {
  ServerProcess server(
      {"--data", folder_ / "data", "--listen", "127.0.0.1:0", "--ready-fd", "9", "--grace-s", "0.1"});
  TestAgent agent(server.Address(), "a");
  const WritesWithoutEnd other(folder_ / "data");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
  v1::CreateRunRequest request;
  *request.mutable_options() = TestOptions({"relu"});
  v1::CreateRunResponse response;
  EXPECT_EQ(agent.stub().CreateRun(&context, request, &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  kill(server.pid(), SIGTERM);
  EXPECT_EQ(server.Wait(), 4);
  EXPECT_THAT(server.Errors(),
              HasSubstr("event=stopped_hard after=3.1s during=\"calls of agents and clients\""));
}

TEST_F(ProgramConfigTest, ADamagedDatabaseIsRefusedWithWhatHelps) {
  const std::string data = folder_ / "data";
  {
    ServerProcess server({"--data", data, "--listen", "127.0.0.1:0", "--ready-fd", "9"});
    TestAgent agent(server.Address(), "a");
    ASSERT_TRUE(agent.CreateRun({"relu"}).ok());
    ASSERT_EQ(server.Stop(SIGTERM), 0);
  }
  const std::string database = DatabasePath(data);
  {
    std::fstream file(database, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(2 * 4096);
    file << std::string(4096, 'x');
  }
  ServerProcess server({"--data", data, "--listen", "127.0.0.1:0"});
  EXPECT_THAT(server.Errors(), testing::AllOf(HasSubstr(absl::StrCat(database, ": damaged: ")),
                                              HasSubstr(absl::StrCat("diopi-server check --data ", data)),
                                              HasSubstr("diopi-server backup")));
  EXPECT_EQ(server.Wait(), 4);
  std::filesystem::resize_file(database, 4096);
  ServerProcess again({"--data", data, "--listen", "127.0.0.1:0"});
  EXPECT_THAT(again.Errors(), testing::AllOf(HasSubstr("malformed"),
                                             HasSubstr(absl::StrCat("diopi-server check --data ", data))));
  EXPECT_EQ(again.Wait(), 4);
}

}  // namespace
}  // namespace diopi::server
