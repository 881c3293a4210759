// Suite core on the correct library: everything passes. On the one with sixteen injected bugs
// (baselines/faulty) each bug gets the right outcome over the cases of its function, and all other functions
// pass a third of suite smoke.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_join.h"
#include "client/testing/core_baselines.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"
#include "reports/model/failure_groups.h"

namespace diopi::testing {
namespace {

struct Fault {
  const char* function;
  v1::Outcome outcome;      // the only one of its cases besides pass
  const char* text;         // in the reason, the error text or the backtrace of one of them at least
  const char* signal = "";  // of all of them
  bool all = false;         // every case of the function shows it
};

constexpr Fault kFaults[] = {
    {"diopiAdd", v1::OUTCOME_FAIL, "got "},
    {"diopiSub", v1::OUTCOME_FAIL, "the last 3 elements"},
    {"diopiTanh", v1::OUTCOME_CRASH, "#0 diopiTanh", "SIGSEGV"},
    {"diopiSigmoid", v1::OUTCOME_TIMEOUT, "diopiSigmoid timed out after"},
    {"diopiMul", v1::OUTCOME_MEMORY, "16 bytes written outside out"},
    {"diopiRelu", v1::OUTCOME_MEMORY, "elements of out were not written"},
    {"diopiSqrt", v1::OUTCOME_MEMORY, "1 element of the input input changed, the first at 0"},
    {"diopiGelu", v1::OUTCOME_NOT_IMPLEMENTED, "the library does not export diopiGelu", "", true},
    {"diopiSoftmax", v1::OUTCOME_UNSUPPORTED_DTYPE, "diopiDtypeNotSupported"},
    {"diopiBmm", v1::OUTCOME_FAIL, "nan, expected "},
    {"diopiExp", v1::OUTCOME_FAIL, "first at [0, 1]"},
    {"diopiMean", v1::OUTCOME_NONDETERMINISTIC, "between two equal calls"},
    {"diopiCumsum", v1::OUTCOME_MEMORY, "memory grew in each of", "", true},
    {"diopiLogSoftmax", v1::OUTCOME_CRASH, "ended the process (exit status 0) inside diopiLogSoftmax"},
    {"diopiMaskedFill", v1::OUTCOME_ERROR, "std::runtime_error: masked_fill: not supported on this device",
     "", true},
    {"diopiSigmoidInp", v1::OUTCOME_FAIL, "input: "},
};

class FaultyLibraryTest : public CoreBaselinesTest {
 protected:
  // The timeout is long enough for any case on a busy machine, and two cases reach it.
  static Finished Agent(const std::string& library, const std::vector<std::string>& selection) {
    std::vector<std::string> command = {BinPath("diopi-agent"),
                                        "--impl",
                                        library,
                                        "--data",
                                        data(),
                                        "--quiet",
                                        "--timeout-s",
                                        "3",
                                        "--error-report",
                                        *folder_ / "errors.csv"};
    command.insert(command.end(), selection.begin(), selection.end());
    return RunProgram(command);
  }

  static size_t Cases(const std::vector<std::string>& selection) {
    std::vector<std::string> command = {BinPath("diopi-cli"), "list", "--count"};
    command.insert(command.end(), selection.begin(), selection.end());
    return std::stoul(RunProgram(command).out);
  }

  // The user's view of a run: the summary's two figures, and a line for each failure in error_report.csv.
  static void ExpectReports(const Finished& run, const StoredRun& stored) {
    EXPECT_NE(run.out.find("of 538 functions pass"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("called cases pass"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("(100.00 %)"), std::string::npos) << run.out;
    size_t others = 0;
    for (const v1::Verdict& verdict : stored.verdicts)
      others += verdict.outcome() != v1::OUTCOME_PASS ? 1 : 0;
    const std::string errors = ReadFile(*folder_ / "errors.csv");
    size_t lines = 0;
    for (size_t at = 0; (at = errors.find("--Run diopi_functions.", at)) != std::string::npos; ++at) ++lines;
    EXPECT_EQ(lines, others);
  }
};

TEST_F(FaultyLibraryTest, TheRightLibraryPassesEveryCase) {
  const Finished run = Agent(LibPath("libdiopi_cpu.so"), Core());
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.verdicts.size(), Cases(Core()));
  EXPECT_GE(stored.verdicts.size(), 2000u);
  for (const v1::Verdict& verdict : stored.verdicts)
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
}

TEST_F(FaultyLibraryTest, EveryFaultIsReportedAsWhatItIs) {
  std::vector<std::string> names;
  for (const Fault& fault : kFaults) names.emplace_back(fault.function);
  const std::vector<std::string> selection = {"--fname", absl::StrJoin(names, ",")};
  const Finished run = Agent(VendorPath("libdiopi_faulty"), selection);
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.verdicts.size(), Cases(selection));
  std::map<std::string, std::vector<const v1::Verdict*>> by_function;
  for (const v1::Verdict& verdict : stored.verdicts) by_function[verdict.function()].push_back(&verdict);
  for (const Fault& fault : kFaults) {
    if (kAddressSanitizer && fault.text == std::string("memory grew in each of")) continue;
    bool told = false;
    for (const v1::Verdict* verdict : by_function[fault.function]) {
      if (verdict->outcome() == v1::OUTCOME_PASS && !fault.all) continue;
      // Where the output is strided, ignoring strides writes between its elements before it gives wrong ones.
      const bool gaps = fault.outcome == v1::OUTCOME_FAIL && verdict->outcome() == v1::OUTCOME_MEMORY &&
                        verdict->reason().find("its strides were ignored") != std::string::npos;
      if (gaps) continue;
      EXPECT_EQ(verdict->outcome(), fault.outcome) << verdict->case_id() << ": " << verdict->reason();
      EXPECT_EQ(verdict->signal(), fault.signal) << verdict->case_id();
      const std::string text = verdict->reason() + "\n" + verdict->error_text() + "\n" + verdict->backtrace();
      told = told || text.find(fault.text) != std::string::npos;
    }
    EXPECT_TRUE(told) << fault.function << ": no case says '" << fault.text << "'";
  }
  ExpectReports(run, stored);
  // Fourteen of the sixteen bugs count as failures: as many groups, and one where a case of few elements has
  // another likely cause.
  const std::vector<reports::FailureGroup> groups = reports::GroupFailures(stored.verdicts);
  for (const reports::FailureGroup& group : groups) EXPECT_EQ(group.operators.size(), 1u) << group.cause;
  EXPECT_GE(groups.size(), 14u);
  EXPECT_LE(groups.size(), 15u) << RunProgram({BinPath("diopi-cli"), "report", "--data", data()}).out;
}

TEST_F(FaultyLibraryTest, FunctionsWithoutAFaultPass) {
  const Finished run =
      Agent(VendorPath("libdiopi_faulty"), {"--suite", "smoke", "--shard-index", "0", "--shard-count", "3"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  std::set<std::string> faulty;
  for (const Fault& fault : kFaults) faulty.insert(fault.function);
  std::set<std::string> passed;
  for (const v1::Verdict& verdict : stored.verdicts) {
    if (faulty.contains(verdict.function())) continue;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
    passed.insert(verdict.function());
  }
  EXPECT_GE(passed.size(), 100u);
}

}  // namespace
}  // namespace diopi::testing
