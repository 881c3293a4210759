// Covering arrays, expressions and the covers of operator files.
#include "cases/core/cover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/tensor.h"
#include "cases/core/catalog.h"
#include "cases/core/core_testing.h"
#include "cases/core/covering.h"
#include "cases/core/expression.h"
#include "cases/core/operator_file.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ExpressionTest, Values) {
  const Variables variables = {{"n", "7"}, {"twice", "n * 2"}};
  const std::vector<std::pair<std::string, int64_t>> rows = {
      {"3", 3},
      {"n + 1", 8},
      {"2 * (n - 1)", 12},
      {"-n", -7},
      {"n / 2", 3},
      {"n % 4", 3},
      {"min(n, 3)", 3},
      {"max(twice, 3) - 1", 13},
      {"n == 7", 1},
      {"n != 7", 0},
      {"!(n < 7)", 1},
      {"n >= 7 && n <= 6", 0},
      {"n < 3 || n > 6", 1},
      {"1 + 2 * 3", 7},
      {"10 - 3 - 2", 5},
  };
  for (const auto& [text, value] : rows) {
    const absl::StatusOr<std::optional<int64_t>> result = Evaluate(text, variables);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, value) << text;
  }
  EXPECT_THAT(*EvaluateList("2, min(n, 9), twice", variables), ElementsAre(2, 7, 14));
}

TEST(ExpressionTest, UnknownVariablesDecideNothing) {
  const Variables variables = {{"n", "7"}};
  EXPECT_EQ(*Evaluate("m > 3", variables), std::nullopt);
  EXPECT_EQ(*Evaluate("m > 3 && n == 1", variables), 0);
  EXPECT_EQ(*Evaluate("m > 3 || n == 7", variables), 1);
  EXPECT_FALSE(EvaluateList("2, m", variables).ok());
}

TEST(ExpressionTest, DistinctIsTheMeanNumberOfThingsDrawn) {
  EXPECT_EQ(*Evaluate("distinct(256, 8, 16)", {}), 102);
  EXPECT_EQ(*Evaluate("distinct(8, 2, 1)", {}), 2);
  EXPECT_EQ(*Evaluate("distinct(8, 2, 0)", {}), 0);
  EXPECT_EQ(*Evaluate("distinct(256, 8, 4096)", {}), 256);
  EXPECT_EQ(*Evaluate("distinct(n, 1, 1)", {}), std::nullopt);
  for (const char* wrong :
       {"distinct(8, 9, 1)", "distinct(8, 0, 1)", "distinct(8, 1)", "distinct(8, 1, 0 - 1)"})
    EXPECT_FALSE(Evaluate(wrong, {}).ok()) << wrong;
}

TEST(ExpressionTest, HasLimits) {
  const std::string least = "(-9223372036854775807 - 1)";
  EXPECT_EQ(*Evaluate(least + " % -1", {}), 0);
  for (const std::string& text :
       {std::string("9223372036854775807 * 2"), std::string("9223372036854775807 + 1"), least + " - 1",
        least + " / -1", "-" + least}) {
    EXPECT_THAT(std::string(Evaluate(text, {}).status().message()), HasSubstr("does not fit into 64 bits"))
        << text;
  }
  for (const char* repeated : {"-", "!", "(", "min(", "log2("}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += repeated;
    const absl::Status status = Evaluate(text + "1", {}).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("nested too deeply")) << repeated;
    EXPECT_LT(status.message().size(), 500U);
  }
  Variables doubling = {{"v0", "1"}};  // 2^30 evaluations of v0
  for (int i = 1; i <= 30; ++i) doubling[absl::StrCat("v", i)] = absl::StrCat("v", i - 1, " + v", i - 1);
  EXPECT_EQ(*Evaluate("v10", doubling), 1024);
  EXPECT_THAT(std::string(Evaluate("v30", doubling).status().message()), HasSubstr("name others too often"));
}

TEST(ExpressionTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"n +", "a number or a variable was expected"},
      {"(n", "a parenthesis is not closed"},
      {"n n", "unexpected 'n'"},
      {"n / 0", "division by zero"},
      {"largest(n, 1)", "no function 'largest'"},
      {"self", "depend on itself"},
      {std::string(200, '('), "nested too deeply"},
  };
  const Variables variables = {{"n", "7"}, {"self", "self + 1"}};
  for (const auto& [text, why] : rows) {
    EXPECT_THAT(std::string(Evaluate(text, variables).status().message()), HasSubstr(why)) << text;
  }
}

// Every pair of classes of two axes, by brute force.
std::set<std::tuple<int, int, int, int>> PairsOf(const std::vector<Row>& rows) {
  std::set<std::tuple<int, int, int, int>> pairs;
  for (const Row& row : rows) {
    for (int a = 0; a < static_cast<int>(row.size()); ++a) {
      for (int b = a + 1; b < static_cast<int>(row.size()); ++b) {
        pairs.insert({a, row[static_cast<size_t>(a)], b, row[static_cast<size_t>(b)]});
      }
    }
  }
  return pairs;
}

