#include "baselines/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using ::testing::HasSubstr;

// One element, one rule: what passes and what does not.
struct Edge {
  const char* name;
  Dtype dtype;
  double y, r, sigma, kf;
  bool passes;
};

class PointwiseEdge : public ::testing::TestWithParam<Edge> {};

TEST_P(PointwiseEdge, IsJudged) {
  const Edge& e = GetParam();
  const v1::Verdict verdict = Pointwise(Row(e.dtype, {e.y}), {e.r}, e.sigma, e.kf);
  EXPECT_EQ(verdict.outcome(), e.passes ? v1::OUTCOME_PASS : v1::OUTCOME_FAIL)
      << e.name << ": " << verdict.ShortDebugString();
  const std::string& gates = verdict.outputs(0).gates();
  EXPECT_EQ(gates.substr(0, 1), e.passes ? "" : "P");  // and R, where one element alone makes a large RMS
}

INSTANTIATE_TEST_SUITE_P(
    All, PointwiseEdge,
    ::testing::Values(Edge{"exact", D::float32, 1, 1, 0, 0, true},  //
                      Edge{"half an ulp", D::float32, 1, 1 + 0x1p-24, 0, 0, true},
                      Edge{"three quarters of an ulp", D::float32, 1, 1 + 0x1.8p-24, 0, 0, true},
                      Edge{"one ulp", D::float32, 1, 1 + 0x1p-23, 0, 0, false},
                      Edge{"one ulp within 8 sigma", D::float32, 1, 1 + 0x1p-23, 0x1p-27, 0, true},
                      Edge{"two ulps beyond 8 sigma", D::float32, 1, 1 + 0x1p-22, 0x1p-27, 0, false},
                      Edge{"kf 3: three ulps", D::float32, 1, 1 + 3 * 0x1p-23, 0, 3, true},
                      Edge{"kf 3: four ulps", D::float32, 1, 1 + 4 * 0x1p-23, 0, 3, false},
                      Edge{"kf 3 is a quarter in 16 bits", D::float16, 1, 1 + 0x1p-10, 0, 3, false},
                      Edge{"float16 truncated", D::float16, 1, 1 + 0.9 * 0x1p-10, 0, 0, false},
                      Edge{"bfloat16 truncated", D::bfloat16, 1, 1 + 0.9 * 0x1p-7, 0, 0, false},
                      Edge{"bfloat16 rounded", D::bfloat16, 1, 1 + 0.5 * 0x1p-7, 0, 0, true},
                      Edge{"NaN where a number should be", D::float32, kNan, 1, 0, 0, false},
                      Edge{"a number where NaN should be", D::float32, 1, kNan, 0, 0, false},
                      Edge{"NaN met", D::float32, kNan, kNan, 0, 0, true},
                      Edge{"Inf met", D::float32, kInf, kInf, 0, 0, true},
                      Edge{"-Inf for Inf", D::float32, -kInf, kInf, 0, 0, false},
                      Edge{"largest for a true Inf", D::float16, 65504, kInf, 0, 0, false},
                      Edge{"overflow just over the threshold", D::float16, kInf, 65521, 0, 0, true},
                      Edge{"no overflow just over the threshold", D::float16, 65504, 65521, 0, 0, true},
                      Edge{"overflow of what fits", D::float16, kInf, 65504, 0, 0, false},
                      Edge{"saturation", D::float16, 65504, 1e6, 0, 0, false},
                      Edge{"overflow far away", D::float16, kInf, 1e6, 0, 0, true},
                      Edge{"negative overflow", D::float16, -kInf, -1e6, 0, 0, true},
                      Edge{"overflow with the wrong sign", D::float16, -kInf, 1e6, 0, 0, false},
                      Edge{"float32 overflow", D::float32, kInf, 3.5e38, 0, 0, true},
                      Edge{"no overflow of what overflows for certain", D::float32, 0, 2.7e43, 1.6e38, 0,
                           false},
                      Edge{"overflow for certain", D::float32, kInf, 2.7e43, 1.6e38, 0, true},
                      Edge{"no overflow of what may overflow", D::float32, 3.3e38, 3.5e38, 1e37, 0, true},
                      Edge{"float64 overflow near the end", D::float64, kInf,
                           std::numeric_limits<double>::max(), 1e292, 0, true},
                      Edge{"float64 overflow of what fits", D::float64, kInf, 1e300, 1e284, 0, false},
                      Edge{"float32 subnormal flushed", D::float32, 0, 1e-40, 0, 0, true},
                      Edge{"float32 normal flushed", D::float32, 0, 2e-38, 0, 0, false},
                      Edge{"bfloat16 subnormal flushed", D::bfloat16, 0, 1e-39, 0, 0, true},
                      Edge{"float16 subnormal flushed", D::float16, 0, 1e-5, 0, 0, false},
                      Edge{"float16 subnormal kept", D::float16, 0x1p-20, 0x1p-20, 0, 0, true},
                      Edge{"float64 subnormal flushed", D::float64, 0, 1e-310, 0, 0, false},
                      Edge{"sign of zero is free", D::float32, -0.0, 0, 0, 0, true},
                      Edge{"zero for one", D::float32, 0, 1, 0, 0, false},
                      Edge{"a NaN sigma hides nothing", D::float32, 2, 1, kNan, 0, false},
                      Edge{"an overflowed sigma hides nothing", D::float32, 2, 1, 0x1.fffffep127, 0, false},
                      Edge{"an infinite sigma hides nothing", D::float32, 2, 1, kInf, 0, false}));

