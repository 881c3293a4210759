// A server on a loopback port, standing agents, and runs that are submitted to them.
#ifndef CLIENT_TESTING_SERVE_TESTING_H_
#define CLIENT_TESTING_SERVE_TESTING_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "client/testing/programs.h"

namespace diopi::testing {

class ServeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const Finished gen =
        RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "add", "relu", "--quiet"});
    ASSERT_EQ(gen.code, 0) << gen.err;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string data() { return *folder_ / "data"; }

  void SetUp() override {
    std::filesystem::remove(data() + "/results.db");
    std::filesystem::remove(data() + "/results.db-wal");
    std::filesystem::remove(data() + "/results.db-shm");
    std::filesystem::remove(data() + "/tokens");
    StartServer("127.0.0.1:0");
  }

  void StartServer(const std::string& listen) {
    server_ = std::make_unique<Running>(
        // FullDisk needs this.
        std::vector<std::string>{"/bin/sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh", BinPath("diopi-server"),
                                 "--data", data(), "--listen", listen, "--ready-fd", "1", "--log-level",
                                 "error", "--lease-s", "1"},
        std::vector<std::string>{});
    const std::string line = server_->WaitForLine("ready ");
    ASSERT_NE(line, "");
    address_ = line.substr(6);
  }

  // Starts an agent and waits until it is ready; `name` receives its name.
  std::unique_ptr<Running> Agent(const std::string& library, std::string* name,
                                 std::vector<std::string> more = {},
                                 const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--serve", "--server", address_, "--chip", "c", "--impl", library};
    command.insert(command.end(), more.begin(), more.end());
    auto agent = std::make_unique<Running>(command, environment);
    *name = NameIn(agent->WaitForLine("waiting for runs"));
    EXPECT_NE(*name, "");
    return agent;
  }

  static std::string NameIn(const std::string& line) {
    const std::string before = "waiting for runs as ";
    const size_t begin = line.find(before);
    if (begin == std::string::npos) return "";
    return line.substr(begin + before.size(), line.find(' ', begin + before.size()) - begin - before.size());
  }

  std::vector<std::string> SubmitCommand(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {BinPath("diopi-cli"), "submit", "--server", address_, "--chip", "c"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  Finished Submit(const std::vector<std::string>& more) const { return RunProgram(SubmitCommand(more)); }
  std::string Agents() const {
    return RunProgram({BinPath("diopi-cli"), "agents", "--server", address_}).out;
  }

  // Makes a token of this name. Returns the environment variable with it.
  static std::string Token(const std::string& name) {
    const Finished made = RunProgram(
        {BinPath("diopi-server"), "token", "add", "--data", data(), "--name", name, "--role", "run"});
    EXPECT_EQ(made.code, 0) << made.err;
    return "DIOPI_TOKEN=" + made.out.substr(0, made.out.find('\n'));
  }

  static std::string RunIn(const std::string& line) {
    const size_t begin = line.find("Run ");
    return begin == std::string::npos ? "" : line.substr(begin + 4, line.find(':', begin) - begin - 4);
  }

  static std::string Runs() { return RunProgram({BinPath("diopi-cli"), "runs", "--data", data()}).out; }

  // Repeats the request until the list contains `text`: only the server knows when. The test's time limit
  // ends the loop.
  std::string AgentsUntil(const std::string& text) const {
    for (;;) {
      std::string list = Agents();
      if (list.find(text) != std::string::npos) return list;
    }
  }

  static inline TestFolder* folder_ = nullptr;
  std::unique_ptr<Running> server_;
  std::string address_;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_SERVE_TESTING_H_
