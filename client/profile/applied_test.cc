#include "client/profile/applied.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/compare/testing.h"
#include "cases/core/catalog.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "client/profile/match.h"

namespace diopi::profile {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const cases::Catalog& TheCatalog() {
  static const std::unique_ptr<cases::Catalog> catalog = *cases::Catalog::LoadBuiltin();
  return *catalog;
}

std::vector<v1::Case> CasesOf(const std::string& op) {
  v1::Selection selection;
  selection.add_functions(op);
  return *TheCatalog().Select(selection);
}

AppliedProfile Applied(const std::string& text, absl::CivilDay today = absl::CivilDay(2026, 6, 1)) {
  const absl::StatusOr<Profile> profile = ParseProfile(text, "chip.textproto", TheCatalog().operators());
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? AppliedProfile(*profile, today) : AppliedProfile();
}

AppliedProfile SkipOf(const std::string& match) {
  return Applied(absl::StrCat("skip { match { ", match, " } reason: \"r\" }"));
}

// Expects that a rule matches exactly the cases for which `expected` holds: some, but not all.
void ExpectSkips(const std::string& op, const std::string& match,
                 const std::function<bool(const v1::Case&)>& expected) {
  const AppliedProfile applied = SkipOf(match);
  std::set<bool> seen;
  for (const v1::Case& c : CasesOf(op)) {
    const bool skipped = applied.SkipReason(c).has_value();
    EXPECT_EQ(skipped, expected(c)) << match << ": " << c.id();
    seen.insert(skipped);
  }
  EXPECT_EQ(seen.size(), 2U) << match << " tells nothing apart";
}

const v1::Argument& Arg(const v1::Case& c, const std::string& name) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() == name) return arg;
  }
  static const v1::Argument* none = new v1::Argument;
  return *none;
}

TEST(SkipTest, ByEveryProperty) {
  const auto rank = [](const v1::Case& c) { return Arg(c, "input").tensor().shape_size(); };
  ExpectSkips("batch_norm", "function: \"*Backward\"",
              [](const v1::Case& c) { return c.function() == "diopiBatchNormBackward"; });
  ExpectSkips("batch_norm", "case: \"*.float16.*\"",
              [](const v1::Case& c) { return c.dtype() == v1::Dtype::float16; });
  ExpectSkips("batch_norm", "dtype: float16 dtype: float64", [](const v1::Case& c) {
    return c.dtype() == v1::Dtype::float16 || c.dtype() == v1::Dtype::float64;
  });
  ExpectSkips("batch_norm", "tensor { argument: \"input\" rank { is: 4 } }",
              [&](const v1::Case& c) { return rank(c) == 4; });
  ExpectSkips("batch_norm", "tensor { argument: \"input\" dim { at: 1 size { min: 100 } } }",
              [](const v1::Case& c) { return Arg(c, "input").tensor().shape(1) >= 100; });
  ExpectSkips("batch_norm", "parameter { name: \"training\" value: \"true\" }",
              [](const v1::Case& c) { return Arg(c, "training").b(); });
  ExpectSkips("batch_norm", "parameter { name: \"weight\" value: \"none\" }",
              [](const v1::Case& c) { return Arg(c, "weight").null(); });
  ExpectSkips("batch_norm", "tensor { argument: \"input\" contiguous: false }", [](const v1::Case& c) {
    const v1::TensorSpec& spec = Arg(c, "input").tensor();
    int64_t stride = 1;
    bool dense = spec.storage_offset() == 0;
    for (int i = spec.shape_size(); i-- > 0; stride *= spec.shape(i)) {
      dense = dense && (spec.shape(i) == 1 || spec.strides(i) == stride);
    }
    return !dense;
  });
  // Two conditions: both must hold.
  ExpectSkips("batch_norm", "dtype: float32 parameter { name: \"training\" value: \"true\" }",
              [](const v1::Case& c) { return c.dtype() == v1::Dtype::float32 && Arg(c, "training").b(); });
}

// A case of the out-of-place function: out, input.
v1::Case ReluCase() {
  const std::vector<v1::Case> cases = CasesOf("relu");
  return *std::find_if(cases.begin(), cases.end(),
                       [](const v1::Case& each) { return each.function() == "diopiRelu"; });
}

