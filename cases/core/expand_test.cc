#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "cases/core/call_variables.h"
#include "cases/core/catalog.h"
#include "cases/core/core_testing.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Ids(const std::map<std::string, v1::Case>& cases) {
  std::vector<std::string> ids;
  ids.reserve(cases.size());
  for (const auto& [id, c] : cases) ids.push_back(id);
  return ids;
}

std::string SpecText(const v1::TensorSpec& spec) {
  return absl::StrCat(std::string(DtypeName(spec.dtype())),
                      ShapeText({spec.shape().begin(), spec.shape().end()}),
                      spec.from().empty() ? "" : " from ", spec.from());
}

// "out float32(2, 3)", "indices [null, int64(3,)]", "bias null", "dim 1".
std::string ArgText(const v1::Case& c, const std::string& name) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() != name) continue;
    if (arg.has_tensor()) return SpecText(arg.tensor());
    if (arg.null()) return "null";
    if (arg.value_case() == v1::Argument::kI) return absl::StrCat(arg.i());
    if (arg.value_case() == v1::Argument::VALUE_NOT_SET) return "not set";
    if (!arg.has_tensors()) return arg.ShortDebugString();
    std::string text = "[";
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      const bool null = i < arg.tensors().null_size() && arg.tensors().null(i);
      absl::StrAppend(&text, i == 0 ? "" : ", ", null ? "null" : SpecText(arg.tensors().tensors(i)));
    }
    return text + "]";
  }
  return "no such argument";
}

const v1::Judge& JudgeOf(const v1::Case& c, const std::string& output) {
  for (const v1::Judge& judge : c.judges()) {
    if (judge.output() == output) return judge;
  }
  return v1::Judge::default_instance();
}

constexpr char kAdd[] = R"(operator: "add" family: "elementwise"
  function { name: "diopiAdd" arg { name: "out" broadcast: ["input", "other"] promote: ["input", "other"] }
             judge { kind: MATH kf: 0.5 } }
  function { name: "diopiAddInp" variant: "inplace"
             arg { name: "input" state: true broadcast: ["input", "other"] promote: ["input", "other"] }
             judge { kind: MATH } }
  function { name: "diopiAddScalar" variant: "scalar" arg { name: "out" like: "input" promote: ["input", "other"] }
             judge { kind: MATH } skip_dtypes: int8 why: "for the test" }
  grid { dtypes: [float16, int32, int8] point { label: "POINT" reveals: "r" PLACE } }
)";

std::map<std::string, v1::Case> AddCases(const std::string& point) {
  return CasesOf(absl::StrReplaceAll(kAdd, {{"POINT", "p"}, {"PLACE", point}}));
}

TEST(ExpandTest, ATensorAndAScalarGoToTheirFunctions) {
  EXPECT_THAT(
      Ids(AddCases(
          R"(in { name: "input" shape: 4 } in { name: "other" shape: 4 } attr { name: "alpha" i: 2 })")),
      ElementsAre("add.float16.p", "add.inplace.float16.p", "add.inplace.int32.p", "add.inplace.int8.p",
                  "add.int32.p", "add.int8.p"));
  EXPECT_THAT(
      Ids(AddCases(
          R"(in { name: "input" shape: 4 } attr { name: "other" i: 3 } attr { name: "alpha" i: 2 })")),
      ElementsAre("add.scalar.float16.p", "add.scalar.int32.p"));
}

