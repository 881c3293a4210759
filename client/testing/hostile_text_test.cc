// Hostile text from a library, from results that somebody else stored, and from files: whatever a program
// prints about it has no control character and no line that the text began, and keeps what is legitimate.
// reports/printable_test.cc has the formats of reports one by one.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cases/base/message_texts_testing.h"
#include "cases/base/text.h"
#include "cases/base/text_testing.h"
#include "client/testing/programs.h"
#include "server/store/database.h"

namespace diopi::testing {
namespace {

constexpr char kCase[] = "add.float32.n17";

struct Row {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> environment = {};
  bool shows = true;         // the text is part of what is printed
  bool whole_lines = false;  // the format has a place for lines of others
};

class HostileTextTest : public ::testing::Test {
 protected:
  static void Check(const Row& row) {
    const Finished run = RunProgram(row.command, row.environment);
    EXPECT_LT(run.code, 3) << row.name << "\n" << PrintableText(run.out + run.err);
    for (const std::string& text : {run.out, run.err}) {
      EXPECT_EQ(FirstForbidden(text), "") << row.name;
      EXPECT_TRUE(row.whole_lines || !HasForgedLine(text)) << row.name << "\n" << PrintableText(text);
    }
    EXPECT_EQ((run.out + run.err).find("你好") != std::string::npos, row.shows)
        << row.name << "\n"
        << PrintableText(run.out + run.err);
  }

