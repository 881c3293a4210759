// What a file takes from shared sets stands for the same cases as when it is written out.
#include "cases/core/point_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/core/catalog.h"
#include "cases/core/core_testing.h"
#include "cases/core/operator_file.h"

namespace diopi::cases {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

// "id hash" of each case.
std::vector<std::string> HashesOf(const std::string& text) {
  std::vector<std::string> hashes;
  for (const v1::Case& c : CasesInOrder(text)) hashes.push_back(absl::StrCat(c.id(), " ", c.hash()));
  return hashes;
}

constexpr char kSetsHead[] = R"(operator: "x" family: "y" )";
constexpr char kSin[] = R"(
function {
  name: "diopiSin"
  arg { name: "out" like: "input" promote: ["input"] float_result: true }
  judge { kind: MATH kf: 4 }
}
function {
  name: "diopiSinInp" variant: "inplace"
  arg { name: "input" state: true promote: ["input"] float_result: true }
  judge { kind: MATH kf: 4 }
}
)";
constexpr char kPoint[] = R"(
grid {
  dtypes: [float32]
  point { label: "p" reveals: "r" in { name: "input" shape: [5] } }
}
)";

TEST(PointSetsTest, FunctionsOfASetAreThoseWrittenOut) {
  const std::string taken = R"(functions { set: "unary_float" name: "Sin" judge { kind: MATH kf: 4 } })";
  const std::vector<std::string> hashes = HashesOf(absl::StrCat(kSetsHead, taken, kPoint));
  EXPECT_EQ(hashes.size(), 2U);
  EXPECT_THAT(hashes, UnorderedElementsAreArray(HashesOf(absl::StrCat(kSetsHead, kSin, kPoint))));
}

TEST(PointSetsTest, AFileAddsToAFunctionOfTheSetAndLeavesVariantsOut) {
  const std::string skips = R"(
functions { set: "unary_float" name: "Sin" judge { kind: MATH kf: 4 } }
function { name: "diopiSinInp" skip_dtypes: [float32] why: "w" }
)";
  const std::string without = R"(
functions { set: "unary_float" name: "Sin" without: "inplace" judge { kind: MATH kf: 4 } }
)";
  for (const std::string& functions : {skips, without}) {
    const std::vector<v1::Case> cases = CasesInOrder(absl::StrCat(kSetsHead, functions, kPoint));
    ASSERT_EQ(cases.size(), 1U) << functions;
    EXPECT_EQ(cases[0].id(), "x.float32.p");
  }
}

TEST(PointSetsTest, AGridGivesItsPointsWhatTheyLack) {
  const std::string given = R"(
function { name: "diopiSoftmax" arg { name: "out" like: "input" } judge { kind: COMPOSITION } }
grid {
  dtypes: [float32]
  in { name: "input" fill { normal { std: 3 } } }
  attr { name: "dim" i: 1 }
  point { label: "p" reveals: "r" in { name: "input" shape: [2, 5] } }
  point { label: "q" reveals: "r" in { name: "input" shape: [2, 5] fill { constant { value: 1 } } } attr { name: "dim" i: 0 } }
}
)";
  const std::string written = R"(
function { name: "diopiSoftmax" arg { name: "out" like: "input" } judge { kind: COMPOSITION } }
grid {
  dtypes: [float32]
  point { label: "p" reveals: "r" in { name: "input" shape: [2, 5] fill { normal { std: 3 } } } attr { name: "dim" i: 1 } }
  point { label: "q" reveals: "r" in { name: "input" shape: [2, 5] fill { constant { value: 1 } } } attr { name: "dim" i: 0 } }
}
)";
  const std::vector<std::string> hashes = HashesOf(absl::StrCat(kSetsHead, given));
  EXPECT_EQ(hashes.size(), 2U);
  EXPECT_THAT(hashes, UnorderedElementsAreArray(HashesOf(absl::StrCat(kSetsHead, written))));
}

TEST(PointSetsTest, AUsePutsItsPrefixBeforeEveryLabel) {
  const std::string text = R"(grid { dtype_sets: floating use { set: "layouts" prefix: "new_" } })";
  const std::vector<v1::Case> cases = CasesInOrder(absl::StrCat(kSetsHead, kSin, text));
  ASSERT_FALSE(cases.empty());
  for (const v1::Case& c : cases) EXPECT_THAT(c.label(), testing::StartsWith("new_"));
}

TEST(PointSetsTest, AClassThatNamesATensorTwiceGivesTheList) {
  const std::string text = R"(
function { name: "diopiCat" arg { name: "out" rule: "cat" } judge { kind: EXACT } }
cover {
  dtypes: [float32] attr { name: "dim" i: 0 }
  axis { name: "n" numbers { values: [3, 5] } }
  axis { name: "parts" class { name: "two" in { name: "tensors" dims: "n" } in { name: "tensors" dims: "2" } } }
  axis { name: "layout" class { name: "dense" } class { name: "strided" in { name: "tensors" layout { kind: strided } } } }
}
)";
  const std::vector<v1::Case> cases = CasesInOrder(absl::StrCat(kSetsHead, text));
  ASSERT_EQ(cases.size(), 4U);
  for (const v1::Case& c : cases) {
    const auto tensors = std::find_if(c.args().begin(), c.args().end(),
                                      [](const v1::Argument& arg) { return arg.name() == "tensors"; });
    ASSERT_NE(tensors, c.args().end());
    ASSERT_EQ(tensors->tensors().tensors_size(), 2) << c.id();
    EXPECT_EQ(tensors->tensors().tensors(1).shape(0), 2);
    const bool strided = c.label().find("strided") != std::string::npos;
    for (const v1::TensorSpec& spec : tensors->tensors().tensors())
      EXPECT_EQ(spec.strides(0), strided ? 2 : 1);
  }
}

TEST(PointSetsTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"(functions { set: "unary_flat" name: "Sin" })",
       "no set 'unary_flat' in cases/sets; nearest: unary_float"},
      {R"(functions { set: "layouts" name: "Sin" })", "the set 'layouts' has no functions"},
      {R"(functions { set: "unary_float" name: "Sine" judge { kind: MATH } })",
       "the ABI has no function 'diopiSine'"},
  };
  for (const auto& [text, why] : rows) {
    const absl::StatusOr<v1::OperatorFile> op =
        ParseOperatorFile(absl::StrCat(kSetsHead, text, kPoint), "x.textproto");
    EXPECT_THAT(std::string(op.status().message()), HasSubstr(why)) << text;
  }
}

}  // namespace
}  // namespace diopi::cases
