// Golden texts: what a vendor engineer reads.
#include <gtest/gtest.h>

#include <limits>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

struct Golden {
  Dtype dtype;
  std::vector<double> y;
  std::vector<double> r;
  const char* reason;
};

TEST(Reason, OfTheRuleP) {
  for (const Golden& g : std::vector<Golden>{
           {D::float32,
            {1, 2, 0.5},
            {1, 2, 1.25},
            "1 of 3 elements differs, first at [2]: got 0.5, expected 1.25 (tolerance 8.9e-08, off by "
            "7.5e-01); "
            "the last element"},
           {D::float32,
            {0, 0, 0},
            {1, 2, 0},
            "2 of 3 elements differ, first at [0]: got 0, expected 1 (tolerance 8.9e-08, off by 1.0e+00); "
            "the "
            "whole output is zero"},
           {D::float16,
            {kNan, kNan},
            {1, 2},
            "2 of 2 elements differ, first at [0]: got nan, expected 1; the whole output is NaN"},
           {D::float32,
            {-1, -2, -3, -4, 5},
            {1, 2, 3, 4, 5},
            "4 of 5 elements differ, first at [0]: got -1, expected 1 (tolerance 8.9e-08, off by 2.0e+00); "
            "every "
            "element that differs has the wrong sign"},
           {D::float32,
            {2, 3, 4, 5, 6},
            {1, 1.5, 2, 2.5, 3},
            "5 of 5 elements differ, first at [0]: got 2, expected 1 (tolerance 8.9e-08, off by 1.0e+00); "
            "every "
            "element that differs is 2 times what it should be"},
           {D::float32,
            {1, 0, 0, 0, 0, 6},
            {1, 2, 3, 4, 5, 6},
            "4 of 6 elements differ, first at [1]: got 0, expected 2 (tolerance 1.8e-07, off by 2.0e+00); "
            "every "
            "element that differs is zero"},
           {D::float32,
            {2, 3, 4, 5, 7},
            {1, 1.5, 2, 2.5, 3},
            "5 of 5 elements differ, first at [0]: got 2, expected 1 (tolerance 8.9e-08, off by 1.0e+00)"},
           // float64 with all its digits: both would be 0.0501679630 in nine.
           {D::float64,
            {0.050167963, 0.5},
            {0.050167963033333332, 0.5},
            "1 of 2 elements differs, first at [0]: got 0.050167963000000003, expected 0.050167963033333332 "
            "(tolerance 5.2e-18, off by 3.3e-11)"}}) {
    EXPECT_EQ(Pointwise(Row(g.dtype, g.y), g.r, 0).reason(), std::string("out: ") + g.reason);
  }
}

TEST(Reason, OfBits) {
  const auto reason = [](Dtype dtype, const std::vector<int64_t>& shape, const std::vector<double>& got,
                         const std::vector<double>& wanted) {
    return CompareCase(OneOutput(dtype, v1::Judge::EXACT), {}, {{"out", Tensor(dtype, shape, wanted)}},
                       {{"out", Tensor(dtype, shape, got)}})
        .reason();
  };
  EXPECT_EQ(reason(D::int64, {2, 2}, {1, 2, 0, 4}, {1, 2, 3, 4}),
            "out: 1 of 4 elements differs, first at [1, 0]: got 0, expected 3 exactly");
  EXPECT_EQ(reason(D::int64, {}, {1}, {3}),
            "out: 1 of 1 element differs, first at []: got 1, expected 3 exactly");
  EXPECT_EQ(
      reason(D::float32, {2}, {-0.0, 1}, {0, 1}),
      "out: 1 of 2 elements differs, first at [0]: got -0, expected 0 exactly; every element that differs is "
      "-0 instead of +0");
  EXPECT_EQ(reason(D::int32, {3}, {0, 0, 0}, {0, 1, 2}),
            "out: 2 of 3 elements differ, first at [1]: got 0, expected 1 exactly; the whole output is zero");
}

TEST(Reason, NamesTheOutput) {
  v1::Case c = OneOutput(D::int32, v1::Judge::EXACT);
  *c.add_args() = c.args(0);
  c.mutable_args(1)->set_name("second");
  *c.add_judges() = c.judges(0);
  c.mutable_judges(1)->set_output("second");
  const TensorMap references = {{"out", Row(D::int32, {1})}, {"second", Row(D::int32, {1})}};
  const v1::Verdict v =
      CompareCase(c, {}, references, {{"out", Row(D::int32, {1})}, {"second", Row(D::int32, {2})}});
  EXPECT_EQ(v.reason(), "second: 1 of 1 element differs, first at [0]: got 2, expected 1 exactly");
  EXPECT_TRUE(v.outputs(0).ok());
  EXPECT_FALSE(v.outputs(1).ok());
}

}  // namespace
}  // namespace diopi::baselines
