// --cases: a user's folder of operator files, from its check to verdicts.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "client/testing/own_case.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

// Cases of a function that the reference library of the test lacks.
constexpr char kUnknown[] = R"(operator: "my_logical" family: "mine"
function {
  name: "diopiSyncBnMeanMmcv"
  arg { name: "mean" like: "input" }
  judge { kind: EXACT }
}
grid { dtypes: [int32] point { label: "n9" reveals: "a tail" in { name: "input" shape: [9] } } }
)";

class OwnCasesTest : public ::testing::Test {
 protected:
  OwnCasesTest() { std::filesystem::create_directories(folder_ / "cases"); }

  Finished Run(std::vector<std::string> command) {
    command[0] = BinPath(command[0]);
    command.insert(command.end(), {"--cases", folder_ / "cases"});
    return RunProgram(command);
  }
  Finished Agent(const std::string& library, std::vector<std::string> more) {
    std::vector<std::string> command = {
        "diopi-agent",          "--impl", library, "--data", folder_ / "data", "--error-report",
        folder_ / "errors.csv", "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    return Run(command);
  }

  TestFolder folder_;
};

TEST_F(OwnCasesTest, AreListedShownGeneratedAndRunLikeOurs) {
  WriteFile(folder_ / "cases/add.textproto", kOwnAddCase);
  const Finished list = Run({"diopi-cli", "list", "cases", "--case", "add.*.mine_*"});
  EXPECT_EQ(list.out, "add.float32.mine_11\n") << list.err;
  const Finished show = Run({"diopi-cli", "show", "add.float32.mine_11", "--data", folder_ / "data"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_TRUE(absl::StrContains(show.out, "the size of our model")) << show.out;

  const Finished good = Agent(LibPath("libdiopi_cpu.so"), {"--fname", "add", "--dtype", "float32"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  bool found = false;
  size_t ours = 0;
  for (const auto& row : ReportRows(folder_ / "data", "latest")) {
    found = found || row.at("case") == "add.float32.mine_11";
    ours += row.at("case") == "add.float32.n17" ? 1 : 0;
    EXPECT_EQ(row.at("outcome"), "pass") << row.at("case");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(ours, 1U);

  const Finished bad =
      Agent(VendorPath("libdiopi_mutants"), {"--fname", "add", "--case", "add.float32.mine_11"});
  EXPECT_EQ(bad.code, 0) << "no fault is switched on: " << bad.out << bad.err;
}

TEST_F(OwnCasesTest, FindFaultsInAVendorsLibrary) {
  WriteFile(folder_ / "cases/add.textproto", kOwnAddCase);
  const Finished run = Agent(VendorPath("vendor_segfault"), {"--case", "add.float32.mine_11"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const auto rows = ReportRows(folder_ / "data", "latest");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("outcome"), "crash");
  const Finished repro =
      Run({"diopi-cli", "repro", "add.float32.mine_11", "--impl", VendorPath("vendor_segfault"), "--output",
           folder_ / "repro.c", "--data", folder_ / "data"});
  EXPECT_EQ(repro.code, 1);
  EXPECT_TRUE(absl::StrContains(repro.out, "Outcome    crash")) << repro.out << repro.err;
}

TEST_F(OwnCasesTest, AFunctionWithoutAReferenceIsNamed) {
  WriteFile(folder_ / "cases/unknown.textproto", kUnknown);
  const Finished gen = Run({"diopi-cli", "gen", "--data", folder_ / "data", "--fname", "my_logical",
                            "--library", VendorPath("vendor_segfault")});
  EXPECT_EQ(gen.code, 1) << gen.out << gen.err;
  EXPECT_TRUE(absl::StrContains(gen.err, "my_logical.int32.n9")) << gen.err;
  EXPECT_TRUE(absl::StrContains(gen.err, "diopiSyncBnMeanMmcv")) << gen.err;
  EXPECT_TRUE(absl::StrContains(gen.err, "has no reference")) << gen.err;
}

TEST_F(OwnCasesTest, WhatIsWrongIsToldByEveryProgram) {
  WriteFile(folder_ / "cases/add.textproto", "operator: \"add\"\nfunktion {}\n");
  const std::vector<std::vector<std::string>> commands = {
      {"diopi-cli", "list"},
      {"diopi-cli", "gen", "--data", folder_ / "data"},
      {"diopi-agent", "--impl", LibPath("libdiopi_cpu.so"), "--data", folder_ / "data"},
      {"diopi-server", "--listen", "127.0.0.1:0", "--data", folder_ / "data"}};
  for (const std::vector<std::string>& command : commands) {
    const Finished run = Run(command);
    EXPECT_EQ(run.code, 2) << command[0] << run.out << run.err;
    EXPECT_TRUE(absl::StrContains(run.err, folder_ / "cases/add.textproto:2:")) << command[0] << run.err;
  }
  const Finished remote =
      Run({"diopi-agent", "--impl", LibPath("libdiopi_cpu.so"), "--server", "127.0.0.1:1"});
  EXPECT_EQ(remote.code, 2);
  EXPECT_TRUE(absl::StrContains(remote.err, "give --cases to diopi-server")) << remote.err;
}

}  // namespace
}  // namespace diopi::testing
