#include "baselines/compare/readings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

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

// Two matrices: Q (2, 3, 2) and R (2, 2, 3).
class OppositeSigns : public testing::Test {
 protected:
  OppositeSigns() : case_(OneOutput(D::float32, v1::Judge::COMPOSITION)) {
    case_.mutable_args(0)->set_name("Q");
    case_.mutable_judges(0)->set_output("Q");
    *case_.add_args() = case_.args(0);
    case_.mutable_args(1)->set_name("R");
    *case_.add_judges() = case_.judges(0);
    case_.mutable_judges(1)->set_output("R");
    v1::Reading* reading = AddReading(v1::Reading::OPPOSITE_SIGNS, &case_);
    reading->add_args("Q");
    reading->add_args("R");
    Expect("Q", {2, 3, 2}, {-0.6, 0, -0.8, 0, 0, 1, 1, 0, 0, -1, 0, 0});
    Expect("R", {2, 2, 3}, {-5, 1, 2, 0, 3, 0, 7, 0, -1, 0, 4, 2});
  }
  void Expect(const std::string& key, const std::vector<int64_t>& shape, const std::vector<double>& r) {
    references_[key] = Tensor(D::float64, shape, r);
    references_[key + ".sigma"] = Tensor(D::float32, shape, std::vector<double>(r.size(), 1e-6));
    actual_[key] = Tensor(D::float32, shape, r);
  }
  void Negate(const std::string& key, const std::vector<int64_t>& elements, TensorMap* tensors) const {
    HostTensor& tensor = tensors->at(key);
    for (const int64_t i : elements)
      StoreDouble(D::float32, tensor.data.data(), i, -ElementAsDouble(D::float32, tensor.data.data(), i));
  }
  v1::Verdict Judge() const { return CompareCase(case_, {}, references_, actual_); }

  v1::Case case_;
  TensorMap references_, actual_;
};

TEST_F(OppositeSigns, AColumnWithItsRowPassesAndIsTold) {
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_PASS) << Judge().reason();
  EXPECT_EQ(Judge().readings_size(), 0);
  const std::string before = Judge().outputs(0).digest();
  Negate("Q", {7, 9, 11}, &actual_);  // the second matrix's second column
  Negate("R", {9, 10, 11}, &actual_);
  const v1::Verdict verdict = Judge();
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.reason();
  EXPECT_EQ(verdict.reason(), "accepted as opposite_signs(Q,R): why");
  ASSERT_EQ(verdict.readings_size(), 1);
  EXPECT_EQ(verdict.readings(0), "opposite_signs(Q,R)");
  EXPECT_NE(verdict.outputs(0).digest(), before);  // of what the device returned
  case_.clear_readings();
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
}

TEST_F(OppositeSigns, OneWithoutTheOtherIsWrong) {
  const TensorMap right = actual_;
  for (const auto& [key, elements] : {std::pair<std::string, std::vector<int64_t>>{"Q", {0, 2, 4}},
                                      {"R", {0, 1, 2}},  // the row of that column
                                      {"R", {0, 1}},     // a part of it
                                      {"Q", {9}},        // one element
                                      {"R", {6, 8}}}) {
    actual_ = right;
    Negate(key, elements, &actual_);
    const v1::Verdict verdict = Judge();
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL) << key << " " << elements.size();
    EXPECT_EQ(verdict.readings_size(), 0);
  }
  // A column of the first matrix with the row of the second.
  actual_ = right;
  Negate("Q", {0, 2, 4}, &actual_);
  Negate("R", {6, 7, 8}, &actual_);
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
}

TEST_F(OppositeSigns, AWrongValueIsFoundBesideAllowedSigns) {
  Negate("Q", {0, 2, 4}, &actual_);
  Negate("R", {0, 1, 2}, &actual_);
  StoreDouble(D::float32, actual_.at("R").data.data(), 1, 1.5);
  const v1::Verdict verdict = Judge();
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
  EXPECT_NE(verdict.reason().find("R: 1 of 12 elements differs"), std::string::npos) << verdict.reason();
  EXPECT_NE(verdict.reason().find("1 free sign was set to the reference's"), std::string::npos)
      << verdict.reason();
  EXPECT_EQ(verdict.readings_size(), 0);
}

TEST_F(OppositeSigns, WithoutColumnsEachRowHasItsSign) {
  Expect("Q", {0}, {});
  Negate("R", {0, 1, 2}, &actual_);
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_PASS) << Judge().reason();
  EXPECT_EQ(Judge().readings_size(), 1);
  Negate("R", {4}, &actual_);  // of a row of one element other than 0: the whole row
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_PASS) << Judge().reason();
  Negate("R", {8}, &actual_);
  EXPECT_EQ(Judge().outcome(), v1::OUTCOME_FAIL);
}

// Otherwise its error, as large as the values, would be what the device may have.
TEST_F(OppositeSigns, TheDeviceReferenceMayHaveOtherSignsToo) {
  for (const char* key : {"Q", "R"}) references_[std::string(key) + ".device"] = actual_.at(key);
  Negate("Q.device", {0, 2, 4}, &references_);
  Negate("R.device", {0, 1, 2}, &references_);
  const v1::Verdict verdict = Judge();
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.reason();
  EXPECT_LT(verdict.outputs(0).rms_z_device(), 1);
  EXPECT_EQ(verdict.readings_size(), 0);
}

TEST_F(OppositeSigns, AnotherShapeIsTold) {
  actual_["R"].shape = {2, 3, 2};
  EXPECT_NE(Judge().reason().find("R: shape (2, 3, 2), expected (2, 2, 3)"), std::string::npos)
      << Judge().reason();
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
