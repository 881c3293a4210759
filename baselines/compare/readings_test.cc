#include "baselines/compare/readings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

constexpr double kInf = std::numeric_limits<double>::infinity();

v1::Reading* AddReading(v1::Reading::Kind kind, v1::Case* c) {
  v1::Reading* reading = c->add_readings();
  reading->set_kind(kind);
  reading->set_reason("why");
  return reading;
}

TEST(ReadingsTest, NamesAndKeys) {
  v1::Reading reading;
  reading.set_kind(v1::Reading::ROUNDED_SCALARS);
  reading.add_args("other");
  reading.add_args("alpha");
  EXPECT_EQ(ReadingName(reading), "rounded_scalars(other,alpha)");
  EXPECT_EQ(ReadingKey(reading, "out.sigma"), "rounded_scalars(other,alpha):out.sigma");
}

// out = {1, 2} by the definition, {1.5, 2.5} with rounded numbers.
class TwoReferences : public testing::Test {
 protected:
  TwoReferences() : case_(OneOutput(D::bfloat16, v1::Judge::MATH)) {
    v1::Reading* reading = AddReading(v1::Reading::ROUNDED_SCALARS, &case_);
    reading->add_args("alpha");
    for (auto& [key, tensor] : Oracle({2}, {1.5, 2.5}, {0, 0}))
      references_[ReadingKey(*reading, key)] = tensor;
  }
  v1::Verdict Judge(const std::vector<double>& out) const {
    return CompareCase(case_, {}, references_, {{"out", Row(D::bfloat16, out)}});
  }

  v1::Case case_;
  TensorMap references_ = Oracle({2}, {1, 2}, {0, 0});
};

TEST_F(TwoReferences, EitherIsRightAndTheOtherIsTold) {
  const v1::Verdict plain = Judge({1, 2});
  EXPECT_EQ(plain.outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(plain.reason(), "");
  EXPECT_EQ(plain.readings_size(), 0);
  const v1::Verdict rounded = Judge({1.5, 2.5});
  EXPECT_EQ(rounded.outcome(), v1::OUTCOME_PASS) << rounded.reason();
  EXPECT_EQ(rounded.reason(), "accepted as rounded_scalars(alpha): why");
  ASSERT_EQ(rounded.readings_size(), 1);
  EXPECT_EQ(rounded.readings(0), "rounded_scalars(alpha)");
}

TEST_F(TwoReferences, AMixtureAndAThirdValueAreWrongAndJudgedByTheDefinition) {
  for (const std::vector<double>& out : {std::vector<double>{1, 2.5}, {1.5, 2}, {1.25, 2.25}}) {
    const v1::Verdict verdict = Judge(out);
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
    EXPECT_EQ(verdict.readings_size(), 0);
    EXPECT_NE(verdict.reason().find("expected"), std::string::npos) << verdict.reason();
    EXPECT_EQ(verdict.reason().find("expected 1.5"), std::string::npos) << verdict.reason();
  }
}

TEST_F(TwoReferences, WithoutTheReadingTheCaseHasOneReference) {
  case_.clear_readings();
  EXPECT_EQ(Judge({1, 2}).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(Judge({1.5, 2.5}).outcome(), v1::OUTCOME_FAIL);
}

struct Spread {
  std::vector<double> out;
  bool passes;
  bool told;
};

// out = {3, Inf, NaN, 4}; NaN is accepted in the first three.
TEST(SpreadNanTest, IsAcceptedElementByElement) {
  for (const v1::Judge::Kind kind : {v1::Judge::COMPOSITION, v1::Judge::EXACT}) {
    v1::Case c = OneOutput(D::float32, kind);
    AddReading(v1::Reading::SPREAD_NAN, &c)->add_dims(0);
    TensorMap references = Oracle({4}, {3, kInf, NAN, 4}, {0, 0, 0, 0});
    if (kind == v1::Judge::EXACT) references = {{"out", Row(D::float32, {3, kInf, NAN, 4})}};
    references["out.spread_nan"] = Row(D::uint8, {1, 1, 1, 0});
    for (const Spread& each :
         std::vector<Spread>{{{3, kInf, NAN, 4}, true, false},
                             {{NAN, kInf, NAN, 4}, true, true},
                             {{NAN, NAN, NAN, 4}, true, true},
                             {{3, kInf, 5, 4}, false, false},        // NaN is lost
                             {{NAN, kInf, NAN, NAN}, false, false},  // NaN where nothing makes it
                             {{kInf, kInf, NAN, 4}, false, false},
                             {{3.5, NAN, NAN, 4}, false, false}}) {
      const v1::Verdict verdict = CompareCase(c, {}, references, {{"out", Row(D::float32, each.out)}});
      EXPECT_EQ(verdict.outcome() == v1::OUTCOME_PASS, each.passes) << verdict.reason();
      EXPECT_EQ(verdict.readings_size() == 1, each.told) << verdict.reason();
      if (each.told) {
        EXPECT_EQ(verdict.reason(), "accepted as spread_nan: why");
      }
      EXPECT_EQ(verdict.outputs(0).nan_actual(),
                std::count_if(each.out.begin(), each.out.end(), [](double y) { return std::isnan(y); }));
    }
  }
}

}  // namespace
}  // namespace diopi::baselines
