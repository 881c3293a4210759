// diopi-agent --watch, while real libraries are swapped.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() { fs::copy_file(LibPath("libdiopi_cpu.so"), Library()); }

  std::string Library() const { return folder_ / "libdiopi_impl.so"; }
  std::vector<std::string> Command() const {
    return {BinPath("diopi-agent"),
            "--impl",
            Library(),
            "--data",
            folder_ / "data",
            "--fname",
            "add",
            "--dtype",
            "float32",
            "--quiet",
            "--watch",
            "--case",
            "add.float32.*",
            "--error-report",
            folder_ / "errors.csv"};
  }
  // Replaces the file like a linker that writes a temporary file and renames it.
  void Replace(const std::string& with) const {
    fs::copy_file(with, folder_ / "new.so", fs::copy_options::overwrite_existing);
    fs::rename(folder_ / "new.so", Library());
  }

  TestFolder folder_;
};

TEST_F(WatchTest, RunsAgainWhenTheLibraryIsReplacedAndSaysWhatChanged) {
  Running agent(Command(), {});
  ASSERT_NE(agent.WaitForLine("Watching"), "");
  const std::vector<pid_t> servers = ChildrenOf(agent.pid(), "diopi-server");
  ASSERT_EQ(servers.size(), 1U);

  fs::copy_file(VendorPath("vendor_segfault"), folder_ / "new.so");
  const auto start = Clock::now();
  fs::rename(folder_ / "new.so", Library());
  const std::string worse = agent.WaitForLine("Changed");
  const std::chrono::duration<double> seconds = Clock::now() - start;
  EXPECT_NE(worse.find(" newly failing, 0 newly passing"), std::string::npos) << worse;
  EXPECT_EQ(worse.find(" 0 newly failing"), std::string::npos) << worse;
  std::printf("from the rename to the verdicts: %.3f s\n", seconds.count());
  EXPECT_NE(agent.WaitForLine("pass -> crash"), "");
  ASSERT_NE(agent.WaitForLine("Watching"), "");

  Replace(LibPath("libdiopi_cpu.so"));
  const std::string better = agent.WaitForLine("Changed");
  EXPECT_NE(better.find(" 0 newly failing, "), std::string::npos) << better;
  ASSERT_NE(agent.WaitForLine("Watching"), "");
  EXPECT_EQ(ChildrenOf(agent.pid(), "diopi-server"), servers) << "the server stays";
  agent.Signal(SIGINT);
  const Finished finished = agent.Finish();
  EXPECT_EQ(finished.code, 130) << finished.out << finished.err;
  EXPECT_EQ(finished.out.find("Generating missing baselines", finished.out.find("Watching")),
            std::string::npos);
}

TEST_F(WatchTest, ARewrittenHalfWrittenAndUnchangedFile) {
  Running agent(Command(), {});
  ASSERT_NE(agent.WaitForLine("Watching"), "");
  const std::string bad = ReadFile(VendorPath("vendor_segfault"));
  {
    std::ofstream file(Library(), std::ios::binary);
    file << bad.substr(0, bad.size() / 2) << std::flush;  // still open: nothing happens
    file << bad.substr(bad.size() / 2);
  }
  EXPECT_NE(agent.WaitForLine("pass -> crash"), "");
  ASSERT_NE(agent.WaitForLine("Watching"), "");
  WriteFile(Library(), bad);
  EXPECT_NE(agent.WaitForLine("the same bytes as before"), "");
  ASSERT_NE(agent.WaitForLine("Watching"), "");
  WriteFile(Library(), bad.substr(0, 100));  // closed half-way
  ASSERT_NE(agent.WaitForLine("Watching"), "");
  agent.Signal(SIGINT);
  const Finished finished = agent.Finish();
  EXPECT_EQ(finished.code, 130);
  EXPECT_NE(finished.err.find("not run, waiting for the next change"), std::string::npos) << finished.err;
}

TEST_F(WatchTest, WhatCannotBeWatched) {
  std::vector<std::string> command = Command();
  command.insert(command.end(), {"--resume", "latest"});
  EXPECT_EQ(RunProgram(command).code, 2);
  command = Command();
  command[2] = folder_ / "none/lib.so";
  const Finished none = RunProgram(command);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("cannot watch"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace diopi::testing
