#include "reports/model/failure_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;

struct Said {
  std::string op;
  v1::Outcome outcome = v1::OUTCOME_FAIL;
  std::string reason = "";
  std::string likely = "";
  v1::Dtype::Code dtype = v1::Dtype::float32;
  std::vector<std::string> consistent_with = {};
  std::string exception = "";
};

std::vector<v1::Verdict> Verdicts(const std::vector<Said>& all) {
  std::vector<v1::Verdict> verdicts;
  for (const Said& said : all) {
    v1::Verdict& verdict = verdicts.emplace_back();
    verdict.set_operator_(said.op);
    verdict.set_function("diopi" + said.op);
    verdict.set_case_id(absl::StrCat(said.op, ".case_", verdicts.size()));
    verdict.set_outcome(said.outcome);
    verdict.set_reason(said.reason);
    verdict.set_likely_cause(said.likely);
    verdict.set_dtype(said.dtype);
    *verdict.mutable_consistent_with() = {said.consistent_with.begin(), said.consistent_with.end()};
    verdict.set_threw(!said.exception.empty());
    verdict.set_error_text(said.exception);
    if (absl::StrContains(said.reason, "differ")) verdict.add_outputs();  // it was compared
  }
  return verdicts;
}

std::vector<std::string> Lines(const std::vector<Said>& all) {
  std::vector<std::string> lines;
  for (const FailureGroup& group : GroupFailures(Verdicts(all))) {
    lines.push_back(absl::StrCat(group.cases.size(), " ", OperatorsText(group), ": ", group.cause));
  }
  return lines;
}

TEST(GroupFailures, WhatDiffersFromCaseToCaseDoesNotSeparate) {
  EXPECT_THAT(
      Lines({{"mul", v1::OUTCOME_MEMORY,
              "16 bytes written outside out (64 bytes), the first 4 bytes past its end"},
             {"mul", v1::OUTCOME_MEMORY,
              "8 bytes written outside grad_input (96 bytes), the first 8 bytes past its end"},
             {"tanh", v1::OUTCOME_CRASH, "SIGSEGV in diopitanh at address 0x7f3c00; it printed: ouch"},
             {"tanh", v1::OUTCOME_CRASH, "SIGSEGV in diopitanh at address 0x10"},
             {"add", v1::OUTCOME_PASS, ""},
             {"exp", v1::OUTCOME_FAIL, "out: 1 of 4 elements differs, first at [0, 1]: got 1.5, expected 2"},
             {"exp", v1::OUTCOME_FAIL,
              "out: 30 of 4000 elements differ, first at [2, 1]: got nan, expected 2"}}),
      ElementsAre("2 exp: out: N of N elements differ", "2 mul: N bytes written outside a tensor (N bytes)",
                  "2 tanh: SIGSEGV in the function"));
}

TEST(GroupFailures, ALongReasonEndsBetweenClauses) {
  const std::string clause(150, 'a');
  const auto reason = [](const std::string& text) {
    return GroupFailures(Verdicts({{"mul", v1::OUTCOME_ERROR, text}})).front().reason;
  };
  EXPECT_EQ(reason(absl::StrCat(clause, "; ", clause)), absl::StrCat(clause, "; ..."));
  EXPECT_EQ(reason(absl::StrCat("a; ", clause, clause)),
            absl::StrCat("a; ", clause, std::string(47, 'a'), "..."));
}

TEST(GroupFailures, ADiagnosisThatFitsMostCasesOfAnOperatorGathersThem) {
  EXPECT_THAT(
      Lines({{"add",
              v1::OUTCOME_FAIL,
              "a",
              "in words",
              v1::Dtype::float32,
              {"other ignored", "alpha taken as 1"}},
             {"add", v1::OUTCOME_FAIL, "b", "in other words", v1::Dtype::float32, {"alpha taken as 1"}},
             {"add", v1::OUTCOME_FAIL, "c", "the sign is wrong"},
             {"sub", v1::OUTCOME_FAIL, "d", "in words", v1::Dtype::float32, {"alpha taken as 1"}}}),
      ElementsAre("2 add: consistent with alpha taken as 1", "1 add: the sign is wrong",
                  "1 sub: consistent with alpha taken as 1"));
}

