// A vendor's week with the gate: thirty known failures, a pull request that fixes two and breaks one, and the
// day on which a waiver expires. The library is compiled here, as in the vendor's pipeline.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

// The CPU reference's functions, wrong in their first element for tensors of some sizes.
constexpr char kVendor[] = R"(
extern void* dlopen(const char* path, int flags);
extern void* dlsym(void* library, const char* name);
extern int diopiGetTensorData(void* tensor, void** data);
extern int diopiGetTensorNumel(const void* tensor, long* count);

typedef int (*Unary)(void*, void*, const void*);
static void* reference;
__attribute__((constructor)) static void Open(void) { reference = dlopen(REFERENCE, 2); }

__attribute__((noinline)) static void Spoil(void* out) {
  void* data = 0;
  diopiGetTensorData(out, &data);
  *(float*)data = 12345.0f;
}

static long Count(const void* tensor) {
  long count = 0;
  diopiGetTensorNumel(tensor, &count);
  return count;
}

#define UNARY(name, wrong)                                              \
  int name(void* context, void* out, const void* input) {               \
    const int error = ((Unary)dlsym(reference, #name))(context, out, input); \
    const long n = Count(out);                                          \
    if (error == 0 && (wrong)) Spoil(out);                              \
    return error;                                                       \
  }
UNARY(diopiNeg, NEG)
UNARY(diopiAbs, n > 0)
UNARY(diopiSin, n > 0)
UNARY(diopiCos, n > 0)
UNARY(diopiTanh, n > 0)
UNARY(diopiSqrt, SQRT)
)";

constexpr char kPullRequest[] =
    "Findings\n"
    "  new failure  sqrt.float32.size_31: fail, not listed: out: 1 of 31 elements differs, first at [0]: got "
    "12345, "
    "expected 3.61313748 exactly; sqrt(13.0547628) = 12345\n"
    "      diopi-cli repro sqrt.float32.size_31 --impl wednesday.so\n"
    "  less coverage  demo.txt:3: coverage: 0 functions pass, the floor in line 3 is 1\n"
    "\nNotes\n"
    "  passes now  demo.txt:17: neg.float32.size_1: passes now\n"
    "      delete the line: fail neg.float32.size_1 expires=2027-02-21 issue=https://issues.test/7 \"out: 1 "
    "of 1 "
    "element differs, first at [0]: got 12345, expected -3.64964747 exactly; neg(3.64964747) = 12345\"\n"
    "  passes now  demo.txt:18: neg.float32.size_7: passes now\n"
    "      delete the line: fail neg.float32.size_7 expires=2027-02-21 issue=https://issues.test/7 \"out: 1 "
    "of 7 "
    "elements differs, first at [0]: got 12345, expected -1.59568095 exactly; neg(1.59568095) = 12345\"\n";
constexpr char kExpired[] =
    "Findings\n"
    "  expired line  demo.txt:17: neg.float32.size_16: expired on 2026-12-31: out: 1 of 16 elements differs, "
    "first at "
    "[0]: got 12345, expected 3.62768555 exactly; neg(-3.62768555) = 12345 (https://issues.test/7); 1 case "
    "still needs it: "
    "neg.float32.size_16\n"
    "      fix the cause, or agree on a new expires=\n";

class GateWeekTest : public ::testing::Test {
 protected:
  // A server runs all week, while agents with their own servers write to the same folder.
  GateWeekTest()
      : server_({BinPath("diopi-server"), "--data", data(), "--listen", "127.0.0.1:0", "--ready-fd", "1",
                 "--log-level", "off"},
                {}) {
    const std::string line = server_.WaitForLine("ready ");
    EXPECT_NE(line, "");
    if (line.size() > 6) address_ = line.substr(6);
  }

  std::string data() const { return folder_ / "data"; }
  std::string expectations() const { return folder_ / "demo.txt"; }

  // The vendor's library at some commit.
  std::string Build(const std::string& name, const std::string& neg, const std::string& sqrt) const {
    WriteFile(folder_ / "vendor.c", kVendor);
    const Finished built = RunProgram({"/usr/bin/cc", "-O1", "-fPIC", "-shared", "-ffunction-sections",
                                       "-Wl,--emit-relocs", "-fuse-ld=bfd", "-DNEG=" + neg, "-DSQRT=" + sqrt,
                                       "-DREFERENCE=\"" + LibPath("libdiopi_cpu.so") + "\"",
                                       folder_ / "vendor.c", "-o", folder_ / name});
    EXPECT_EQ(built.code, 0) << built.err;
    return folder_ / name;
  }

  Finished Agent(const std::string& library, std::vector<std::string> more = {}) const {
    std::vector<std::string> command = {BinPath("diopi-agent"),
                                        "--impl",
                                        library,
                                        "--data",
                                        data(),
                                        "--chip",
                                        "demo",
                                        "--quiet",
                                        "--error-report",
                                        folder_ / "errors.csv"};
    if (more.empty()) more = {"--fname", "diopiNeg,diopiAbs,diopiSin,diopiCos,diopiTanh,diopiSqrt"};
    command.insert(command.end(), more.begin(), more.end());
    // The written points, without the cases that classes derive from them.
    command.insert(command.end(),
                   {"--case", "*.size_?", "*.size_??", "*.size_???", "*.size_????", "--dtype", "float32"});
    return RunProgram(command);
  }

  Finished GateOf(const std::string& flag, const std::string& where,
                  const std::vector<std::string>& more) const {
    std::vector<std::string> command = {BinPath("diopi-cli"), "gate",        flag, where,
                                        "--expect",           expectations()};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command);
  }

  // Runs the gate on the database and on the server, with the same result. Both begin with the same
  // expectations.
  Finished Gate(const std::vector<std::string>& more) const {
    std::error_code error;
    const bool there = std::filesystem::exists(expectations(), error);
    const std::string before = there ? ReadFile(expectations()) : "";
    const Finished remote = GateOf("--server", address_, more);
    const std::string after = std::filesystem::exists(expectations(), error) ? ReadFile(expectations()) : "";
    if (there) WriteFile(expectations(), before);
    if (!there) std::filesystem::remove(expectations(), error);
    Finished local = GateOf("--data", data(), more);
    // A command that repeats a case names the folder, where there is one.
    local.out = Without(local.out, {" --data " + std::filesystem::canonical(data()).string()});
    EXPECT_EQ(remote.code, local.code);
    EXPECT_EQ(remote.out, local.out);
    EXPECT_EQ(remote.err, local.err);
    EXPECT_EQ(after, std::filesystem::exists(expectations(), error) ? ReadFile(expectations()) : "");
    return local;
  }

  static std::string Without(std::string text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      for (size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
    }
    return text;
  }

  // The gate's output after its facts, without the folders of this test and of the programs.
  std::string Said(const Finished& gate) const {
    const size_t facts = gate.out.find("\n\n");
    if (facts == std::string::npos) return "";
    const std::string programs = std::filesystem::path(BinPath("diopi-cli")).parent_path().string() + "/";
    return Without(
        gate.out.substr(facts + 2),
        {folder_.path() + "/", std::filesystem::canonical(folder_.path()).string() + "/", programs});
  }

  // Edits the file as a person would.
  void Edit(const std::string& from, const std::string& to) const {
    std::string text = ReadFile(expectations());
    size_t count = 0;
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size(), ++count) {
      text.replace(at, from.size(), to);
    }
    EXPECT_GT(count, 0u) << from << " in\n" << text;
    WriteFile(expectations(), text);
  }

  TestFolder folder_;
  Running server_;
  std::string address_;
};

