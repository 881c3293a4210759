// The classes that all functions share: which arguments have them, and that the suite reaches each.
#include "cases/core/common_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "cases/core/argument_classes.h"
#include "cases/core/catalog.h"

namespace diopi::cases {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

using Counts = std::map<std::tuple<std::string, std::string, std::string>, int64_t>;

Counts CountsOf(const std::vector<CommonClass>& classes) {
  Counts counts;
  for (const CommonClass& each : classes) counts[{each.function, each.argument, each.name}] = each.cases;
  return counts;
}

// What the build made of the operators.
class BuiltinCommonTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto catalog = Catalog::LoadBuiltin().value();
    for (v1::OperatorFile op : catalog->operators()) {
      std::vector<v1::Case> cases = Expand(op, "x.textproto").value();
      std::vector<v1::Case> more = cases;
      counts_.merge(CountsOf(AddCommonPoints(&op, &more)));
      for (const v1::Case& c : cases) {
        for (const v1::Argument& arg : c.args())
          if (arg.has_scalar() && arg.scalar().dtype() == v1::Dtype::bool_) bools_.push_back(c.id());
      }
    }
  }
  static inline Counts counts_;
  static inline std::vector<std::string> bools_;
};

TEST_F(BuiltinCommonTest, NoScalarIsBool) {
  EXPECT_THAT(bools_, IsEmpty());
}

TEST_F(BuiltinCommonTest, EachClassIsReachedWhereDefectsWereReported) {
  for (const auto& [function, argument, names] :
       std::vector<std::tuple<std::string, std::string, std::vector<std::string>>>{
           {"diopiCat", "tensors", {"near24", "near31", "near53", "wide", "expanded", "offset"}},
           {"diopiRoll", "input", {"near24", "near53", "wide"}},
           {"diopiRepeat", "input", {"near24", "near53", "wide"}},
           {"diopiPermute", "input", {"near24", "near53", "wide"}},
           {"diopiExpand", "input", {"near24", "near53", "wide"}},
           {"diopiSplitWithSizes", "input", {"near24", "near53", "wide"}},
           {"diopiSelect", "input", {"near24", "near53", "wide"}},
           {"diopiSlice", "input", {"near24", "near53", "wide"}},
           {"diopiIndex", "input", {"near24", "near53", "wide"}},
           {"diopiMaskedSelect", "input", {"near24", "near53", "wide"}},
           {"diopiIndexSelect", "input", {"near24", "near53", "wide"}},
           {"diopiGather", "input", {"near24", "near53", "wide"}},
           {"diopiRemainder", "input", {"near24", "near53"}},
           {"diopiAddScalar", "other", {"near24", "near31", "near53"}},
           {"diopiForeachaddScalar", "other", {"near24", "near53"}},
           {"diopiForeachmulInpScalar", "other", {"near24", "near53"}},
           {"diopiEq", "other", {"near24", "near53", "transposed", "expanded", "offset"}},
           {"diopiConvolution2d", "weight", {"transposed", "strided", "offset", "nhwc"}},
           {"diopiLayerNorm", "weight", {"strided", "offset"}},
           {"diopiClampScalar", "min", {"fine24", "fine53"}},
           {"diopiMaximum", "other", {"payload", "permuted", "mixed", "mixed0d"}},
           {"diopiCastDtype", "input", {"payload", "permuted"}},
           {"diopiFloor", "input", {"detour"}},
           {"diopiBboxOverlapsMmcv", "bboxes2", {"far"}},
           {"diopiNms", "boxes", {"far"}},
           {"diopiLe", "other", {"detour"}},
           {"diopiCumsum", "input", {"payload"}},
           {"diopiGeluBackward", "grad_output", {"permuted"}},
           {"diopiSoftmax", "input", {"payload"}},
           {"diopiMatmul", "other", {"zerotimes"}},
           {"diopiConvolution2d", "input", {"zerotimes"}},
           {"diopiSgd", "dampening", {"alone"}},
           {"diopiAvgPool2d", "divisor_override", {"alone"}},
           {"diopiClampScalar", "min", {"alone"}},
           {"diopiScaledMaskedSoftmaxBackward", "scale", {"alone"}},
       }) {
    for (const std::string& name : names) {
      const auto found = counts_.find({function, argument, name});
      ASSERT_NE(found, counts_.end()) << function << " " << argument << " " << name;
      EXPECT_GE(found->second, kEnoughCases) << function << " " << argument << " " << name;
    }
  }
}

TEST_F(BuiltinCommonTest, EachDimensionIsLongInSomeCase) {
  for (const auto& [function, argument, names] :
       std::vector<std::tuple<std::string, std::string, std::vector<std::string>>>{
           {"diopiBmm", "input", {"long0", "long1", "long2"}},
           {"diopiConvolution2d", "input", {"long0", "long_m2", "long_m1"}},
           {"diopiMaxPool2d", "input", {"long0", "long1", "long_m2", "long_m1"}},
           {"diopiLayerNorm", "input", {"long0", "long_m1"}},
           {"diopiFlip", "input", {"long0", "long_m2", "long_m1"}},
           {"diopiEmbedding", "indices", {"long0"}},
           {"diopiAddInp", "input", {"long0"}},
       }) {
    for (const std::string& name : names)
      EXPECT_EQ((counts_[{function, argument, name}]), 1) << function << " " << name;
  }
}

