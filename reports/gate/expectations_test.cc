#include "reports/gate/expectations.h"

#include <gtest/gtest.h>

#include "reports/gate/date.h"

namespace diopi::reports {
namespace {

TEST(Date, DaysThatExist) {
  for (const char* text : {"2027-01-31", "2028-02-29", "0001-12-31", "9999-12-31"}) {
    const std::optional<Day> day = ParseDay(text);
    ASSERT_TRUE(day.has_value()) << text;
    EXPECT_EQ(DayText(*day), text);
  }
  for (const char* text : {"", "2027-1-31", "2027-02-29", "2027-13-01", "2027-00-10", "2027-01-00",
                           "31-01-2027", "2027/01/31", "2027-01-31 ", "2027-01-3x", "-027-01-31"}) {
    EXPECT_FALSE(ParseDay(text).has_value()) << text;
  }
}

constexpr char kFile[] =
    "# Known of demo.\n"
    "chip demo\n"
    "coverage passing=8 implemented=10 tested=9 cases=120  # since July\n"
    "\n"
    "fail  add.*.float16.* expires=2027-01-31 issue=https://x.test/1 \"a \\\"b\\\" \\\\ c\"  # mine\r\n"
    "flake\tmul.float32.n? \"sometimes\" outcome=fail,timeout issue=TODO expires=2027-02-28\n"
    "skip  conv*.x outcome=not_implemented expires=2028-02-29 issue=http://x.test/2 \"later\"\n";

TEST(Expectations, EveryKindOfLine) {
  const auto read = ParseExpectations(kFile, "demo.txt");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->chip, "demo");
  EXPECT_EQ(read->lines.size(), 7u);
  ASSERT_TRUE(read->floor.has_value());
  EXPECT_EQ(read->floor->line, 3);
  EXPECT_EQ(read->floor->passing, 8);
  EXPECT_EQ(read->floor->implemented, 10);
  EXPECT_EQ(read->floor->cases, 120);
  ASSERT_EQ(read->cases.size(), 3u);
  const Expectation& fail = read->cases[0];
  EXPECT_EQ(fail.line, 5);
  EXPECT_EQ(fail.glob, "add.*.float16.*");
  EXPECT_EQ(fail.reason, "a \"b\" \\ c");
  EXPECT_EQ(fail.comment, "# mine");
  EXPECT_EQ(DayText(fail.expires), "2027-01-31");
  EXPECT_FALSE(fail.ExpiredOn(*ParseDay("2027-01-31")));
  EXPECT_TRUE(fail.ExpiredOn(*ParseDay("2027-02-01")));
  EXPECT_EQ(FormatExpectation(fail),
            "fail add.*.float16.* expires=2027-01-31 issue=https://x.test/1 \"a \\\"b\\\" \\\\ c\"  # mine");
  EXPECT_EQ(FormatExpectation(read->cases[1]),
            "flake mul.float32.n? outcome=fail,timeout expires=2027-02-28 issue=TODO \"sometimes\"");
}

TEST(Expectations, CrashesHaveToBeNamed) {
  const auto read = ParseExpectations(kFile, "f");
  ASSERT_TRUE(read.ok());
  struct Row {
    v1::Outcome outcome;
    bool fail, flake, skip;
  };
  const Row rows[] = {
      {v1::OUTCOME_PASS, false, false, false},    {v1::OUTCOME_FAIL, true, true, false},
      {v1::OUTCOME_ERROR, true, false, false},    {v1::OUTCOME_NONDETERMINISTIC, true, false, false},
      {v1::OUTCOME_CRASH, false, false, false},   {v1::OUTCOME_TIMEOUT, false, true, false},
      {v1::OUTCOME_MEMORY, false, false, false},  {v1::OUTCOME_NOT_IMPLEMENTED, false, false, true},
      {v1::OUTCOME_SKIPPED, false, false, false}, {v1::OUTCOME_HARNESS_ERROR, false, false, false}};
  for (const Row& row : rows) {
    EXPECT_EQ(read->cases[0].Excuses(row.outcome), row.fail) << row.outcome;
    EXPECT_EQ(read->cases[1].Excuses(row.outcome), row.flake) << row.outcome;
    EXPECT_EQ(read->cases[2].Excuses(row.outcome), row.skip) << row.outcome;
  }
}

TEST(Expectations, MistakesNameTheirPlace) {
  struct Row {
    const char* text;
    const char* error;
  };
  const Row rows[] = {
      {"fial add.x",
       "f:1:1: unknown word 'fial', expected fail, flake, skip, coverage or chip; nearest: fail"},
      {"\n  fail", "f:2:7: expected a case id or a glob of case ids, as add.*.float16.*"},
      {"fail a{b}",
       "f:1:6: expected a case id or a glob of case ids (letters, digits, . _ - * ?), found 'a{b}'"},
      {"fail a expires=2027-01-31 \"r\"",
       "f:1:30: the line lacks issue=, expected: fail GLOB expires=YYYY-MM-DD issue=LINK \"reason\""},
      {"fail a expires=2027-01-31 issue=TODO",
       "f:1:37: the line lacks the \"reason\", expected: fail GLOB expires=YYYY-MM-DD issue=LINK \"reason\""},
      {"fail a expires=2027-02-29 issue=TODO \"r\"",
       "f:1:8: expires= takes a valid date such as 2027-01-31, found '2027-02-29'"},
      {"fail a issue=#12", "f:1:8: issue= takes a link, http(s)://..., found '#12'"},
      {"fail a isue=https://x",
       "f:1:8: expected expires=, issue=, outcome= or the \"reason\", found 'isue=https://x'; nearest: "
       "issue"},
      {"fail a outcome=fail,crsh",
       "f:1:8: a line 'fail' cannot name the outcome 'crsh', expected some of "
       "fail,error,crash,timeout,memory,nondeterministic; nearest: crash"},
      {"skip a outcome=crash",
       "f:1:8: a line 'skip' cannot name the outcome 'crash', expected some of "
       "not_implemented,unsupported_dtype,skipped"},
      {"fail a outcome=harness_error", "f:1:8: a line 'fail' cannot name the outcome 'harness_error'"},
      {"fail a outcome=", "f:1:8: a line 'fail' cannot name the outcome ''"},
      {"fail a outcome=fail,fail", "f:1:8: the outcome fail is given twice"},
      {"fail a \"x\" \"y\"", "f:1:12: the \"reason\" is given twice"},
      {"fail a \"\"", "f:1:8: the \"reason\" is empty"},
      {"fail a \"x", "f:1:8: the text has no closing \""},
      {"fail a \"x\\n\"", "f:1:10: a backslash stands before \" or another backslash only"},
      {"fail a \"x\"y", "f:1:11: expected a blank after the text"},
      {"fail a\x01", "f:1:7: a control character"},
      {"chip", "f:1:5: expected the chip's name"},
      {"chip a b", "f:1:8: expected the end of the line after the chip's name"},
      {"chip a\nchip b", "f:2:1: the chip is given twice"},
      {"coverage implemnted=3",
       "f:1:10: expected passing=N, implemented=N, tested=N or cases=N, found 'implemnted=3'; nearest: "
       "implemented"},
      {"coverage cases=-1", "f:1:10: cases= takes a number of at least 0, found '-1'"},
      {"coverage cases=1\ncoverage cases=1", "f:2:1: coverage is given twice, first in line 1"},
      {"fail a expires=2027-01-31 issue=TODO \"r\"\nfail a expires=2028-01-31 issue=TODO \"r\"",
       "f:2:6: 'fail a' is given twice, first in line 1"},
  };
  for (const Row& row : rows) {
    const auto read = ParseExpectations(row.text, "f");
    ASSERT_FALSE(read.ok()) << row.text;
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(read.status().message()).rfind(row.error, 0), 0u) << row.text << "\n"
                                                                            << read.status().message();
  }
}

TEST(Expectations, AllMistakesAreTold) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "what\n";
  const auto read = ParseExpectations(text, "f");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("f:20:1:"), absl::string_view::npos);
  EXPECT_EQ(read.status().message().find("f:21:1:"), absl::string_view::npos);
  EXPECT_NE(read.status().message().find("\nand 10 more"), absl::string_view::npos);
}

TEST(Expectations, NothingIsNothing) {
  for (const char* text : {"", "\n", "# only\n\n", "\r\n"}) {
    const auto read = ParseExpectations(text, "f");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(read->cases.empty());
  }
}

}  // namespace
}  // namespace diopi::reports
