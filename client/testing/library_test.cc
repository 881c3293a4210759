// Tests that no single operator's case can make: the checks of a library as a whole, and threads that a case
// leaves running.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

class LibraryTest : public ::testing::Test {
 protected:
  Finished Agent(const std::string& library, const std::vector<std::string>& more,
                 const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {BinPath("diopi-agent"), "--impl", library,  "--data", data(),
                                        "--error-report",       errors(), "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, environment);
  }
  std::string data() const { return folder_ / "data"; }
  std::string errors() const { return folder_ / "errors.csv"; }

  TestFolder folder_;
};

struct LibraryRow {
  std::string library;
  std::string fault;  // DIOPI_TEST_FAULT
  int code;
  std::map<std::string, v1::Outcome> others;  // than pass, by case
};

TEST_F(LibraryTest, IsCheckedAsAWhole) {
  const auto absent = v1::OUTCOME_NOT_IMPLEMENTED;
  const auto fail = v1::OUTCOME_FAIL;
  const LibraryRow rows[] = {
      {LibPath("libdiopi_cpu.so"), "", 0, {}},
      {VendorPath("vendor_async_device"), "", 0, {{"library.attention_dropout", absent}}},
      {VendorPath("vendor_async_device"),
       "own_stream",
       1,
       {{"library.stream_chain", fail},
        {"library.stream_interleaved", fail},
        {"library.attention_dropout", absent}}},
      {VendorPath("vendor_async_device"),
       "cat_crashes",
       1,
       {{"library.last_error", v1::OUTCOME_CRASH}, {"library.attention_dropout", absent}}},
      {VendorPath("vendor_null"),
       "",
       0,
       {{"library.last_error", absent},
        {"library.stream_chain", absent},
        {"library.stream_interleaved", absent},
        {"library.stream_threads", absent},
        {"library.native_format", absent},
        {"library.native_format_cast", absent},
        {"library.destruction_hook", absent},
        {"library.attention_dropout", absent}}},
      {VendorPath("vendor_abort"),
       "",
       0,
       {{"library.vendor_name", v1::OUTCOME_SKIPPED},
        {"library.impl_version", v1::OUTCOME_SKIPPED},
        {"library.last_error", absent},
        {"library.stream_chain", absent},
        {"library.stream_interleaved", absent},
        {"library.stream_threads", absent},
        {"library.native_format", absent},
        {"library.native_format_cast", absent},
        {"library.destruction_hook", absent},
        {"library.attention_dropout", absent}}},
  };
  for (const LibraryRow& row : rows) {
    const std::string name = row.library + " " + row.fault;
    const Finished run = Agent(row.library, {"--fname", "library"}, {"DIOPI_TEST_FAULT=" + row.fault});
    EXPECT_EQ(run.code, row.code) << name << ": " << run.out << run.err;
    const StoredRun stored = ReadRun(data());
    EXPECT_EQ(stored.verdicts.size(), 10u) << name;
    for (const v1::Verdict& verdict : stored.verdicts) {
      const auto other = row.others.find(verdict.case_id());
      const v1::Outcome expected = other == row.others.end() ? v1::OUTCOME_PASS : other->second;
      EXPECT_EQ(verdict.outcome(), expected) << name << ": " << verdict.case_id() << ": " << verdict.reason();
      EXPECT_EQ(verdict.operator_(), "library");
    }
  }
}

// A check of one function counts for that function: as a case, as coverage, by its name.
TEST_F(LibraryTest, ChecksOfAFunctionAreItsCases) {
  const Finished run = Agent(LibPath("libdiopi_cpu.so"),
                             {"--fname", "diopi*NativeMemoryFormat*", "diopiTensorDestructionHook"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("Coverage     3 of 538 functions pass"), std::string::npos) << run.out;
  const Finished coverage = RunProgram(
      {BinPath("diopi-cli"), "coverage", "--data", data(), "--family", "library", "--format", "csv"});
  EXPECT_EQ(coverage.code, 0) << coverage.err;
  for (const char* name :
       {"diopiGetNativeMemoryFormat", "diopiNativeMemoryFormatCast", "diopiTensorDestructionHook"}) {
    EXPECT_NE(coverage.out.find(std::string(name) + ",functions.h,library,"), std::string::npos)
        << coverage.out;
  }
  const Finished functions = RunProgram({BinPath("diopi-cli"), "list", "functions", "--fname", "library"});
  EXPECT_EQ(std::count(functions.out.begin(), functions.out.end(), '\n'), 3) << functions.out;
}

TEST_F(LibraryTest, ChecksAreListedShownAndRepeatedLikeCases) {
  const Finished list = RunProgram({BinPath("diopi-cli"), "list", "cases", "--fname", "library"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_EQ(list.out.find("library.vendor_name\n"), 0u) << list.out;
  const Finished show = RunProgram({BinPath("diopi-cli"), "show", "library.stream_chain", "--data", data()});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_NE(show.out.find("Reveals"), std::string::npos) << show.out;
  const Finished gen = RunProgram({BinPath("diopi-cli"), "gen", "--fname", "library", "--data", data()});
  EXPECT_EQ(gen.code, 0) << gen.out << gen.err;
  const Finished repro = RunProgram({BinPath("diopi-cli"), "repro", "library.last_error", "--impl",
                                     VendorPath("vendor_async_device"), "--data", data()},
                                    {"DIOPI_TEST_FAULT=no_error_text"});
  EXPECT_EQ(repro.code, 1) << repro.out << repro.err;
  EXPECT_NE(repro.out.find("the last-error string is empty"), std::string::npos) << repro.out;
}

// Loading may take a second. Applies to cases, to checks, and in any order of both.
TEST_F(LibraryTest, IsLoadedOnceARun) {
  const std::string loads = folder_ / "loads";
  const std::vector<std::string> selection = {"--fname",        "add",      "library", "--case",
                                              "add.float32.n*", "library.*"};
  for (const char* seed : {"0", "1", "2"}) {
    std::vector<std::string> more = selection;
    more.insert(more.end(), {"--shuffle", seed});
    WriteFile(loads, "");
    const Finished run = Agent(VendorPath("vendor_good"), more, {"DIOPI_TEST_LOADS=" + loads});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_GE(ReadRun(data()).verdicts.size(), 10u);
    EXPECT_EQ(ReadFile(loads), "loaded\n") << "seed " << seed;
  }
}

// Which case a forked process damaged used to be a matter of chance. Alpha selects what forks
// (vendor_forks.cc).
TEST_F(LibraryTest, ACaseThatForksIsNamedAndNoOtherIsHurt) {
  const std::set<std::string> forking = {"add.float32.n127", "add.float32.n129", "add.float32.alpha_one"};
  for (int round = 0; round < 5; ++round) {
    const Finished run = Agent(VendorPath("vendor_forks"),
                               {"--fname", "diopiAdd", "--case", "add.float32.n*", "add.float32.alpha_one"});
    EXPECT_EQ(run.code, 1) << run.out << run.err;
    const StoredRun stored = ReadRun(data());
    EXPECT_GE(stored.verdicts.size(), 9u);
    for (const v1::Verdict& verdict : stored.verdicts) {
      const std::string& id = verdict.case_id();  // a case that the build derives has its point's alpha
      const bool forks = forking.contains(id.substr(0, id.find("_other_")));
      EXPECT_EQ(verdict.outcome(), forks ? v1::OUTCOME_CRASH : v1::OUTCOME_PASS)
          << verdict.case_id() << ": " << verdict.reason();
      EXPECT_EQ(verdict.reason().find("inside diopiAdd the process was forked") == 0, forks)
          << verdict.reason();
    }
  }
}

TEST_F(LibraryTest, AnOverwrittenShapeArrayIsTheLibrarysFault) {
  const Finished run = Agent(VendorPath("vendor_overwrites_shape"), {"--case", "add.float32.n?"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.verdicts.size(), 3u);
  for (const v1::Verdict& verdict : stored.verdicts) {
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_MEMORY) << verdict.case_id() << ": " << verdict.reason();
    EXPECT_NE(verdict.reason().find(" array of out, which belongs to the host"), std::string::npos)
        << verdict.reason();
  }
}

// One case leaves a thread behind, which aborts during another: the run is not green, the other case's own
// result is reported as well, and every case counts once.
TEST_F(LibraryTest, AThreadThatACaseLeavesBehindAndThatAbortsLaterIsAFinding) {
  const Finished run =
      Agent(VendorPath("vendor_late_abort"),
            {"--fname", "diopiAdd", "--case", "add.float32.n?", "add.float32.n??", "add.float32.n???"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_GE(stored.verdicts.size(), 5u);
  size_t crashes = 0;
  for (const v1::Verdict& verdict : stored.verdicts) {
    if (verdict.outcome() == v1::OUTCOME_PASS) continue;
    ++crashes;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_CRASH) << verdict.case_id() << ": " << verdict.reason();
    EXPECT_EQ(verdict.signal(), "SIGABRT");
    for (const char* text :
         {"a thread that an earlier case left running ended the process while this case ran",
          "Before it ran ", "more threads than before after add.float32.n",
          "; by itself, in a fresh process: pass"}) {
      EXPECT_NE(verdict.reason().find(text), std::string::npos) << text << " in\n" << verdict.reason();
    }
    EXPECT_NE(verdict.backtrace().find("vendor_late_abort.cc:"), std::string::npos) << verdict.backtrace();
    EXPECT_GT(verdict.outputs_size(), 0);  // the measurements of the case by itself
  }
  EXPECT_EQ(crashes, 1u);
}

}  // namespace
}  // namespace diopi::testing