TEST_F(GateWeekTest, FromThirtyFailuresToAnExpiredWaiver) {
  // Monday: the first run. The gate lists the failures, and writes the file.
  const std::string monday = Build("monday.so", "n>0", "0");
  ASSERT_EQ(Agent(monday).code, 1);
  const Finished without = Gate({});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find(
                "demo.txt: cannot be read: No such file or directory; --update creates it from the run"),
            std::string::npos)
      << without.err;
  const Finished first = Gate({"--update", "--today", "2026-11-23"});
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_NE(first.err.find("demo.txt: 30 lines added, 0 deleted, 0 narrowed, 0 kept\n"), std::string::npos)
      << first.err;
  EXPECT_EQ(first.out.find("Gate         passed, 30 notes\n"), 0u)
      << first.out;  // each line has no issue yet
  EXPECT_NE(ReadFile(expectations()).find("fail neg.float32.size_7 expires=2027-02-21 issue=TODO \""),
            std::string::npos)
      << ReadFile(expectations());
  EXPECT_EQ(Gate({"--strict", "--today", "2026-11-23"}).code, 1);
  Edit("issue=TODO", "issue=https://issues.test/7");
  EXPECT_EQ(Gate({"--strict", "--today", "2026-11-23"}).code, 0);

  // Wednesday: a pull request that fixes two cases and breaks one.
  const std::string wednesday = Build("wednesday.so", "n>7", "n==31");
  const Finished changed = RunProgram({BinPath("diopi-cli"), "changed", monday, wednesday});