TEST(ExpandTest, InPlaceIsLeftOutWhereTheResultDoesNotFit) {
  EXPECT_THAT(Ids(AddCases(R"(dtypes: int32 in { name: "input" shape: 4 } in { name: "other" shape: [2, 4] }
                      attr { name: "alpha" i: 2 })")),
              ElementsAre("add.int32.p"));
  EXPECT_THAT(
      Ids(AddCases(
          R"(dtypes: int32 in { name: "input" shape: 4 } in { name: "other" shape: 4 dtype: "float32" }
                      attr { name: "alpha" i: 2 })")),
      ElementsAre("add.int32.p"));
  EXPECT_THAT(
      Ids(AddCases(R"(dtypes: int32 in { name: "input" shape: [2, 4] layout { kind: expanded dims: 0 } }
                      in { name: "other" shape: 4 } attr { name: "alpha" i: 2 })")),
      ElementsAre("add.int32.p"));
}

// `asked` of diopiAdd; the other function takes every point, so that a point is never without one.
TEST(ExpandTest, WhatIsNotAskedIsLeftOut) {
  constexpr char kPoint[] =
      R"(dtypes: int32 in { name: "input" shape: [2, 4] fill { integers { low: 1 high: 3 } } }
      in { name: "other" shape: [2, 4] layout { kind: expanded dims: 0 } } attr { name: "alpha" f: inf })";
  const auto text = [&](const std::string& that) {
    return absl::StrReplaceAll(
        kAdd, {{"judge { kind: MATH kf: 0.5 }",
                absl::StrCat("judge { kind: MATH } asked { that: \"", that, "\" why: \"w\" }")},
               {"POINT", "p"},
               {"PLACE", kPoint}});
  };
  const struct {
    const char* that;
    bool asked;
  } rows[] = {
      {"input_m1 == 4 && input_0 == 2 && input_rank == 2", true},
      {"input_m1 == 3", false},
      {"alpha_inf && alpha_whole", true},
      {"!alpha_inf || input_integers", true},
      {"out_integers", false},
      {"other_expanded_m2 && !other_expanded_m1", true},
      {"input_expanded_m2", false},
      {"input_patterned", false},
      {"input_specials", false},
      {"input_listed", false},
      {"input_lognormal", false},
      {"input_full_lines == 2", true},
      {"other_expanded && !input_expanded && !input_permutation", true},
      {"input_least == 1 && input_greatest == 3 && input_sum == -1", true},
      {"out_least < 0 && out_greatest > 1000", true},
      {"dtype_int32", true},
      {"dtype_float16", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(CasesOf(text(row.that)).contains("add.int32.p"), row.asked) << row.that;
    EXPECT_TRUE(CasesOf(text(row.that)).contains("add.inplace.int32.p")) << row.that;
  }
  const auto op = ParseOperatorFile(text("nothing == 1"), "x.textproto");
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_THAT(Expand(*op, "x.textproto").status().message(),
              HasSubstr("'nothing == 1': a variable has no value"));
}

TEST(ExpandTest, NumbersFitNarrowTypesOrNot) {
  const struct {
    Dtype dtype;
    int64_t number;
    int64_t fits;
  } rows[] = {{v1::Dtype::uint8, 255, 1},    {v1::Dtype::uint8, 256, 0},    {v1::Dtype::uint8, -1, 0},
              {v1::Dtype::int8, -128, 1},    {v1::Dtype::int8, 128, 0},     {v1::Dtype::int16, 32767, 1},
              {v1::Dtype::int16, -32769, 0}, {v1::Dtype::int32, 1 << 20, 1}};
  for (const auto& row : rows) {
    v1::Case c;
    c.set_dtype(row.dtype);
    v1::Argument* number = c.add_args();
    number->set_name("other");
    number->mutable_scalar()->set_i(row.number);
    EXPECT_EQ(CallVariables(c).Value("other_fits").value(), row.fits) << DtypeName(row.dtype) << row.number;
  }
}

TEST(ExpandTest, ListsSayTheirSumStepAndWhetherValuesAreDistinct) {
  v1::Case c;
  v1::Argument* lengths = c.add_args();
  lengths->set_name("lengths");
  for (const int64_t value : {2, 5, 6}) lengths->mutable_sizes()->add_values(value);
  v1::Argument* dim = c.add_args();
  dim->set_name("dim");
  dim->set_i(1);
  for (const auto& [name, values] : std::vector<std::pair<std::string, std::vector<double>>>{
           {"once", {1, 2, 2, 1}}, {"twice", {1, 1, 2, 3}}}) {
    v1::Argument* index = c.add_args();
    index->set_name(name);
    index->set_role(v1::ROLE_INPUT);
    v1::TensorSpec* spec = index->mutable_tensor();
    spec->set_dtype(v1::Dtype::int64);
    for (int i = 0; i < 2; ++i) spec->add_shape(2);
    for (const int64_t stride : {2, 1}) spec->add_strides(stride);
    spec->set_storage_elements(4);
    for (const double value : values) spec->mutable_fill()->mutable_values()->add_values(value);
  }
  const CallVariables variables(c);
  for (const auto& [expression, value] : std::vector<std::pair<std::string, int64_t>>{{"lengths_sum", 13},
                                                                                      {"lengths_step", 3},
                                                                                      {"lengths_least", 2},
                                                                                      {"lengths_greatest", 6},
                                                                                      {"once_distinct", 1},
                                                                                      {"twice_distinct", 0}})
    EXPECT_EQ(variables.Value(expression).value(), value) << expression;
}

// weight's rule is `channels`: a point that gives another shape is refused.
TEST(ExpandTest, AGivenInputHasTheShapeThatItsRuleComputes) {
  const auto text = [](int64_t size) {
    return absl::StrCat(R"(operator: "x" family: "normalization"
function { name: "diopiBatchNorm" judge { kind: COMPOSITION }
  arg { name: "out" like: "input" } arg { name: "save_mean" rule: "channels" } arg { name: "save_invstd" rule: "channels" }
  arg { name: "weight" rule: "channels" } arg { name: "bias" rule: "channels" }
  arg { name: "running_mean" state: true optional: true } arg { name: "running_var" state: true optional: true }
  arg { name: "eps" default_value { f: 0.001 } } arg { name: "momentum" default_value { f: 0.3 } } arg { name: "training" default_value { b: true } } }
grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "input" shape: [2, 3] } in { name: "weight" shape: [)",
                        size, "] } } }");
  };
  EXPECT_TRUE(Expand(*ParseOperatorFile(text(3), "x.textproto"), "x.textproto").ok());
  EXPECT_THAT(
      std::string(Expand(*ParseOperatorFile(text(4), "x.textproto"), "x.textproto").status().message()),
      HasSubstr("`weight` does not have the shape that the other arguments need"));
}

TEST(ExpandTest, PromotionKnowsZeroDimTensorsAndScalars) {
  struct {
    const char* other;
    const char* id;
    const char* out;
  } const cases[] = {
      {R"(in { name: "other" shape: 3 dtype: "float64" })", "add.float16.p", "float64(3,)"},
      {R"(in { name: "other" dtype: "float64" })", "add.float16.p", "float16(3,)"},
      {R"(in { name: "other" dtype: "float64" })", "add.int32.p", "float64(3,)"},
      {R"(in { name: "other" dtype: "int64" })", "add.int8.p", "int8(3,)"},
      {R"(in { name: "other" shape: 3 dtype: "uint8" })", "add.int8.p", "int16(3,)"},
      {R"(attr { name: "other" f: 2.5 })", "add.scalar.float16.p", "float16(3,)"},
      {R"(attr { name: "other" f: 2.5 })", "add.scalar.int32.p", "float32(3,)"},
      {R"(attr { name: "other" b: true })", "add.scalar.int32.p", "int32(3,)"},
  };
  for (const auto& c : cases) {
    auto expanded =
        AddCases(absl::StrCat(R"(in { name: "input" shape: 3 } attr { name: "alpha" i: 2 } )", c.other));
    EXPECT_EQ(ArgText(expanded[c.id], "out"), c.out) << c.other << ' ' << c.id;
  }
}

TEST(ExpandTest, ScalarsCarryTheirTypes) {
  auto cases = AddCases(R"(dtypes: float16 in { name: "input" shape: 4 }
      attr { name: "other" scalar { dtype: "float32" i: 3 } } attr { name: "alpha" b: true })");
  const v1::Case& c = cases["add.scalar.float16.p"];
  EXPECT_EQ(c.args(2).scalar().ShortDebugString(), "dtype: float32 f: 3");
  EXPECT_EQ(c.args(3).scalar().ShortDebugString(), "dtype: int64 i: 1");
}

TEST(ExpandTest, IntegersAreJudgedExactly) {
  auto cases =
      AddCases(R"(in { name: "input" shape: 4 } in { name: "other" shape: 4 } attr { name: "alpha" i: 2 })");
  EXPECT_EQ(JudgeOf(cases["add.float16.p"], "out").ShortDebugString(), "output: \"out\" kind: MATH kf: 0.5");
  EXPECT_EQ(JudgeOf(cases["add.int32.p"], "out").ShortDebugString(), "output: \"out\" kind: EXACT");
}

TEST(ExpandTest, FunctionsOfAPointSeeTheSameInputs) {
  auto cases =
      AddCases(R"(in { name: "input" shape: 4 } in { name: "other" shape: 4 } attr { name: "alpha" i: 2 })");
  absl::StatusOr<TensorMap> out_of_place = FillInputs(cases["add.float16.p"]);
  absl::StatusOr<TensorMap> in_place = FillInputs(cases["add.inplace.float16.p"]);
  ASSERT_TRUE(out_of_place.ok() && in_place.ok());
  ASSERT_EQ(in_place->size(), 2U);
  for (const auto& [key, tensor] : *in_place) EXPECT_EQ(tensor.data, out_of_place->at(key).data) << key;
}

TEST(ExpandTest, LayoutsOfInputsAndOutputs) {
  auto cases = AddCases(R"(dtypes: float16 functions: "diopiAdd"
      in { name: "input" shape: [2, 3] layout { kind: offset } } in { name: "other" }
      attr { name: "alpha" i: 2 } out_layout { kind: transposed })");
  const v1::Case& c = cases["add.float16.p"];
  EXPECT_THAT(c.args(0).tensor().strides(), ElementsAre(1, 2));
  EXPECT_EQ(c.args(1).tensor().storage_offset(), 1);
  EXPECT_EQ(c.args(0).tensor().fill().kind_case(), v1::Fill::KIND_NOT_SET);
}

TEST(ExpandTest, HashesFollowContentAndNotWords) {
  constexpr char kPoint[] =
      R"(in { name: "input" shape: 4 } in { name: "other" shape: 4 } attr { name: "alpha" i: 2 })";
  auto cases = AddCases(kPoint);
  // Stable across machines and builds; a change of it makes every stored baseline stale.
  EXPECT_EQ(cases["add.float16.p"].hash(), "51f542b1dc96d583f8cb0c9e311e28bd");
  EXPECT_EQ(cases["add.inplace.int32.p"].hash(), "28417bf0045efdd762fd02fab1777dad");
  auto other =
      AddCases(R"(in { name: "input" shape: 4 } in { name: "other" shape: 4 } attr { name: "alpha" i: 3 })");
  EXPECT_NE(cases["add.float16.p"].hash(), other["add.float16.p"].hash());
  const std::string words = absl::StrReplaceAll(
      kAdd, {{"POINT", "p"}, {"PLACE", kPoint}, {"reveals: \"r\"", "reveals: \"other words\""}});
  EXPECT_EQ(CasesOf(words)["add.float16.p"].hash(), cases["add.float16.p"].hash());
}

TEST(ExpandTest, ABackwardTakesWhatTheForwardSaved) {
  auto cases = CasesOf(R"(operator: "batch_norm" family: "normalization"
    function { name: "diopiBatchNorm" arg { name: "out" like: "input" }
      arg { name: "save_mean" rule: "channels" wide_floats: true }
      arg { name: "save_invstd" rule: "channels" wide_floats: true }
      arg { name: "weight" optional: true } arg { name: "bias" optional: true }
      arg { name: "running_mean" optional: true } arg { name: "running_var" optional: true }
      judge { kind: COMPOSITION } judge { output: "save_mean" kind: COMPOSITION only_if: "training" } }
    function { name: "diopiBatchNormBackward" variant: "backward"
      arg { name: "grad_input" like: "input" } arg { name: "grad_weight" like: "weight" }
      arg { name: "grad_bias" like: "weight" } arg { name: "grad_output" shape_of: "diopiBatchNorm.out" }
      arg { name: "weight" optional: true }
      arg { name: "running_mean" optional: true } arg { name: "running_var" optional: true }
      arg { name: "save_mean" from: "diopiBatchNorm.save_mean" }
      arg { name: "save_invstd" from: "diopiBatchNorm.save_invstd" } judge { kind: COMPOSITION } }
    grid { dtypes: float16
      point { label: "p" reveals: "r" in { name: "input" shape: [4, 3] } attr { name: "training" b: false }
              attr { name: "momentum" f: 0.2 } attr { name: "eps" f: 0.1 } } })");
  EXPECT_THAT(Ids(cases), ElementsAre("batch_norm.backward.float16.p", "batch_norm.float16.p"));
  const v1::Case& backward = cases["batch_norm.backward.float16.p"];
  EXPECT_EQ(ArgText(backward, "save_mean"), "float32(3,) from diopiBatchNorm.save_mean");
  EXPECT_EQ(ArgText(backward, "grad_output"), "float16(4, 3)");
  EXPECT_EQ(ArgText(backward, "grad_weight"), "null");
  EXPECT_EQ(ArgText(backward, "weight"), "null");
  ASSERT_EQ(backward.producers_size(), 1);
  const v1::Case& forward = cases["batch_norm.float16.p"];
  EXPECT_EQ(backward.producers(0).function(), "diopiBatchNorm");
  EXPECT_THAT(backward.producers(0).id(), IsEmpty());
  EXPECT_EQ(FillInputs(backward.producers(0))->at("input").data, FillInputs(forward)->at("input").data);
  EXPECT_EQ(FillInputs(backward)->count("save_mean"), 0U);
  EXPECT_EQ(backward.judges_size(), 1);  // null outputs have no judge
  EXPECT_EQ(JudgeOf(forward, "save_mean").kind(), v1::Judge::NOT_JUDGED);
  EXPECT_EQ(JudgeOf(forward, "save_mean").reason(), "`training` is false");
}

// What the caller puts into an output and what libraries may leave unwritten are checks of the worker's: the
// hash, which tells whether a baseline is up to date, does not know them.
TEST(ExpandTest, OutputsThatHoldAnInputOrMayStayUnwritten) {
  const std::string with = R"(operator: "conv2d" family: "convolution"
    function { name: "diopiConvolution2dBackward"
      arg { name: "grad_input" like: "input" holds: "input" } arg { name: "grad_weight" like: "weight" }
      arg { name: "grad_bias" like: "weight" } arg { name: "bias_sizes" optional: true }
      judge { kind: ACCUMULATION } judge { output: "grad_bias" kind: ACCUMULATION written_if: "bias_sizes" } }
    grid { dtypes: float32
      point { label: "PLACE" reveals: "r" in { name: "input" shape: [1, 1, 2, 2] } in { name: "weight" shape: [1, 1, 1, 1] }
        in { name: "grad_output" shape: [1, 1, 2, 2] } attr { name: "stride" sizes { values: [1, 1] } }
        attr { name: "padding" sizes { values: [0, 0] } } attr { name: "dilation" sizes { values: [1, 1] } }
        attr { name: "groups" i: 1 } SIZES } })";
  const auto expand = [](const std::string& text, const std::string& sizes) {
    return CasesOf(absl::StrReplaceAll(text, {{"SIZES", sizes}, {"PLACE", "p"}}))["conv2d.float32.p"];
  };
  const v1::Case null_sizes = expand(with, "");
  EXPECT_TRUE(JudgeOf(null_sizes, "grad_bias").may_stay_unwritten());
  EXPECT_EQ(JudgeOf(null_sizes, "grad_bias").written_if(), "");
  EXPECT_FALSE(JudgeOf(null_sizes, "grad_weight").may_stay_unwritten());
  EXPECT_EQ(null_sizes.args(0).name(), "grad_input");
  EXPECT_EQ(null_sizes.args(0).holds(), "input");
  const v1::Case sizes = expand(with, "attr { name: \"bias_sizes\" sizes { values: [1] } }");
  EXPECT_FALSE(JudgeOf(sizes, "grad_bias").may_stay_unwritten());

  const std::string without =
      absl::StrReplaceAll(with, {{" holds: \"input\"", ""}, {" written_if: \"bias_sizes\"", ""}});
  EXPECT_EQ(expand(without, "").hash(), null_sizes.hash());
}

TEST(ExpandTest, ListsCountThemselvesAndMayHoldNull) {
  auto cases = CasesOf(R"(operator: "index_put" family: "index"
    function { name: "diopiIndexPut" arg { name: "out" like: "input" } arg { name: "indices" dtype: "int64" }
               judge { kind: ACCUMULATION rounds_if: "accumulate" may_be_nondeterministic: true } }
    grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "input" shape: [4, 9] }
      in { name: "values" shape: [4, 3] } in { name: "indices" null: true }
      in { name: "indices" shape: [3] fill { integers { low: 0 high: 8 } } } attr { name: "accumulate" b: false } } })");
  const v1::Case& c = cases["index_put.float32.p"];
  EXPECT_EQ(ArgText(c, "indices"), "[null, int64(3,)]");
  EXPECT_EQ(ArgText(c, "indices_counts"), "2");
  EXPECT_EQ(JudgeOf(c, "out").ShortDebugString(), "output: \"out\" kind: EXACT");
  absl::StatusOr<TensorMap> inputs = FillInputs(c);
  ASSERT_TRUE(inputs.ok());
  EXPECT_EQ(inputs->count("indices.0"), 0U);
  EXPECT_EQ(inputs->count("indices.1"), 1U);
}

