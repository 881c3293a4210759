// The program diopi-server as a process: its flags, exit statuses, signals, and what a kill leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "build_paths.h"
#include "cases/base/test_folder.h"
#include "server/rpc/program_testing.h"
#include "server/rpc/server_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

class ProgramTest : public testing::Test {
 protected:
  std::vector<std::string> Arguments(const std::string& listen) const {
    // --batch-s 0: agents get as many cases as they ask for.
    return {"--data", folder_ / "data", "--listen", listen, "--ready-fd", "9", "--batch-s", "0"};
  }

  const TestFolder folder_;
};

TEST_F(ProgramTest, UsageErrorsExitWith2) {
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::vector<Row> rows = {
      {{"--bogus"}, "--bogus"},
      {{"--listen", "nowhere"}, "expected HOST:PORT"},
      {{"--lease-s", "-1"}, "lease-s"},
      {{"--log-level", "loud"}, "loud"},
      {{"--ready-fd", "77"}, "77 is not an open descriptor"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = {"--data", folder_.path()};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    ServerProcess server(arguments);
    EXPECT_THAT(server.Errors(), HasSubstr(row.says));
    EXPECT_EQ(server.Wait(), 2) << row.says;
  }
}

TEST_F(ProgramTest, HelpAndVersionExitWith0) {
  for (const auto& [flag, says] : {std::pair{"--help", "--listen"}, {"--version", "0."}}) {
    ServerProcess server({flag});
    EXPECT_THAT(server.Errors(), HasSubstr(says));
    EXPECT_EQ(server.Wait(), 0);
  }
}

TEST_F(ProgramTest, ServesAndStopsOnBothSignals) {
  for (const int signal : {SIGTERM, SIGINT}) {
    for (const std::string& listen : {std::string("127.0.0.1:0"), "unix:" + folder_ / "socket"}) {
      ServerProcess server(Arguments(listen));
      const std::string address = server.Address();
      ASSERT_NE(address, "");
      TestAgent agent(address, "a");
      EXPECT_TRUE(absl::IsNotFound(agent.GetRun("latest").status()));
      // The server does not wait for the agent's open connection.
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(server.Stop(signal), 0);
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
      EXPECT_THAT(server.Errors(), HasSubstr("event=stopped"));
    }
  }
}

TEST_F(ProgramTest, APortInUseExitsWith4) {
  ServerProcess first(Arguments("127.0.0.1:0"));
  const std::string address = first.Address();
  ASSERT_NE(address, "");
  std::vector<std::string> arguments = Arguments(address);
  arguments[1] = folder_ / "other";
  ServerProcess second(arguments);
  EXPECT_EQ(second.ReadyLine(), "");
  EXPECT_EQ(second.Errors(),
            absl::StrCat("diopi-server: cannot listen on ", address, ": address already in use\n"));
  EXPECT_EQ(second.Wait(), 4);
}

// Two servers would hand out each other's runs and remove each other's uploads. An agent's own server may
// share the folder.
TEST_F(ProgramTest, ADataFolderHasOneStandingServer) {
  ServerProcess first(Arguments("127.0.0.1:0"));
  ASSERT_NE(first.Address(), "");
  ServerProcess second(Arguments("127.0.0.1:0"));
  EXPECT_EQ(second.Errors(),
            absl::StrCat("diopi-server: another diopi-server serves ", folder_.path(), "/data\n"));
  EXPECT_EQ(second.Wait(), 4);
  std::vector<std::string> own = Arguments("127.0.0.1:0");
  own.emplace_back("--parent-pid-death");
  ServerProcess third(own);
  EXPECT_NE(third.Address(), "");
  EXPECT_EQ(third.Stop(SIGTERM), 0);
  EXPECT_EQ(first.Stop(SIGKILL), -SIGKILL);
  ServerProcess next(Arguments("127.0.0.1:0"));
  EXPECT_NE(next.Address(), "");
}

TEST_F(ProgramTest, AFileIsNoDataFolder) {
  std::ofstream(folder_ / "data") << "a file";
  ServerProcess server(Arguments("127.0.0.1:0"));
  EXPECT_EQ(server.Errors(),
            absl::StrCat("diopi-server: ", folder_.path(), "/data is a file; --data takes a folder\n"));
  EXPECT_EQ(server.Wait(), 2);
}

TEST_F(ProgramTest, WarnsWhenOthersCanReachItWithoutATokenAndOnlyThen) {
  struct Row {
    std::vector<std::string> more;
    bool listen;
    bool http;
  };
  const std::vector<Row> rows = {
      {{"--http", "127.0.0.1:0"}, false, false},
      {{"--listen", "0.0.0.0:0", "--insecure"}, true, false},
      {{"--http", "0.0.0.0:0", "--http-remote"}, false, true},
      {{"--listen", "0.0.0.0:0", "--insecure", "--http", "0.0.0.0:0", "--http-remote", "--require-token"},
       false,
       false},
  };
  for (const Row& row : rows) {
    const bool listens = row.more[0] == "--listen";
    std::vector<std::string> arguments = {"--data", folder_ / "data", "--ready-fd", "9"};
    if (!listens) arguments.insert(arguments.end(), {"--listen", "127.0.0.1:0"});
    arguments.insert(arguments.end(), row.more.begin(), row.more.end());
    ServerProcess server(arguments);
    EXPECT_NE(server.ReadyLine(), "");
    EXPECT_EQ(server.Stop(SIGTERM), 0);
    const std::string errors = server.Errors();
    EXPECT_EQ(errors.find("event=open_to_everybody option=--listen") != std::string::npos, row.listen)
        << errors;
    EXPECT_EQ(errors.find("event=open_to_everybody option=--http") != std::string::npos, row.http) << errors;
  }
}

TEST_F(ProgramTest, ADamagedDatabaseExitsWith4) {
  std::filesystem::create_directory(folder_ / "data");
  std::filesystem::create_directory(folder_ / "data/results.db");
  ServerProcess server(Arguments("127.0.0.1:0"));
  EXPECT_THAT(server.Errors(), HasSubstr("/data/results.db: cannot be opened"));
  EXPECT_EQ(server.Wait(), 4);
}

TEST_F(ProgramTest, AKilledServerLosesNoResult) {
  std::string run;
  int64_t stored = 0;
  {
    ServerProcess server(Arguments("127.0.0.1:0"));
    TestAgent agent(server.Address(), "a");
    const auto created = agent.CreateRun({"add"});
    ASSERT_TRUE(created.ok()) << created.status();
    run = created->run_id();
    EXPECT_THAT(created->without_baseline(), testing::ElementsAre("add"));
    const ReceivedLease lease = agent.Lease(run, 7);
    ASSERT_EQ(lease.cases.size(), 7U);
    const auto reported = agent.Report(run, lease.cases);
    ASSERT_TRUE(reported.ok()) << reported.status();
    stored = reported->stored();
    agent.Lease(run, 5);
    EXPECT_EQ(server.Stop(SIGKILL), -SIGKILL);
  }
  EXPECT_EQ(stored, 7);
  ServerProcess server(Arguments("127.0.0.1:0"));
  TestAgent agent(server.Address(), "b");
  const auto resumed = agent.Resume(run);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(resumed->done(), stored);
  EXPECT_EQ(agent.DoAll(run, 50), resumed->cases() - stored);
  const auto finished = agent.Finish(run, false);
  ASSERT_TRUE(finished.ok()) << finished.status();
  EXPECT_EQ(finished->state(), v1::RUN_STATE_FINISHED);
}

TEST_F(ProgramTest, EndsWithItsParent) {
  // A process in between, which reports the server's pid and dies.
  std::array<int, 2> alive{};
  ASSERT_EQ(pipe(alive.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(alive[0]);
    const pid_t server = fork();
    if (server == 0) {
      execl(DIOPI_BINARY_DIR "/bin/diopi-server", "diopi-server", "--data", folder_.path().c_str(),
            "--listen", "127.0.0.1:0", "--log-level", "off", "--parent-pid-death", "--ready-fd",
            absl::StrCat(alive[1]).c_str(), nullptr);
      _exit(127);
    }
    pause();
    _exit(0);
  }
  close(alive[1]);
  std::string line;
  char c = 0;
  while (line.find('\n') == std::string::npos && read(alive[0], &c, 1) == 1) line.push_back(c);
  ASSERT_THAT(line, HasSubstr("ready 127.0.0.1:"));
  const std::string address = line.substr(6, line.size() - 7);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  // Poll: calls fail once the server is gone.
  TestAgent agent(address, "a");
  absl::Status status;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    status = agent.GetRun("latest").status();
  } while (!absl::IsUnavailable(status) && std::chrono::steady_clock::now() < deadline);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  close(alive[0]);
}

// How quickly is measured by ./run bench: the agent's start with a server of its own.
TEST_F(ProgramTest, StartsAgainAndAgainOnOneSocket) {
  for (int i = 0; i < 5; ++i) {
    ServerProcess server(Arguments("unix:" + folder_ / "socket"));
    ASSERT_NE(server.Address(), "") << "start " << i;
    server.Stop(SIGTERM);
  }
}

}  // namespace
}  // namespace diopi::server
