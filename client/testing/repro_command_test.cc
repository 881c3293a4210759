// Copies and runs the command that a report gives for a failed case: it repeats the run's verdict, whatever
// options the run had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/testing/own_case.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kProfile[] = R"(
contract: "tf32"
timeout_s: 20
environment { name: "DIOPI_MUTANT" value: "add_alpha_ignored" }
adaptor { operator: "add" dtype: "(float64)->float32" }
waiver {
  match { function: "diopiAdd" }
  tolerance { atol: 1e-9 rtol: 1e-9 }
  reason: "none" issue: "https://example.com/1" expires: "2020-01-01"
}
)";

// Undoes the escaping of XML, HTML or JSON.
std::string Unescaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&amp;", "&"},
                                    {"&lt;", "<"},
                                    {"&gt;", ">"},
                                    {"&quot;", "\""},
                                    {"&apos;", "'"},
                                    {"&#39;", "'"},
                                    {"\\\"", "\""},
                                    {"\\\\", "\\"}});
}

class ReproCommandTest : public ::testing::Test {
 protected:
  ReproCommandTest() {
    std::filesystem::create_directories(Folder("own cases"));
    WriteFile(folder_ / "own cases/add.textproto", kOwnAddCase);
    WriteFile(folder_ / "chip's $1.textproto", kProfile);
  }
  std::string Folder(const std::string& name) const { return folder_ / name; }
  std::string data() const { return folder_ / "data"; }

  Finished Agent(const std::vector<std::string>& more, const std::vector<std::string>& environment) const {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--impl", VendorPath("libdiopi_mutants"), "--data", data(), "--error-report",
        folder_ / "errors",     "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, environment);
  }

  std::string Report(const std::string& format) const {
    const Finished report =
        RunProgram({BinPath("diopi-cli"), "report", "--data", data(), "--format", format});
    EXPECT_EQ(report.code, 0) << format << report.err;
    return report.out;
  }

  // The text report's commands, in order.
  std::vector<std::string> Commands() const {
    std::vector<std::string> commands;
    for (const absl::string_view line : absl::StrSplit(Report("text"), '\n')) {
      const std::string begin = "  " + BinPath("diopi-cli") + " repro ";
      if (line.substr(0, begin.size()) == begin) commands.emplace_back(line.substr(2));
    }
    return commands;
  }

  // Runs the command like a user's shell, in another folder, without our programs on PATH.
  Finished Paste(const std::string& command, const std::vector<std::string>& environment) const {
    return RunProgram({"/bin/sh", "-c",
                       absl::StrCat("PATH=/usr/bin:/bin; mkdir -p '", Folder("else where"), "'; cd '",
                                    Folder("else where"), "'; ", command)},
                      environment);
  }

  TestFolder folder_;
};

// The repeat commands of a document that name a folder.
std::vector<std::string> CommandsWithFolders(const std::string& document) {
  std::vector<std::string> commands;
  for (size_t at = 0; (at = document.find("diopi-cli repro ", at)) != std::string::npos; ++at) {
    const std::string command = document.substr(at, document.find_first_of("\n\"<", at) - at);
    if (absl::StrContains(command, '/') || (at > 0 && document[at - 1] == '/')) commands.push_back(command);
  }
  return commands;
}

struct ReproRow {
  const char* name;
  std::vector<std::string> selection;
  std::vector<std::string> flags;  // FOLDER stands for the test's
  std::vector<std::string> environment;
  std::vector<std::string> in_command;
  bool passes_without;  // the same without the flags
};

