// Documents, comparisons and lists about runs, with the real programs and a real database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "build_paths.h"
#include "cases/base/sha256.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kCheck[] = DIOPI_SOURCE_DIR "/reports/render/check_exports.py";
constexpr char kSchema[] = DIOPI_BINARY_DIR "/generated/messages.schema.json";

// Two runs on one chip, first correct and then faulty, and one on another chip; all with operator exp.
class DocumentsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    Agent(LibPath("libdiopi_cpu.so"), "e1", 0);
    Agent(VendorPath("libdiopi_faulty"), "e1", 1);
    Agent(LibPath("libdiopi_cpu.so"), "e2", 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string data() { return *folder_ / "data"; }
  static std::string File(const std::string& name) { return *folder_ / name; }
  static void Agent(const std::string& library, const char* chip, int code) {
    const Finished run = RunProgram({BinPath("diopi-agent"), "--impl", library, "--data", data(), "--fname",
                                     "exp", "--chip", chip, "--quiet", "--error-report", File("errors.csv")});
    ASSERT_EQ(run.code, code) << run.out << run.err;
  }
  static Finished Cli(std::vector<std::string> command) {
    command.insert(command.begin(), BinPath("diopi-cli"));
    command.insert(command.end(), {"--data", data()});
    return RunProgram(command);
  }
  // Run ids, newest first.
  static std::vector<std::string> Runs(const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {"runs", "--format", "csv"};
    command.insert(command.end(), more.begin(), more.end());
    std::vector<std::string> ids;
    const std::string list = Cli(command).out;
    for (size_t at = list.find("\r\n"); at + 2 < list.size(); at = list.find("\r\n", at + 2))
      ids.push_back(list.substr(at + 2, list.find(',', at) - at - 2));
    return ids;
  }
  static std::string RunOf(const std::string& chip) { return Runs({"--chip", chip}).at(0); }

  static TestFolder* folder_;
};

TestFolder* DocumentsTest::folder_ = nullptr;

TEST_F(DocumentsTest, ExportsFollowTheirReadersRules) {
  const std::string faulty = Runs().at(1);
  for (const char* format : {"json", "junit", "cdash"}) {
    const std::string file = File(format);
    const Finished report = Cli({"report", "--run", faulty, "--format", format, "--output", file});
    ASSERT_EQ(report.code, 0) << report.err;
    const Finished check = RunProgram({"/usr/bin/python3", kCheck, kSchema, format, file});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
  }
}