TEST(ExpandTest, HandlesOfOneListMayHaveUnlikeDtypes) {
  auto cases = CasesOf(R"(operator: "reduce" family: "voxels"
    function { name: "diopiDynamicPointToVoxelMmcv" arg { name: "outlist" next_dtypes: ["int64", "int32"] }
               judge { kind: COMPOSITION } }
    grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "feats" shape: [4, 2] }
      in { name: "coors" shape: [4, 3] dtype: "int32" } attr { name: "reduce_type" i: 0 } } })");
  const v1::Argument& list = cases["reduce.float32.p"].args(0);
  std::vector<Dtype> dtypes;
  for (const v1::TensorSpec& spec : list.tensors().tensors()) dtypes.push_back(spec.dtype());
  EXPECT_THAT(dtypes, testing::ElementsAre(v1::Dtype::float32, v1::Dtype::int64, v1::Dtype::int32,
                                           v1::Dtype::float32));
}

TEST(ExpandTest, OutputListsAndLibraryAndHostOutputs) {
  auto split = CasesOf(R"(operator: "split" family: "tensor"
    function { name: "diopiSplitWithSizes" arg { name: "outs" rule: "split_with_sizes" } judge { kind: EXACT } }
    grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "input" shape: [5, 2] }
      attr { name: "splitSizes" sizes { values: [1, 4] } } attr { name: "dim" i: 0 } } })");
  EXPECT_EQ(ArgText(split["split.float32.p"], "outs"), "[float32(1, 2), float32(4, 2)]");
  EXPECT_EQ(ArgText(split["split.float32.p"], "num_outs"), "2");
  auto nonzero = CasesOf(R"(operator: "nonzero" family: "set"
    function { name: "diopiNonzero" arg { name: "out" dtype: "int64" } judge { kind: EXACT } }
    grid { dtypes: bool point { label: "p" reveals: "r" in { name: "input" shape: [5, 2] } } })");
  EXPECT_EQ(nonzero["nonzero.bool.p"].args(0).role(), v1::ROLE_LIBRARY_OUTPUT);
  EXPECT_EQ(ArgText(nonzero["nonzero.bool.p"], "out"), "int64()");
  auto clip = CasesOf(R"(operator: "clip" family: "optimizer"
    function { name: "diopiClipGradNorm" arg { name: "error_if_nonfinite" default_value { b: false } }
               judge { kind: COMPOSITION } }
    grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "grads" shape: 2 } in { name: "grads" shape: 3 }
      attr { name: "max_norm" f: 2 } attr { name: "norm_type" i: 2 } } })");
  const v1::Case& c = clip["clip.float32.p"];
  EXPECT_EQ(c.args(0).host_output().dtype(), v1::Dtype::float64);
  EXPECT_EQ(ArgText(c, "num_grads"), "2");
  EXPECT_EQ(c.args(1).role(), v1::ROLE_INOUT);
  EXPECT_EQ(c.judges_size(), 2);
  EXPECT_EQ(c.args(4).f(), 2);
  EXPECT_FALSE(c.args(5).b());
}