  std::vector<std::string> Agent(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {BinPath("diopi-agent"),
                                        "--impl",
                                        VendorPath("vendor_hostile_text"),
                                        "--data",
                                        data(),
                                        "--chip",
                                        "hostile",
                                        "--fname",
                                        "add",
                                        "--case",
                                        "add.float32.n1?",
                                        "--error-report",
                                        folder_ / "errors.csv"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  std::vector<std::string> Cli(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {BinPath("diopi-cli"), arguments[0], "--data", data()};
    command.insert(command.end(), arguments.begin() + 1, arguments.end());
    return command;
  }

  // A results file of somebody else, in which every text is hostile; returns the run's id.
  std::string StoreHostileRun() const {
    auto database = server::Database::Open(server::DatabasePath(data()), {});
    EXPECT_TRUE(database.ok()) << database.status();
    v1::RunOptions options;
    SetTexts(HostileUtf8(), &options);
    options.clear_exploration();
    std::vector<server::RunCase> cases;
    std::vector<v1::Verdict> verdicts;
    for (int outcome = v1::OUTCOME_PASS; outcome <= v1::Outcome_MAX; ++outcome) {
      if (outcome == v1::OUTCOME_HARNESS_ERROR) continue;  // ours
      v1::Verdict& verdict = verdicts.emplace_back();
      SetTexts(HostileUtf8(), &verdict);
      verdict.set_case_id(HostileUtf8(std::to_string(outcome)));
      verdict.set_outcome(static_cast<v1::Outcome>(outcome));
      cases.push_back({verdict.case_id(), verdict.case_hash(), verdict.function(), verdict.operator_()});
    }
    const auto run = (*database)->AddFinishedRun(options, HostileUtf8(), cases, verdicts);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? run->run_id() : "";
  }

  std::string data() const { return folder_ / "data"; }

  TestFolder folder_;
};

TEST_F(HostileTextTest, OfALibrary) {
  const std::string library = VendorPath("vendor_hostile_text");
  std::vector<Row> rows = {
      {"agent", Agent({})},
      {"agent, verbose", Agent({"--verbose"})},
      {"agent, exceptions", Agent({"--verbose"}), {"DIOPI_TEST_FAULT=throws"}},
      {"agent, aborts", Agent({"--verbose"}), {"DIOPI_TEST_FAULT=aborts"}},
      {"abi-check", {BinPath("diopi-cli"), "abi-check", "--impl", library}, {}, false},
      {"runs", Cli({"runs"})},
      {"report", Cli({"report", "--run", "latest", "--verbose"})},
      {"history", Cli({"history", kCase, "--chip", "hostile"})},
      {"diff", Cli({"diff", "latest", "latest"})},
      {"gate", Cli({"gate", "--expect", folder_ / "known.txt", "--update", "--verbose"}), {}, false},
  };
  for (const char* fault : {"", "throws", "aborts"}) {
    rows.push_back({std::string("repro ") + fault,
                    Cli({"repro", kCase, "--impl", library, "--output", folder_ / "repro.c"}),
                    {std::string("DIOPI_TEST_FAULT=") + fault}});
  }
  for (const Row& row : rows) Check(row);
  const std::string errors = ReadFile(folder_ / "errors.csv");
  EXPECT_EQ(FirstForbidden(errors), "");
  EXPECT_FALSE(HasForgedLine(errors)) << errors;
}

// What a library prints names its author on every line.
TEST_F(HostileTextTest, ALibrarysPrintsAreMarkedAsItsOwn) {
  const Finished run = RunProgram(Agent({"--quiet"}));
  EXPECT_NE(run.err.find("library: =1+1 ?[2J?]0;title??[31m"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("\nlibrary: FORGED 538 of 538"), std::string::npos) << run.err;
}

TEST_F(HostileTextTest, OfADebuggedLibrary) {
  for (const char* tool : {"gdb", "valgrind"}) {
    if (!std::filesystem::exists(std::string("/usr/bin/") + tool) || kAddressSanitizer) continue;
    Check({tool,
           Cli({"repro", kCase, "--impl", VendorPath("vendor_hostile_text"), "--output", folder_ / "repro.c",
                std::string("--") + tool}),
           {"DIOPI_TEST_FAULT=aborts"},
           true,
           true});  // the library shares the debugger's output
  }
}

TEST_F(HostileTextTest, OfStoredResults) {
  std::filesystem::create_directories(data());
  const std::string run = StoreHostileRun();
  std::vector<Row> rows = {
      {"runs", Cli({"runs"})},
      {"runs csv", Cli({"runs", "--format", "csv"}), {}, true, true},
      {"chips", Cli({"chips"})},
      {"coverage", Cli({"coverage"})},
      {"history", Cli({"history", "*3Gr*", "--chip", HostileUtf8()})},
      {"diff", Cli({"diff", run, run})},
      {"gate", Cli({"gate", "--expect", folder_ / "known.txt", "--update", "--verbose"})},
      {"gate again", Cli({"gate", "--expect", folder_ / "known.txt", "--verbose"})},
      {"label", Cli({"label", run, "note=" + HostileUtf8()}), {}, false},
      {"evaluate", Cli({"evaluate", "--run", run, "--format", "markdown"}), {}, true, true},
      {"an unknown run", Cli({"report", "--run", HostileUtf8()})},
      {"an unknown case", Cli({"show", HostileUtf8()})},
      {"an unknown option", {BinPath("diopi-cli"), "--" + HostileUtf8()}, {}, false},
      {"server check", {BinPath("diopi-server"), "check", "--data", data()}, {}, false},
  };
  for (const char* format : {"text", "markdown", "html", "csv", "json", "junit", "cdash", "error_report"}) {
    const std::string name = format;
    rows.push_back({"report " + name,
                    Cli({"report", "--run", run, "--format", name, "--verbose"}),
                    {},
                    true,
                    name != "text" && name != "json" && name != "error_report"});
  }
  for (const Row& row : rows) Check(row);
}

TEST_F(HostileTextTest, OfFiles) {
  const std::string folder = folder_ / "cases";
  std::filesystem::create_directories(folder);
  WriteFile(folder + "/mine.textproto", R"(operator: "add" family: "elementwise"
function {
  name: "diopiAdd"
  arg { name: "out" broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
grid {
  dtypes: [float32]
  point {
    label: "mine_11" reveals: "a \033[2J\302\233\342\200\256 你好\nFORGED 538 of 538 functions pass"
    in { name: "input" shape: [11] } in { name: "other" shape: [11] } attr { name: "alpha" i: 3 }
  }
}
)");
  const std::string library =
      folder_ / ("你好" + std::string("\x1b[2J\nFORGED 538 of 538 functions pass.so"));
  WriteFile(library, "no library");
  const Row rows[] = {
      {"show", Cli({"show", "add.float32.mine_11", "--cases", folder})},
      {"list", {BinPath("diopi-cli"), "list", "cases", "--cases", folder, "--fname", "add"}, {}, false},
      {"agent",
       {BinPath("diopi-agent"), "--impl", library, "--data", data(), "--error-report", folder_ / "e.csv"}},
      {"abi-check", {BinPath("diopi-cli"), "abi-check", "--impl", library}},
      {"unknown cases", {BinPath("diopi-cli"), "list", "cases", "--cases", library + "/x"}},
  };
  for (const Row& row : rows) Check(row);
}

}  // namespace
}  // namespace diopi::testing