#ifdef __x86_64__
  EXPECT_EQ(changed.out, "# 2 functions differ.\ndiopiNeg\ndiopiSqrt\n");
#endif
  ASSERT_EQ(Agent(wednesday).code, 1);
  const Finished pull_request = Gate({"--today", "2026-11-25", "--also", "github=" + (folder_ / "github.txt"),
                                      "--also", "junit=" + (folder_ / "gate.xml")});
  EXPECT_EQ(pull_request.code, 1);
  EXPECT_EQ(pull_request.out.find("Gate         FAILED: 2 findings, 2 notes\n"), 0u) << pull_request.out;
  EXPECT_EQ(Said(pull_request), kPullRequest);
  EXPECT_NE(ReadFile(folder_ / "github.txt").find("::error title=new failure%3A sqrt.float32.size_31::"),
            std::string::npos);
  EXPECT_NE(ReadFile(folder_ / "gate.xml").find("<failure type=\"fail\""), std::string::npos);

  for (const char* format : {"markdown", "junit", "github", "json"}) {
    EXPECT_EQ(Gate({"--today", "2026-11-25", "--format", format}).code, 1) << format;
  }
  EXPECT_EQ(Gate({"--run", "20010101-000000-0000", "--today", "2026-11-25"}).code, 2);
  EXPECT_EQ(Gate({"--chip", "other"}).code, 2);
  EXPECT_EQ(Gate({"--against", "last-green", "--max-slowdown", "1000", "--max-error-growth", "1000",
                  "--today", "2026-11-25"})
                .code,
            1);

  // The same with only the last green run: Monday's, by the lines of that day.
  const Finished against = Gate({"--against", "last-green", "--today", "2026-11-25"});
  EXPECT_EQ(against.code, 1);
  EXPECT_NE(against.out.find("fail, not listed, passed in run "), std::string::npos) << against.out;

  // Thursday: the broken case is repaired, and the lines that pass are deleted.
  ASSERT_EQ(Agent(Build("thursday.so", "n>7", "0")).code, 1);
  const Finished mended = Gate({"--update", "--today", "2026-11-26", "--strict"});
  EXPECT_EQ(mended.code, 0) << mended.out;
  EXPECT_NE(mended.err.find("demo.txt: 0 lines added, 2 deleted, 0 narrowed, 28 kept\n"), std::string::npos);

  // One line was agreed on only until the end of the year.
  Edit("neg.float32.size_16 expires=2027-02-21", "neg.float32.size_16 expires=2026-12-31");
  EXPECT_EQ(Gate({"--today", "2026-12-10"}).code, 0);
  EXPECT_EQ(Gate({"--today", "2026-12-31"}).code, 0);
  const Finished expired = Gate({"--today", "2027-01-01"});
  EXPECT_EQ(expired.code, 1);
  EXPECT_EQ(Said(expired), kExpired);
}

// Quick runs of only a few cases.
TEST_F(GateWeekTest, QuickRuns) {
  const std::string old = Build("old.so", "0", "0");
  const std::string now = Build("now.so", "n>7", "0");
  const Finished none = Agent(old, {"--changed-since", old});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "No function changed: nothing to run.\n");
#ifdef __x86_64__
  const Finished since = Agent(now, {"--changed-since", old});
  EXPECT_EQ(since.code, 1);
  EXPECT_EQ(since.out.find("Changed: diopiNeg\n"), 0u) << since.out;
  for (const auto& row : ReportRows(data(), "latest")) EXPECT_EQ(row.at("function"), "diopiNeg");
