// diopi-agent --explore: injected bugs are found, shrunk and written down; correct libraries are not accused.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

class ExploreTest : public ::testing::Test {
 protected:
  Finished Explore(const std::string& library, const std::vector<std::string>& options,
                   const std::vector<std::string>& environment = {}, const std::string& folder = "out") {
    std::vector<std::string> command = {BinPath("diopi-agent"), "--impl",       library,         "--data",
                                        folder_ / "data",       "--report-dir", folder_ / folder};
    command.insert(command.end(), options.begin(), options.end());
    return RunProgram(command, environment);
  }
  std::vector<std::string> Files(const std::string& folder = "out") {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder + "/explored")) {
      if (entry.path().extension() == ".textproto") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  // The line of the output that repeats the first cause.
  static std::string Command(const std::string& out) {
    const size_t at = out.find("    " + BinPath("diopi-cli") + " repro ");
    return at == std::string::npos ? "" : out.substr(at + 4, out.find('\n', at) - at - 4);
  }

  TestFolder folder_;
};

TEST_F(ExploreTest, FindsShrinksAndRepeatsInjectedBugs) {
  struct Row {
    const char* mutant;
    const char* function;
    const char* calls;
  };
  const Row rows[] = {
      {"add_tail_stale", "add", "128"},
      {"add_index_wraps_at_16_bits", "diopiAdd", "200"},
  };
  for (const Row& row : rows) {
    const std::vector<std::string> mutant = {std::string("DIOPI_MUTANT=") + row.mutant};
    const std::vector<std::string> options = {"--fname", row.function, "--explore", row.calls};
    const Finished run = Explore(VendorPath("libdiopi_mutants"), options, mutant, row.mutant);
    ASSERT_EQ(run.code, 1) << row.mutant << run.out << run.err;
    ASSERT_FALSE(Files(row.mutant).empty()) << run.out;
    const std::string command = Command(run.out);
    EXPECT_TRUE(absl::StrContains(command, "_shrunk ")) << run.out;
    EXPECT_TRUE(absl::StrContains(ReadFile(Files(row.mutant)[0]), "# Repeat: "))
        << ReadFile(Files(row.mutant)[0]);
    const std::vector<std::string> shell = {"/bin/sh", "-c", command + " --output " + folder_ / "repro.c"};
    EXPECT_EQ(RunProgram(shell, mutant).code, 1) << command;
    EXPECT_EQ(RunProgram(shell).code, 0) << "without the bug it passes: " << command;
    // The next exploration knows the causes, and repeats the command.
    const Finished again = Explore(VendorPath("libdiopi_mutants"), options, mutant, row.mutant);
    EXPECT_TRUE(absl::StrContains(again.out, ", known before")) << again.out;
    EXPECT_TRUE(absl::StrContains(again.out, command)) << again.out;
    EXPECT_TRUE(absl::StrContains(again.out, " explained by ")) << again.out;
  }
}

// A file of the same name whose case no longer fails was another bug's: this one is written beside it.
TEST_F(ExploreTest, AFileThatPassesIsAnotherBug) {
  const std::vector<std::string> mutant = {"DIOPI_MUTANT=add_tail_stale"};
  const std::vector<std::string> options = {"--fname", "add", "--explore", "128"};
  const std::string library = VendorPath("libdiopi_mutants");
  ASSERT_EQ(Explore(library, options, mutant).code, 1);
  const std::vector<std::string> files = Files();
  ASSERT_EQ(Explore(library, options, {"DIOPI_MUTANT=add_alpha_ignored"}, "alpha").code, 1);
  ASSERT_FALSE(files.empty() || Files("alpha").empty());
  for (const std::string& file : files) WriteFile(file, ReadFile(Files("alpha")[0]));
  const Finished again = Explore(library, options, mutant);
  EXPECT_FALSE(absl::StrContains(again.out, ", known before")) << again.out;
  EXPECT_EQ(Files().size(), 2 * files.size()) << again.out;
  const std::vector<std::string> shell = {"/bin/sh", "-c",
                                          Command(again.out) + " --output " + folder_ / "repro.c"};
  EXPECT_EQ(RunProgram(shell, mutant).code, 1) << again.out;
}

TEST_F(ExploreTest, AccusesNoCorrectLibrary) {
  const Finished all = Explore(LibPath("libdiopi_cpu.so"), {"--explore", "1200"});
  EXPECT_EQ(all.code, 0) << all.out << all.err;
  EXPECT_TRUE(Files().empty());
  EXPECT_FALSE(absl::StrContains(all.out, "Causes")) << all.out;
  const Finished variant =
      Explore(VendorPath("libdiopi_variants"), {"--fname", "softmax", "sum", "--explore", "300"},
              {"DIOPI_VARIANT=softmax_reciprocal"});
  EXPECT_EQ(variant.code, 0) << variant.out << variant.err;
}

