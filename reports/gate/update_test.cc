#include "reports/gate/update.h"

#include <gtest/gtest.h>

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
            "skip add.x outcome=not_implemented expires=2027-02-19 issue=TODO \"why, of add.x\"\n"
            "skip add.y outcome=not_implemented expires=2027-02-19 issue=TODO \"why, of add.y\"\n");
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