CoverAxis Plain(int classes) {
  CoverAxis axis;
  for (int c = 0; c < classes; ++c) axis.group.push_back(c);
  axis.once.assign(static_cast<size_t>(classes), false);
  return axis;
}

TEST(CoveringTest, HoldsEveryPair) {
  const std::vector<CoverAxis> axes = {Plain(4), Plain(9), Plain(3), Plain(5), Plain(2)};
  const Covering covering = CoverPairs(axes, {}, [](const Row&) { return true; }, {});
  EXPECT_EQ(PairsOf(covering.rows).size(),
            4 * 9 + 4 * 3 + 4 * 5 + 4 * 2 + 9 * 3 + 9 * 5 + 9 * 2 + 3 * 5 + 3 * 2 + 10);
  EXPECT_EQ(covering.pairs, static_cast<int64_t>(PairsOf(covering.rows).size()));
  EXPECT_THAT(covering.impossible, testing::IsEmpty());
  EXPECT_LE(covering.rows.size(), 60U);  // 9 * 5 are needed
}

TEST(CoveringTest, PairsThatExcludeEachOtherAreNamed) {
  const std::vector<CoverAxis> axes = {Plain(3), Plain(3), Plain(2)};
  const std::vector<Constraint> constraints = {
      {{0, 1}, [](const Row& row) { return row[0] != 1 || row[1] != 2; }}};
  const Covering covering = CoverPairs(axes, constraints, [](const Row&) { return true; }, {});
  EXPECT_EQ(PairsOf(covering.rows).size(), 9U + 6 + 6 - 1);
  ASSERT_EQ(covering.impossible.size(), 1U);
  EXPECT_EQ(covering.impossible[0].a, 1);
  EXPECT_EQ(covering.impossible[0].b, 2);
}

TEST(CoveringTest, AClassThatIsRefusedAloneCostsNoOthers) {
  const std::vector<CoverAxis> axes = {Plain(4), Plain(4), Plain(4), Plain(4)};
  const Covering covering = CoverPairs(axes, {}, [](const Row& row) { return row[3] != 2; }, {});
  EXPECT_EQ(PairsOf(covering.rows).size(), 6U * 16 - 3 * 4);
}

// Each third class of an axis goes with each third class of the others alone: without looking ahead, most
// choices for the first axes leave nothing for the last.
TEST(CoveringTest, ConstraintsOverManyAxesLeaveNoPairUndecided) {
  const std::vector<CoverAxis> axes(8, Plain(6));
  std::vector<Constraint> constraints;
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      constraints.push_back({{a, b}, [a, b](const Row& row) {
                               return row[static_cast<size_t>(a)] % 3 == row[static_cast<size_t>(b)] % 3;
                             }});
    }
  }
  const Covering covering = CoverPairs(axes, constraints, [](const Row&) { return true; }, {});
  EXPECT_EQ(PairsOf(covering.rows).size(), 28U * 12);
  for (const Impossible& each : covering.impossible) EXPECT_FALSE(each.undecided);
}

TEST(CoveringTest, GroupsAreCoveredOnceAndEachClassToo) {
  CoverAxis grouped = Plain(6);
  grouped.group = {0, 0, 0, 1, 1, 1};
  const std::vector<CoverAxis> axes = {grouped, Plain(3)};
  const Covering covering = CoverPairs(axes, {}, [](const Row&) { return true; }, {});
  EXPECT_EQ(covering.rows.size(), 6U);  // 2 groups by 3 classes, in which each of the 6 sizes occurs
  std::set<int> sizes;
  for (const Row& row : covering.rows) sizes.insert(row[0]);
  EXPECT_EQ(sizes.size(), 6U);
}

TEST(CoveringTest, AnExpensiveClassHasOneRow) {
  CoverAxis sizes = Plain(5);
  sizes.once[4] = true;
  const Covering covering = CoverPairs({sizes, Plain(4)}, {}, [](const Row&) { return true; }, {});
  EXPECT_EQ(
      std::count_if(covering.rows.begin(), covering.rows.end(), [](const Row& row) { return row[0] == 4; }),
      1);
  EXPECT_EQ(covering.rows.size(), 4U * 4 + 1);
}

