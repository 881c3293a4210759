// diopi-cli repro --gdb, --valgrind, --compute-sanitizer: with a tool that records its arguments, and with
// the real tools.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kCase[] = "add.float32.n17";
// Writes its arguments, one per line, and executes the command among them.
constexpr char kFakeTool[] = R"sh(#!/bin/sh
printf '%s\n' "$@" > "$(dirname "$0")/argv"
while [ "$(basename "$1")" != diopi-worker ];
do shift; done
exec "$@"
)sh";

class DebuggerTest : public ::testing::Test {
 protected:
  Finished Repro(const std::string& library, const std::string& flag,
                 const std::vector<std::string>& environment = {}) {
    return RunProgram({BinPath("diopi-cli"), "repro", kCase, "--impl", library, flag, "--data",
                       folder_ / "data", "--output", folder_ / "repro.c"},
                      environment);
  }
  void MakeFakeTool(const std::string& name) {
    fs::create_directories(folder_ / "bin");
    WriteFile(folder_ / ("bin/" + name), kFakeTool);
    fs::permissions(folder_ / ("bin/" + name), fs::perms::owner_all);
  }

  TestFolder folder_;
};

TEST_F(DebuggerTest, TheWorkerRunsUnderTheToolWithItsArguments) {
  struct Row {
    const char* flag;
    const char* tool;
    const char* first;  // its own arguments
  };
  const Row rows[] = {{"--gdb", "gdb", "-q\n--batch\n-ex\nrun\n-ex\nbacktrace\n--args\n/"},
                      {"--valgrind", "valgrind", "--track-origins=yes\n/"},
                      {"--compute-sanitizer", "compute-sanitizer", "--tool\nmemcheck\n/"}};
  for (const Row& row : rows) {
    MakeFakeTool(row.tool);
    const std::string path = "PATH=" + (folder_ / "bin") + ":/usr/bin:/bin";
    const Finished good = Repro(LibPath("libdiopi_cpu.so"), row.flag, {path});
    EXPECT_EQ(good.code, 0) << row.flag << good.out << good.err;
    EXPECT_TRUE(absl::StrContains(good.out, "Outcome    pass")) << row.flag << good.out;
    const std::string arguments = ReadFile(folder_ / "bin/argv");
    EXPECT_EQ(arguments.find(row.first), 0U) << arguments;
    EXPECT_TRUE(absl::StrContains(
        arguments, "/diopi-worker\n--impl\n" + fs::canonical(LibPath("libdiopi_cpu.so")).string()))
        << arguments;
    EXPECT_TRUE(absl::StrContains(arguments, "--sandbox\noff\n")) << arguments;
    const Finished bad = Repro(VendorPath("vendor_segfault"), row.flag, {path});
    EXPECT_EQ(bad.code, 1);
    EXPECT_TRUE(absl::StrContains(bad.out, "Outcome    crash")) << row.flag << bad.out;
  }
}

TEST_F(DebuggerTest, AMissingToolIsNamedWithItsPackage) {
  const std::string path = "PATH=" + folder_.path();
  const Finished gdb = Repro(LibPath("libdiopi_cpu.so"), "--gdb", {path});
  EXPECT_EQ(gdb.code, 2) << gdb.out << gdb.err;
  EXPECT_TRUE(absl::StrContains(gdb.err, "no gdb on PATH; install the Debian package gdb")) << gdb.err;
  const Finished valgrind = Repro(LibPath("libdiopi_cpu.so"), "--valgrind", {path});
  EXPECT_TRUE(absl::StrContains(valgrind.err, "install the Debian package valgrind")) << valgrind.err;
}

TEST_F(DebuggerTest, RealGdbShowsTheFrameThatCrashes) {
  if (access("/usr/bin/gdb", X_OK) != 0) GTEST_SKIP() << "no gdb here";
  if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer's own handlers come first";
  const Finished run = Repro(VendorPath("vendor_segfault"), "--gdb");
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.out + run.err, "SIGSEGV")) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "diopiAdd")) << run.out << run.err;
}

TEST_F(DebuggerTest, RealValgrindReportsWhatItFinds) {
  if (access("/usr/bin/valgrind", X_OK) != 0) GTEST_SKIP() << "no valgrind here";
  if (kAddressSanitizer) GTEST_SKIP() << "two of a kind do not go together";
  const Finished run = Repro(VendorPath("vendor_segfault"), "--valgrind");
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.err, "Invalid write") || absl::StrContains(run.err, "Invalid read"))
      << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "Outcome    crash")) << run.out;
}

}  // namespace
}  // namespace diopi::testing
