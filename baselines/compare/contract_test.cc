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
  EXPECT_THAT(parsed->Texts(), ElementsAre("tf32", "native16"));
  EXPECT_THAT(ParseContracts({})->Texts(), IsEmpty());
  const auto unknown = ParseContracts({"tf32", "fp8"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(unknown.status().message()),
            "unknown contract 'fp8'; known: tf32, tc32, fastconv, p_cast, native16");
}

v1::Case CaseOf(const std::string& op, Dtype dtype) {
  v1::Case c;
  c.set_operator_(op);
  c.set_dtype(dtype);
  return c;
}

TEST(Contracts, HoldByOperatorAndDtype) {
  const auto parsed = ParseContracts(
      {"native16@norm+conv*:bfloat16", "tf32@matmul", "native16:float16", "native16@conv*+norm:bfloat16"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->Texts(),
              ElementsAre("tf32@matmul", "native16:float16", "native16@conv*+norm:bfloat16"));
  EXPECT_THAT(parsed->Operators(), ElementsAre("conv*", "matmul", "norm"));
  const auto names = [&](const char* op, Dtype dtype) {
    return ContractNames(parsed->For(CaseOf(op, dtype)));
  };
  EXPECT_THAT(names("norm", D::bfloat16), ElementsAre("native16"));
  EXPECT_THAT(names("conv2d", D::bfloat16), ElementsAre("native16"));
  EXPECT_THAT(names("mean", D::bfloat16), IsEmpty());
  EXPECT_THAT(names("mean", D::float16), ElementsAre("native16"));
  EXPECT_THAT(names("matmul", D::float32), ElementsAre("tf32"));
  EXPECT_THAT(names("bmm", D::float32), IsEmpty());
  EXPECT_EQ(*ParseContracts(parsed->Texts()), *parsed);
  EXPECT_EQ(*ParseContracts({"tf32", "tf32"}), DeclaredContracts(Contracts{.tf32 = true}));
}

TEST(Contracts, AreMalformedInWords) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"native16@", "contract 'native16@': expected NAME[@OPERATOR+...][:DTYPE+...], as "},
           {"native16@norm+:bfloat16", "expected NAME[@OPERATOR"},
           {"native16:bfloat16@norm", "expected NAME[@OPERATOR"},
           {"native16:bfloat16:float16", "expected NAME[@OPERATOR"},
           {"native16@norm mean", "expected NAME[@OPERATOR"},
           {"native16:float32", "native16 applies to float16, bfloat16, not 'float32'"},
           {"tf32:bfloat", "tf32 applies to float32, not 'bfloat'"}}) {
    const auto parsed = ParseContracts({text});
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(expected)) << text;
  }
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