TEST_F(ReproCommandTest, ComesToTheRunsVerdictAgain) {
  const std::vector<ReproRow> rows = {
      {"profile",
       {"--case", "add.float64.n17", "--case", "add.float32.n17"},
       {"--profile", "FOLDER/chip's $1.textproto"},
       {},
       {" --profile '", "chip'\\''s $1.textproto'", " --contract tf32", " --timeout-s 20"},
       true},
      {"nhwc",
       {"--case", "conv2d.float32.kernel_3", "--case", "conv2d.float32.dilation"},
       {"--nhwc", "--nhwc-min-dim", "4"},
       {"DIOPI_MUTANT=conv_input_layout_ignored"},
       {" --nhwc --nhwc-min-dim 4"},
       true},
      {"four bytes",
       {"--case", "add.float64.n17"},
       {"--four-bytes", "--repeat", "3", "--sandbox", "off"},
       {"DIOPI_MUTANT=add_alpha_ignored"},
       {" --four-bytes", " --repeat 3", " --sandbox off"},
       false},
      {"own cases",
       {"--case", "add.float32.mine_11"},
       {"--cases", "FOLDER/own cases"},
       {"DIOPI_MUTANT=add_alpha_ignored"},
       {" --cases '", "/own cases'"},
       false},
  };
  for (const ReproRow& row : rows) {
    SCOPED_TRACE(row.name);
    std::vector<std::string> arguments = row.selection;
    for (const std::string& flag : row.flags) {
      arguments.push_back(absl::StrReplaceAll(flag, {{"FOLDER", folder_.path()}}));
    }
    const Finished run = Agent(arguments, row.environment);
    ASSERT_EQ(run.code, 1) << run.out << run.err;
    std::map<std::string, v1::Verdict> verdicts;
    for (const v1::Verdict& verdict : ReadRun(data()).verdicts) verdicts[verdict.case_id()] = verdict;
    const std::vector<std::string> commands = Commands();
    ASSERT_THAT(commands, Not(IsEmpty()));
    for (const char* format : {"markdown", "html", "csv", "json", "junit", "cdash", "error_report"}) {
      const std::string document = Unescaped(Report(format));
      for (const std::string& command : commands) {
        const std::vector<std::string> words = absl::StrSplit(command, ' ');
        EXPECT_THAT(document,
                    HasSubstr(absl::StrCat("diopi-cli repro ", words[2], " --impl libdiopi_mutants.so")))
            << format;
      }
      EXPECT_THAT(CommandsWithFolders(document), IsEmpty()) << format;
    }
    EXPECT_THAT(ReadFile(folder_ / "errors"), HasSubstr(" --impl libdiopi_mutants.so"));
    for (size_t i = 0; i < std::min<size_t>(commands.size(), 3); ++i) {
      for (const std::string& part : row.in_command) EXPECT_THAT(commands[i], HasSubstr(part));
      EXPECT_THAT(commands[i],
                  HasSubstr(" --data " + std::filesystem::path(data()).lexically_normal().string()));
      const std::vector<std::string> words = absl::StrSplit(commands[i], ' ');
      const v1::Verdict& verdict = verdicts.at(words[2]);
      EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
      const Finished again = Paste(commands[i], row.environment);
      EXPECT_EQ(again.code, 1) << commands[i] << "\n" << again.out << again.err;
      EXPECT_THAT(again.out, HasSubstr("Outcome    fail\n"));
      // A diagnosis has 5 ms, which may be too few for instrumented code: then the hint is missing.
      const std::string& reason = verdict.reason();
      EXPECT_THAT(again.out,
                  HasSubstr(absl::StrCat(
                      "Reason     ", kAddressSanitizer ? reason.substr(0, reason.find("; consistent with"))
                                                       : absl::StrCat(reason, "\n"))));
    }
    if (row.passes_without) {
      EXPECT_EQ(Agent(row.selection, row.environment).code, 0);
    }
  }
}

// The commands that repro prints for its C file also work when pasted: the file compiles with the headers
// beside the program, and exits with 1 for a wrong library and 0 for a correct one.
TEST_F(ReproCommandTest, TheCFileIsCompiledAndRunByWhatIsPrinted) {
  if (kAddressSanitizer) return;  // a plain program cannot load such libraries
  const std::vector<std::string> environment = {"DIOPI_MUTANT=add_alpha_ignored"};
  const Finished repro =
      RunProgram({BinPath("diopi-cli"), "repro", "add.float32.n17", "--impl", VendorPath("libdiopi_mutants"),
                  "--data", data(), "--output", folder_ / "it's.c"},
                 environment);
  ASSERT_EQ(repro.code, 1) << repro.err;
  std::map<std::string, std::string> printed;
  for (const absl::string_view line : absl::StrSplit(repro.out, '\n')) {
    if (line.size() > 11) printed[std::string(line.substr(0, 7))] = std::string(line.substr(11));
  }
  const Finished compiled = Paste(printed["Compile"], {});
  ASSERT_EQ(compiled.code, 0) << printed["Compile"] << compiled.err;
  EXPECT_THAT(ReadFile(folder_ / "it's.c"), HasSubstr(printed["Compile"]));
  const Finished wrong = Paste(printed["Run    "], environment);
  EXPECT_EQ(wrong.code, 1) << wrong.out;
  EXPECT_THAT(wrong.out, HasSubstr("MISMATCH"));
  EXPECT_THAT(wrong.out, HasSubstr("FAILED after 2 calls"));
  const Finished right = Paste(printed["Run    "], {});
  EXPECT_EQ(right.code, 0) << right.out;
  EXPECT_THAT(right.out, HasSubstr("PASSED after 2 calls: 0 elements do not match"));
}

