#include "baselines/diagnose/alter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "cases/base/layout.h"
#include "cases/core/catalog.h"
#include "cases/fill/fill.h"
#include "cases/findings/finding_text.h"

namespace diopi::baselines {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<std::string> Texts(const v1::Case& c) {
  std::vector<std::string> texts;
  for (const AlteredCase& altered : AlterArguments(c)) texts.push_back(FindingText(altered.found));
  return texts;
}

v1::Argument* AddArgument(v1::Case* c, const std::string& name) {
  v1::Argument* arg = c->add_args();
  arg->set_name(name);
  return arg;
}

v1::TensorSpec* AddTensor(v1::Case* c, const std::string& name, v1::Role role, std::vector<int64_t> shape,
                          v1::Layout::Kind kind = v1::Layout::contiguous) {
  v1::Argument* arg = AddArgument(c, name);
  arg->set_role(role);
  v1::TensorSpec* spec = arg->mutable_tensor();
  spec->set_dtype(v1::Dtype::float32);
  spec->mutable_shape()->Assign(shape.begin(), shape.end());
  v1::Layout layout;
  layout.set_kind(kind);
  EXPECT_TRUE(ApplyLayout(layout, spec).ok());
  return spec;
}

v1::Case AddCase() {
  v1::Case c;
  c.set_id("add.float32.x");
  c.set_hash("h");
  c.set_operator_("add");
  c.set_function("diopiAdd");
  c.set_dtype(v1::Dtype::float32);
  AddTensor(&c, "out", v1::ROLE_OUTPUT, {2, 3});
  AddTensor(&c, "input", v1::ROLE_INPUT, {2, 3}, v1::Layout::transposed);
  AddTensor(&c, "other", v1::ROLE_INPUT, {2, 1});
  AddArgument(&c, "alpha")->mutable_scalar()->set_f(0.7);
  return c;
}

TEST(AlterArguments, ANumberBecomesNeutralAndNothingElseChanges) {
  const v1::Case c = AddCase();
  const AlteredCase altered = AlterArguments(c).front();
  EXPECT_EQ(FindingText(altered.found), "alpha taken as 1");
  EXPECT_EQ(altered.argument, "alpha");
  EXPECT_EQ(altered.c.args(3).scalar().f(), 1);
  EXPECT_EQ(altered.c.hash(), "");
  v1::Case back = altered.c;
  back.mutable_args(3)->mutable_scalar()->set_f(0.7);
  back.set_hash("h");
  EXPECT_EQ(back.SerializeAsString(), c.SerializeAsString());
}

TEST(AlterArguments, ANeutralNumberIsNotAltered) {
  v1::Case c = AddCase();
  c.mutable_args(3)->mutable_scalar()->set_f(1);
  EXPECT_THAT(Texts(c), Not(Contains("alpha taken as 1")));
}

TEST(AlterArguments, StridesAndBroadcastingAreReadInTheOrderOfMemory) {
  const v1::Case c = AddCase();
  EXPECT_THAT(Texts(c), IsSupersetOf({"input read in the order of memory",
                                      "other read one element after the other, not broadcast"}));
  const auto original = FillInputs(c);
  ASSERT_TRUE(original.ok());
  for (const AlteredCase& altered : AlterArguments(c)) {
    if (altered.argument != "input" && altered.argument != "other") continue;
    const auto inputs = FillInputs(altered.c);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    const HostTensor& before = original->at(altered.argument);
    const HostTensor& after = inputs->at(altered.argument);
    EXPECT_EQ(after.shape, (std::vector<int64_t>{2, 3}));
    for (int i = 0; i < 6; ++i) {
      // A transposed 2 by 3: memory holds (0,0) (1,0) (0,1) (1,1) (0,2) (1,2).
      const int from = altered.argument == "input" ? (i % 2) * 3 + i / 2 : i % 2;
      EXPECT_EQ(ElementAsDouble(after.dtype, after.data.data(), i),
                ElementAsDouble(before.dtype, before.data.data(), from))
          << FindingText(altered.found) << " " << i;
    }
  }
}

TEST(AlterArguments, GapsAndRepeatedElementsAreNotRead) {
  v1::Case c;
  c.set_function("diopiExp");
  AddTensor(&c, "out", v1::ROLE_OUTPUT, {2, 3});
  AddTensor(&c, "input", v1::ROLE_INPUT, {2, 3}, v1::Layout::strided);
  EXPECT_TRUE(AlterArguments(c).empty());
}

TEST(AlterArguments, SizesFlagsAndOptionalTensorsOfAConvolution) {
  v1::Case c;
  c.set_function("diopiConvolution2d");
  AddTensor(&c, "bias", v1::ROLE_INPUT, {4});
  AddTensor(&c, "weight", v1::ROLE_INPUT, {4, 2, 3, 3});
  for (const int64_t size : {2, 1}) {
    if (size == 2) AddArgument(&c, "padding");
    c.mutable_args(2)->mutable_sizes()->add_values(size);
  }
  AddArgument(&c, "groups")->set_i(2);
  EXPECT_THAT(Texts(c),
              ::testing::ElementsAre("groups taken as 1", "padding taken as 0",
                                     "padding's two values swapped", "padding's first value taken for both",
                                     "padding's second value taken for both", "bias ignored"));
}

TEST(AlterArguments, EnumerationsAndSpellings) {
  v1::Case c;
  c.set_function("diopiMSELoss");
  AddArgument(&c, "reduction")->set_i(1);
  EXPECT_THAT(Texts(c), ::testing::ElementsAre("reduction taken as 'none'", "reduction taken as 'sum'"));
  v1::Case gelu;
  gelu.set_function("diopiGelu");
  AddArgument(&gelu, "approximate")->set_s("tanh");
  EXPECT_THAT(Texts(gelu), ::testing::ElementsAre("approximate taken as 'none'"));
}

TEST(AlterArguments, TwinFunctionsAndTheGradientFromAbove) {
  v1::Case c;
  c.set_function("diopiAdamW");
  EXPECT_THAT(Texts(c), ::testing::ElementsAre("diopiAdamW taken as diopiAdam"));
  EXPECT_EQ(AlterArguments(c)[0].c.function(), "diopiAdam");
  c.set_function("diopiReluBackward");
  AddTensor(&c, "grad_output", v1::ROLE_INPUT, {4});
  EXPECT_THAT(Texts(c), ::testing::ElementsAre("grad_output taken as 1"));
  const auto inputs = FillInputs(AlterArguments(c)[0].c);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ(ElementAsDouble(v1::Dtype::float32, inputs->at("grad_output").data.data(), 3), 1);
}

// The whole of suite core: every altered case differs, says what in, and has inputs.
TEST(AlterArguments, EveryCaseOfSuiteCore) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto cases = (*catalog)->Select({});
  ASSERT_TRUE(cases.ok()) << cases.status();
  size_t altered_cases = 0;
  std::map<std::tuple<std::string, std::string, int>, int> filled;  // by function, alteration and dtype
  for (const v1::Case& c : *cases) {
    v1::Case original = c;
    original.clear_hash();
    const std::string bytes = original.SerializeAsString();
    std::set<std::string> texts;
    for (const AlteredCase& altered : AlterArguments(c)) {
      ++altered_cases;
      const std::string text = FindingText(altered.found);
      EXPECT_NE(altered.c.SerializeAsString(), bytes) << c.id() << ": " << text;
      EXPECT_TRUE(texts.insert(text).second) << c.id() << ": " << text;
      if (++filled[{c.function(), text, c.dtype()}] > 4) continue;
      EXPECT_TRUE(FillInputs(altered.c).ok()) << c.id() << ": " << text;
    }
  }
  EXPECT_GE(altered_cases, cases->size());
}

}  // namespace
}  // namespace diopi::baselines
