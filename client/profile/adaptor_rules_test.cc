#include "client/profile/adaptor_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/findings/finding_text.h"

namespace diopi::profile {
namespace {

using testing::HasSubstr;

v1::Argument Tensor(const std::string& name, v1::Role role, Dtype dtype, const std::vector<int64_t>& shape,
                    const std::vector<int64_t>& strides = {}) {
  v1::Argument arg;
  arg.set_name(name);
  arg.set_role(role);
  arg.mutable_tensor()->set_dtype(dtype);
  arg.mutable_tensor()->mutable_shape()->Assign(shape.begin(), shape.end());
  arg.mutable_tensor()->mutable_strides()->Assign(strides.begin(), strides.end());
  return arg;
}

// A convolution with a transposed input and an index beside.
v1::Case SomeCase() {
  v1::Case c;
  c.set_operator_("conv2d");
  c.set_function("diopiConvolution2d");
  *c.add_args() = Tensor("out", v1::ROLE_OUTPUT, v1::Dtype::float64, {2, 3, 4, 5});
  *c.add_args() = Tensor("input", v1::ROLE_INPUT, v1::Dtype::float64, {2, 3, 4, 5}, {60, 20, 1, 4});
  *c.add_args() = Tensor("index", v1::ROLE_INPUT, v1::Dtype::int64, {7});
  *c.add_args() = Tensor("found", v1::ROLE_LIBRARY_OUTPUT, v1::Dtype::int64, {7});
  return c;
}

struct Level {
  std::string operators;
  std::string argument;
  std::string dtype;
  std::string layout;
};

std::string Resolved(const std::vector<Level>& levels) {
  std::vector<v1::AdaptorRule> rules;
  for (const Level& level : levels) {
    v1::AdaptorRule& rule = rules.emplace_back();
    if (!level.operators.empty()) rule.add_operator_(level.operators);
    if (!level.argument.empty()) rule.add_argument(level.argument);
    rule.set_dtype(level.dtype);
    rule.set_layout(level.layout);
  }
  const absl::StatusOr<Adaptor> adaptor = Adaptor::Make(rules);
  if (!adaptor.ok()) return std::string(adaptor.status().message());
  const v1::CaseAdaptor resolved = adaptor->For(SomeCase());
  return absl::StrJoin(resolved.conversion(), " ", [](std::string* out, const auto& one) {
    absl::StrAppend(out, one.key(), ":", std::string(DtypeName(one.dtype())), ":",
                    v1::LibraryLayout_Name(one.layout()));
  });
}

TEST(AdaptorRulesTest, ThreeLevels) {
  const Level all{"", "", "(int64)->int32, (float64)->float32", ""};
  struct Row {
    std::vector<Level> levels;
    std::string resolved;
  };
  const Row rows[] = {
      {{}, ""},
      {{all}, "out:float32:CONTIGUOUS input:float32:CONTIGUOUS index:int32:CONTIGUOUS found:int32:AS_IS"},
      {{{"", "", "(float64)->float32", ""}}, "out:float32:CONTIGUOUS input:float32:CONTIGUOUS"},
      // A rule for another operator does not affect this one.
      {{{"relu", "", "(float64)->float32", "NHWC"}}, ""},
      // The operator's rule wins, whatever the order.
      {{{"conv*", "", "(float64)->float16", ""}, all},
       "out:float16:CONTIGUOUS input:float16:CONTIGUOUS index:int32:CONTIGUOUS found:int32:AS_IS"},
      // The parameter's wins over the operator's.
      {{{"conv2d", "input", "(float64)->float64", "ND"}, {"conv2d", "", "(float64)->float32", ""}},
       "out:float32:CONTIGUOUS"},
      {{{"conv2d", "", "", "NHWC"}}, "out:float64:CHANNELS_LAST input:float64:CHANNELS_LAST"},
      // Only tensors with its number of dimensions; the others are made contiguous as usual.
      {{{"conv2d", "", "", "NDHWC, NLC"}}, "input:float64:CONTIGUOUS"},
      {{{"conv2d", "", "", "NCHW, input(NHWC)"}}, "input:float64:CHANNELS_LAST"},
      {{{"conv2d", "", "", "input(NHWC), NCHW"}}, "input:float64:CHANNELS_LAST"},
      {{{"conv2d", "", "", "ND"}}, ""},
      {{{"", "", "", "NCHW"}}, "input:float64:CONTIGUOUS"},
  };
  for (const Row& row : rows) EXPECT_EQ(Resolved(row.levels), row.resolved);
}

TEST(AdaptorRulesTest, BadTextSaysWhatIsExpected) {
  for (const char* text : {"", "int64->int32", "(int64)", "(int64)->", "(int64)int32", "(int64) x ->int32",
                           "(->int32", "(int64)->int32,", "()->int32"}) {
    EXPECT_FALSE(ParseDtypeRules(text).ok()) << text;
  }
  EXPECT_THAT(std::string(ParseDtypeRules("(complex64)->float32").status().message()),
              HasSubstr("no conversion of complex64 to float32"));
  for (const char* text : {"", "NHW", "(NHWC)", "input(NHWC", "input(XY)", "NHWC,"}) {
    EXPECT_FALSE(ParseLayoutRules(text).ok()) << text;
  }
}

TEST(AdaptorRulesTest, InWords) {
  v1::AdaptorRule rule;
  rule.add_function("diopiAdd");
  rule.add_argument("other");
  rule.set_dtype("(int64)->int32");
  const v1::Finding shown = Adaptor::Make({rule})->Rules().at(0);
  EXPECT_EQ(FindingText(shown), "diopiAdd (other): dtype (int64)->int32");
  EXPECT_EQ(FindingText(shown, FindingLanguage::kChinese), "diopiAdd（other）：数据类型 (int64)->int32");
}

}  // namespace
}  // namespace diopi::profile
