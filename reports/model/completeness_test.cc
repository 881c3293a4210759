#include "reports/model/completeness.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "cases/core/catalog.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "proto/abi/abi.h"
#include "reports/model/suite.h"

namespace diopi::reports {
namespace {

std::string PartialText(const v1::RunOptions& options, v1::RunState state, int64_t cases, int64_t done,
                        FindingLanguage language = FindingLanguage::kEnglish) {
  return FindingText(WhyPartial(options, state, cases, done), language);
}

TEST(WhyPartial, NamesWhatIsMissing) {
  v1::RunOptions options;
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 841), "");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_ABORTED, 841, 305), "aborted after 305 of 841 cases");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 305), "incomplete after 305 of 841 cases");
  options.set_abort_reason("no agent has worked on it");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_ABORTED, 841, 305),
            "aborted after 305 of 841 cases: no agent has worked on it");
  options.clear_abort_reason();
  *options.mutable_aborted() = Found(v1::Finding::ABANDONED).Limit("3h");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_ABORTED, 841, 305, FindingLanguage::kChinese),
            "已中止：841 个用例中完成 305 个：超过 3h 没有代理执行它；可用 --resume 继续");
  options.clear_aborted();
  options.mutable_selection()->add_functions("all_ops");  // the public harness's name for everything
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 841), "");
  options.mutable_selection()->clear_functions();
  for (const char* suite : {"smoke", "models/resnet50"}) {
    options.mutable_selection()->set_suite(suite);
    EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 841), absl::StrCat("all of suite ", suite));
    EXPECT_FALSE(IsWhole(options));
  }
  options.mutable_selection()->set_suite("core");
  options.mutable_selection()->add_dtypes(v1::Dtype::float32);
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 841), "dtypes float32 of suite core");
  options.set_shard_count(4);
  options.set_shard_index(1);
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 841),
            "dtypes float32 of suite core; shard 1 of 4");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 841, 841, FindingLanguage::kChinese),
            "用例集 core 的数据类型 float32；第 1 个分片，共 4 个");
  EXPECT_FALSE(IsWhole(options));
  EXPECT_TRUE(IsWhole(v1::RunOptions()));
}

TEST(WhyPartial, AnExplorationIsNeverComplete) {
  v1::RunOptions options;
  options.mutable_exploration()->set_seed(7);
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_FINISHED, 0, 64),
            "an exploration of all functions with seed 7");
  options.mutable_selection()->add_functions("add");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_ABORTED, 0, 64),
            "an exploration of functions add with seed 7; aborted after 64 calls");
  EXPECT_EQ(PartialText(options, v1::RUN_STATE_ABORTED, 0, 64, FindingLanguage::kChinese),
            "对函数 add的随机探索，种子 7；64 次调用后已中止");
  EXPECT_FALSE(IsWhole(options));
}

TEST(ParseMinCoverage, APercentageOrANumberOfFunctions) {
  EXPECT_EQ(ParseMinCoverage("30%").value(), 162);  // of 538, rounded up
  EXPECT_EQ(ParseMinCoverage("100%").value(), static_cast<int64_t>(abi::Functions().size()));
  EXPECT_EQ(ParseMinCoverage("0.1%").value(), 1);
  EXPECT_EQ(ParseMinCoverage("130").value(), 130);
  for (const char* wrong : {"", "%", "-1", "101%", "539", "all", "30 %x", "nan%"}) {
    const auto parsed = ParseMinCoverage(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_NE(parsed.status().message().find("expected a percentage"), std::string::npos) << wrong;
  }
}

// The index is read without expanding cases; the catalog knows which functions have cases.
TEST(BuiltinSuite, HasTheFunctionsThatHaveCases) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const auto cases = (*catalog)->SelectRun({});
  ASSERT_TRUE(cases.ok());
  std::map<std::string, std::map<std::string, int>> counts;
  for (const v1::Case& c : *cases) {
    if (!c.function().empty()) ++counts[c.function()][c.operator_()];
  }
  ASSERT_EQ(counts.size(), BuiltinSuite().size());
  for (const auto& [function, place] : BuiltinSuite()) {
    const int own = counts[function][place.op];
    for (const auto& [op, count] : counts[function]) EXPECT_LE(count, own) << function << " of " << op;
    EXPECT_NE(place.family, "") << function;
  }
}

TEST(BuiltinSuite, HasEveryFunctionOfTheAbi) {
  EXPECT_EQ(BuiltinSuite().size(), abi::Functions().size());
}

}  // namespace
}  // namespace diopi::reports