TEST(ExpandTest, ScratchMemoryAndItsSizeNeedNothing) {
  const std::map<std::string, v1::Case> cases = CasesOf(R"(
      operator: "ffn" family: "decoding"
      function { name: "diopiFusedSiluFfnInp" judge { kind: COMPOSITION } }
      grid { dtypes: float16
        point { label: "p" reveals: "x" attr { name: "fusion_level" i: 0 } in { name: "inoutput" shape: [2, 3] }
          in { name: "weight1" shape: [3, 4] } in { name: "weight2" shape: [4, 3] } in { name: "weight3" shape: [3, 4] } } })");
  const v1::Case& c = cases.at("ffn.float16.p");
  EXPECT_EQ(c.args(4).name(), "workspace");
  EXPECT_EQ(c.args(4).role(), v1::ROLE_ATTRIBUTE);
  EXPECT_EQ(c.args(4).scratch(), v1::Dtype::float16);
  EXPECT_EQ(ArgText(c, "workspace_size"), "-1");
  ASSERT_EQ(c.judges_size(), 1);
  EXPECT_EQ(c.judges(0).output(), "inoutput");
}

TEST(ExpandTest, ASparseMatrixHasARowForEachRowStartButTheLast) {
  auto spmm = CasesOf(R"(operator: "spmm" family: "linear"
    function { name: "diopiSpMM" arg { name: "out" rule: "spmm" } arg { name: "input" sparse_columns: "mat2" }
               judge { kind: ACCUMULATION } }
    grid { dtypes: float32 point { label: "p" reveals: "r"
      in { name: "input" shape: 3 dtype: "int32" fill { values { values: [0, 2, 3] } } }
      in { name: "input" shape: 3 dtype: "int32" fill { values { values: [1, 4, 0] } } } in { name: "input" shape: 3 }
      in { name: "mat2" shape: [5, 7] } } })");
  const v1::Case& c = spmm["spmm.float32.p"];
  EXPECT_EQ(ArgText(c, "out"), "float32(2, 7)");
  const v1::TensorList& parts = c.args(1).tensors();
  EXPECT_EQ(parts.tensors_size(), 3);
  EXPECT_EQ(std::vector<int64_t>(parts.sparse_shape().begin(), parts.sparse_shape().end()),
            (std::vector<int64_t>{2, 5}));
}

