// A library that answers in its worker's name: whatever it says, a case whose outputs are wrong neither
// passes nor is excused, the run goes on to its end, and its results are stored. vendor_forger has written no
// output, so every case of a function must fail. What only the worker can know it may claim
// (docs/untrusted-libraries.md): that a function is missing, the checks of the library as a whole.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

struct Way {
  const char* name;
  v1::Outcome expected;  // of every case of a function
  const char* reason;    // part of it
};

constexpr char kNotOne[] = "the worker's answer was invalid: ";

const std::vector<Way>& Ways() {
  static const std::vector<Way> ways = {
      {"nothing to say", v1::OUTCOME_FAIL, ""},
      {"check passes", v1::OUTCOME_CRASH, "it has the result of a library check, which was not requested"},
      {"check is skipped", v1::OUTCOME_CRASH, "it has the result of a library check"},
      {"check is waived", v1::OUTCOME_CRASH, "it has the result of a library check"},
      {"check has an unknown outcome", v1::OUTCOME_CRASH, "it has the result of a library check"},
      {"nothing is written", v1::OUTCOME_CRASH, kNotOne},
      {"the adaptor cannot convert it", v1::OUTCOME_FAIL, ""},
      {"it has outputs elsewhere", v1::OUTCOME_FAIL, ""},
      {"its output is large and in the frame", v1::OUTCOME_FAIL, ""},
      {"an output comes twice", v1::OUTCOME_CRASH, "it names out as an output twice"},
      {"an output is no output", v1::OUTCOME_CRASH,
       "it names whatever as an output, which the case does not have"},
      {"the status is unknown", v1::OUTCOME_CRASH, "it has the unknown status 77"},
      {"the case is bad", v1::OUTCOME_CRASH,
       "it says that the case cannot be called (the harness is to blame)"},
      {"400 kB of findings", v1::OUTCOME_CRASH, "it has more than 64 findings"},
      {"a finding is unknown", v1::OUTCOME_CRASH, "it has a finding of the code 9999 where none belongs"},
      {"a finding belongs elsewhere", v1::OUTCOME_CRASH, "it has a finding of the code 601"},
      {"a finding has a part that belongs elsewhere", v1::OUTCOME_CRASH, "it has a finding of the code 601"},
      {"a finding goes deep", v1::OUTCOME_CRASH, "it has findings within findings within findings"},
      {"the text is long", v1::OUTCOME_ERROR, "diopiErrorOccurred: ????"},
      {"the time is no number", v1::OUTCOME_CRASH, "it counts 2 calls, and nan us for one"},
      {"times are there", v1::OUTCOME_CRASH, "it has times, which were not requested"},
      {"it is no message", v1::OUTCOME_CRASH, "it is not a message"},
      {"another call is answered", v1::OUTCOME_CRASH, "it belongs to a different call"},
      {"it comes twice", v1::OUTCOME_UNSPECIFIED, ""},  // fail, or a late answer to the case before
      {"the name is an escape", v1::OUTCOME_FAIL, ""},
      {"tensors are on a device", v1::OUTCOME_FAIL, ""},
  };
  return ways;
}

class ForgingLibraryTest : public ::testing::Test {
 protected:
  // Calls the cases whose ids match the glob.
  Finished Forge(const std::string& way, const std::string& sandbox, const std::string& cases = "*",
                 const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> all = {"DIOPI_TEST_FORGE=" + way};
    all.insert(all.end(), environment.begin(), environment.end());
    return RunProgram({BinPath("diopi-agent"), "--impl", VendorPath("vendor_forger"), "--data", data(),
                       "--sandbox", sandbox, "--suite", "smoke", "--dtype", "float32", "--fname", "add",
                       "neg", "--case", cases, "--quiet", "--error-report", folder_ / "errors.csv"},
                      all);
  }
  std::string data() const { return folder_ / "data"; }

  TestFolder folder_;
};

void ExpectNothingGained(const Way& way, const StoredRun& run) {
  for (const v1::Verdict& verdict : run.verdicts) {
    if (NothingToGetWrong(verdict)) continue;
    const std::string what = absl::StrCat(way.name, ": ", verdict.case_id(), ": ",
                                          v1::Outcome_Name(verdict.outcome()), " ", verdict.reason());
    EXPECT_LT(verdict.reason().size(), size_t{32} << 10) << way.name;
    // An inplace function has no output of the names that the library uses.
    if (way.expected == v1::OUTCOME_UNSPECIFIED || absl::StrContains(verdict.function(), "Inp")) {
      EXPECT_TRUE(verdict.outcome() == v1::OUTCOME_FAIL || verdict.outcome() == v1::OUTCOME_CRASH ||
                  verdict.outcome() == way.expected)
          << what;
    } else {
      EXPECT_EQ(verdict.outcome(), way.expected) << what;
      EXPECT_TRUE(absl::StrContains(verdict.reason(), way.reason)) << what;
    }
  }
}

TEST_F(ForgingLibraryTest, NoAnswerMakesWrongOutputsPass) {
  for (const Way& way : Ways()) {
    const Finished run = Forge(way.name, "default");
    EXPECT_EQ(run.code, 1) << way.name << ": " << run.out << run.err;
    EXPECT_FALSE(absl::StrContains(run.out, "\x1b]0;pwned")) << run.out;
    const StoredRun stored = WithoutLibraryChecks(ReadRun(data()));
    EXPECT_GT(stored.verdicts.size(), 10u) << way.name;
    ExpectNothingGained(way, stored);
  }
}

// Nobody has written the canaries then.
TEST_F(ForgingLibraryTest, NoWorkerMakesTheCalls) {
  const Way way = {"nothing to say", v1::OUTCOME_MEMORY, "bytes written outside"};
  const Finished run = Forge(way.name, "default", "*", {"DIOPI_TEST_FORGE_ALONE=1"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  ExpectNothingGained(way, WithoutLibraryChecks(ReadRun(data())));
}

// One case and its inplace form: a worker is started again for nearly every answer.
TEST_F(ForgingLibraryTest, InEverySandboxMode) {
  for (const std::string sandbox : {"off", "sockets", "strict"}) {
    for (const Way& way : Ways()) {
      SCOPED_TRACE(sandbox);
      const Finished run = Forge(way.name, sandbox, "neg.*float32.channels_last");
      EXPECT_EQ(run.code, 1) << way.name << ": " << run.out << run.err;
      const StoredRun stored = WithoutLibraryChecks(ReadRun(data()));
      EXPECT_EQ(stored.verdicts.size(), 2u) << way.name;
      ExpectNothingGained(way, stored);
    }
  }
}

}  // namespace
}  // namespace diopi::testing