TEST(SkipTest, ByShapeAndElements) {
  v1::Case c = ReluCase();
  v1::TensorSpec& spec = *c.mutable_args(1)->mutable_tensor();
  spec.clear_strides();
  spec.clear_shape();
  for (const int64_t size : {4, 3, 7}) spec.add_shape(size);
  struct Row {
    const char* match;
    bool skips;
  };
  for (const Row& row :
       {Row{"shape: \"4,3,7\"", true}, Row{"shape: \"(4, *, 7)\"", true}, Row{"shape: \"4,3\"", false},
        Row{"shape: \"4,3,8\"", false}, Row{"shape: \"()\"", false}, Row{"elements { max: 84 }", true},
        Row{"elements { min: 85 }", false}, Row{"dim { at: -1 size { is: 7 } }", true},
        Row{"dim { at: 3 size { min: 0 } }", false}, Row{"dtype: complex64", false}}) {
    const std::string match = absl::StrCat("tensor { argument: \"input\" ", row.match, " }");
    EXPECT_EQ(SkipOf(match).SkipReason(c).has_value(), row.skips) << row.match;
  }
}

TEST(SkipTest, TheReasonSaysWhoAndWhy) {
  const AppliedProfile applied = Applied(
      "\n\nskip { match { operator: \"relu\" } reason: \"no relu\" issue: \"https://example.com/1\" }");
  const std::optional<v1::Finding> skipped = applied.SkipReason(CasesOf("relu").front());
  ASSERT_TRUE(skipped.has_value());
  EXPECT_EQ(skipped->word(), "chip.textproto:3");
  EXPECT_EQ(FindingText(*skipped), "skipped by chip.textproto:3: no relu (https://example.com/1)");
  EXPECT_FALSE(applied.SkipReason(CasesOf("add").front()).has_value());
}

TEST(MatchTest, Values) {
  v1::Argument arg;
  arg.set_f(0.5);
  EXPECT_EQ(ValueText(arg), "0.5");
  arg.mutable_sizes()->add_values(2);
  arg.mutable_sizes()->add_values(3);
  EXPECT_EQ(ValueText(arg), "[2, 3]");
  arg.mutable_scalar()->set_dtype(v1::Dtype::bool_);
  arg.mutable_scalar()->set_i(1);
  EXPECT_EQ(ValueText(arg), "true");
  arg.mutable_tensor();
  EXPECT_EQ(ValueText(arg), "");
}

TEST(TimeoutTest, TheLastRuleWins) {
  const AppliedProfile applied =
      Applied("timeout { seconds: 5 } timeout { match { operator: \"relu\" } seconds: 9 }");
  EXPECT_EQ(applied.TimeoutOf(CasesOf("relu").front()), 9);
  EXPECT_EQ(applied.TimeoutOf(CasesOf("add").front()), 5);
  EXPECT_FALSE(AppliedProfile().TimeoutOf(CasesOf("add").front()).has_value());
}

// One float32 output that is judged with noise: reference in float64.
struct Judged {
  v1::Case c;
  TensorMap references;
  TensorMap actual;
  v1::Verdict verdict;
};

Judged FailedRelu(v1::Judge::Kind kind, const std::vector<double>& reference,
                  const std::vector<double>& actual) {
  Judged judged;
  judged.c = ReluCase();
  judged.c.clear_judges();
  v1::Judge& judge = *judged.c.add_judges();
  judge.set_output("out");
  judge.set_kind(kind);
  judged.c.mutable_args(0)->mutable_tensor()->set_dtype(v1::Dtype::float32);
  judged.references["out"] = baselines::Row(v1::Dtype::float64, reference);
  judged.actual["out"] = baselines::Row(v1::Dtype::float32, actual);
  judged.verdict.set_outcome(v1::OUTCOME_FAIL);
  *judged.verdict.add_findings() = Found(v1::Finding::HASH_DIFFERS);  // "... differs"
  judged.verdict.add_outputs()->set_key("out");
  return judged;
}

std::string Waiver(const std::string& tolerance, const std::string& expires) {
  return absl::StrCat("waiver { match { operator: \"relu\" } tolerance { ", tolerance,
                      " } reason: \"slow units\" issue: \"https://example.com/9\" expires: \"", expires,
                      "\" }");
}

v1::Verdict Waived(const Judged& judged, const AppliedProfile& applied) {
  v1::Verdict verdict = judged.verdict;
  applied.Waive(judged.c, judged.references, judged.actual, &verdict);
  return verdict;
}

