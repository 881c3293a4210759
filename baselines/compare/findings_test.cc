// Which findings a failure has, with their fields: what groups and counts failures reads these, and no text.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "baselines/compare/testing.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using F = v1::Finding;
using Vec = std::vector<double>;

v1::Verdict Exactly(const HostTensor& expected, const HostTensor& actual,
                    v1::Judge::Kind kind = v1::Judge::EXACT) {
  return CompareCase(OneOutput(expected.dtype, kind), {}, {{"out", expected}}, {{"out", actual}});
}

v1::Verdict Picked(const Vec& expected, const Vec& actual) {
  v1::Case c = OneOutput(D::int64, v1::Judge::INDEX_OF);
  AddInput(&c, "input", D::float32);
  AddInt(&c, "dim", 0);
  c.mutable_judges(0)->set_input("input");
  c.mutable_judges(0)->set_dim("dim");
  c.mutable_judges(0)->set_unique(true);
  return CompareCase(c, {{"input", Row(D::float32, {5, 7, 9})}}, {{"out", Row(D::int64, expected)}},
                     {{"out", Row(D::int64, actual)}});
}

v1::Verdict Drawn(const Vec& actual) {
  v1::Case c = OneOutput(D::float32, v1::Judge::RANDOM);
  c.mutable_judges(0)->set_distribution(v1::Judge::UNIFORM);
  return CompareCase(c, {}, {{"out", Row(D::float32, actual)}}, {{"out", Row(D::float32, actual)}});
}

v1::Verdict Unchanged(const Vec& values, const Vec& expected) {
  v1::Case c = OneOutput(D::int32, v1::Judge::EXACT);
  const HostTensor before = Row(D::int32, values);
  return CompareCase(c, {{"out", before}}, {{"out", Row(D::int32, expected)}}, {{"out", before}});
}

// Every element is a little too near to zero: truncated, not rounded.
v1::Verdict Truncated() {
  Vec r, y;
  for (int i = 0; i < 200; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    r.push_back(sign * (1 + (i + 0.9) * 0x1p-23));
    y.push_back(sign * (1 + i * 0x1p-23));
  }
  return Pointwise(Row(D::float32, y), r, 0);
}

struct Expected {
  const char* what;
  v1::Verdict verdict;
  std::vector<v1::Finding> parts;  // of the output
  std::optional<v1::Finding> cause;
};

std::string Fields(const v1::Finding& finding) {
  return finding.SerializeAsString();
}

