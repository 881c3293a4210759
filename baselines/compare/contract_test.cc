#include "baselines/compare/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/compare/admission.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Contracts, ComeAndGoByName) {
  const auto parsed = ParseContracts({"native16", "tf32"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(ContractNames(*parsed), ElementsAre("tf32", "native16"));
  EXPECT_THAT(ContractNames(*ParseContracts({})), IsEmpty());
  const auto unknown = ParseContracts({"tf32", "fp8"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(unknown.status().message()),
            "unknown contract 'fp8'; known: tf32, tc32, fastconv, p_cast, native16");
}

TEST(Contracts, CountOnlyWhereTheJudgeLetsThem) {
  const Contracts all{true, true, true, true, true};
  EXPECT_THAT(ContractNames(Allowed(all, v1::Judge::PLAIN)), ElementsAre("native16"));
  EXPECT_THAT(ContractNames(Allowed(all, v1::Judge::MATRIX)), ElementsAre("tf32", "tc32", "native16"));
  EXPECT_THAT(ContractNames(Allowed(all, v1::Judge::CONVOLUTION)),
              ElementsAre("tf32", "tc32", "fastconv", "native16"));
  EXPECT_THAT(ContractNames(Allowed(all, v1::Judge::ATTENTION)),
              ElementsAre("tf32", "tc32", "p_cast", "native16"));
  EXPECT_FALSE(Allowed({}, v1::Judge::CONVOLUTION).any());
}

TEST(BelongsTo, KnowsListsButNoOtherSuffixes) {
  EXPECT_TRUE(BelongsTo("out", "out"));
  EXPECT_TRUE(BelongsTo("out.12", "out"));
  EXPECT_FALSE(BelongsTo("out.sigma", "out"));
  EXPECT_FALSE(BelongsTo("output", "out"));
  EXPECT_FALSE(BelongsTo("out.", "out"));
}

TEST(Admission, QuarantinesACaseThatItsOwnDeviceReferenceFails) {
  const v1::Case c = OneOutput(D::float32, v1::Judge::MATH);
  TensorMap references = Oracle({2}, {1, 2}, {0, 0});
  EXPECT_EQ(QuarantineReason(c, {}, references, {}), "");  // no device reference
  references["out.device"] = Row(D::float32, {1, 2});
  EXPECT_EQ(QuarantineReason(c, {}, references, {}), "");
  references["out.device"] = Row(D::float32, {1, 3});
  const std::string reason = QuarantineReason(c, {}, references, {});
  EXPECT_THAT(reason, StartsWith("oracle/contract conflict: out: 1 of 2 elements"));
  EXPECT_THAT(reason, HasSubstr("got 3, expected 2"));
}

TEST(Admission, AsksNothingOfOutputsThatTheDeviceDidNotCompute) {
  v1::Case c = OneOutput(D::int32, v1::Judge::EXACT);
  *c.add_args() = c.args(0);
  c.mutable_args(1)->set_name("second");
  *c.add_judges() = c.judges(0);
  c.mutable_judges(1)->set_output("second");
  const HostTensor one = Row(D::int32, {1});
  const HostTensor two = Row(D::int32, {2});
  EXPECT_EQ(QuarantineReason(c, {}, {{"out", one}, {"second", one}, {"out.device", one}}, {}), "");
  EXPECT_THAT(QuarantineReason(c, {}, {{"out", one}, {"second", one}, {"second.device", two}}, {}),
              HasSubstr("second: 1 of 1 element"));
}

}  // namespace
}  // namespace diopi::baselines
