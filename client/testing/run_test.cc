// The real programs against good and bad libraries.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <set>

#include "build_paths.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

constexpr char kHeaders[] = DIOPI_BINARY_DIR "/include";

// One data folder for all tests here: making baselines is the slow part.
class RunTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new TestFolder; }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string data() { return *folder_ / "data"; }
  static std::string errors() { return *folder_ / "error_report.csv"; }

  static Finished Agent(const std::string& library, std::vector<std::string> more) {
    std::vector<std::string> command = {BinPath("diopi-agent"), "--impl", library, "--data", data(),
                                        "--error-report",       errors()};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command);
  }

  static TestFolder* folder_;
};

TestFolder* RunTest::folder_ = nullptr;

TEST_F(RunTest, TheOneCommandWorksAlone) {
  const Finished run = Agent(LibPath("libdiopi_cpu.so"),
                             {"--fname", "add", "relu", "--filter_dtype", "float64", "--chip", "cpu"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("DIOPI-Test - INFO - Run diopi_functions.add succeed\n"), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("DIOPI-Test - INFO - Run diopi_functions.relu succeed\n"), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("of 538 functions pass"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Partial      functions add, relu; dtypes "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("called cases pass (100.00 %)"), std::string::npos) << run.out;
  EXPECT_EQ(ReadFile(errors()).find(
                "DIOPI-Test Error Report\n---------------------------------\n0 Tests failed:\n"),
            0u);
  for (const auto& row : ReportRows(data(), "latest")) EXPECT_NE(row.at("dtype"), "float64");
}

TEST_F(RunTest, TooFewFunctionsThatPassFailTheRun) {
  const auto run = [](const char* coverage) {
    return Agent(LibPath("libdiopi_cpu.so"), {"--fname", "relu", "--quiet", "--min-coverage", coverage});
  };
  EXPECT_EQ(run("1").code, 0);
  const Finished failed = run("50%");
  EXPECT_EQ(failed.code, 1) << failed.out;
  EXPECT_NE(failed.err.find("functions pass (0."), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("--min-coverage requires 269"), std::string::npos) << failed.err;
  EXPECT_EQ(run("much").code, 2);
}

TEST_F(RunTest, ShuffledWithTwoWorkersGivesTheSameOutcomes) {
  const Finished run =
      Agent(LibPath("libdiopi_cpu.so"), {"--fname", "add", "--workers", "2", "--shuffle", "7", "--quiet"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(run.out.find("succeed"), std::string::npos);
  std::set<std::string> seen;
  for (const auto& row : ReportRows(data(), "latest")) {
    EXPECT_TRUE(seen.insert(row.at("case")).second);
    EXPECT_EQ(row.at("outcome"), "pass") << row.at("case");
  }
  const Finished count = RunProgram({BinPath("diopi-cli"), "list", "--count", "--fname", "add"});
  EXPECT_EQ(seen.size(), std::stoul(count.out));
}

// Libraries with one bug in one function each. bad_library_test and faulty_library_test have libraries that
// are wrong throughout.
TEST_F(RunTest, BadLibraries) {
  struct Row {
    const char* library;
    const char* outcome;  // of at least one case of diopiAdd
    const char* text;     // in the report
    bool nothing_passes = true;
  };
  const Row rows[] = {
      {"vendor_segfault", "crash", "SIGSEGV"},
      {"vendor_abort", "crash", "SIGABRT"},
      {"vendor_stack_overflow", "crash", "SIGSEGV"},
      {"vendor_hang", "timeout", "diopiAdd"},
      {"vendor_past_end", "memory", "out", false},
      {"vendor_before_start", "memory", "out", false},
      {"vendor_unwritten", "memory", "out", false},
      {"vendor_changed_input", "memory", "input", false},
      {"vendor_leak", "memory", "memory grew", false},
      {"vendor_exit", "crash", "exit status 0"},
      {"vendor_throws", "error", "runtime_error"},
      {"vendor_error", "error", "diopiErrorOccurred"},
      {"vendor_dtype", "unsupported_dtype", "diopiDtypeNotSupported"},
      {"vendor_noimplement", "not_implemented", "diopiNoImplement"},
      {"vendor_null", "memory", "out"},  // does nothing, successfully
  };
  for (const Row& row : rows) {
    // The sanitizer's allocator does not report its growth to the worker.
    if (kAddressSanitizer && row.library == std::string("vendor_leak")) continue;
    const Finished run =
        Agent(VendorPath(row.library), {"--fname", "diopiAdd", "--dtype", "float32", "--case",
                                        "add.float32.*", "--timeout-s", "0.3", "--quiet"});
    const bool failure =
        row.outcome != std::string("unsupported_dtype") && row.outcome != std::string("not_implemented");
    EXPECT_EQ(run.code, failure ? 1 : 0) << row.library << ": " << run.out << run.err;
    bool found = false;
    for (const auto& result : ReportRows(data(), "latest")) {
      found = found || (result.at("outcome") == row.outcome &&
                        result.at("reason").find(row.text) != std::string::npos);
      // Nothing to compute, nothing to get wrong.
      const bool empty = result.at("case").find("empty") != std::string::npos;
      if (row.nothing_passes && !empty) {
        EXPECT_NE(result.at("outcome"), "pass") << row.library << ": " << result.at("case");
      }
      EXPECT_NE(result.at("outcome"), "harness_error") << row.library << ": " << result.at("reason");
    }
    EXPECT_TRUE(found) << row.library << " has no " << row.outcome << " that says " << row.text << "\n"
                       << run.out;
    EXPECT_EQ(run.out.find("succeed"), std::string::npos);
  }
}

TEST_F(RunTest, ReportFormats) {
  ASSERT_EQ(Agent(VendorPath("vendor_error"), {"--fname", "diopiAdd", "--quiet"}).code, 1);
  const std::pair<const char*, const char*> formats[] = {
      {"text", "Did not pass:"},
      {"csv", "case,operator,function"},
      {"json", "\"coverage\": {\"abi_functions\":538"},
      {"junit", "<error type=\"error\""},
      {"error_report", "DIOPI-Test Error Report\n"},
  };
  for (const auto& [format, text] : formats) {
    const std::string path = *folder_ / format;
    const Finished report =
        RunProgram({BinPath("diopi-cli"), "report", "--data", data(), "--format", format, "--output", path});
    EXPECT_EQ(report.code, 0) << report.err;
    EXPECT_NE(ReadFile(path).find(text), std::string::npos) << format;
  }
}

TEST_F(RunTest, ShowAndRepro) {
  const Finished list =
      RunProgram({BinPath("diopi-cli"), "list", "cases", "--fname", "diopiAdd", "--dtype", "float32"});
  ASSERT_EQ(list.code, 0) << list.err;
  const std::string id = list.out.substr(0, list.out.find('\n'));
  const Finished show = RunProgram({BinPath("diopi-cli"), "show", id, "--data", data()});
  EXPECT_EQ(show.code, 0) << show.err;
  for (const char* text : {"diopiAdd", "Reveals", "alpha", "Expected", "out"}) {
    EXPECT_NE(show.out.find(text), std::string::npos) << text << " in\n" << show.out;
  }
  // The C file makes the same call with the correct library and with a crashing one.
  const std::string source = *folder_ / "repro.c";
  const Finished good = RunProgram({BinPath("diopi-cli"), "repro", id, "--impl", LibPath("libdiopi_cpu.so"),
                                    "--data", data(), "--output", source});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("Outcome    pass"), std::string::npos) << good.out;
  const std::string program = *folder_ / "repro";
  const Finished compiled = RunProgram(
      {"/usr/bin/cc", "-std=gnu11", "-I", kHeaders, source, "-rdynamic", "-ldl", "-lm", "-o", program});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  // A plain program cannot load libraries that were built with the sanitizer.
  if (kAddressSanitizer) return;
  const Finished called = RunProgram({program});
  EXPECT_EQ(called.code, 0) << called.out << called.err;
  EXPECT_NE(called.out.find("returned 0\nout: dtype 9"), std::string::npos) << called.out;
  EXPECT_NE(called.out.find("PASSED after 2 calls"), std::string::npos) << called.out;
  EXPECT_EQ(RunProgram({program, VendorPath("vendor_segfault")}).code, 128 + SIGSEGV);
  const Finished bad = RunProgram({BinPath("diopi-cli"), "repro", id, "--impl", VendorPath("vendor_segfault"),
                                   "--data", data(), "--output", source});
  EXPECT_EQ(bad.code, 1) << bad.err;
  EXPECT_NE(bad.out.find("SIGSEGV"), std::string::npos) << bad.out;
}

TEST_F(RunTest, AbiCheck) {
  const Finished good = RunProgram({BinPath("diopi-cli"), "abi-check", "--impl", LibPath("libdiopi_cpu.so")});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  const Finished bad =
      RunProgram({BinPath("diopi-cli"), "abi-check", "--impl", VendorPath("vendor_missing_symbol")});
  EXPECT_EQ(bad.code, 2) << bad.out << bad.err;  // as a run of it
}

// diopi-agent ... | head
TEST_F(RunTest, AReaderThatLeavesDoesNotEndTheRun) {
  const Finished run = RunProgram({"/bin/bash", "-c", "\"$@\" | true; exit ${PIPESTATUS[0]}", "bash",
                                   BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data",
                                   data(), "--case", "add.float32.n*", "--error-report", errors()});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_GE(ReportRows(data(), "latest").size(), 3u);
  EXPECT_NE(RunProgram({BinPath("diopi-cli"), "runs", "--data", data()}).out.find("finished"),
            std::string::npos);
}

}  // namespace
}  // namespace diopi::testing