#endif

  WriteFile(folder_ / "changed.txt", "# By hand.\n  diopiNeg  # this\n\n");
  ASSERT_EQ(Agent(now, {"--changed-functions", folder_ / "changed.txt"}).code, 1);
  std::set<std::string> failed;
  for (const auto& row : ReportRows(data(), "latest")) {
    EXPECT_EQ(row.at("function"), "diopiNeg");
    if (row.at("outcome") == "fail") failed.insert(row.at("case"));
  }
  EXPECT_EQ(failed.size(), 4u);
  WriteFile(folder_ / "changed.txt", "diopiNeg\ndiopiNge\n");
  const Finished unknown = Agent(now, {"--changed-functions", folder_ / "changed.txt"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(
      unknown.err.find(
          "changed.txt:2: expected a function of the ABI or all_ops, found 'diopiNge'; nearest: diopiNe, "),
      std::string::npos)
      << unknown.err;
  EXPECT_EQ(Agent(now, {"--changed-functions", folder_ / "none.txt"}).code, 2);

  const std::vector<std::string> again = {
      BinPath("diopi-agent"), "--impl",         now,     "--data", data(), "--quiet", "--error-report",
      folder_ / "errors.csv", "--rerun-failed", "latest"};
  ASSERT_EQ(RunProgram(again).code, 1);
  std::set<std::string> rerun;
  for (const auto& row : ReportRows(data(), "latest")) rerun.insert(row.at("case"));
  EXPECT_EQ(rerun, failed);

  // The same for a run on a server.
  const std::vector<std::string> far = {
      BinPath("diopi-agent"), "--impl",       now, "--server",       address_, "--quiet", "--error-report",
      folder_ / "errors.csv", "--cache-size", "0", "--rerun-failed", "latest"};
  const Finished far_again = RunProgram(far);
  EXPECT_EQ(far_again.code, 1) << far_again.err;
  EXPECT_EQ(far_again.out.find("Running again: the 4 cases that failed in run "), 0u) << far_again.out;
  rerun.clear();
  for (const auto& row : ReportRows(data(), "latest")) rerun.insert(row.at("case"));
  EXPECT_EQ(rerun, failed);
  std::vector<std::string> unknown_run = far;
  unknown_run.back() = "20010101-000000-0000";
  const Finished no_run = RunProgram(unknown_run);
  EXPECT_EQ(no_run.code, 2);
  EXPECT_NE(no_run.err.find("no run '20010101-000000-0000'; "), std::string::npos) << no_run.err;

  const Finished fast = Agent(Build("all.so", "n>0", "0"), {"--fname", "diopiNeg", "--fail-fast"});
  EXPECT_EQ(fast.code, 1) << fast.err;
}

// What a server answers is what its folder holds, for every command that shows results.
TEST_F(GateWeekTest, EveryCommandReadsAServerAsItReadsTheFolder) {
  ASSERT_EQ(Agent(Build("first.so", "0", "0")).code, 1);  // sin, cos, tanh and abs
  const std::string a = ReadRun(data()).info.run_id();
  ASSERT_EQ(Agent(Build("second.so", "n>16", "0"), {"--fname", "diopiNeg", "--performance"}).code, 1);
  const std::string b = ReadRun(data()).info.run_id();
  const auto shown = [this](const std::string& out) {  // without the folder, and when it was written
    return std::regex_replace(Without(out, {" --data " + std::filesystem::canonical(data()).string()}),
                              std::regex("[0-9]{2}:[0-9]{2}:[0-9]{2}"), "TIME");
  };
  const std::vector<std::vector<std::string>> commands = {
      {"runs"},
      {"runs", "--chip", "demo", "--limit", "1", "--format", "csv"},
      {"runs", "--label", "no"},
      {"chips"},
      {"coverage", "--family", "elementwise"},
      {"models"},
      {"history", "neg.float32.size_31", "--chip", "demo"},
      {"history", "*neg*size_31", "--chip", "d"},
      {"history", "nothing", "--chip", "demo"},
      {"diff", a, b},
      {"diff", a, "20200101-000000-0000"},
      {"report", "--run", b, "--format", "json"},
      {"performance", "--format", "csv"},
      {"performance", "--run", a},
      {"evaluate", "--run", a, "--format", "markdown"},
      {"evaluate", "--chip", "demi"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), BinPath("diopi-cli"));
    const std::string what = absl::StrJoin(command, " ");
    command.insert(command.end(), {"--data", data()});
    const Finished local = RunProgram(command);
    command.end()[-2] = "--server";
    command.back() = address_;
    const Finished remote = RunProgram(command);
    EXPECT_EQ(remote.code, local.code) << what << "\n" << remote.err;
    EXPECT_EQ(shown(remote.out), shown(local.out)) << what;
    EXPECT_EQ(remote.err, local.err) << what;
    EXPECT_FALSE(local.out.empty() && local.err.empty()) << what;
  }
}

