// diopi-cli shrink: finds the smallest cases that show injected bugs.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

class ShrinkTest : public ::testing::Test {
 protected:
  Finished Shrink(const std::string& id, const std::string& library, const std::string& mutant = "",
                  const std::string& timeout = "5") {
    return RunProgram({BinPath("diopi-cli"), "shrink", id, "--impl", library, "--output", folder_ / "small",
                       "--timeout-s", timeout},
                      {"DIOPI_MUTANT=" + mutant});
  }
  Finished Repro(const std::string& id, const std::string& library, const std::string& mutant = "") {
    return RunProgram({BinPath("diopi-cli"), "repro", id, "--impl", library, "--cases", folder_ / "small",
                       "--data", folder_ / "data", "--output", folder_ / "repro.c"},
                      {"DIOPI_MUTANT=" + mutant});
  }

  TestFolder folder_;
};

TEST_F(ShrinkTest, InjectedFaults) {
  struct Row {
    const char* id;
    const char* mutant;
    const char* text;  // in the small case
  };
  const Row rows[] = {
      // The bug is in the last three of four: a size of three shows it.
      {"add.float32.n127", "add_tail_stale", "shape: 3\n"},
      {"add.int32.n17", "add_alpha_ignored", "name: \"input\"\n      fill"},  // no dimension at all
      {"add.float16.n65539", "add_index_wraps_at_16_bits", "shape: 65537\n"},
  };
  for (const Row& row : rows) {
    const Finished run = Shrink(row.id, VendorPath("libdiopi_mutants"), row.mutant);
    ASSERT_EQ(run.code, 0) << row.mutant << run.out << run.err;
    const std::string text = ReadFile(folder_ / "small/add.textproto");
    EXPECT_TRUE(absl::StrContains(text, row.text)) << row.mutant << run.out;
    EXPECT_TRUE(absl::StrContains(run.out, text)) << run.out;
    const std::string small = std::string(row.id) + "_shrunk";
    EXPECT_TRUE(
        absl::StrContains(run.out, "Repeat     " + BinPath("diopi-cli") + " repro " + small + " --impl "))
        << run.out;
    const Finished again = Repro(small, VendorPath("libdiopi_mutants"), row.mutant);
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    EXPECT_EQ(Repro(small, VendorPath("libdiopi_mutants")).code, 0) << "without the fault it passes";
  }
}

// `shrink` has the options of `repro`: the command that a report prints for a failed case also shrinks it.
// The command that shrink prints repeats the small case, in any folder. diopiConvolution2d's point has
// arguments that only its backward takes.
TEST_F(ShrinkTest, TakesWhatARunHadAndPrintsACommandThatWorks) {
  WriteFile(folder_ / "chip.textproto",
            "environment { name: \"DIOPI_MUTANT\" value: \"conv_input_layout_ignored\" } contract: \"tf32\"");
  const Finished run = RunProgram({BinPath("diopi-cli"), "shrink", "conv2d.float32.kernel_3", "--impl",
                                   VendorPath("libdiopi_mutants"), "--data", folder_ / "data", "--profile",
                                   folder_ / "chip.textproto", "--nhwc", "--output", folder_ / "small"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const size_t begin = run.out.find("Repeat     ") + 11;
  const std::string command = run.out.substr(begin, run.out.find('\n', begin) - begin);
  const std::string folder = std::filesystem::path(folder_.path()).lexically_normal().string();
  for (const std::string& part : {" --data " + folder + "/data", " --profile " + folder + "/chip.textproto",
                                  std::string(" --nhwc"), std::string(" --contract tf32")}) {
    EXPECT_TRUE(absl::StrContains(command, part)) << command;
  }
  const Finished again =
      RunProgram({"/bin/sh", "-c", "cd / && " + command + " --output " + (folder_ / "repro.c")});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
}

TEST_F(ShrinkTest, CrashesAndHangs) {
  const Finished crash = Shrink("add.float32.n33", VendorPath("vendor_segfault"));
  EXPECT_EQ(crash.code, 0) << crash.out << crash.err;
  EXPECT_FALSE(absl::StrContains(ReadFile(folder_ / "small/add.textproto"), "shape:"))
      << "no dimension: " << crash.out;
  EXPECT_TRUE(absl::StrContains(crash.out, "Outcome    crash: SIGSEGV")) << crash.out;
  const Finished hang = Shrink("add.float32.n33", VendorPath("vendor_hang"), "", "0.2");
  EXPECT_EQ(hang.code, 0) << hang.out << hang.err;
  EXPECT_TRUE(absl::StrContains(hang.out, "Outcome    timeout")) << hang.out;
}

TEST_F(ShrinkTest, NothingToShrink) {
  const Finished pass = Shrink("add.float32.n33", LibPath("libdiopi_cpu.so"));
  EXPECT_EQ(pass.code, 2);
  EXPECT_TRUE(absl::StrContains(pass.err, "there is nothing to shrink")) << pass.err;
  EXPECT_EQ(Shrink("add.float32.n34", LibPath("libdiopi_cpu.so")).code, 2);
  const Finished check = Shrink("library.vendor_name", LibPath("libdiopi_cpu.so"));
  EXPECT_NE(check.code, 0);
}

}  // namespace
}  // namespace diopi::testing