constexpr char kHead[] = R"(
operator: "x" family: "y"
function {
  name: "diopiAdd"
  arg { name: "out" broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
function {
  name: "diopiAddInp" variant: "inplace"
  arg { name: "input" state: true broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
)";

constexpr char kCover[] = R"(
cover {
  dtypes: [float32, float16]
  attr { name: "alpha" f: 2 }
  axis { name: "n" numbers { values: [1, 5, 33] } }
  axis {
    name: "other"
    class { name: "equal" in { name: "input" dims: "3, n" } in { name: "other" dims: "3, n" } }
    class { name: "row" in { name: "input" dims: "3, n" } in { name: "other" dims: "n" } }
    class { name: "grow" in { name: "input" dims: "n" } in { name: "other" dims: "2, n" } }
    class { name: "same" in { name: "input" dims: "3, n" } in { name: "other" same_as: "input" } }
  }
  axis {
    name: "layout"
    class { name: "dense" }
    class { name: "transposed" in { name: "input" layout { kind: transposed } } when: "n > 1" }
  }
}
)";

TEST(CoverTest, EveryPairHasACaseOfEveryFunctionThatTakesIt) {
  const std::map<std::string, v1::Case> cases = CasesOf(absl::StrCat(kHead, kCover));
  for (const std::string dtype : {"float32", "float16"}) {
    for (const std::string other : {"", "_row", "_grow", "_same"}) {
      bool out = false, inplace = false;
      for (const auto& [id, c] : cases) {
        const std::string& label = c.label();
        const bool has = other.empty() ? label.find("_row") + label.find("_grow") + label.find("_same") ==
                                             3 * std::string::npos
                                       : label.find(other) != std::string::npos;
        if (!has || v1::Dtype::Code_Name(c.dtype()) != dtype) continue;
        (c.function() == "diopiAdd" ? out : inplace) = true;
      }
      EXPECT_TRUE(out) << dtype << other;
      EXPECT_EQ(inplace, other != "_grow") << dtype << other;  // the input would have to grow
    }
  }
  EXPECT_EQ(cases.count("x.float32.n33_grow_transposed"), 0U);  // one dimension
  EXPECT_EQ(cases.count("x.float32.n1_transposed"), 0U);
}

TEST(CoverTest, TwoArgumentsMayBeOneTensor) {
  const std::map<std::string, v1::Case> cases = CasesOf(absl::StrCat(kHead, kCover));
  const auto same = std::find_if(cases.begin(), cases.end(), [](const auto& each) {
    return each.second.label().find("n33_same") != std::string::npos;
  });
  ASSERT_NE(same, cases.end());
  const v1::Case& c = same->second;
  EXPECT_EQ(c.args(2).tensor().same_as(), "input");
  EXPECT_EQ(c.args(2).tensor().strides(0), c.args(1).tensor().strides(0));
  const TensorMap inputs = *FillInputs(c);
  EXPECT_EQ(inputs.at("input").data, inputs.at("other").data);
}

TEST(CoverTest, ReachSaysWhatIsExcludedAndWhy) {
  const absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(absl::StrCat(kHead, kCover), "x.textproto");
  ASSERT_TRUE(op.ok()) << op.status();
  const absl::StatusOr<CoverCases> covered = ExpandCover(*op, op->cover(0));
  ASSERT_TRUE(covered.ok()) << covered.status();
  ASSERT_EQ(covered->reach.size(), 2U);
  const AxisReach& other = covered->reach[1].axes[2];
  EXPECT_EQ(other.axis, "other");
  EXPECT_THAT(other.reached, ElementsAre("equal", "row", "same"));
  EXPECT_THAT(other.excluded, ElementsAre("grow: `input` would have to become larger"));
}

TEST(UseTest, PrefixesLabelsAndRenamesArguments) {
  const std::map<std::string, v1::Case> cases = CasesOf(R"(
operator: "x" family: "y"
function { name: "diopiMm" arg { name: "out" rule: "matmul" } judge { kind: ACCUMULATION } }
grid { dtypes: float32
  use { set: "products" prefix: "matrix_" without: "k_1" role { name: "other" as: "mat2" } }
}
)");
  const auto found = cases.find("x.float32.matrix_k_33");
  ASSERT_NE(found, cases.end());
  EXPECT_EQ(found->second.args(2).name(), "mat2");
  EXPECT_THAT(found->second.args(2).tensor().shape(), ElementsAre(33, 5));
  EXPECT_EQ(cases.count("x.float32.matrix_k_1"), 0U);
}

TEST(CoverTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"(cover { set: "unry" dtypes: [float32] })",
       "x.textproto:13: no set 'unry' in cases/sets; nearest: unary"},
      {R"(cover { dtypes: [float32] })", "a cover needs a `set` or an `axis`"},
      {R"(cover { set: "unary" })", "a cover needs `dtypes` or `dtype_sets`"},
      {R"(cover { set: "unary" dtypes: [float32] left_out { axis: "rank" classes: "r9" why: "w" } })",
       "axis 'rank' has no class 'r9'"},
      {R"(cover { set: "unary" dtypes: [float32] left_out { axis: "rank" } })", "`left_out` needs `why`"},
      {R"(cover { dtypes: [float32] axis { name: "n" numbers { values: 1 } } condition { that: "n > 0" } })",
       "the condition 'n > 0' needs `why`"},
      {R"(cover { dtypes: [float32] axis { name: "n" use: "sises" } })", "no axis 'sises'"},
  };
  for (const auto& [text, why] : rows) {
    const absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(absl::StrCat(kHead, text), "x.textproto");
    EXPECT_THAT(std::string(op.status().message()), HasSubstr(why)) << text;
  }
  const std::string wrong =
      R"(cover { dtypes: [float32] axis { name: "n" numbers { values: 1 } } in { name: "input" dims: "k" } })";
  const absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(absl::StrCat(kHead, wrong), "x.textproto");
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_THAT(std::string(Expand(*op, "x.textproto").status().message()),
              HasSubstr("has a variable without a value"));
}

}  // namespace
}  // namespace diopi::cases