// The same calls and verdicts for any number of workers.
TEST_F(ExploreTest, TheSeedDeterminesTheExploration) {
  const std::vector<std::string> mutant = {"DIOPI_MUTANT=softmax_without_max"};
  const auto explore = [&](const std::string& workers, const std::string& seed) {
    const Finished run =
        Explore(VendorPath("libdiopi_mutants"),
                {"--fname", "softmax", "add", "--explore", "400", "--workers", workers, "--seed", seed},
                mutant, seed + workers);
    EXPECT_EQ(run.code, 1) << run.out << run.err;
    std::string files;
    for (const std::string& file : Files(seed + workers)) files += std::filesystem::path(file).filename();
    return ReadFile(folder_ / (seed + workers) + "/explored/statistics.csv") + files +
           run.out.substr(run.out.find("\nOutcomes"), 60);
  };
  const std::string one = explore("1", "1");
  EXPECT_EQ(one, explore("3", "1"));
  EXPECT_NE(one, explore("1", "2"));
}

// Bugs that a call on its own does not show: the calls before it are found out, written down and repeated.
TEST_F(ExploreTest, FindsWhatOnlySequencesShow) {
  struct Row {
    const char* bug;
    const char* function;
    const char* condition;  // of the finding; null: the call fails alone
  };
  const Row rows[] = {
      {"plan_without_rows", "diopiAdd", " --after add.float32.x1"},
      {"scalar_of_first_call", "diopiMulScalar", " --after mul.scalar.float32.x1"},
      {"unaligned_buffer", "diopiSub", nullptr},
      {"shared_scratch", "diopiExp", " --beside"},
  };
  for (const Row& row : rows) {
    const std::vector<std::string> bug = {std::string("DIOPI_STATE=") + row.bug};
    const Finished run =
        Explore(VendorPath("vendor_stateful"),
                {"--fname", row.function, "--explore", "120", "--dtype", "float32"}, bug, row.bug);
    ASSERT_EQ(run.code, 1) << row.bug << run.out << run.err;
    const std::string command = Command(run.out);
    ASSERT_FALSE(command.empty()) << run.out;
    EXPECT_EQ(absl::StrContains(command, " --after "), row.condition != nullptr) << run.out;
    if (row.condition != nullptr) {
      EXPECT_TRUE(absl::StrContains(command, row.condition)) << run.out;
      EXPECT_TRUE(absl::StrContains(run.out, "    fails only ")) << run.out;
      EXPECT_TRUE(absl::StrContains(ReadFile(Files(row.bug)[0]), "# The last case fails only "));
    }
    const std::vector<std::string> shell = {"/bin/sh", "-c", command + " --output " + folder_ / "repro.c"};
    EXPECT_EQ(RunProgram(shell, bug).code, 1) << command;
    EXPECT_EQ(RunProgram(shell).code, 0) << "without the bug it passes: " << command;
  }
}

// One error, instead of one for each call that can no longer be made.
TEST_F(ExploreTest, EndsWhenTheLibraryIsReplaced) {
  const std::string impl = folder_ / "libdiopi_impl.so";
  for (const std::string& copy : {impl, impl + ".next"})
    std::filesystem::copy_file(VendorPath("vendor_replaced"), copy);
  const Finished run =
      Explore(impl, {"--fname", "diopiAdd", "--dtype", "float32", "--explore", "5000", "--sandbox", "off"});
  EXPECT_EQ(run.code, 4) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.err, "the library cannot be loaded again: " + impl)) << run.err;
  EXPECT_FALSE(absl::StrContains(run.out, "2 harness_error"))
      << run.out << "only the call that was under way";
}