TEST_F(ReproCommandTest, ADifferenceBetweenCallsIsShownAgain) {
  std::vector<std::string> command = {BinPath("diopi-agent"),
                                      "--impl",
                                      VendorPath("vendor_nondeterministic"),
                                      "--data",
                                      data(),
                                      "--error-report",
                                      folder_ / "errors",
                                      "--quiet",
                                      "--case",
                                      "add.float32.n17"};
  ASSERT_EQ(RunProgram(command).code, 1);
  const std::vector<std::string> commands = Commands();
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_THAT(commands[0], HasSubstr(" --repeat 100"));
  const Finished again = Paste(commands[0], {});
  EXPECT_EQ(again.code, 1) << again.out;
  EXPECT_THAT(again.out, HasSubstr("Outcome    nondeterministic"));
}

// The worker gets the same as in a run: converted types and layouts, the profile's variables.
TEST_F(ReproCommandTest, TheModesArriveInTheVendorsCall) {
  const auto log = [this](const std::vector<std::string>& flags) {
    std::vector<std::string> command = {BinPath("diopi-cli"),
                                        "repro",
                                        "conv2d.float64.kernel_3",
                                        "--impl",
                                        VendorPath("vendor_tensor_log"),
                                        "--data",
                                        data(),
                                        "--output",
                                        folder_ / "repro.c"};
    command.insert(command.end(), flags.begin(), flags.end());
    return RunProgram(command);
  };
  EXPECT_THAT(log({}).err, HasSubstr("tensor conv2d input dtype=10 "));
  const Finished four = log({"--four_bytes"});
  EXPECT_THAT(four.err, HasSubstr("tensor conv2d input dtype=9 "));
  EXPECT_THAT(four.err, Not(HasSubstr("dtype=10 ")));
  EXPECT_THAT(four.out, HasSubstr("repro.c (without the adaptor)"));
  const std::string nhwc = log({"--nhwc"}).err;
  const size_t strides = nhwc.find("strides=(", nhwc.find("tensor conv2d input "));
  ASSERT_NE(strides, std::string::npos) << nhwc;
  EXPECT_EQ(nhwc.substr(nhwc.find(',', strides) + 1, 2), "1,") << nhwc;
  const Finished needs = log({"--nhwc-min-dim", "4"});
  EXPECT_EQ(needs.code, 2);
}

TEST_F(ReproCommandTest, AProfilesSkipWaiverAndTimeLimitHold) {
  const auto repro = [this](const std::string& library, const std::string& profile) {
    WriteFile(folder_ / "chip.textproto", profile);
    return RunProgram({BinPath("diopi-cli"), "repro", "add.float32.n17", "--impl", VendorPath(library),
                       "--data", data(), "--output", folder_ / "repro.c", "--profile",
                       folder_ / "chip.textproto"});
  };
  const Finished skipped =
      repro("vendor_imprecise", "skip { match { operator: \"add\" } reason: \"no adder\" }");
  EXPECT_EQ(skipped.code, 0) << skipped.err;
  EXPECT_THAT(skipped.out, HasSubstr("Outcome    skipped\nReason     skipped by chip.textproto:1: no adder"));
  const Finished waived = repro("vendor_imprecise", R"(
environment { name: "DIOPI_TEST_ERROR" value: "1e-4" }
waiver {
  match { function: "diopiAdd" } tolerance { atol: 1e-3 rtol: 1e-3 }
  reason: "fast sums" issue: "https://example.com/4" expires: "2099-12-31"
})");
  EXPECT_EQ(waived.code, 0) << waived.err;
  EXPECT_THAT(waived.out, HasSubstr("Outcome    waived\nReason     waived by chip.textproto:3 until"));
  EXPECT_THAT(waived.out, HasSubstr("(without the profile's variables)"));
  const Finished slow = repro("vendor_hang", "timeout { match { function: \"diopiAdd\" } seconds: 0.2 }");
  EXPECT_EQ(slow.code, 1) << slow.err;
  EXPECT_THAT(slow.out, HasSubstr("timed out after 0.2 s"));
  const Finished wrong = repro("vendor_imprecise", "skip {}");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("chip.textproto:1:"));
}

}  // namespace
}  // namespace diopi::testing