TEST(ExpandTest, ACountOfGeneratorsIsGivenAndNotCounted) {
  auto sampling = CasesOf(R"(operator: "top_k_sampling" family: "sampling"
    function { name: "diopiTopKSampling" arg { name: "fusion_level" default_value { i: 0 } } judge { kind: EXACT } }
    grid { dtypes: float32 point { label: "p" reveals: "r"
      in { name: "output_ids" shape: [2, 3] dtype: "int32" } in { name: "logits" shape: [3, 4] }
      in { name: "end_ids" shape: 3 dtype: "int32" } in { name: "finished" shape: 3 dtype: "bool" }
      in { name: "sequence_lengths" shape: 3 dtype: "int32" } in { name: "runtime_top_k" shape: 3 dtype: "int32" }
      in { name: "runtime_top_p" shape: 3 } in { name: "skip_decode" shape: 3 dtype: "bool" }
      in { name: "cum_log_probs" shape: 3 } in { name: "output_log_probs" shape: 3 }
      attr { name: "step" i: 1 } attr { name: "batch_size" i: 3 } attr { name: "vocab_size_padded" i: 4 } } })");
  const v1::Case& c = sampling["top_k_sampling.float32.p"];
  EXPECT_EQ(ArgText(c, "batch_size"), "3");
  EXPECT_EQ(c.args(c.args_size() - 1).generator().seed(), 42U);
}