// What the data folder has of an exploration, beside what was printed and written.
TEST_F(ExploreTest, IsStoredLikeARun) {
  const Finished run = Explore(VendorPath("libdiopi_mutants"),
                               {"--fname", "add", "--explore", "128", "--seed", "3", "--chip", "c"},
                               {"DIOPI_MUTANT=add_tail_stale"});
  ASSERT_EQ(run.code, 1) << run.out << run.err;
  const size_t at = run.out.find("exploration ");
  ASSERT_NE(at, std::string::npos) << run.out;
  const std::string id = run.out.substr(at + 12, run.out.find(' ', at + 12) - at - 12);
  const auto cli = [&](const std::vector<std::string>& words) {
    std::vector<std::string> command = {BinPath("diopi-cli")};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--data", folder_ / "data"});
    return RunProgram(command);
  };
  const Finished json = cli({"report", "--run", id, "--format", "json"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_TRUE(absl::StrContains(json.out, "\"seed\":\"3\"")) << json.out;
  EXPECT_TRUE(absl::StrContains(json.out, std::filesystem::path(Files()[0]).filename().string())) << json.out;
  const Finished text = cli({"report", "--run", id});
  EXPECT_TRUE(absl::StrContains(text.out, " --impl libdiopi_mutants.so")) << text.out;
  // What the server has names no folder of the machine that explored.
  EXPECT_FALSE(absl::StrContains(json.out, BinPath("diopi-cli"))) << json.out;
  EXPECT_TRUE(absl::StrContains(text.out, "128 calls, seed 3")) << text.out;
  EXPECT_EQ(cli({"report", "--run", id, "--format", "junit"}).code, 2);
  EXPECT_TRUE(absl::StrContains(cli({"runs"}).out, "an exploration of functions add with seed 3"));
  EXPECT_EQ(cli({"report"}).code, 2) << "the latest run is never an exploration";
  EXPECT_EQ(cli({"gate", "--run", id}).code, 2);
  // Nothing is stored of a library that cannot be loaded.
  const std::string before = cli({"runs"}).out;
  WriteFile(folder_ / "no.so", "no library");
  EXPECT_EQ(Explore(folder_ / "no.so", {"--explore", "5"}).code, 2);
  EXPECT_EQ(cli({"runs"}).out, before);
}

// Ctrl-C ends the calls, not the account of what failed.
TEST_F(ExploreTest, WritesWhatFailedBeforeItWasStopped) {
  Running agent({BinPath("diopi-agent"), "--impl", VendorPath("libdiopi_mutants"), "--data", folder_ / "data",
                 "--report-dir", folder_ / "out", "--fname", "add", "--explore", "1h"},
                {"DIOPI_MUTANT=add_tail_stale"});
  agent.WaitForLine("Exploring");
  const std::vector<std::string> runs = {BinPath("diopi-cli"), "runs", "--data", folder_ / "data"};
  while (!absl::StrContains(RunProgram(runs).out, ", memory ")) {
  }
  agent.Signal(SIGINT);
  const Finished finished = agent.Finish();
  EXPECT_EQ(finished.code, 130) << finished.out << finished.err;
  ASSERT_FALSE(Files().empty()) << finished.out;
  EXPECT_TRUE(absl::StrContains(finished.out, Files()[0])) << finished.out;
  const std::vector<std::string> shell = {"/bin/sh", "-c",
                                          Command(finished.out) + " --output " + folder_ / "repro.c"};
  EXPECT_EQ(RunProgram(shell, {"DIOPI_MUTANT=add_tail_stale"}).code, 1) << finished.out;
}

TEST_F(ExploreTest, StopsOnTheFirstFailure) {
  const Finished run =
      Explore(VendorPath("libdiopi_mutants"), {"--fname", "add", "--explore", "10m", "--stop-on-first"},
              {"DIOPI_MUTANT=add_alpha_ignored"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "Causes")) << run.out;
}

TEST_F(ExploreTest, KeepsToTheProfile) {
  WriteFile(folder_ / "chip.textproto",
            "skip { match { operator: \"add\" dtype: float32 } reason: \"no float32\" }");
  const Finished run = Explore(VendorPath("libdiopi_mutants"),
                               {"--fname", "diopiAdd", "--dtype", "float32", "--explore", "50", "--profile",
                                folder_ / "chip.textproto"},
                               {"DIOPI_MUTANT=add_alpha_ignored"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "Explored     0 calls")) << run.out;
}

TEST_F(ExploreTest, RefusesWhatDoesNotFit) {
  struct Row {
    std::vector<std::string> options;
    const char* message;
  };
  const Row rows[] = {
      {{"--explore", "0"}, "expected a number of calls (5000) or a time (90s, 10m, 2h), found '0'"},
      {{"--explore", "10d"}, "found '10d'"},
      {{"--explore", "-5m"}, "found '-5m'"},
      {{"--seed", "3"}, "--explore"},
      {{"--explore", "5", "--resume", "latest"}, "omit --resume"},
      {{"--explore", "5", "--case", "add.*"}, "omit --case"},
      {{"--explore", "5", "--fname", "ad"}, "add"},
  };
  for (const Row& row : rows) {
    const Finished run = Explore(LibPath("libdiopi_cpu.so"), row.options);
    EXPECT_EQ(run.code, 2) << run.out << run.err;
    EXPECT_TRUE(absl::StrContains(run.err, row.message)) << run.err;
  }
}

}  // namespace
}  // namespace diopi::testing
