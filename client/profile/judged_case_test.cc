#include "client/profile/judged_case.h"

#include <gtest/gtest.h>

#include "baselines/compare/compare.h"
#include "baselines/compare/testing.h"

namespace diopi::profile {
namespace {

using baselines::OneOutput;
using baselines::Row;
using D = v1::Dtype;

v1::CaseAdaptor Handed(Dtype dtype) {
  v1::CaseAdaptor adaptor;
  v1::CaseAdaptor::Conversion* conversion = adaptor.add_conversion();
  conversion->set_key("out");
  conversion->set_dtype(dtype);
  return adaptor;
}

HostTensor Sigma64(double sigma) {
  return Row(D::float64, {sigma});
}

v1::Outcome Judged(v1::Judge::Kind kind, double reference, double actual, Dtype handed, double sigma = 0) {
  const v1::Case c = OneOutput(D::float64, kind);
  TensorMap references = {{"out", Row(D::float64, {reference})}};
  if (kind != v1::Judge::EXACT) {
    references["out.sigma"] = Sigma64(sigma);
    references["out.low"] = Row(D::float64, {0});
  }
  const TensorMap out = {{"out", Row(D::float64, {actual})}};
  const JudgedCase judged = AsHandedOver(c, {}, references, out, Handed(handed));
  return baselines::CompareCase(judged.c, judged.inputs, judged.references, judged.actual).outcome();
}

// Float32's half unit in the last place of 1/3 is 1.5e-8; the next float32 number is 3e-8 further.
TEST(JudgedCaseTest, ByTheRuleOfTheTypeThatWasHandedOver) {
  const double third = 1.0 / 3;
  const auto narrow = static_cast<double>(static_cast<float>(third));
  const double next = static_cast<double>(std::nextafter(static_cast<float>(third), 1.0F));
  const double far = narrow + 6e-8;
  EXPECT_EQ(Judged(v1::Judge::MATH, third, narrow, D::float64), v1::OUTCOME_FAIL);
  EXPECT_EQ(Judged(v1::Judge::MATH, third, narrow, D::float32), v1::OUTCOME_PASS);
  EXPECT_EQ(Judged(v1::Judge::MATH, third, next, D::float32), v1::OUTCOME_FAIL);
  // A noise of 1e-17 in float64 arithmetic is one of 5e-9 in float32's, and 8 of these are allowed.
  EXPECT_EQ(Judged(v1::Judge::MATH, third, next, D::float32, 1e-17), v1::OUTCOME_PASS);
  EXPECT_EQ(Judged(v1::Judge::MATH, third, far, D::float32, 1e-18), v1::OUTCOME_FAIL);
  EXPECT_EQ(Judged(v1::Judge::EXACT, third, narrow, D::float32), v1::OUTCOME_PASS);
  EXPECT_EQ(Judged(v1::Judge::EXACT, third, next, D::float32), v1::OUTCOME_FAIL);
  EXPECT_EQ(Judged(v1::Judge::EXACT, third, narrow, D::float64), v1::OUTCOME_FAIL);
}

TEST(JudgedCaseTest, IntegersStayWhatTheyAre) {
  v1::Case c = OneOutput(D::int64, v1::Judge::EXACT);
  const TensorMap references = {{"out", Row(D::int64, {5})}};
  const JudgedCase judged = AsHandedOver(c, {}, references, {{"out", Row(D::int64, {5})}}, Handed(D::int32));
  EXPECT_EQ(judged.c.args(0).tensor().dtype(), D::int64);
  EXPECT_EQ(baselines::CompareCase(judged.c, {}, judged.references, judged.actual).outcome(),
            v1::OUTCOME_PASS);
}

}  // namespace
}  // namespace diopi::profile