TEST(ExpandTest, GeneratorsAndEnumsAndAliases) {
  auto dropout = CasesOf(R"(operator: "dropout" family: "random"
    function { name: "diopiDropout" arg { name: "out" like: "input" } arg { name: "input" alias: "self" }
               arg { name: "mask" like: "input" dtype: "bool" } judge { kind: EXACT } }
    grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "self" shape: 3 } attr { name: "p" f: 0.3 }
      attr { name: "train" b: true } } })");
  const v1::Case& c = dropout["dropout.float32.p"];
  EXPECT_EQ(ArgText(c, "mask"), "bool(3,)");
  EXPECT_EQ(c.args(2).alias(), "self");
  EXPECT_EQ(FillInputs(c)->at("input").data, FillTensor(c.args(2).tensor(), GeneratorKey(c, "self"))->data);
  EXPECT_EQ(c.args(5).generator().seed(), 42U);
  auto loss = CasesOf(R"(operator: "mse" family: "loss"
    function { name: "diopiMSELoss" arg { name: "out" rule: "scalar" } judge { kind: COMPOSITION } }
    grid { dtypes: float32 point { label: "p" reveals: "r" in { name: "input" shape: 3 } in { name: "target" shape: 3 }
      attr { name: "reduction" s: "sum" } } })");
  EXPECT_EQ(ArgText(loss["mse.float32.p"], "reduction"), "2");
}

}  // namespace
}  // namespace diopi::cases