TEST(Pointwise, UsesTheLowPartOfAFloat64Reference) {
  const v1::Case c = OneOutput(D::float64, v1::Judge::COMPOSITION);
  const HostTensor y = Row(D::float64, {1});
  // y is r, but the oracle lies almost a whole ulp away.
  EXPECT_EQ(CompareCase(c, {}, Oracle({1}, {1}, {0}, {0.9 * 0x1p-52}), {{"out", y}}).outcome(),
            v1::OUTCOME_FAIL);
  EXPECT_EQ(CompareCase(c, {}, Oracle({1}, {1}, {0}, {0.5 * 0x1p-52}), {{"out", y}}).outcome(),
            v1::OUTCOME_PASS);
}

TEST(Pointwise, MeasuresWhatItSays) {
  // Errors of 0, 1/2 and 1/2 ulp, one marginal, one zero.
  const double w = 0x1p-23;
  const v1::Verdict v =
      Pointwise(Row(D::float32, {1, 1, 1, 1, 0}), {1, 1 - w / 4, 1 + w / 2, 1 + 0.7 * w, 0}, 0);
  const v1::OutputStats& s = v.outputs(0);
  EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(s.elements(), 5);
  EXPECT_EQ(s.soft(), 1);
  EXPECT_NEAR(s.max_abs(), 0.7 * w, 1e-6 * w);
  EXPECT_NEAR(s.max_ulp(), 0.7, 1e-6);
  EXPECT_NEAR(s.max_z(), 0.7 * std::sqrt(12.0), 1e-6);
  EXPECT_NEAR(s.zero_fraction(), 0.2, 1e-6);
  EXPECT_EQ(s.ulp_histogram(0), 2);
  EXPECT_EQ(s.ulp_histogram(3), 3);  // 1/2 <= |d|/w < 1: below 1 an ulp is only w/2
  EXPECT_EQ(s.ulp_histogram_size(), 24);
  EXPECT_TRUE(s.public_pass());
}

