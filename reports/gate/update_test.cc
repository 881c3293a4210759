#include "reports/gate/update.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "reports/gate/gate.h"
#include "reports/gate/testing.h"

namespace diopi::reports {
namespace {

const UpdateOptions kOptions{.expires = *ParseDay("2027-02-19")};

TEST(Update, KeepsWhatHoldsAndSaysTheRest) {
  const Expectations old = Lines(
      "# Ours.\n"
      "fail  add.x  issue=https://x.test/1 expires=2026-01-31 \"over, but holds\"   # stays\n"
      "fail add.z expires=2027-01-31 issue=https://x.test/2 \"passes\"\n"
      "# of mul\n"
      "fail mul.* expires=2027-01-31 issue=https://x.test/3 \"some\" # us\n"
      "flake sub.* expires=2027-01-31 issue=https://x.test/4 \"sometimes\"\n"
      "fail gone.* expires=2027-01-31 issue=https://x.test/5 \"renamed\"\n"
      "skip later.* expires=2027-01-31 issue=https://x.test/6 \"not run here\"\n"
      "fail crash.x expires=2027-01-31 issue=https://x.test/7 \"was a wrong number\"\n");
  const RunReport run = SmallRun("r", {{"add.x", v1::OUTCOME_FAIL},
                                       {"add.y", v1::OUTCOME_FAIL},
                                       {"add.z"},
                                       {"mul.a", v1::OUTCOME_ERROR},
                                       {"mul.b"},
                                       {"mul.c", v1::OUTCOME_FAIL},
                                       {"sub.a"},
                                       {"crash.x", v1::OUTCOME_CRASH},
                                       {"ours.x", v1::OUTCOME_HARNESS_ERROR},
                                       {"waived.x", v1::OUTCOME_WAIVED}});
  const UpdateResult updated = UpdateExpectations(old, run, kOptions);
  EXPECT_EQ(updated.text,
            "# Ours.\n"
            "fail  add.x  issue=https://x.test/1 expires=2026-01-31 \"over, but holds\"   # stays\n"
            "fail add.y expires=2027-02-19 issue=TODO \"why, of add.y\"\n"
            "# of mul\n"
            "fail mul.a expires=2027-01-31 issue=https://x.test/3 \"some\"  # us\n"
            "fail mul.c expires=2027-01-31 issue=https://x.test/3 \"some\"  # us\n"
            "flake sub.* expires=2027-01-31 issue=https://x.test/4 \"sometimes\"\n"
            "skip later.* expires=2027-01-31 issue=https://x.test/6 \"not run here\"\n"
            "fail crash.x outcome=crash expires=2027-02-19 issue=TODO \"why, of crash.x\"\n");
  EXPECT_EQ(updated.kept, 3);
  EXPECT_EQ(updated.deleted, 3);
  EXPECT_EQ(updated.narrowed, 1);
  EXPECT_EQ(updated.added, 2);
}

TEST(Update, ASelectionDeletesNothingItDoesNotHave) {
  const Expectations old = Lines("fail gone.* expires=2027-01-31 issue=https://x.test/5 \"elsewhere\"\n");
  RunReport run =
      SmallRun("r", {{"add.x", v1::OUTCOME_NOT_IMPLEMENTED}, {"add.y", v1::OUTCOME_NOT_IMPLEMENTED}});
  run.run.mutable_options()->mutable_selection()->add_functions("add");
  EXPECT_EQ(UpdateExpectations(old, run, kOptions).text,
            "fail gone.* expires=2027-01-31 issue=https://x.test/5 \"elsewhere\"\n"
            "skip add.* outcome=not_implemented expires=2027-02-19 issue=TODO \"why, of add.x\"\n");
  run.run.mutable_options()->mutable_selection()->add_cases("add.*");
  EXPECT_EQ(UpdateExpectations(old, run, kOptions).text,
            "fail gone.* expires=2027-01-31 issue=https://x.test/5 \"elsewhere\"\n"
            "skip add.x outcome=not_implemented expires=2027-02-19 issue=TODO \"why, of add.x\"\n"
            "skip add.y outcome=not_implemented expires=2027-02-19 issue=TODO \"why, of add.y\"\n");
}

TEST(Update, WritesTheFewestGlobs) {
  std::vector<SmallCase> cases;
  for (const char* dtype : {"float16", "float32", "int8"}) {
    for (int i = 0; i < 20; ++i) {
      const bool half = std::string(dtype) == "float16";
      cases.push_back({absl::StrCat("add.", dtype, ".n", i), half ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS});
      const bool nan = i < 3 && std::string(dtype) == "float32";
      cases.push_back(
          {absl::StrCat("add.", dtype, ".nan_", i), half || nan ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS});
    }
    cases.push_back({absl::StrCat("add.", dtype, ".empty"), v1::OUTCOME_CRASH});
    cases.push_back({absl::StrCat("gone.", dtype, ".x"), v1::OUTCOME_NOT_IMPLEMENTED});
  }
  const Expectations floor = Lines("coverage implemented=1\n");
  const UpdateResult updated = UpdateExpectations(floor, SmallRun("r", cases), kOptions);
  EXPECT_EQ(updated.added, 5) << updated.text;
  for (const char* line :
       {"fail add.float16.n* ", "fail add.float32.nan_0 ", "fail add.*.empty outcome=crash "})
    EXPECT_NE(updated.text.find(line), std::string::npos) << updated.text;
  EXPECT_EQ(updated.text.find("gone"), std::string::npos) << "coverage counts what is not exported";
}

TEST(Update, WholeOperatorsThatAreNotImplementedAreOneLine) {
  const RunReport run = SmallRun("r", {{"add.float16.x", v1::OUTCOME_UNSUPPORTED_DTYPE},
                                       {"add.float32.x"},
                                       {"add.float16.y", v1::OUTCOME_UNSUPPORTED_DTYPE},
                                       {"mul.float16.x", v1::OUTCOME_NOT_IMPLEMENTED},
                                       {"mul.float32.x", v1::OUTCOME_NOT_IMPLEMENTED}});
  EXPECT_EQ(
      UpdateExpectations(Lines(""), run, kOptions).text,
      "skip add.float16.* outcome=unsupported_dtype expires=2027-02-19 issue=TODO \"why, of add.float16.x\"\n"
      "skip mul.* outcome=not_implemented expires=2027-02-19 issue=TODO \"why, of mul.float16.x\"\n");
}

TEST(Update, ReasonsOfAnyBytesBecomeOneShortLine) {
  RunReport run = SmallRun("r", {{"add.x", v1::OUTCOME_ERROR}});
  run.results[0].set_reason(std::string("say \"no\" \\ \n\x01\xff ") + std::string(200, 'x'));
  const UpdateResult updated = UpdateExpectations(Lines(""), run, kOptions);
  const Expectations read = Lines(updated.text);
  ASSERT_EQ(read.cases.size(), 1u);
  EXPECT_EQ(read.cases[0].reason.rfind("say \"no\" \\ ", 0), 0u) << read.cases[0].reason;
  EXPECT_LE(read.cases[0].reason.size(), 123u);
}

// An updated file excuses all failures of the run, and a second update changes nothing.
TEST(Update, IsGreenAndSettled) {
  const RunReport run = SmallRun("r", {{"add.x", v1::OUTCOME_FAIL},
                                       {"add.y", v1::OUTCOME_CRASH},
                                       {"mul.x", v1::OUTCOME_NOT_IMPLEMENTED},
                                       {"sub.x"}});
  const Expectations begun = Lines(NewExpectations(run));
  EXPECT_EQ(begun.chip, "demo");
  const Expectations written = Lines(UpdateExpectations(begun, run, kOptions).text);
  GateInput input;
  input.run = &run;
  input.expectations = &written;
  EXPECT_TRUE(RunGate(input, {.today = *ParseDay("2026-11-21")}).green());
  const UpdateResult again = UpdateExpectations(written, run, kOptions);
  EXPECT_EQ(again.added + again.deleted + again.narrowed, 0);
}

}  // namespace
}  // namespace diopi::reports