// Integers beyond 2^53 that differ by one are the same number as doubles.
TEST(WaiverTest, CountsNeighbouringLargeIntegersAsDifferent) {
  const auto make = [](int64_t value) {
    HostTensor tensor{v1::Dtype::int64, {1}, {}};
    tensor.data.assign(reinterpret_cast<const char*>(&value), sizeof(value));
    return tensor;
  };
  constexpr int64_t kLarge = int64_t{1} << 53;
  const std::pair<const char*, bool> rows[] = {
      {"atol: 0.5", false}, {"atol: 1", true}, {"atol: 2", true}, {"rtol: 1e-9", true}};
  for (const auto& [tolerance, waived] : rows) {
    Judged judged = FailedRelu(v1::Judge::EXACT, {}, {});
    judged.c.mutable_args(0)->mutable_tensor()->set_dtype(v1::Dtype::int64);
    judged.references["out"] = make(kLarge);
    judged.actual["out"] = make(kLarge + 1);
    EXPECT_EQ(Waived(judged, Applied(Waiver(tolerance, "2026-06-01"))).outcome(),
              waived ? v1::OUTCOME_WAIVED : v1::OUTCOME_FAIL)
        << tolerance;
  }
}

TEST(WaiverTest, CoversWhatItStatesAndNoMore) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  struct Row {
    const char* what;
    const char* tolerance;
    std::vector<double> reference;
    std::vector<double> actual;
    bool waived;
  };
  const std::vector<double> thousand(1000, 1.0);
  std::vector<double> one_off = thousand;
  one_off[17] = 2;
  std::vector<double> two_off = one_off;
  two_off[18] = nan;
  const Row rows[] = {
      {"atol", "atol: 0.1", {1, 2}, {1.0625, 2}, true},
      {"beyond atol", "atol: 0.1", {1, 2}, {1.0625, 2.5}, false},
      {"rtol", "rtol: 0.01", {100, 1}, {100.5, 1}, true},
      {"beyond rtol", "rtol: 0.01", {1, 1}, {1.5, 1}, false},
      {"NaN for NaN", "atol: 1", {nan, 1}, {nan, 1.5}, true},
      {"NaN for a number", "atol: 1000", {1, 1}, {nan, 1}, false},
      {"a number for NaN", "atol: 1000", {nan}, {1}, false},
      {"Inf", "atol: 1000", {1}, {inf}, false},
      {"the other Inf", "atol: 1000", {inf}, {-inf}, false},
      {"share", "mismatch_ratio: 0.001", thousand, one_off, true},
      {"beyond the share", "mismatch_ratio: 0.001", thousand, two_off, false},
  };
  for (const Row& row : rows) {
    const Judged judged = FailedRelu(v1::Judge::MATH, row.reference, row.actual);
    const v1::Verdict verdict = Waived(judged, Applied(Waiver(row.tolerance, "2026-06-01")));
    EXPECT_EQ(verdict.outcome(), row.waived ? v1::OUTCOME_WAIVED : v1::OUTCOME_FAIL) << row.what;
    EXPECT_EQ(verdict.waiver(), row.waived ? "chip.textproto:1" : "") << row.what;
    if (row.waived) {
      EXPECT_THAT(
          verdict.reason(),
          StartsWith("waived by chip.textproto:1 until 2026-06-01: slow units (https://example.com/9;"));
      EXPECT_THAT(verdict.reason(), HasSubstr("without it: the elements that are compared"));
      ASSERT_EQ(verdict.findings_size(), 1);
      EXPECT_EQ(verdict.findings(0).code(), v1::Finding::WAIVED_BY);
      EXPECT_EQ(verdict.findings(0).word(), "chip.textproto:1");
      EXPECT_EQ(verdict.findings(0).parts(0).code(), v1::Finding::HASH_DIFFERS);
    } else {
      EXPECT_THAT(verdict.reason(), HasSubstr(" differs; beyond the waiver chip.textproto:1 ("));
      ASSERT_EQ(verdict.findings_size(), 2);
      EXPECT_EQ(verdict.findings(1).code(), v1::Finding::BEYOND_WAIVER);
      EXPECT_EQ(verdict.findings(1).parts(0).name(), "out");
      EXPECT_EQ(verdict.findings(1).parts(0).parts(0).code(), v1::Finding::WRONG_ELEMENTS);
    }
  }
}

