#include "cases/explore/attributes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "google/protobuf/text_format.h"

namespace diopi::explore {
namespace {

// An operator with an attribute of each kind. `alpha` has a default and no point gives it.
class AttributesTest : public ::testing::Test {
 protected:
  AttributesTest() {
    v1::OperatorFile op;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        R"(function { name: "diopiX" arg { name: "alpha" default_value { f: 2 } } }
           grid { dtypes: float32
             point { in { name: "x" shape: [3, 9] } attr { name: "k" i: 2 } attr { name: "p" i: 2 } attr { name: "s" f: 0.5 } attr { name: "t" f: 0.3 }
                     attr { name: "mode" s: "mean" } attr { name: "kernel_size" sizes { values: [2, 3] } } attr { name: "alpha" f: 0 } }
             point { attr { name: "k" i: 6 } attr { name: "p" i: 4 } attr { name: "s" f: 4 } attr { name: "t" f: 0.9 } attr { name: "mode" s: "sum" }
                     attr { name: "kernel_size" sizes { values: [1, 1] } } attr { name: "alpha" f: 4 } } })",
        &op));
    rules_ = op.function(0);
    point_ = op.grid(0).point(0);
    point_.mutable_attr()->RemoveLast();
    vocabulary_ = VocabularyOf(op);
    abi::Param* scalar = function_.add_param();
    scalar->set_name("p");
    scalar->set_kind(abi::SCALAR_POINTER);
    options_ = {&rules_, &function_, &vocabulary_, v1::Dtype::float32};
  }
  // The values that an attribute gets in many changes.
  template <typename Change>
  std::set<std::string> Drawn(const std::string& name, const AttributeLimits& limits, Change change) {
    std::set<std::string> drawn;
    Draws draws(1);
    for (int i = 0; i < 400; ++i) {
      v1::Point point = point_;
      AttributeChange changes(options_, limits, &draws, &point);
      const std::string said = (changes.*change)();
      EXPECT_EQ(said.empty(), point.SerializeAsString() == point_.SerializeAsString());
      for (const v1::PointAttribute& attribute : point.attr()) {
        std::string text = attribute.ShortDebugString();
        if (attribute.name() == name) drawn.insert(text.substr(text.find("\" ") + 2));
      }
    }
    return drawn;
  }

  v1::FunctionRules rules_;
  abi::Function function_;
  v1::Point point_;
  Vocabulary vocabulary_;
  MutateOptions options_;
};

TEST_F(AttributesTest, DegenerateNumbersLieWithinWhatThePointsHave) {
  const auto change = &AttributeChange::Degenerate;
  EXPECT_EQ(Drawn("s", {}, change), (std::set<std::string>{"f: 0.5", "f: 1", "f: 4"}));
  EXPECT_EQ(Drawn("k", {}, change), (std::set<std::string>{"i: 2", "i: 3", "i: 6", "i: 9"}))
      << "their ends and the sizes";
  EXPECT_EQ(Drawn("p", {}, change), (std::set<std::string>{"i: 2", "i: 4"})) << "a scalar is no size";
  EXPECT_EQ(Drawn("k", {.index = true}, change), (std::set<std::string>{"i: 2", "i: 6"}));
  EXPECT_EQ(Drawn("k", {.table = true}, change), (std::set<std::string>{"i: 2"}));
}

TEST_F(AttributesTest, WhatRatiosAreComparedWithIsABinaryFraction) {
  EXPECT_EQ(Drawn("t", {.decides = true}, &AttributeChange::Degenerate), (std::set<std::string>{"f: 0.3"}));
  const auto drawn = Drawn("t", {.decides = true}, &AttributeChange::Any);
  EXPECT_GT(drawn.size(), 20);
  EXPECT_FALSE(drawn.contains("f: 0.9")) << "another point's";
  for (const std::string& text : drawn) {
    const double value = std::stod(text.substr(3));
    EXPECT_TRUE(value == 0.3 || std::floor(value * 1024) == value * 1024) << text;
  }
}

TEST_F(AttributesTest, DefaultsAreChangedToo) {
  const auto drawn = Drawn("alpha", {}, &AttributeChange::Degenerate);
  EXPECT_EQ(drawn, (std::set<std::string>{"f: 0", "f: 1", "f: 4"}));
}

TEST_F(AttributesTest, OneEntryOfAListOfSizesBecomesOneOrAsLargeAsItsDimension) {
  const auto drawn = Drawn("kernel_size", {}, &AttributeChange::Degenerate);
  for (const char* sizes : {"1 values: 3", "2 values: 1", "3 values: 3", "2 values: 9"})
    EXPECT_TRUE(drawn.contains(std::string("sizes { values: ") + sizes + " }")) << sizes;
  EXPECT_EQ(drawn.size(), 5);
}

TEST_F(AttributesTest, ModesAreThoseOfThePoints) {
  const auto change = &AttributeChange::Mode;
  EXPECT_EQ(Drawn("mode", {}, change), (std::set<std::string>{"s: \"mean\"", "s: \"sum\""}));
  EXPECT_EQ(Drawn("mode", {.index = true}, change), (std::set<std::string>{"s: \"mean\""}));
  EXPECT_EQ(Drawn("s", {}, change), (std::set<std::string>{"f: 0.5"})) << "no other attribute";
}

TEST_F(AttributesTest, AnyTakesNumbersBetween) {
  EXPECT_GT(Drawn("s", {}, &AttributeChange::Any).size(), 20);
  EXPECT_EQ(Drawn("k", {}, &AttributeChange::Any).size(), 5) << "2 to 6";
}

}  // namespace
}  // namespace diopi::explore