TEST(Pointwise, IsTheSameOverBlocksAndTailsOfAnyLength) {
  for (const size_t n : {0, 1, 7, 255, 256, 257, 65535, 65536, 65537, 140001}) {
    std::vector<double> r(n);
    for (size_t i = 0; i < n; ++i) r[i] = 1 + static_cast<double>(i % 1000) * 0x1p-10;
    const HostTensor good = Row(D::float32, r);
    const v1::Verdict pass = Pointwise(good, r, 0);
    EXPECT_EQ(pass.outcome(), v1::OUTCOME_PASS) << n << pass.reason();
    EXPECT_EQ(pass.outputs(0).elements(), static_cast<int64_t>(n));
    if (n > 0) {
      EXPECT_EQ(pass.outputs(0).zero_fraction(), 0) << n;
    }
    if (n < 20) continue;
    HostTensor bad = good;
    for (size_t i = n - 3; i < n; ++i) StoreDouble(D::float32, bad.data.data(), static_cast<int64_t>(i), 0.5);
    const v1::Verdict fail = Pointwise(bad, r, 0);
    EXPECT_EQ(fail.outputs(0).mismatches(), 3);
    EXPECT_EQ(fail.outputs(0).first(0).index(), static_cast<int64_t>(n - 3));
    EXPECT_EQ(fail.outputs(0).first(0).actual(), 0.5);
    EXPECT_THAT(fail.reason(), HasSubstr("the last 3 elements"));
  }
}

struct ExactEdge {
  const char* name;
  Dtype dtype;
  double actual, expected;
  bool passes;
};

TEST(Exact, Elements) {
  for (const ExactEdge& e : {ExactEdge{"equal", D::int64, 5, 5, true},
                             {"off", D::int64, 5, 6, false},
                             {"-0", D::float32, -0.0, 0.0, false},
                             {"-0 in 16 bits", D::float16, -0.0, 0.0, false},
                             {"NaN", D::float32, kNan, kNan, true},
                             {"-NaN", D::bfloat16, kNan, -kNan, true},
                             {"NaN for 1", D::float64, kNan, 1, false},
                             {"1 for NaN", D::float16, 1, kNan, false},
                             {"Inf", D::float32, kInf, kInf, true},
                             {"Inf for NaN", D::float32, kInf, kNan, false},
                             {"subnormal", D::float32, 1e-40, 1e-40, true},
                             {"flushed", D::float32, 0, 1e-40, false}}) {
    const v1::Verdict v =
        CompareCase(OneOutput(e.dtype, v1::Judge::EXACT), {}, {{"out", Row(e.dtype, {e.expected})}},
                    {{"out", Row(e.dtype, {e.actual})}});
    EXPECT_EQ(v.outcome(), e.passes ? v1::OUTCOME_PASS : v1::OUTCOME_FAIL) << e.name << v.reason();
    EXPECT_EQ(v.outputs(0).gates(), e.passes ? "" : "X");
  }
}

TEST(Exact, ComputedResultsMayFlushSubnormals) {
  const struct {
    const char* name;
    Dtype dtype;
    double actual, expected;
    bool passes;
  } rows[] = {{"float32", D::float32, 0, 1e-40, true},
              {"float32, negative", D::float32, -0.0, -1e-40, true},
              {"bfloat16", D::bfloat16, 0, 1e-39, true},
              {"a normal number", D::float32, 0, 1.2e-38, false},
              {"another subnormal", D::float32, 2e-40, 1e-40, false},
              {"a zero of the other sign", D::float32, -0.0, 0.0, false},
              {"float16", D::float16, 0, 1e-5, false},
              {"float64", D::float64, 0, 1e-310, false}};
  for (const auto& row : rows) {
    v1::Case c = OneOutput(row.dtype, v1::Judge::EXACT);
    c.mutable_judges(0)->set_computed(true);
    const v1::Verdict v = CompareCase(c, {}, {{"out", Row(row.dtype, {row.expected})}},
                                      {{"out", Row(row.dtype, {row.actual})}});
    EXPECT_EQ(v.outcome(), row.passes ? v1::OUTCOME_PASS : v1::OUTCOME_FAIL) << row.name;
    EXPECT_EQ(v.outputs(0).flushed(), row.passes ? 1 : 0) << row.name;
  }
}