TEST(WaiverTest, LooksAtPartsOfComplexNumbersAndAtFreeSignsAsTheVerdictDoes) {
  const AppliedProfile applied = Applied(Waiver("atol: 1", "2026-06-01"));
  Judged complex = FailedRelu(v1::Judge::COMPOSITION, {3, 4}, {});
  complex.c.mutable_args(0)->mutable_tensor()->set_dtype(v1::Dtype::complex64);
  complex.references["out"].shape = {1, 2};
  for (const double imaginary : {4.5, 5.5}) {
    complex.actual["out"] = {
        v1::Dtype::complex64, {1}, baselines::Row(v1::Dtype::float32, {3, imaginary}).data};
    EXPECT_EQ(Waived(complex, applied).waiver().empty(), imaginary > 5) << imaginary;
  }
  Judged signs = FailedRelu(v1::Judge::COMPOSITION, {3, 4}, {-3.5, -4});
  signs.references["out"].shape = signs.actual["out"].shape = {1, 2};
  signs.references["q"] = signs.actual["q"] = baselines::Row(v1::Dtype::float32, {});
  EXPECT_EQ(Waived(signs, applied).waiver(), "");
  v1::Reading* reading = signs.c.add_readings();
  reading->set_kind(v1::Reading::OPPOSITE_SIGNS);
  reading->add_args("q");
  reading->add_args("out");
  EXPECT_NE(Waived(signs, applied).waiver(), "");
}

TEST(WaiverTest, AnExpiredOneDoesNothingAndIsTold) {
  const Judged judged = FailedRelu(v1::Judge::MATH, {1}, {1.5});
  const v1::Verdict verdict = Waived(judged, Applied(Waiver("atol: 1", "2026-05-31")));
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
  EXPECT_THAT(
      verdict.reason(),
      HasSubstr(" differs; the waiver chip.textproto:1 expired on 2026-05-31 (https://example.com/9)"));
  EXPECT_TRUE(Applied(Waiver("atol: 1", "2026-05-31")).ForRun().waiver(0).expired());
  EXPECT_FALSE(Applied(Waiver("atol: 1", "2026-06-01")).ForRun().waiver(0).expired());
}

TEST(WaiverTest, OfAnotherOperatorOrOutcomeOrKindDoesNothing) {
  const AppliedProfile applied = Applied(Waiver("atol: 1000", "2099-01-01"));
  Judged judged = FailedRelu(v1::Judge::MATH, {1}, {2});
  judged.c.set_operator_("add");
  EXPECT_EQ(Waived(judged, applied).findings_size(), 1);
  for (const v1::Outcome outcome : {v1::OUTCOME_CRASH, v1::OUTCOME_MEMORY, v1::OUTCOME_NONDETERMINISTIC,
                                    v1::OUTCOME_TIMEOUT, v1::OUTCOME_ERROR, v1::OUTCOME_PASS}) {
    judged = FailedRelu(v1::Judge::MATH, {1}, {2});
    judged.verdict.set_outcome(outcome);
    EXPECT_EQ(Waived(judged, applied).outcome(), outcome);
  }
  judged = FailedRelu(v1::Judge::RANDOM, {1}, {2});
  EXPECT_EQ(Waived(judged, applied).outcome(), v1::OUTCOME_FAIL);
  EXPECT_THAT(Waived(judged, applied).reason(), HasSubstr("out is not judged by a tolerance"));
  judged = FailedRelu(v1::Judge::MATH, {1}, {2});
  judged.verdict.mutable_outputs(0)->set_ok(true);  // it fails for another reason
  EXPECT_EQ(Waived(judged, applied).outcome(), v1::OUTCOME_FAIL);
  EXPECT_THAT(Waived(judged, applied).reason(), HasSubstr("for a reason other than the values of an output"));
  judged = FailedRelu(v1::Judge::MATH, {1}, {2});
  judged.actual["out"].shape = {1, 1};
  EXPECT_THAT(Waived(judged, applied).reason(), HasSubstr("out: shape (1, 1), expected (1,)"));
}

TEST(ForRunTest, KeepsTheWaiversInWords) {
  const v1::RunProfile run = Applied(Waiver("atol: 0.5 mismatch_ratio: 0.01", "2099-01-01")).ForRun();
  EXPECT_EQ(run.file(), "chip.textproto");
  ASSERT_EQ(run.waiver_size(), 1);
  EXPECT_EQ(run.waiver(0).id(), "chip.textproto:1");
  EXPECT_EQ(run.waiver(0).match(), "operator relu");
  EXPECT_EQ(run.waiver(0).reason(), "slow units");
  EXPECT_EQ(run.waiver(0).expires(), "2099-01-01");
  EXPECT_THAT(AppliedProfile().ForRun().hash(), testing::IsEmpty());
}

}  // namespace
}  // namespace diopi::profile
