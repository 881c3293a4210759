#include "reports/model/diff.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "reports/model/model_testing.h"

namespace diopi::reports {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

struct Side {
  v1::Outcome outcome = None;
  double max_z = 1;
  double call_us = 100;
};

struct KindRow {
  const char* name;
  Side a;
  Side b;
  std::vector<v1::CompareKind> kinds;
  double factor = 0;  // the first row's factor; 0: none
};

const KindRow kKindRows[] = {
    {"the same", {P}, {P}, {v1::COMPARE_KIND_SAME}},
    {"a pass lost", {P}, {F}, {v1::COMPARE_KIND_NEWLY_FAILING}},
    {"a pass lost, no longer there", {P}, {v1::OUTCOME_NOT_IMPLEMENTED}, {v1::COMPARE_KIND_NEWLY_REFUSED}},
    {"there again", {v1::OUTCOME_UNSUPPORTED_DTYPE}, {P}, {v1::COMPARE_KIND_NEWLY_PASSING}},
    {"a pass won", {v1::OUTCOME_CRASH}, {P}, {v1::COMPARE_KIND_NEWLY_PASSING}},
    {"another failure", {F}, {v1::OUTCOME_TIMEOUT}, {v1::COMPARE_KIND_CHANGED}},
    {"a pass that was skipped", {P}, {v1::OUTCOME_SKIPPED}, {v1::COMPARE_KIND_CHANGED}},
    {"our fault is no failure", {P}, {v1::OUTCOME_HARNESS_ERROR}, {v1::COMPARE_KIND_CHANGED}},
    {"implemented, but wrong", {v1::OUTCOME_NOT_IMPLEMENTED}, {F}, {v1::COMPARE_KIND_CHANGED}},
    {"an outcome that changed is not compared further",
     {P, 1, 100},
     {F, 900, 900},
     {v1::COMPARE_KIND_NEWLY_FAILING}},
    {"only in A", {P}, {None}, {v1::COMPARE_KIND_VANISHED}},
    {"only in B", {None}, {P}, {v1::COMPARE_KIND_APPEARED}},
    {"worse", {P, 2}, {P, 4.5}, {v1::COMPARE_KIND_WORSE}, 2.25},
    {"twice is not more than twice", {P, 2}, {P, 4}, {v1::COMPARE_KIND_SAME}},
    {"better", {F, 8}, {F, 2}, {v1::COMPARE_KIND_BETTER}, 0.25},
    {"below the noise", {P, 0.1}, {P, 0.9}, {v1::COMPARE_KIND_SAME}},
    {"from nothing", {P, 0}, {P, 3}, {v1::COMPARE_KIND_WORSE}, 0},
    {"not measured", {P, kNan}, {P, 3}, {v1::COMPARE_KIND_SAME}},
    {"not measured either", {P, 3}, {P, kNan}, {v1::COMPARE_KIND_SAME}},
    {"to infinity", {F, 3}, {F, kInf}, {v1::COMPARE_KIND_WORSE}, 0},
    {"infinity stays", {F, kInf}, {F, kInf}, {v1::COMPARE_KIND_SAME}},
    {"slower", {P, 1, 100}, {P, 1, 200}, {v1::COMPARE_KIND_SLOWER}, 2},
    {"faster", {P, 1, 200}, {P, 1, 100}, {v1::COMPARE_KIND_FASTER}, 0.5},
    {"slower by less than the clock tells", {P, 1, 5}, {P, 1, 20}, {v1::COMPARE_KIND_SAME}},
    {"slower by less than the factor", {P, 1, 1000}, {P, 1, 1400}, {v1::COMPARE_KIND_SAME}},
    {"no time was taken", {P, 1, 0}, {P, 1, 500}, {v1::COMPARE_KIND_SAME}},
    {"worse and slower", {P, 1, 100}, {P, 5, 900}, {v1::COMPARE_KIND_WORSE, v1::COMPARE_KIND_SLOWER}, 5},
};

class DiffTest : public ModelTest {
 protected:
  static v1::RunOptions Library(const std::string& sha256) {
    v1::RunOptions options = server::MakeOptions("c");
    options.set_impl_sha256(sha256);
    return options;
  }
  static v1::Verdict VerdictOf(int i, const Side& side) {
    v1::Verdict verdict = server::MakeVerdict(i, side.outcome);
    verdict.set_call_us(side.call_us);
    v1::OutputStats& output = *verdict.add_outputs();
    output.set_key("out");
    output.set_max_z(side.max_z);
    output.set_rmse_ratio(1);  // a max_z of 0 counts as measured
    return verdict;
  }
};

TEST_F(DiffTest, EveryKind) {
  std::vector<v1::Verdict> in_a;
  std::vector<v1::Verdict> in_b;
  std::map<v1::CompareKind, int64_t> counts;
  for (size_t i = 0; i < std::size(kKindRows); ++i) {
    in_a.push_back(VerdictOf(static_cast<int>(i), kKindRows[i].a));
    in_b.push_back(VerdictOf(static_cast<int>(i), kKindRows[i].b));
    for (const v1::CompareKind kind : kKindRows[i].kinds) ++counts[kind];
  }
  std::string a;
  std::string b;
  for (int run = 0; run < 3; ++run) {
    a = Run(Library("before"), in_a);
    b = Run(Library("after"), in_b);
  }
  const auto diff = LoadDiff(*queries_, a, b);
  ASSERT_TRUE(diff.ok()) << diff.status();
  for (size_t i = 0; i < std::size(kKindRows); ++i) {
    const KindRow& row = kKindRows[i];
    std::vector<v1::CompareKind> kinds;
    for (const v1::CompareRow& found : diff->rows()) {
      if (found.case_id() != server::CaseId(static_cast<int>(i))) continue;
      if (kinds.empty()) {
        EXPECT_EQ(found.factor(), row.factor) << row.name;
      }
      kinds.push_back(found.kind());
      EXPECT_EQ(found.has_a(), row.a.outcome != None) << row.name;
      EXPECT_EQ(found.has_b(), row.b.outcome != None) << row.name;
    }
    if (kinds.empty()) kinds.push_back(v1::COMPARE_KIND_SAME);
    EXPECT_EQ(kinds, row.kinds) << row.name;
  }
  EXPECT_EQ(diff->counts_size(), std::ssize(CompareKinds()));
  for (const v1::CompareCount& count : diff->counts())
    EXPECT_EQ(count.cases(), counts[count.kind()]) << count.ShortDebugString();
  EXPECT_TRUE(
      std::is_sorted(diff->rows().begin(), diff->rows().end(),
                     [](const v1::CompareRow& x, const v1::CompareRow& y) { return x.kind() < y.kind(); }));
  EXPECT_FALSE(diff->same_variant());
  EXPECT_EQ(diff->comparison().ShortDebugString(),
            "identity: PART_LIBRARY times { kind: KIND_COMPARED runs_a: 3 runs_b: 3 needed: 3 }");
}

struct TimesCase {
  const char* name;
  std::vector<double> a;  // one per run
  std::vector<double> b;
  std::vector<v1::CompareKind> kinds;
  const char* times;
};

TEST_F(DiffTest, SlowerAndFasterNeedEvidence) {
  const TimesCase rows[] = {
      {"one noisy time", {100}, {900}, {}, "kind: KIND_TOO_FEW_RUNS runs_a: 1 runs_b: 1 needed: 3"},
      {"too few on one side",
       {100, 101, 99, 100},
       {900, 905},
       {},
       "kind: KIND_TOO_FEW_RUNS runs_a: 4 runs_b: 2 needed: 3"},
      {"ranges that overlap",
       {100, 110, 500},
       {300, 900, 950},
       {},
       "kind: KIND_COMPARED runs_a: 3 runs_b: 3 needed: 3"},
      {"within the machine's noise",
       {100, 110, 105},
       {120, 130, 125},
       {},
       "kind: KIND_COMPARED runs_a: 3 runs_b: 3 needed: 3"},
      {"apart",
       {100, 110, 105},
       {300, 290, 310},
       {v1::COMPARE_KIND_SLOWER},
       "kind: KIND_COMPARED runs_a: 3 runs_b: 3 needed: 3"},
      {"apart the other way",
       {300, 290, 310},
       {100, 110, 105, 90},
       {v1::COMPARE_KIND_FASTER},
       "kind: KIND_COMPARED runs_a: 3 runs_b: 4 needed: 3"},
  };
  for (const TimesCase& row : rows) {
    std::string a;
    std::string b;
    for (const double us : row.a)
      a = Run(Library(absl::StrCat(row.name, " before")), {VerdictOf(0, {P, 1, us})});
    for (const double us : row.b)
      b = Run(Library(absl::StrCat(row.name, " after")), {VerdictOf(0, {P, 1, us})});
    const auto diff = LoadDiff(*queries_, a, b);
    ASSERT_TRUE(diff.ok()) << diff.status();
    std::vector<v1::CompareKind> kinds;
    for (const v1::CompareRow& found : diff->rows()) kinds.push_back(found.kind());
    EXPECT_EQ(kinds, row.kinds) << row.name;
    EXPECT_EQ(diff->comparison().times().ShortDebugString(), row.times) << row.name;
    if (!kinds.empty()) {
      EXPECT_EQ(diff->rows(0).a().call_low_us(), *std::min_element(row.a.begin(), row.a.end())) << row.name;
      EXPECT_EQ(diff->rows(0).b().call_high_us(), *std::max_element(row.b.begin(), row.b.end())) << row.name;
    }
  }
}

TEST_F(DiffTest, TimesOfOtherMachinesAndOfRunsCutShortAreNoEvidence) {
  v1::RunOptions elsewhere = Library("before");
  elsewhere.set_host("another");
  std::string a;
  std::string b;
  for (int run = 0; run < 3; ++run) {
    Run(elsewhere, {VerdictOf(0, {P, 1, 100})});
    Begin(Library("before"), {VerdictOf(0, {P, 1, 100})});  // still running
    b = Run(Library("after"), {VerdictOf(0, {P, 1, 300})});
  }
  a = Run(Library("before"), {VerdictOf(0, {P, 1, 100})});
  const auto diff = LoadDiff(*queries_, a, b);
  EXPECT_TRUE(diff->rows().empty());
  EXPECT_EQ(diff->comparison().times().ShortDebugString(),
            "kind: KIND_TOO_FEW_RUNS runs_a: 1 runs_b: 3 needed: 3");
  EXPECT_EQ(LoadDiff(*queries_, b, b)->comparison().times().kind(),
            v1::RunComparison::Times::KIND_SAME_LIBRARY);
}

TEST_F(DiffTest, ACaseThatWasRewrittenIsNotCompared) {
  v1::Verdict before = server::MakeVerdict(0, P);
  v1::Verdict after = server::MakeVerdict(0, F);
  after.set_case_hash("rewritten");
  v1::RunOptions options = server::MakeOptions("c");
  const std::string a = Run(options, {before});
  options.set_impl_sha256("def");
  options.clear_contracts();
  options.set_agent_version("2");
  after.set_reference("another");
  const std::string b = Run(options, {after}, "another suite");
  auto diff = LoadDiff(*queries_, a, b);
  ASSERT_EQ(diff->rows_size(), 1);
  EXPECT_EQ(diff->rows(0).kind(), v1::COMPARE_KIND_REDEFINED);
  EXPECT_FALSE(diff->same_variant());
  diff->mutable_comparison()->clear_times();
  EXPECT_EQ(diff->comparison().ShortDebugString(),
            "identity: PART_LIBRARY identity: PART_CASES identity: PART_CONTRACTS judged: PART_REFERENCES "
            "judged: PART_AGENT_VERSION");
}

TEST_F(DiffTest, TheFactorsAreOptions) {
  const std::string a = Run(Library("before"), {VerdictOf(0, {P, 2, 100})});
  const std::string b = Run(Library("after"), {VerdictOf(0, {P, 3, 140})});
  EXPECT_TRUE(LoadDiff(*queries_, a, b)->rows().empty());
  DiffOptions options;
  options.error_factor = 1.2;
  options.time_factor = 1.2;
  options.time_runs = 1;
  EXPECT_EQ(LoadDiff(*queries_, a, b, options)->rows_size(), 2);
  EXPECT_TRUE(LoadDiff(*queries_, a, a)->rows().empty());
  EXPECT_TRUE(absl::IsNotFound(LoadDiff(*queries_, a, "x").status()));
  EXPECT_TRUE(absl::IsNotFound(LoadDiff(*queries_, "x", a).status()));
}

}  // namespace
}  // namespace diopi::reports
