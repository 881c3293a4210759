#include "client/judge/case_judge.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "cases/core/catalog.h"
#include "cases/findings/finding_text.h"
#include "client/profile/profile.h"

namespace diopi::agent {
namespace {

profile::AppliedProfile Applied(const std::string& text) {
  const std::unique_ptr<cases::Catalog> catalog = *cases::Catalog::LoadBuiltin();
  const auto parsed = profile::ParseProfile(text, "chip.textproto", catalog->operators());
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? profile::AppliedProfile(*parsed, absl::CivilDay(2026, 6, 1))
                     : profile::AppliedProfile();
}

v1::Case CaseOf(const std::string& op) {
  v1::Case c;
  c.set_id(op + ".float32.small");
  c.set_operator_(op);
  c.set_function("diopiAbs");
  c.set_dtype(v1::Dtype::float32);
  v1::Argument& input = *c.add_args();
  input.set_name("input");
  input.set_role(v1::ROLE_INPUT);
  input.mutable_tensor()->set_dtype(v1::Dtype::float32);
  input.mutable_tensor()->add_shape(1 << 17);
  input.mutable_tensor()->add_strides(1);
  input.mutable_tensor()->mutable_fill()->mutable_normal()->set_std(1);
  return c;
}

TEST(CaseJudge, AsksTheProfileWhetherAndHowLong) {
  const profile::AppliedProfile applied =
      Applied("skip { match { operator: \"abs\" } reason: \"r\" } timeout { seconds: 0.5 }");
  CaseJudgeOptions options;
  EXPECT_FALSE(CaseJudge(options).SkipReason(CaseOf("abs")).has_value());
  const loader::CallOptions usual = *CaseJudge(options).Prepare(CaseOf("abs"), nullptr);
  options.profile = &applied;
  CaseJudge judge(options);
  EXPECT_EQ(FindingText(judge.SkipReason(CaseOf("abs")).value()), "skipped by chip.textproto:1: r");
  EXPECT_FALSE(judge.SkipReason(CaseOf("neg")).has_value());
  EXPECT_EQ(judge.Prepare(CaseOf("abs"), nullptr)->timeout, std::chrono::milliseconds(500));
  EXPECT_NE(usual.timeout, std::chrono::milliseconds(500));
}

// No reference library is needed for them.
TEST(CaseJudge, MakesTheInputsOfALargeCase) {
  v1::Case c = CaseOf("abs");
  CaseJudge judge({});
  TensorMap inputs;
  ASSERT_TRUE(judge.Prepare(c, &inputs).ok());
  EXPECT_TRUE(inputs.empty()) << "a small case's inputs are stored";
  c.set_generator_version(kBlockGeneratorVersion);
  ASSERT_TRUE(judge.Prepare(c, &inputs).ok());
  ASSERT_EQ(inputs.size(), 1U);
  const HostTensor made = inputs.at("input");
  EXPECT_EQ(NumElements(made.shape), 1 << 17);
  ASSERT_TRUE(judge.Prepare(c, &inputs, CaseJudge::Making::kSent).ok());
  EXPECT_TRUE(inputs.empty()) << "the worker makes them";
  ASSERT_TRUE(CaseJudge::Complete(c, &inputs).ok());
  EXPECT_EQ(inputs.at("input").data, made.data);
}

}  // namespace
}  // namespace diopi::agent