TEST_F(BuiltinCommonTest, WhatASizeLimitsIsNoValue) {
  for (const auto& [function, argument] :
       std::vector<std::pair<std::string, std::string>>{{"diopiGather", "index"},
                                                        {"diopiIndexSelect", "index"},
                                                        {"diopiEmbedding", "indices"},
                                                        {"diopiNLLLoss", "target"},
                                                        {"diopiOneHot", "input"}}) {
    EXPECT_EQ(counts_.count({function, argument, "near24"}), 0) << function;
  }
}

// A file with one small point.
struct Extended {
  std::vector<CommonClass> classes;
  std::vector<v1::Case> cases;
};

Extended Extend(const std::string& text) {
  v1::OperatorFile op = ParseOperatorFile(text, "x.textproto").value();
  Extended result;
  result.cases = Expand(op, "x.textproto").value();
  const size_t written = result.cases.size();
  result.classes = AddCommonPoints(&op, &result.cases);
  const std::vector<v1::Case> again = Expand(op, "x.textproto").value();
  EXPECT_EQ(again.size(), result.cases.size()) << "the points give what was counted";
  for (size_t i = 0; i < again.size() && i < result.cases.size(); ++i) {
    EXPECT_EQ(again[i].hash(), result.cases[i].hash()) << again[i].id();
    EXPECT_EQ(again[i].smoke(), i < written) << "common points are not in suite smoke";
  }
  return result;
}

TEST(CommonClassesTest, EveryTensorGetsEveryLayout) {
  const Extended extended = Extend(R"(
operator: "x" family: "linear"
function { name: "diopiBmm" arg { name: "out" rule: "bmm" } judge { kind: ACCUMULATION } }
grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "input" shape: [2, 3, 4] } in { name: "mat2" shape: [2, 4, 5] } } }
)");
  EXPECT_THAT(CommonLines(extended.classes, "diopiBmm"),
              IsSupersetOf({"  input: transposed 3, strided 3, offset 3, expanded 3",
                            "  mat2: transposed 3, strided 3, offset 3, expanded 3",
                            "  out: transposed 3, strided 3, offset 3"}));
}

TEST(CommonClassesTest, AttributesAreVariedAlone) {
  const Extended extended = Extend(R"(
operator: "x" family: "elementwise"
function {
  name: "diopiAdd" judge { kind: MATH } arg { name: "out" like: "input" } arg { name: "alpha" default_value { i: 1 } }
  asked { that: "alpha != 3 || input_0 == 2" why: "left open here" }
}
grid { dtypes: float32
  point { label: "a" reveals: "r" in { name: "input" shape: [3] } in { name: "other" shape: [3] } }
  point { label: "b" reveals: "r" in { name: "input" shape: [4] } in { name: "other" shape: [4] } attr { name: "alpha" i: 2 } }
  point { label: "c" reveals: "r" in { name: "input" shape: [2] } in { name: "other" shape: [2] } attr { name: "alpha" i: 3 } }
}
)");
  const auto lines = CommonLines(extended.classes, "diopiAdd");
  EXPECT_THAT(lines, Contains("  alpha: alone 3"));
  for (const v1::Case& c : extended.cases)
    EXPECT_TRUE(c.args(3).scalar().i() != 3 || c.args(1).tensor().shape(0) == 2)
        << "rules are kept: " << c.id();
}

TEST(CommonClassesTest, WrittenTensorsShareNothingAndRulesAreKept) {
  const Extended extended = Extend(R"(
operator: "x" family: "elementwise"
function {
  name: "diopiAddInp" judge { kind: MATH } arg { name: "input" state: true } arg { name: "other" }
  arg { name: "alpha" default_value { i: 1 } }
  asked { that: "!other_expanded" why: "left open here" }
}
grid { dtypes: int64 point { label: "p" reveals: "r" in { name: "input" shape: [3, 4] } in { name: "other" shape: [3, 4] } } }
)");
  const Counts counts = CountsOf(extended.classes);
  EXPECT_EQ(counts.count({"diopiAddInp", "input", "expanded"}), 0);
  EXPECT_EQ(counts.at({"diopiAddInp", "other", "expanded"}), 0);
  EXPECT_GE(counts.at({"diopiAddInp", "other", "near53"}), 1);
  EXPECT_GE(counts.at({"diopiAddInp", "alpha", "near24"}), 1);
  EXPECT_EQ(counts.count({"diopiAddInp", "other", "wide"}), 0) << "sums overflow";
  std::vector<std::string> why;
  for (const CommonClass& each : extended.classes) why.push_back(each.why);
  EXPECT_THAT(why, Contains(HasSubstr("left open here")));
}

TEST(CommonClassesTest, DigitsFillIsOfTypesThatHoldIt) {
  const v1::Fill open;
  v1::Fill indices;
  indices.mutable_integers()->set_high(7);
  for (int64_t pattern = 0; pattern < kDigitPatterns; ++pattern) {
    EXPECT_TRUE(DigitsFill(v1::Dtype::int64, pattern, open).has_value()) << pattern;
    EXPECT_EQ(DigitsFill(v1::Dtype::int32, pattern, open).has_value(), pattern % 3 == 1 || pattern == 0)
        << pattern;
    EXPECT_FALSE(DigitsFill(v1::Dtype::int16, pattern, open).has_value()) << pattern;
    EXPECT_FALSE(DigitsFill(v1::Dtype::int64, pattern, indices).has_value()) << pattern;
  }
  const v1::Fill::Integers near = DigitsFill(v1::Dtype::int64, 6, open)->integers();
  EXPECT_TRUE(near.low() < -(int64_t{1} << 53) && near.high() > -(int64_t{1} << 53));
}

}  // namespace
}  // namespace diopi::cases