TEST_F(DocumentsTest, DiffTellsWhatNewlyFails) {
  const std::vector<std::string> runs = Runs();
  ASSERT_EQ(runs.size(), 3u);
  const Finished worse = Cli({"diff", runs[2], runs[1]});
  EXPECT_EQ(worse.code, 1) << worse.err;
  EXPECT_THAT(worse.out, HasSubstr("Newly failing\n\nCase"));
  EXPECT_EQ(Cli({"diff", runs[1], runs[2]}).code, 0);
  EXPECT_THAT(Cli({"diff", runs[1], runs[2], "--format", "markdown"}).out, HasSubstr("## Newly passing"));
  ASSERT_EQ(Cli({"diff", runs[2], "latest", "--format", "json", "--output", File("diff.json")}).code, 0);
  const Finished check = RunProgram({"/usr/bin/python3", kCheck, kSchema, "diff", File("diff.json")});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  const Finished unknown = Cli({"diff", runs[0], "nope"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no run 'nope'; there are "));
}

TEST_F(DocumentsTest, HistoryFindsACaseByItsBeginning) {
  const Finished found = Cli({"history", "exp.float32.tra", "--chip", "e1"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.out, StartsWith("exp.float32.transposed"));
  EXPECT_THAT(found.out, HasSubstr("No pass since run " + Runs().at(1) +
                                   "; the last run that passed before it is " + Runs().at(2)));
  EXPECT_THAT(Cli({"history", "exp.float32.tra", "--chip", "e2"}).out,
              HasSubstr("The newest run passes it."));
  struct Row {
    std::vector<std::string> command;
    const char* text;
  };
  const Row rows[] = {
      {{"history", "exp.float32", "--chip", "e1"}, "'exp.float32' is "},
      {{"history", "exq.float32.size_1", "--chip", "e1"},
       "no case 'exq.float32.size_1'; nearest: exp.float32.size_1"},
      {{"history", "exp.float32.n1", "--chip", "f1"}, "no chip 'f1'; nearest: e1, e2"},
      {{"runs", "--label", "branch"}, "--label: "},
      {{"coverage", "--family", "elementwize"}, "no family 'elementwize'; nearest: elementwise"},
      {{"evaluate", "--chip", "e3"}, "no run of a chip 'e3'; nearest: e1, e2"},
      {{"evaluate"}, "evaluate needs --chip CHIP, or --run RUN"},
      {{"evaluate", "--chip", "e1", "--format", "pdf"}, "--format pdf needs --output FILE"},
      {{"report", "--format", "pdf"}, "--format pdf needs --output FILE"},
  };
  for (const Row& row : rows) {
    const Finished wrong = Cli(row.command);
    EXPECT_EQ(wrong.code, 2) << row.text;
    EXPECT_THAT(wrong.err, HasSubstr(row.text));
  }
}

TEST_F(DocumentsTest, Lists) {
  EXPECT_THAT(Cli({"chips"}).out, HasSubstr("\ne2"));
  EXPECT_THAT(Cli({"runs"}).out, HasSubstr("  e1  "));  // the whole column: a variant may be "67bae1f4"
  EXPECT_THAT(Cli({"runs", "--chip", "e2"}).out, Not(HasSubstr("  e1  ")));
  EXPECT_EQ(Cli({"label", RunOf("e1"), "branch=main"}).code, 0);
  EXPECT_THAT(Cli({"runs", "--label", "branch=main"}).out,
              AllOf(HasSubstr("  e1  "), Not(HasSubstr("  e2  "))));
  const std::string coverage = Cli({"coverage", "--family", "elementwise", "--format", "csv"}).out;
  EXPECT_THAT(coverage, StartsWith("function,header,family,e1,e2\r\n"));
  EXPECT_THAT(coverage, HasSubstr("diopiExp,functions.h,elementwise,passes "));
  EXPECT_THAT(coverage, HasSubstr("diopiAdd,functions.h,elementwise,not tested,not tested\r\n"));
}

// The PDF contains every failure, and its page names the hash of the list that is in it.
TEST_F(DocumentsTest, APdfHasItsFailures) {
  constexpr char kQpdf[] = "/usr/bin/qpdf";
  if (access("/usr/bin/chromium-headless-shell", X_OK) != 0 || access(kQpdf, X_OK) != 0)
    GTEST_SKIP() << "chromium-headless-shell or qpdf is not installed";
  const std::string pdf = File("e1.pdf");
  const Finished made = Cli({"evaluate", "--run", RunOf("e1"), "--format", "pdf", "--output", pdf});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_FALSE(std::filesystem::exists(pdf + ".failures.csv"));
  const Finished list = RunProgram({kQpdf, "--show-attachment=e1.pdf.failures.csv", pdf});
  EXPECT_EQ(list.code, 0) << list.err;
  const Finished beside =
      Cli({"evaluate", "--run", RunOf("e1"), "--format", "markdown", "--output", File("beside.md")});
  EXPECT_EQ(beside.code, 0) << beside.err;
  EXPECT_EQ(list.out, ReadFile(File("beside.md.failures.csv")));
}

TEST_F(DocumentsTest, EvaluationWithASpecification) {
  const Finished spec = RunProgram({BinPath("diopi-cli"), "evaluate", "--spec-template"});
  EXPECT_EQ(spec.code, 0);
  EXPECT_THAT(spec.out, HasSubstr("#compute { dtype:"));
  WriteFile(File("e1.textproto"), "chip: \"e1\"\npower { board_w: 400 source: \"data sheet\" }\n");
  WriteFile(File("bad.textproto"), "chip: \"e1\"\npower { board_w: 400 }\n");
  WriteFile(File("e2.textproto"), "chip: \"e2\"\n");
  const std::vector<std::string> evaluate = {"evaluate", "--run",    RunOf("e1"),
                                             "--format", "markdown", "--spec"};
  const auto with = [&evaluate](const std::string& file) {
    std::vector<std::string> command = evaluate;
    command.push_back(file);
    return Cli(command);
  };
  // Without --run it is the chip's newest complete run.
  const Finished partial = Cli({"evaluate", "--chip", "e1"});
  EXPECT_EQ(partial.code, 2);
  EXPECT_THAT(partial.err, HasSubstr("no run of chip 'e1' is complete"));
  const Finished good = with(File("e1.textproto"));
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("| Board limit | 400 W | data sheet |"));
  EXPECT_THAT(good.out, HasSubstr("| Specification | Memory | not measured: not submitted |"));
  EXPECT_THAT(good.out, HasSubstr("diopi-cli repro exp."));
  const Finished chinese = Cli({"evaluate", "--run", RunOf("e1"), "--format", "html", "--lang", "zh"});
  EXPECT_EQ(chinese.code, 0) << chinese.err;
  EXPECT_THAT(chinese.out, HasSubstr("<html lang=\"zh-CN\">"));
  EXPECT_THAT(chinese.out, HasSubstr("e1 评测报告</h1>"));
  const Finished bad = with(File("bad.textproto"));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.textproto:2: power has no source"));
  EXPECT_THAT(with(File("e2.textproto")).err,
              HasSubstr("e2.textproto: describes chip 'e2', but the run is of chip 'e1'"));
  EXPECT_THAT(with(File("none")).err, HasSubstr("none: cannot be read"));
  // The failures are in a file beside the report.
  const Finished written = Cli({"evaluate", "--run", RunOf("e1"), "--lab", "Example lab", "--format",
                                "markdown", "--output", File("e1.md")});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(ReadFile(File("e1.md")), HasSubstr("| Lab | Example lab |"));
  EXPECT_THAT(ReadFile(File("e1.md")), HasSubstr(*Sha256OfFile(File("e1.md.failures.csv"))));
  EXPECT_THAT(ReadFile(File("e1.md.failures.csv")),
              StartsWith("case,function,outcome,likely cause,reason,command\r\n"));
  // Compared with another chip's run, the report has times.
  const Finished timed =
      Cli({"evaluate", "--run", RunOf("e2"), "--format", "html", "--reference-run", Runs().at(2)});
  EXPECT_EQ(timed.code, 0) << timed.err;
  EXPECT_THAT(timed.out, HasSubstr("Compared with run "));
}

}  // namespace
}  // namespace diopi::testing