TEST(GroupFailures, ACauseThatManyOperatorsShareIsOneGroup) {
  std::vector<Said> all;
  for (const char* op : {"abs", "add", "cos", "div", "exp"}) {
    all.push_back(
        {op, v1::OUTCOME_FAIL, "x", "undeclared arithmetic: a 16-bit accumulator, contract native16"});
    all.push_back({op, v1::OUTCOME_FAIL, "out: 2 of 3 elements differ, first at 1"});
  }
  EXPECT_THAT(
      Lines(all),
      ElementsAre(
          "5 abs, add, cos and 2 more: undeclared arithmetic: a 16-bit accumulator, contract native16",
          "1 abs: out: 2 of 3 elements differ, first at 1", "1 add: out: 2 of 3 elements differ, first at 1",
          "1 cos: out: 2 of 3 elements differ, first at 1", "1 div: out: 2 of 3 elements differ, first at 1",
          "1 exp: out: 2 of 3 elements differ, first at 1"));
}

TEST(GroupFailures, OutputsThatNeverCameAreOneGroup) {
  std::vector<Said> all;
  for (const char* op : {"contiguous", "index", "nonzero", "unique"}) {
    all.push_back({op, v1::OUTCOME_FAIL, "out: the call returned no such output"});
  }
  EXPECT_THAT(Lines(all),
              ElementsAre("4 contiguous, index, nonzero, unique: out: the call returned no such output"));
}

TEST(GroupFailures, AnExceptionsTypeAndTheDtypeItRefusesAreAGroup) {
  const auto threw = [](const char* op, const char* text) {
    return Said{op, v1::OUTCOME_ERROR, "in whatever words", "", v1::Dtype::float16, {}, text};
  };
  EXPECT_THAT(Lines({threw("cos", "c10::Error: \"cos_vml_cpu\" not implemented for 'Half'"),
                     threw("sin", "c10::Error: \"sin_vml_cpu\" not implemented for 'Half'"),
                     threw("sin", "c10::Error: \"sin_vml_cpu\" not implemented for 'BFloat16'"),
                     threw("sin", "std::runtime_error: no room for 12 bytes"),
                     threw("sin", "std::runtime_error: no room for 96 bytes"),
                     threw("sin", "std::bad_alloc: no room for 96 bytes")}),
              ElementsAre("2 cos, sin: exception c10::Error: Half is not supported",
                          "2 sin: exception std::runtime_error: no room for N bytes",
                          "1 sin: exception std::bad_alloc: no room for 96 bytes",
                          "1 sin: exception c10::Error: BFloat16 is not supported"));
}

TEST(GroupFailures, AGroupHasItsExampleDtypesAndAKeyThatStays) {
  const std::vector<Said> all = {{"add", v1::OUTCOME_FAIL, "first\nline", "alpha", v1::Dtype::float32},
                                 {"add", v1::OUTCOME_FAIL, "second", "alpha", v1::Dtype::float16}};
  const FailureGroup group = GroupFailures(Verdicts(all)).front();
  EXPECT_EQ(group.reason, "first line");
  EXPECT_EQ(DtypesText(group), "float16, float32");
  EXPECT_THAT(group.cases, ElementsAre("add.case_1", "add.case_2"));
  EXPECT_THAT(group.functions, ElementsAre("diopiadd"));
  EXPECT_TRUE(group.diagnosed);
  EXPECT_EQ(group.key, GroupFailures(Verdicts({all[1]})).front().key);
  // Cases without a reason are still a group, and harness errors are listed, too.
  EXPECT_THAT(Lines({{"add", v1::OUTCOME_HARNESS_ERROR, ""}}), ElementsAre("1 add: harness_error"));
}

}  // namespace
}  // namespace diopi::reports