TEST(Exact, BoolBytesMustBeZeroOrOne) {
  const v1::Case c = OneOutput(D::bool_, v1::Judge::EXACT);
  const HostTensor expected{D::bool_, {2}, std::string("\x00\x01", 2)};
  const HostTensor bad{D::bool_, {2}, std::string("\x00\xff", 2)};
  EXPECT_EQ(CompareCase(c, {}, {{"out", expected}}, {{"out", expected}}).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(CompareCase(c, {}, {{"out", bad}}, {{"out", bad}}).outcome(), v1::OUTCOME_FAIL);
  const v1::Verdict v = CompareCase(c, {}, {{"out", expected}}, {{"out", bad}});
  EXPECT_EQ(v.reason(),
            "out: 1 of 2 elements differs, first at [1]: got byte 0xff, expected true exactly; the last "
            "element; every element that differs is a byte other than 0 and 1");
  EXPECT_EQ(v.likely_cause(), "bool is written as all bits set instead of the byte 1");
}

// Each part of a computed complex number has its own r and sigma; the device reference has complex numbers.
TEST(Pointwise, ComplexNumbersAreJudgedPartByPart) {
  v1::Case c = OneOutput(D::complex64, v1::Judge::COMPOSITION);
  const auto number = [](double real, double imaginary) {
    return HostTensor{D::complex64, {1}, Row(D::float32, {real, imaginary}).data};
  };
  TensorMap references = Oracle({1, 2}, {3, 4}, {0, 0.01});
  for (const bool beside_device : {false, true}) {
    if (beside_device) references["out.device"] = number(3, 4.01);
    const auto judge = [&](double real, double imaginary) {
      return CompareCase(c, {}, references, {{"out", number(real, imaginary)}});
    };
    EXPECT_EQ(judge(3, 4.02).outcome(), v1::OUTCOME_PASS) << judge(3, 4.02).reason();
    const v1::Verdict wrong = judge(3.02, 4);
    ASSERT_EQ(wrong.outcome(), v1::OUTCOME_FAIL) << wrong.reason();
    EXPECT_THAT(wrong.reason(),
                HasSubstr("out: 1 of 2 elements differs, first at [0, 0]: got 3.01999998, expected 3"));
    EXPECT_EQ(judge(3, 5).outcome(), v1::OUTCOME_FAIL);
    EXPECT_EQ(judge(4, 3).outcome(), v1::OUTCOME_FAIL);
    EXPECT_EQ(judge(3, std::nan("")).outcome(), v1::OUTCOME_FAIL);
    EXPECT_EQ(wrong.outputs(0).dtype(), D::float32);
    EXPECT_EQ(wrong.outputs(0).shape_size(), 2);
  }
  references["out.device"] = Row(D::float32, {3, 4});
  EXPECT_EQ(CompareCase(c, {}, references, {{"out", number(3, 4)}}).outcome(), v1::OUTCOME_HARNESS_ERROR);
}

TEST(Exact, ComplexNumbersHaveTwoParts) {
  const v1::Case c = OneOutput(D::complex64, v1::Judge::EXACT);
  const auto number = [](double real, double imaginary) {
    return HostTensor{D::complex64, {1}, Row(D::float32, {real, imaginary}).data};
  };
  const auto judge = [&](const HostTensor& actual) {
    return CompareCase(c, {}, {{"out", number(3, 0.5)}}, {{"out", actual}});
  };
  EXPECT_EQ(judge(number(3, 0.5)).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(judge(number(3, -0.5)).reason(),
            "out: 1 of 1 element differs, first at [0]: got (3, -0.5), expected (3, 0.5) exactly");
  EXPECT_FALSE(judge(number(3, -0.5)).outputs(0).public_pass());
}

TEST(Exact, FloatsThatAreNotNoisyButIntegersAre) {
  // A judge by rounding noise means bit for bit where the output is an integer.
  const v1::Case c = OneOutput(D::int32, v1::Judge::ACCUMULATION);
  EXPECT_EQ(CompareCase(c, {}, {{"out", Row(D::int32, {7})}}, {{"out", Row(D::int32, {7})}}).outcome(),
            v1::OUTCOME_PASS);
  EXPECT_EQ(CompareCase(c, {}, {{"out", Row(D::int32, {7})}}, {{"out", Row(D::int32, {8})}}).outcome(),
            v1::OUTCOME_FAIL);
}

TEST(Form, ShapeAndDtypeComeFirst) {
  const v1::Case c = OneOutput(D::float32, v1::Judge::EXACT);
  const TensorMap references = {{"out", Tensor(D::float32, {3, 2}, std::vector<double>(6))}};
  const v1::Verdict shape =
      CompareCase(c, {}, references, {{"out", Tensor(D::float32, {2, 3}, std::vector<double>(6))}});
  EXPECT_EQ(shape.outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(shape.reason(), "out: shape (2, 3), expected (3, 2)");
  EXPECT_EQ(shape.outputs(0).gates(), "S");
  const v1::Verdict dtype =
      CompareCase(c, {}, references, {{"out", Tensor(D::float64, {3, 2}, std::vector<double>(6))}});
  EXPECT_EQ(dtype.reason(), "out: dtype float64, expected float32");
}

TEST(Form, MissingReferencesAreOurFault) {
  const v1::Case c = OneOutput(D::float32, v1::Judge::MATH);
  const TensorMap actual = {{"out", Row(D::float32, {1})}};
  EXPECT_EQ(CompareCase(c, {}, {}, actual).outcome(), v1::OUTCOME_HARNESS_ERROR);
  EXPECT_EQ(CompareCase(c, {}, {{"out", Row(D::float64, {1})}}, actual).outcome(), v1::OUTCOME_HARNESS_ERROR);
  // r of another shape than the output, or without its sigma.
  EXPECT_EQ(CompareCase(c, {}, {{"out", Row(D::float64, {1})}}, actual).outcome(), v1::OUTCOME_HARNESS_ERROR);
  const v1::Verdict v = CompareCase(c, {}, Oracle({1}, {1}, {0}), {});
  EXPECT_EQ(v.outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(v.reason(), "out: the call returned no such output");
}

TEST(Form, EmptyTensorsPass) {
  EXPECT_EQ(Pointwise(Tensor(D::float32, {0, 3}, {}), {}, 0).outcome(), v1::OUTCOME_PASS);
  const v1::Case c = OneOutput(D::int64, v1::Judge::EXACT);
  const HostTensor empty = Tensor(D::int64, {0}, {});
  EXPECT_EQ(CompareCase(c, {}, {{"out", empty}}, {{"out", empty}}).outcome(), v1::OUTCOME_PASS);
}

// Which figures an output has, as letters: u max_ulp and the histogram, z max_z, r rms_z, a max_abs and
// max_rel, e rmse and rmse_ideal, b bias, p the public rule's ratio, d rmse_ratio.
std::string Measured(const v1::OutputStats& s) {
  const std::pair<char, double> figures[] = {{'u', s.max_ulp()},     {'z', s.max_z()},
                                             {'r', s.rms_z()},       {'a', s.max_abs()},
                                             {'a', s.max_rel()},     {'e', s.rmse()},
                                             {'e', s.rmse_ideal()},  {'b', s.bias()},
                                             {'b', s.radial_bias()}, {'p', s.public_mismatch_ratio()},
                                             {'d', s.rmse_ratio()}};
  std::string text;
  for (const auto& [letter, value] : figures) {
    if (!std::isnan(value) && (text.empty() || text.back() != letter)) text.push_back(letter);
  }
  EXPECT_EQ(s.ulp_histogram_size(), std::isnan(s.max_ulp()) ? 0 : 24);
  EXPECT_TRUE(std::isnan(s.rms_z_device()) && std::isnan(s.rmse_device()));
  return text;
}

TEST(Figures, WhatWasNotMeasuredIsNoZero) {
  const auto exact = [](const HostTensor& actual, const HostTensor& expected) {
    const v1::Case c = OneOutput(expected.dtype, v1::Judge::EXACT);
    return CompareCase(c, {}, {{"out", expected}}, {{"out", actual}}).outputs(0);
  };
  EXPECT_EQ(Measured(exact(Row(D::int32, {7}), Row(D::int32, {8}))), "ap");
  EXPECT_EQ(Measured(exact(Row(D::bool_, {1}), Row(D::bool_, {1}))), "ap");
  EXPECT_EQ(Measured(exact(Row(D::float32, {7}), Row(D::float32, {7}))), "uap");
  EXPECT_EQ(Measured(exact(Row(D::float32, {kNan}), Row(D::float32, {kNan}))), "up");
  EXPECT_EQ(Measured(exact(Row(D::float32, {}), Row(D::float32, {}))), "");
  EXPECT_EQ(Measured(exact(Row(D::float32, {1, 2}), Row(D::float32, {1}))), "");
  // A measured zero stays one: no element of these can lean.
  const v1::OutputStats right = Pointwise(Row(D::float32, {1, 2}), {1, 2}, 0).outputs(0);
  EXPECT_EQ(Measured(right), "uzraepd");
  EXPECT_EQ(right.max_z(), 0);
  EXPECT_EQ(right.rmse_ratio(), 1);
  EXPECT_EQ(Measured(Pointwise(Row(D::float32, {1, 2}), {1 + 0x1p-25, 2}, 0).outputs(0)), "uzraebpd");
  EXPECT_EQ(Measured(Pointwise(Row(D::float32, {kNan}), {1}, 0).outputs(0)), "p");
  EXPECT_EQ(Measured(Pointwise(Row(D::float32, {}), {}, 0).outputs(0)), "");
}

TEST(Figures, HaveTwentyOneBits) {
  const v1::OutputStats s = Pointwise(Row(D::float64, {1.1, 5, 3}), {1, 3, 2 + 0x1p-30}, 0).outputs(0);
  EXPECT_EQ(s.max_abs(), 2);
  EXPECT_NEAR(s.rmse(), std::sqrt((0.01 + 4 + 1) / 3), 1e-6);
  for (const double figure : {s.rmse(), s.bias(), s.max_rel(), s.max_z(), s.rms_z()})
    EXPECT_EQ(std::bit_cast<uint64_t>(figure) << 32, 0) << figure;
  EXPECT_NE(s.first(0).actual(), static_cast<float>(s.first(0).actual()));  // what an element is stays exact
}

TEST(Form, ListsAndJudgesWithoutAName) {
  v1::Case c;
  v1::Argument* outs = c.add_args();
  outs->set_name("outs");
  outs->set_role(v1::ROLE_OUTPUT);
  for (int i = 0; i < 3; ++i) outs->mutable_tensors()->add_tensors()->set_dtype(D::float32);
  for (const bool null : {false, true, false}) outs->mutable_tensors()->add_null(null);
  c.add_judges()->set_kind(v1::Judge::EXACT);
  TensorMap references = {{"outs.0", Row(D::float32, {1})}, {"outs.2", Row(D::float32, {2})}};
  EXPECT_EQ(CompareCase(c, {}, references, references).outcome(), v1::OUTCOME_PASS);
  TensorMap actual = references;
  actual["outs.2"] = Row(D::float32, {3});
  const v1::Verdict v = CompareCase(c, {}, references, actual);
  EXPECT_EQ(v.outputs_size(), 2);
  EXPECT_THAT(v.reason(), ::testing::StartsWith("outs.2: 1 of 1 element differs"));
}

v1::Case Picking(bool unique, const std::string& values, int64_t dim) {
  v1::Case c = OneOutput(D::int64, v1::Judge::INDEX_OF);
  AddInput(&c, "input", D::float32);
  AddInt(&c, "dim", dim);
  v1::Judge* judge = c.mutable_judges(0);
  judge->set_input("input");
  judge->set_dim("dim");
  judge->set_values(values);
  judge->set_unique(unique);
  return c;
}

TEST(Picks, AreJudgedByWhatTheyPick) {
  // Two slices along dim 1: (5 7 7), (nan 1 nan). Top 2 of each.
  const TensorMap inputs = {{"input", Tensor(D::float32, {2, 3}, {5, 7, 7, kNan, 1, kNan})}};
  const TensorMap references = {{"out", Tensor(D::int64, {2, 2}, {1, 2, 0, 2})},
                                {"values", Tensor(D::float32, {2, 2}, {7, 7, kNan, kNan})}};
  struct Row2 {
    std::vector<double> picks;
    const char* reason;  // "": passes
  };
  for (const Row2& row : std::vector<Row2>{
           {{1, 2, 0, 2}, ""},
           {{2, 1, 2, 0}, ""},  // ties the other way round
           {{1, 1, 0, 2}, "index 1 at [0, 1] picks an element that its slice already picks"},
           {{0, 2, 0, 2}, "1 of 4 elements differs, first at [0, 0]; index 0 picks 5, expected a pick of 7"},
           {{1, 2, 0, 3},
            "1 of 4 elements differs, first at [1, 1]; index 3 is outside [0, 3); the last element"},
           {{1, 2, 0, -1},
            "1 of 4 elements differs, first at [1, 1]; index -1 is outside [0, 3); the last element"}}) {
    for (const std::string& values : {std::string("values"), std::string()}) {
      const v1::Verdict v = CompareCase(Picking(true, values, -1), inputs, references,
                                        {{"out", Tensor(D::int64, {2, 2}, row.picks)}});
      EXPECT_EQ(v.reason(), std::string(row.reason).empty() ? "" : std::string("out: ") + row.reason);
      EXPECT_EQ(v.outcome() == v1::OUTCOME_PASS, std::string(row.reason).empty());
    }
  }
}

TEST(Picks, ReducedAndFlattened) {
  const TensorMap inputs = {{"input", Tensor(D::float32, {2, 3}, {5, 7, 7, 1, 2, 9})}};
  const auto judge = [&](const v1::Case& c, const std::vector<int64_t>& shape,
                         const std::vector<double>& wanted, const std::vector<double>& got) {
    return CompareCase(c, inputs, {{"out", Tensor(D::int64, shape, wanted)}},
                       {{"out", Tensor(D::int64, shape, got)}})
        .outcome();
  };
  EXPECT_EQ(judge(Picking(false, "", 1), {2}, {1, 2}, {2, 2}), v1::OUTCOME_PASS);
  EXPECT_EQ(judge(Picking(false, "", 1), {2}, {1, 2}, {0, 2}), v1::OUTCOME_FAIL);
  EXPECT_EQ(judge(Picking(false, "", 0), {3}, {0, 0, 1}, {0, 0, 1}), v1::OUTCOME_PASS);
  v1::Case flat = Picking(false, "", 0);
  flat.mutable_args(2)->set_null(true);
  EXPECT_EQ(judge(flat, {}, {5}, {5}), v1::OUTCOME_PASS);
  EXPECT_EQ(judge(flat, {}, {5}, {2}), v1::OUTCOME_FAIL);
}

TEST(Unordered, RowsMayComeInAnyOrder) {
  const v1::Case c = OneOutput(D::int64, v1::Judge::UNORDERED);
  const TensorMap references = {{"out", Tensor(D::int64, {3, 2}, {0, 1, 0, 2, 4, 0})}};
  const auto outcome = [&](const std::vector<double>& rows) {
    return CompareCase(c, {}, references, {{"out", Tensor(D::int64, {3, 2}, rows)}}).outcome();
  };
  EXPECT_EQ(outcome({0, 1, 0, 2, 4, 0}), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome({4, 0, 0, 2, 0, 1}), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome({4, 0, 0, 2, 1, 0}), v1::OUTCOME_FAIL);
  EXPECT_EQ(outcome({0, 1, 0, 1, 4, 0}), v1::OUTCOME_FAIL);
}

}  // namespace
}  // namespace diopi::baselines