// Where the server has dashboards, an agent names the run's page.
TEST_F(GateWeekTest, AnAgentNamesTheRunsPage) {
  Running server({BinPath("diopi-server"), "--data", folder_ / "other", "--listen", "127.0.0.1:0", "--http",
                  "127.0.0.1:0", "--ready-fd", "1", "--log-level", "off"},
                 {});
  const Finished made =
      RunProgram({BinPath("diopi-cli"), "gen", "--data", folder_ / "other", "--fname", "diopiNeg"});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string ready = server.WaitForLine("ready "), http = server.WaitForLine("http ");
  ASSERT_GT(std::min(ready.size(), http.size()), 6u);
  const Finished run =
      RunProgram({BinPath("diopi-agent"), "--impl", Build("good.so", "0", "0"), "--server", ready.substr(6),
                  "--fname", "diopiNeg", "--case", "*.float32.size_?", "*.float32.size_??",
                  "*.float32.size_???", "*.float32.size_????", "--error-report", folder_ / "errors.csv"});
  EXPECT_NE(run.out.find("Page         http://" + http.substr(5) + "/runs/2"), std::string::npos)
      << run.out << run.err;
  EXPECT_EQ(Agent(Build("good.so", "0", "0")).out.find("Page  "), std::string::npos);
}

TEST_F(GateWeekTest, AServerThatDoesNotAnswerTheGate) {
  WriteFile(expectations(), "");
  struct Row {
    std::string server;
    std::vector<std::string> more;
    int code;
    std::string text;
  };
  const std::vector<Row> rows = {
      {"localhost", {}, 2, "'localhost' is not a server address; expected HOST:PORT or unix:PATH"},
      {"unix:" + (folder_ / "nobody"), {}, 4, "cannot reach the server at unix:" + (folder_ / "nobody")},
      {address_, {"--data", data()}, 2, "--data excludes --server"},
      {address_, {"--token-file", folder_ / "none"}, 2, "--token-file"},
  };
  for (const Row& row : rows) {
    const Finished gate = GateOf("--server", row.server, row.more);
    EXPECT_EQ(gate.code, row.code) << gate.err;
    EXPECT_NE(gate.err.find(row.text), std::string::npos) << gate.err;
  }
  // A server that requires tokens: reading needs the lowest role.
  const Finished made = RunProgram(
      {BinPath("diopi-server"), "token", "add", "--data", data(), "--name", "ci", "--role", "read"});
  ASSERT_EQ(made.code, 0) << made.err;
  WriteFile(folder_ / "token", made.out);
  const Finished without = GateOf("--server", address_, {});
  EXPECT_EQ(without.code, 4);
  EXPECT_NE(without.err.find("token"), std::string::npos) << without.err;
  const Finished with = GateOf("--server", address_, {"--token-file", folder_ / "token"});
  EXPECT_EQ(with.code, 2);
  EXPECT_NE(with.err.find("no run 'latest'"), std::string::npos) << with.err;
}

TEST_F(GateWeekTest, WhatAUserGetsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{}, "the gate needs --expect FILE or --against RUN (or last-green)"},
      {{"--against", "x", "--today", "2027-02-30"},
       "--today takes a valid date such as 2027-01-31, found '2027-02-30'"},
      {{"--against", "x", "--update"}, "--update needs the --expect file to write"},
      {{"--expect", expectations(), "--max-slowdown", "2"},
       "--max-slowdown and --max-error-growth need --against RUN"},
      {{"--against", "x", "--also", "junit"}, "--also takes FORMAT=FILE"},
      {{"--expect", folder_.path()}, ": is a folder, expected a file"},
  };
  for (const auto& [more, text] : rows) {
    std::vector<std::string> command = {BinPath("diopi-cli"), "gate", "--data", data()};
    command.insert(command.end(), more.begin(), more.end());
    const Finished gate = RunProgram(command);
    EXPECT_EQ(gate.code, 2) << gate.err;
    EXPECT_NE(gate.err.find(text), std::string::npos) << gate.err;
  }
  WriteFile(expectations(), "fial x\n");
  EXPECT_EQ(Gate({}).code, 2);
  EXPECT_NE(Gate({}).err.find("demo.txt:1:1: unknown word 'fial'"), std::string::npos);
}

}  // namespace
}  // namespace diopi::testing