TEST(Findings, HaveTheFieldsOfWhatIsWrong) {
  const v1::Finding last = Found(F::LAST_ELEMENTS).Count(1);
  const v1::Finding unchanged = Found(F::OPERAND_UNCHANGED).Exact(true);
  const v1::Finding two_of_two = Found(F::WRONG_ELEMENTS).Count(2).Of(2).Place({0}).Got("nan").Expected("1");
  for (const Expected& row : std::vector<Expected>{
           {"pointwise",
            Pointwise(Row(D::float32, {1, 2, 0.5}), {1, 2, 1.25}, 0),
            {Found(F::WRONG_ELEMENTS)
                 .Count(1)
                 .Of(3)
                 .Place({2})
                 .Got("0.5")
                 .Expected("1.25")
                 .Limit("8.9e-08")
                 .Off("7.5e-01"),
             last},
            std::nullopt},
           {"NaN",
            Pointwise(Row(D::float16, {kNan, kNan}), {1, 2}, 0),
            {two_of_two, Found(F::WHOLE_NAN)},
            {}},
           {"bits of a scalar",
            Exactly(Tensor(D::int64, {}, {3}), Tensor(D::int64, {}, {1})),
            {Found(F::WRONG_ELEMENTS).Count(1).Of(1).Place({}).Got("1").Expected("3").Exact(true)},
            std::nullopt},
           {"another order of rows",
            Exactly(Row(D::int64, {1, 2}), Row(D::int64, {2, 4}), v1::Judge::UNORDERED),
            {Found(F::AFTER_SORTING)
                 .Part(
                     Found(F::WRONG_ELEMENTS).Count(2).Of(2).Place({0}).Got("2").Expected("1").Exact(true))},
            std::nullopt},
           {"dtype",
            Exactly(Row(D::int32, {1}), Row(D::float32, {1})),
            {Found(F::WRONG_DTYPE).Got("float32").Expected("int32")},
            std::nullopt},
           {"shape",
            Exactly(Row(D::int32, {1}), Row(D::int32, {1, 2})),
            {Found(F::WRONG_SHAPE).Got("(2,)").Expected("(1,)")},
            std::nullopt},
           {"nothing done",
            Unchanged({3, 9, 4, 1}, {4, 2, 20, 7}),
            {Found(F::WRONG_ELEMENTS).Count(4).Of(4).Place({0}).Got("3").Expected("4").Exact(true),
             unchanged},
            unchanged},
           {"one element as before, perhaps for another reason",
            Unchanged({3}, {4}),
            {Found(F::WRONG_ELEMENTS).Count(1).Of(1).Place({0}).Got("3").Expected("4").Exact(true),
             Found(F::OPERAND_UNCHANGED)},
            std::nullopt},
           {"an index outside",
            Picked({1, 0}, {1, 3}),
            {Found(F::WRONG_ELEMENTS).Count(1).Of(2).Place({1}),
             Found(F::INDEX_OUTSIDE).Got("3").Limit("[0, 3)"), last},
            std::nullopt},
           {"an index of another value",
            Picked({1, 0}, {2, 0}),
            {Found(F::WRONG_ELEMENTS).Count(1).Of(2).Place({0}),
             Found(F::INDEX_PICKS_WRONG).Index(2).Got("9").Expected("7")},
            std::nullopt},
           {"draws", Drawn({0.5, 2}), {Found(F::ELEMENT_OUTSIDE).Index(1).Got("2").Limit("[0, 1)")}, {}}}) {
    ASSERT_EQ(row.verdict.findings_size(), 1) << row.what << ": " << row.verdict.reason();
    const v1::Finding of_output = Found(F::OF_OUTPUT).Name("out").Parts(row.parts);
    EXPECT_EQ(Fields(row.verdict.findings(0)), Fields(of_output))
        << row.what << "\n"
        << row.verdict.findings(0).DebugString() << of_output.DebugString();
    EXPECT_EQ(row.verdict.has_cause(), row.cause.has_value())
        << row.what << ": " << row.verdict.likely_cause();
    if (row.cause.has_value()) {
      EXPECT_EQ(Fields(row.verdict.cause()), Fields(*row.cause)) << row.what;
    }
  }
}

TEST(Findings, WordsTellTheWaysOfRounding) {
  const v1::Verdict verdict = Truncated();
  ASSERT_EQ(verdict.findings_size(), 1);
  const auto& parts = verdict.findings(0).parts();
  EXPECT_EQ(parts[parts.size() - 1].code(), F::ROUNDED_WRONG);
  EXPECT_EQ(verdict.cause().code(), F::ROUNDED_WRONG);
  EXPECT_EQ(verdict.cause().word(), "truncated");
  EXPECT_EQ(verdict.likely_cause(), "results are truncated toward zero instead of to nearest");
}

TEST(Findings, OfAMissingReferenceAreOurs) {
  const v1::Verdict verdict =
      CompareCase(OneOutput(D::int32, v1::Judge::EXACT), {}, {}, {{"out", Row(D::int32, {1})}});
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_HARNESS_ERROR);
  ASSERT_EQ(verdict.findings_size(), 1);
  ASSERT_EQ(verdict.findings(0).parts_size(), 1);
  EXPECT_EQ(verdict.findings(0).parts(0).code(), F::HARNESS);
  EXPECT_EQ(verdict.reason(), "out: the baseline has no reference for it");
}

TEST(Findings, WouldPassUnderAndDeclare) {
  v1::Verdict verdict;
  verdict.set_outcome(v1::OUTCOME_FAIL);
  ReportWouldPassUnder(&verdict);
  EXPECT_EQ(verdict.findings_size(), 0);
  verdict.add_would_pass_under("tf32");
  verdict.add_would_pass_under("fastconv");
  ReportWouldPassUnder(&verdict);
  ASSERT_EQ(verdict.findings_size(), 1);
  EXPECT_EQ(verdict.findings(0).word(), "tf32 or fastconv");
  SetCause(Found(F::DECLARE).Word("tf32").Part(Found(F::TF32_PRODUCTS)), 0.95, &verdict);
  EXPECT_EQ(verdict.declarable(), "tf32");
  EXPECT_EQ(verdict.cause_confidence(), 0.95);
  SetCause(Found(F::TIE_BROKEN), 1, &verdict);
  EXPECT_EQ(verdict.declarable(), "");
}

}  // namespace
}  // namespace diopi::baselines
