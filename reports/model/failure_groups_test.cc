#include "reports/model/failure_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "reports/model/group_facts.h"
#include "reports/model/model_support.h"

namespace diopi::reports {
namespace {

using Fact = v1::Finding;
using ::testing::ElementsAre;

v1::Verdict FoundVerdict(const std::string& op, v1::Outcome outcome, const std::vector<Fact>& findings,
                         const Fact& cause = {}) {
  v1::Verdict verdict;
  verdict.set_operator_(op);
  verdict.set_function("diopi" + op);
  verdict.set_outcome(outcome);
  verdict.set_dtype(v1::Dtype::float32);
  *verdict.mutable_findings() = {findings.begin(), findings.end()};
  if (cause.code() != Fact::CODE_UNSPECIFIED) *verdict.mutable_cause() = cause;
  Describe(&verdict);
  return verdict;
}

// As agents up to 0.9 recorded one.
v1::Verdict Older(const std::string& op, v1::Outcome outcome, const std::string& reason,
                  const std::string& likely = "") {
  v1::Verdict verdict = FoundVerdict(op, outcome, {});
  verdict.set_reason(reason);
  verdict.set_likely_cause(likely);
  return verdict;
}

Fact Differ(const std::string& output, int64_t count, int64_t of, const std::string& got) {
  return Found(Fact::OF_OUTPUT)
      .Name(output)
      .Part(Found(Fact::WRONG_ELEMENTS).Count(count).Of(of).Place({0, count}).Got(got).Expected("2"))
      .Part(Found(Fact::LAST_ELEMENTS).Count(count));
}

std::vector<FailureGroup> Groups(std::vector<v1::Verdict> verdicts) {
  int n = 0;
  for (v1::Verdict& verdict : verdicts) verdict.set_case_id(absl::StrCat(verdict.operator_(), ".case_", ++n));
  return GroupFailures(verdicts);
}

std::vector<std::string> Lines(const std::vector<v1::Verdict>& verdicts,
                               Language language = Language::kEnglish) {
  std::vector<std::string> lines;
  for (const FailureGroup& group : Groups(verdicts)) {
    EXPECT_EQ(group.cause, CauseText(group, Language::kEnglish));
    lines.push_back(
        absl::StrCat(group.cases.size(), " ", OperatorsText(group), ": ", CauseText(group, language)));
  }
  return lines;
}

TEST(GroupFailures, WhatDiffersFromCaseToCaseDoesNotSeparate) {
  const auto past_end = [](const char* name, int64_t bytes) {
    return Fact(Found(Fact::WRITTEN_PAST_END).Name(name).Count(bytes).Of(4 * bytes).Index(4));
  };
  const auto crash = [](const char* address, const char* word) {
    return Fact(Found(Fact::SIGNALLED).Name("diopitanh").Word(word).Got(address));
  };
  const std::vector<v1::Verdict> all = {
      FoundVerdict("mul", v1::OUTCOME_MEMORY, {past_end("out", 16)}),
      FoundVerdict("mul", v1::OUTCOME_MEMORY,
                   {past_end("grad_input", 8), Found(Fact::INPUT_CHANGED).Name("input")}),
      FoundVerdict("tanh", v1::OUTCOME_CRASH,
                   {crash("0x7f3c00", "SIGSEGV"), Found(Fact::PRINTED).Said("ouch")}),
      FoundVerdict("tanh", v1::OUTCOME_CRASH, {crash("0x10", "SIGSEGV")}),
      FoundVerdict("tanh", v1::OUTCOME_CRASH, {crash("0x10", "SIGBUS")}),
      FoundVerdict("add", v1::OUTCOME_PASS, {Found(Fact::SIGNS_SET).Count(1)}),
      FoundVerdict("exp", v1::OUTCOME_FAIL, {Differ("out", 1, 4, "1.5")}),
      FoundVerdict("exp", v1::OUTCOME_FAIL, {Differ("out", 1, 4, "nan")}),
      FoundVerdict("exp", v1::OUTCOME_FAIL,
                   {Found(Fact::SIGNS_SET).Count(1), Differ("grad", 30, 4000, "nan")})};
  EXPECT_THAT(Lines(all),
              ElementsAre("3 exp: elements differ",
                          "2 mul: bytes written outside a tensor, starting 4 bytes past its end",
                          "2 tanh: SIGSEGV in diopitanh", "1 tanh: SIGBUS in diopitanh at address 0x10"));
  EXPECT_THAT(Lines(all, Language::kChinese),
              ElementsAre("3 exp: 元素不符", "2 mul: 在 张量之外写入了 字节，从其末尾之后 4 字节处开始",
                          "2 tanh: diopitanh 中的 SIGSEGV", "1 tanh: diopitanh 中的 SIGBUS，地址 0x10"));
  EXPECT_THAT(Lines({all[6], all[7]}), ElementsAre("2 exp: out: 1 of 4 elements differs"));
}

TEST(GroupFailures, AnExplanationThatFitsMostCasesOfAnOperatorGathersThem) {
  const Fact alpha = Found(Fact::TAKEN_AS).Name("alpha").Expected("1");
  const Fact other = Found(Fact::IGNORED).Name("other");
  const Fact differ = Differ("out", 1, 4, "1");
  const auto fail = [&](const char* op, const Fact& cause) {
    return FoundVerdict(op, v1::OUTCOME_FAIL, {differ}, cause);
  };
  EXPECT_THAT(
      Lines({fail("add", Found(Fact::CONSISTENT_WITH).Part(other).Part(alpha)),
             fail("add", Found(Fact::CONSISTENT_WITH).Part(alpha)), fail("add", Found(Fact::SIGN_WRONG)),
             fail("mm", Found(Fact::DECLARE).Word("tf32").Part(Found(Fact::TF32_PRODUCTS))),
             fail("mm", Found(Fact::CONSISTENT_WITH).Part(Found(Fact::TF32_PRODUCTS))),
             fail("relu", Found(Fact::TAIL_WRONG).Limit("4")),
             fail("relu", Found(Fact::TAIL_WRONG).Limit("8")),
             fail("sub", Found(Fact::CONSISTENT_WITH).Part(alpha))}),
      ElementsAre("2 add: consistent with alpha taken as 1", "2 mm: consistent with TF32 products",
                  "2 relu: the tail beyond the last full vector is computed wrongly or not at all",
                  "1 add: the sign is wrong", "1 sub: consistent with alpha taken as 1"));
}

TEST(GroupFailures, UnexplainedNumbersJoinTheOnlyCauseOfTheirOperatorAndDtype) {
  const Fact alpha = Found(Fact::CONSISTENT_WITH).Part(Found(Fact::TAKEN_AS).Name("alpha").Expected("1"));
  const Fact nan = Found(Fact::NAN_NOT_PROPAGATED);
  const auto fail = [](const char* op, v1::Dtype::Code dtype, const Fact& cause) {
    v1::Verdict verdict = FoundVerdict(op, v1::OUTCOME_FAIL, {Differ("out", 1, 4, "1")}, cause);
    verdict.set_dtype(dtype);
    return verdict;
  };
  std::vector<v1::Verdict> all = {
      fail("add", v1::Dtype::float32, {}),    fail("add", v1::Dtype::float32, alpha),
      fail("add", v1::Dtype::float32, nan),   fail("add", v1::Dtype::int64, {}),
      fail("add", v1::Dtype::float32, alpha), fail("exp", v1::Dtype::float32, {}),
      fail("exp", v1::Dtype::float32, nan)};
  all.push_back(FoundVerdict("add", v1::OUTCOME_FAIL,
                             {Found(Fact::OF_OUTPUT).Name("out").Part(Found(Fact::OUTPUT_MISSING))}));
  const char kJoined[] = "4 add: consistent with alpha taken as 1; this explains 2 of 4 cases";
  EXPECT_THAT(Lines(all), testing::UnorderedElementsAre(
                              kJoined, testing::StartsWith("1 add: out: 1 of 4 elements differs"),
                              "1 add: out: the call returned no such output",
                              testing::StartsWith("1 exp: out: 1 of 4 elements differs"),
                              "1 exp: NaN in the input is not propagated"));
  EXPECT_THAT(Groups(all).front().cases, ElementsAre("add.case_2", "add.case_5", "add.case_1", "add.case_3"));
  FailureGroup shared = Groups(all).front();
  ShareCause(Groups({all[1]}).front(), &shared);
  EXPECT_EQ(shared.cause, "consistent with alpha taken as 1");
  EXPECT_EQ(shared.key, Groups({all[1]}).front().key);

  all.push_back(fail("add", v1::Dtype::float32, Found(Fact::SIGN_WRONG)));  // which of the two is not known
  EXPECT_THAT(Lines(all), testing::Not(testing::Contains(kJoined)));
}

TEST(GroupFailures, ACauseThatManyOperatorsShareIsOneGroup) {
  std::vector<v1::Verdict> numbers, causes, missing, returned;
  for (const char* op : {"abs", "add", "cos", "div", "exp"}) {
    numbers.push_back(FoundVerdict(op, v1::OUTCOME_FAIL, {Differ("out", 2, 3, "1")}));
    causes.push_back(
        FoundVerdict(op, v1::OUTCOME_FAIL, {Differ("out", 2, 3, "1")}, Found(Fact::NEVER_COMPUTED)));
    missing.push_back(FoundVerdict(op, v1::OUTCOME_FAIL,
                                   {Found(Fact::OF_OUTPUT).Name("out").Part(Found(Fact::OUTPUT_MISSING))}));
    returned.push_back(FoundVerdict(op, v1::OUTCOME_ERROR,
                                    {Found(Fact::RETURNED).Name(op).Word("diopiErrorOccurred").Said(op)}));
  }
  EXPECT_EQ(Lines(numbers).size(), 5U);
  EXPECT_THAT(Lines(causes), ElementsAre("5 abs, add, cos and 2 more: the output is never computed"));
  EXPECT_THAT(Lines(missing),
              ElementsAre("5 abs, add, cos and 2 more: out: the call returned no such output"));
  EXPECT_THAT(Lines(returned),
              ElementsAre("5 abs, add, cos and 2 more: the function returned diopiErrorOccurred"));
  causes.resize(kSharedBy);
  EXPECT_EQ(Lines(causes).size(), kSharedBy);
}

TEST(GroupFailures, AnExceptionsTypeAndTheDtypeItRefusesAreAGroup) {
  const auto threw = [](const char* op, const char* text) {
    return FoundVerdict(op, v1::OUTCOME_ERROR, {Found(Fact::THREW).Name(op).Said(text)});
  };
  EXPECT_THAT(Lines({threw("cos", "c10::Error: \"cos_vml_cpu\" not implemented for 'Half'"),
                     threw("sin", "c10::Error: \"sin_vml_cpu\" not implemented for 'Half'"),
                     threw("sin", "c10::Error: \"sin_vml_cpu\" not implemented for 'BFloat16'"),
                     threw("sin", "std::runtime_error: no room for 12 bytes"),
                     threw("sin", "std::runtime_error: no room for 96 bytes"),
                     threw("sin", "std::bad_alloc: no room\nfor 96 bytes")}),
              testing::UnorderedElementsAre(
                  "2 cos, sin: the function threw a C++ exception: c10::Error: Half is not supported",
                  "2 sin: sin threw a C++ exception: std::runtime_error",
                  "1 sin: sin threw a C++ exception: c10::Error: BFloat16 is not supported",
                  "1 sin: sin threw a C++ exception: std::bad_alloc: no room for 96 bytes"));
}

TEST(GroupFailures, ChecksAreToldApartByTheirFirstPhrase) {
  const auto check = [](const char* said) {
    return FoundVerdict("library", v1::OUTCOME_FAIL, {Found(Fact::LIBRARY_CHECK).Said(said)});
  };
  EXPECT_THAT(Lines({check("an empty tensor is refused: error 3"),
                     check("an empty tensor is refused: error 4"), check("the last error is lost")}),
              ElementsAre("2 library: an empty tensor is refused", "1 library: the last error is lost"));
}

TEST(GroupFailures, TextsOfAnOlderAgentAreGroupedByTheirFirstPhrase) {
  std::vector<v1::Verdict> all = {
      Older("exp", v1::OUTCOME_FAIL, "out: 1 of 4 elements differs, first at [0, 1]"),
      Older("exp", v1::OUTCOME_FAIL, "out: 30 of 4000 elements differ, first at [2, 1]"),
      Older("add", v1::OUTCOME_FAIL, "x", "consistent with alpha taken as 1, or with other ignored"),
      Older("add", v1::OUTCOME_HARNESS_ERROR, "")};
  EXPECT_THAT(Lines(all),
              ElementsAre("2 exp: out...", "1 add: consistent with alpha taken as 1, or with other ignored",
                          "1 add: harness_error"));
  EXPECT_THAT(Lines(all, Language::kChinese), testing::Contains("2 exp: out..."));
}

TEST(GroupFailures, ALongReasonEndsBetweenClauses) {
  const std::string clause(150, 'a');
  const auto reason = [](const std::string& text) {
    return Groups({Older("mul", v1::OUTCOME_ERROR, text)}).front().reason;
  };
  EXPECT_EQ(reason(absl::StrCat(clause, "; ", clause)), absl::StrCat(clause, "; ..."));
  EXPECT_EQ(reason(absl::StrCat("a; ", clause, clause)),
            absl::StrCat("a; ", clause, std::string(47, 'a'), "..."));
}

TEST(GroupFailures, AGroupHasItsExampleDtypesAndAKeyThatStays) {
  std::vector<v1::Verdict> all = {
      FoundVerdict("add", v1::OUTCOME_FAIL, {Differ("out", 1, 4, "first\nline")}, Found(Fact::SIGN_WRONG)),
      FoundVerdict("add", v1::OUTCOME_FAIL, {Differ("out", 3, 4, "second")}, Found(Fact::SIGN_WRONG))};
  all[1].set_dtype(v1::Dtype::float16);
  all[1].add_outputs();
  const FailureGroup group = Groups(all).front();
  EXPECT_EQ(group.reason,
            "out: 1 of 4 elements differs, first at [0, 1]: got first line, expected 2; the last element");
  EXPECT_EQ(DtypesText(group), "float16, float32");
  EXPECT_THAT(group.cases, ElementsAre("add.case_1", "add.case_2"));
  EXPECT_THAT(group.functions, ElementsAre("diopiadd"));
  EXPECT_TRUE(group.diagnosed);
  EXPECT_EQ(group.key, Groups({all[1]}).front().key);
  EXPECT_EQ(group.key, "4a2eff1a");
}

TEST(ShareCause, LeavesWhatBothGroupsHave) {
  const auto group = [](const char* name) {
    return Groups({FoundVerdict("add", v1::OUTCOME_MEMORY,
                                {Found(Fact::NOT_WRITTEN).Name(name).Count(1).Of(2)})})
        .front();
  };
  FailureGroup shared = group("out");
  ShareCause(group("grad"), &shared);
  EXPECT_EQ(shared.cause, "1 of 2 elements of a tensor was not written");
}

TEST(GroupFacts, TheClassesThatOnlyFailingCasesHave) {
  struct Row {
    std::vector<std::string> failing, passing;
    const char* text;
  };
  std::vector<std::string> others;  // of every kind but the failing one
  for (const char* n : {"n1", "n3", "n5", "n7"}) {
    for (const char* kind : {"float16.", "float32.offset_"}) others.push_back(absl::StrCat("add.", kind, n));
  }
  std::vector<std::string> and_one = others;
  and_one.emplace_back("add.float16.offset_n9");
  const Row rows[] = {
      {{"add.float16.offset_n1", "add.float16.n3_offset", "add.float16.offset_n5_specials"},
       others,
       "every failing case has float16, offset; none of the other 8 cases fails"},
      {{"add.float16.offset_n1", "add.float16.offset_n3", "add.float16.offset_n5", "add.float16.offset_n7"},
       and_one,
       "every failing case has float16, offset; 4 of 5 such cases fail; none of the other 8 cases fails"},
      {{"add.float16.offset_n1", "add.float16.n3", "add.float16.offset_n5"}, others, ""},
      {{"add.float16.offset_n1", "add.float32.n3", "add.int8.n5"}, others, ""},
      {{"add.float16.offset_n1", "add.float16.offset_n3"}, others, ""},
      {{"add.float16.offset_n1", "add.float16.offset_n3", "add.float16.offset_n5"}, {"add.float16.n1"}, ""}};
  for (const Row& row : rows) {
    FailureGroup group;
    group.operators = {"add"};
    group.cases = row.failing;
    std::vector<FailureGroup> groups = {group};
    AddGroupFacts(row.passing, &groups);
    const bool separated = groups[0].separation.code() != Fact::CODE_UNSPECIFIED;
    EXPECT_EQ(separated ? FindingText(groups[0].separation) : "", row.text) << row.failing.back();
  }
}

TEST(GroupFacts, TheExampleIsThePlainestCaseAndSaysWhatItReveals) {
  v1::Selection selection;
  selection.add_functions("diopiNeg");
  const v1::Case known = (*BuiltinCatalog())->Select(selection)->front();
  std::vector<v1::Verdict> verdicts;
  for (const std::string& id : {std::string("neg.inplace.float16.n1_r2_offset_outs_specials_wide"),
                                known.id(), std::string("neg.inplace.float16.n1_r2_offset_outs_specials")}) {
    verdicts.push_back(FoundVerdict("neg", v1::OUTCOME_FAIL, {Differ("out", 1, 4, "3")}));
    verdicts.back().set_case_id(id);
  }
  std::vector<FailureGroup> groups = GroupFailures(verdicts);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].cases.size(), 3u);
  EXPECT_EQ(groups[0].example.case_id(), known.id());
  AddGroupFacts({}, &groups);
  EXPECT_EQ(groups[0].reveals, known.reveals());
  EXPECT_NE(groups[0].reveals, "");
}

}  // namespace
}  // namespace diopi::reports
