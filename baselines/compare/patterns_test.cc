// Every pattern of mismatches that the comparator puts into words, and what chance must not be taken for.
#include "baselines/compare/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using Vec = std::vector<double>;
using ::testing::HasSubstr;

// Distinct numbers without a pattern of their own, exact in 16 bits up to 2^11 of them.
Vec Scattered(size_t n) {
  Vec x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i * 7919 % 2039 + 1) * (i % 3 == 0 ? -1 : 1);
  return x;
}

struct Case {
  const char* name;
  Dtype dtype;
  std::vector<int64_t> shape;
  std::function<void(Vec* expected, Vec* actual)> spoil;
  const char* text;
  const char* cause;  // "": none
};

void Both(const Case& row, const std::function<void(const v1::Verdict&)>& check) {
  Vec expected = Scattered(static_cast<size_t>(NumElements(row.shape)));
  Vec actual = expected;
  row.spoil(&expected, &actual);
  const HostTensor y = Tensor(row.dtype, row.shape, actual);
  check(CompareCase(OneOutput(row.dtype, v1::Judge::EXACT), {},
                    {{"out", Tensor(row.dtype, row.shape, expected)}}, {{"out", y}}));
  if (!IsFloating(row.dtype)) return;
  check(CompareCase(OneOutput(row.dtype, v1::Judge::COMPOSITION), {},
                    Oracle(row.shape, expected, Vec(expected.size(), 0)), {{"out", y}}));
}

size_t At(size_t row, size_t columns, size_t column) {
  return row * columns + column;
}

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"tail",
       D::float32,
       {1003},
       [](Vec*, Vec* y) {
         for (size_t i = 1000; i < 1003; ++i) (*y)[i] = 0.5 + (*y)[i] * 3;
       },
       "the last 3 elements, after the last full vector of 8",
       "the tail beyond the last full vector of 8"},
      {"tail without a width",
       D::float32,
       {1003},
       [](Vec*, Vec* y) {
         for (size_t i = 998; i < 1003; ++i) (*y)[i] *= 3.5;
       },
       "the last 5 elements; every element that differs is 3.5 times",
       ""},
      {"stale tail",
       D::float32,
       {1027},
       [](Vec*, Vec* y) {
         for (size_t i = 1024; i < 1027; ++i) (*y)[i] = (*y)[i - 256];
       },
       "the last 3 elements, after the last full vector of 1024; every element that differs holds the value "
       "of the element 256 places before",
       "the tail beyond the last full vector of 1024"},
      {"tail of rows",
       D::float16,
       {6, 19},
       [](Vec*, Vec* y) {
         for (size_t r = 0; r < 6; ++r)
           for (size_t c = 16; c < 19; ++c) (*y)[At(r, 19, c)] += 6 + static_cast<double>(c * r);
       },
       "the last 3 of every row, after the last full vector of 16",
       "the tail beyond the last full vector of 16"},
      {"last row",
       D::float32,
       {5, 7},
       [](Vec*, Vec* y) {
         for (size_t c = 0; c < 7; ++c) (*y)[At(4, 7, c)] = 0.25 + static_cast<double>(c * c);
       },
       "the last 7 elements",
       ""},
      {"last channel",
       D::float32,
       {2, 33, 4},
       [](Vec*, Vec* y) {
         for (size_t n = 0; n < 2; ++n)
           for (size_t c = 0; c < 4; ++c) (*y)[n * 132 + 128 + c] += 1000 * static_cast<double>(c + n + 1);
       },
       "all in [:, 32, :], the last of dimension 1",
       "the tail of dimension 1 (33, one beyond a multiple of 32) is left out"},
      {"one slice",
       D::float32,
       {9, 9},
       [](Vec*, Vec* y) {
         for (size_t r = 0; r < 9; ++r) (*y)[At(r, 9, 3)] += static_cast<double>(r * r) + 0.5;
       },
       "all in [:, 3]",
       ""},
      {"zero",
       D::float32,
       {40},
       [](Vec*, Vec* y) { y->assign(40, 0); },
       "; the whole output is zero",
       "the output is never computed"},
      {"zero, the maximum of negative numbers and 0",
       D::float32,
       {40},
       [](Vec* r, Vec* y) {
         for (double& v : *r) v = -std::fabs(v);
         y->assign(40, 0);
       },
       "; the whole output is zero",
       ""},
      {"zero, an index",
       D::int64,
       {40},
       [](Vec* r, Vec* y) {
         for (double& v : *r) v = std::fabs(v);
         y->assign(40, 0);
       },
       "; the whole output is zero",
       ""},
      {"zero, cut off to integers",
       D::float32,
       {40},
       [](Vec* r, Vec* y) {
         for (double& v : *r) v /= 4096;
         y->assign(40, 0);
       },
       "; the whole output is zero",
       ""},
      {"permuted, of two values",
       D::int32,
       {40},
       [](Vec* r, Vec* y) {
         for (size_t i = 0; i < 40; ++i) (*r)[i] = static_cast<double>(i / 5 % 2);
         *y = *r;
         for (const size_t i : {2u, 7u, 12u, 17u}) (*y)[i] = 1 - (*y)[i];
       },
       "the right values in another order",
       ""},
      {"constant",
       D::float32,
       {40},
       [](Vec*, Vec* y) { y->assign(40, 5.5); },
       "; the whole output is 5.5",
       ""},
      {"NaN", D::float16, {40}, [](Vec*, Vec* y) { y->assign(40, kNan); }, "; the whole output is NaN", ""},
      {"some zero",
       D::int32,
       {40},
       [](Vec*, Vec* y) {
         for (const size_t i : {3u, 9u, 10u, 31u}) (*y)[i] = 0;
       },
       "every element that differs is zero",
       ""},
      {"sign",
       D::float32,
       {40},
       [](Vec*, Vec* y) {
         for (size_t i = 0; i < 40; i += 3) (*y)[i] *= -1;
       },
       "has the wrong sign",
       "the sign is wrong"},
      {"factor",
       D::float32,
       {40},
       [](Vec*, Vec* y) {
         for (double& v : *y) v *= 0.75;
       },
       "is 0.75 times what it should be",
       ""},
      {"offset",
       D::int64,
       {40},
       [](Vec*, Vec* y) {
         for (double& v : *y) v += 1;
       },
       "is 1 too large",
       ""},
      {"offset of floats",
       D::float32,
       {40},
       [](Vec*, Vec* y) {
         for (double& v : *y) v -= 12;
       },
       "is 12 too small",
       ""},
      {"early",
       D::float32,
       {40},
       [](Vec*, Vec* y) {
         std::rotate(y->begin(), y->begin() + 1, y->end());
         y->back() = -4;
         (*y)[39] = Scattered(40)[39];
       },
       "holds the value of the next one",
       ""},
      {"late",
       D::int32,
       {40},
       [](Vec*, Vec* y) {
         std::rotate(y->begin(), y->end() - 1, y->end());
         (*y)[0] = Scattered(40)[0];
       },
       "holds the value of the one before",
       ""},
      {"transposed",
       D::float32,
       {7, 7},
       [](Vec* r, Vec* y) {
         for (size_t i = 0; i < 49; ++i) (*y)[i] = (*r)[i % 7 * 7 + i / 7];
       },
       "the last two dimensions exchanged",
       "the last two dimensions are exchanged"},
      {"two rows transposed",
       D::float32,
       {2, 9},
       [](Vec* r, Vec* y) {
         for (size_t i = 0; i < 18; ++i) (*y)[i] = (*r)[i % 2 * 9 + i / 2];
       },
       "the last two dimensions exchanged",
       "the last two dimensions are exchanged"},
      {"swapped",
       D::float32,
       {40},
       [](Vec*, Vec* y) { std::swap((*y)[5], (*y)[30]); },
       "the two are exchanged",
       ""},
      {"permuted",
       D::int64,
       {40},
       [](Vec*, Vec* y) {
         std::swap((*y)[5], (*y)[30]);
         std::swap((*y)[6], (*y)[12]);
         std::swap((*y)[1], (*y)[19]);
       },
       "the right values in another order",
       "each other's places"},
      {"NaN lost",
       D::float32,
       {40},
       [](Vec* r, Vec*) { (*r)[7] = (*r)[22] = kNan; },
       "NaN is not propagated",
       ""},  // no input holds one
      {"NaN made",
       D::float32,
       {40},
       [](Vec*, Vec* y) { (*y)[7] = (*y)[22] = kNan; },
       "every element that differs is NaN",
       ""},
      {"saturated",
       D::float16,
       {40},
       [](Vec* r, Vec* y) {
         (*r)[7] = kInf;
         (*y)[7] = 65504;
       },
       "are the largest finite number",
       "overflow saturates"},
      {"overflowed",
       D::float16,
       {40},
       [](Vec*, Vec* y) {
         (*y)[7] = kInf;
         (*y)[9] = -kInf;
       },
       "every element that differs is infinite",
       "an intermediate result overflows"},
      {"flushed",
       D::float16,
       {40},
       [](Vec* r, Vec* y) {
         (*r)[7] = 0x1p-20;
         (*r)[9] = -0x1p-18;
         (*y)[7] = (*y)[9] = 0;
       },
       "a subnormal number that was flushed to zero",
       "subnormal numbers are flushed"},
      {"through float32",
       D::int64,
       {8},
       [](Vec* r, Vec* y) {
         for (size_t i = 0; i < 8; ++i) {
           (*r)[i] = 0x1p30 + static_cast<double>(i);
           (*y)[i] = 0x1p30;
         }
         (*y)[3] = (*r)[3] = 5;
       },
       "has the precision of float32",
       "goes through float32"},
      {"32 bits",
       D::int64,
       {8},
       [](Vec* r, Vec* y) {
         for (size_t i = 0; i < 8; ++i) {
           (*r)[i] = 0x1p33 + static_cast<double>(i * i) + 2;
           (*y)[i] = static_cast<double>(i * i) + 2;
         }
       },
       "is right modulo 2^32",
       "computed in 32 bits"},
  };
  return *cases;
}

TEST(Patterns, AreToldInWords) {
  for (const Case& row : Cases()) {
    Both(row, [&](const v1::Verdict& v) {
      EXPECT_EQ(v.outcome(), v1::OUTCOME_FAIL) << row.name;
      EXPECT_THAT(v.reason(), HasSubstr(row.text)) << row.name;
      if (std::string(row.cause).empty()) {
        EXPECT_EQ(v.likely_cause(), "") << row.name;
      } else {
        EXPECT_THAT(v.likely_cause(), HasSubstr(row.cause)) << row.name;
      }
    });
  }
}

TEST(Patterns, OfUnwrittenElementsAndZeroSigns) {
  HostTensor y = Row(D::float32, Scattered(40));
  const TensorMap references = {{"out", y}};
  std::fill(y.data.begin() + 160 - 12, y.data.end(), '\xA5');
  const v1::Case c = OneOutput(D::float32, v1::Judge::EXACT);
  v1::Verdict v = CompareCase(c, {}, references, {{"out", y}});
  EXPECT_THAT(v.reason(), HasSubstr("still holds the poison"));
  EXPECT_EQ(v.likely_cause(), "elements of the output are never written");
  v = CompareCase(c, {}, {{"out", Row(D::float32, {1, -0.0})}}, {{"out", Row(D::float32, {1, 0})}});
  EXPECT_THAT(v.reason(), HasSubstr("the sign of zero is lost"));
}

TEST(Patterns, OfAnotherTie) {
  v1::Case c = OneOutput(D::int64, v1::Judge::EXACT);
  c.set_function("diopiArgmax");
  AddInput(&c, "input", D::float32);
  AddInt(&c, "dim", 1);
  const TensorMap inputs = {{"input", Tensor(D::float32, {2, 3}, {5, 7, 7, 1, 1, 0})}};
  const TensorMap references = {{"out", Row(D::int64, {1, 0})}};
  v1::Verdict v = CompareCase(c, inputs, references, {{"out", Row(D::int64, {2, 1})}});
  EXPECT_THAT(v.reason(), HasSubstr("the wrong index picks an equal value"));
  EXPECT_EQ(v.likely_cause(), "a tie is broken in favour of another element");
  v = CompareCase(c, inputs, references, {{"out", Row(D::int64, {2, 2})}});
  EXPECT_EQ(v.likely_cause(), "");
  c.set_function("diopiSum");  // has no indices
  v = CompareCase(c, inputs, references, {{"out", Row(D::int64, {2, 1})}});
  EXPECT_EQ(v.likely_cause(), "");
}

// The NaNs of an elementwise function's input are lost where several of them are, none stays, and the place
// explains nothing; a reduction's by itself.
TEST(Patterns, OfNanThatIsLost) {
  struct Lost {
    const char* name;
    std::vector<size_t> nan, lost;
    bool elementwise;
    const char* cause;
  };
  constexpr char kCause[] = "NaN in the input is not propagated";
  const Lost rows[] = {{"two, scattered", {3, 20}, {3, 20}, true, kCause},
                       {"two of three", {3, 8, 20}, {3, 20}, true, kCause},
                       {"two of five", {3, 8, 11, 15, 20}, {3, 20}, true, ""},
                       {"one", {20}, {20}, true, ""},
                       {"the tail", {38, 39}, {38, 39}, true, ""},
                       {"one of a reduction", {20}, {20}, false, kCause}};
  for (const Lost& row : rows) {
    Vec r = Scattered(40);
    for (const size_t i : row.nan) r[i] = kNan;
    Vec y = r;
    for (const size_t i : row.lost) y[i] = 7;
    v1::Case c = OneOutput(D::float32, v1::Judge::EXACT);
    AddInput(&c, "input", D::float32);
    Vec input(row.elementwise ? 40 : 80, 1);
    input.back() = kNan;
    const v1::Verdict v = CompareCase(c, {{"input", Row(D::float32, input)}}, {{"out", Row(D::float32, r)}},
                                      {{"out", Row(D::float32, y)}});
    EXPECT_EQ(v.likely_cause(), row.cause) << row.name << ": " << v.reason();
  }
}

// For an elementwise function: the first wrong element's operands, and how wrong elements' operands differ
// from the others'.
TEST(Patterns, OfOperands) {
  struct Operands {
    const char* name;
    std::function<bool(double)> wrong;
    const char* text;  // "": nothing beyond the operand
  };
  const Operands rows[] = {{"above", [](double x) { return x > 44; }, "all 35 have input above 44"},
                           {"below", [](double x) { return x < 5; }, "all 5 have input below 5"},
                           {"two ends", [](double x) { return std::fabs(x - 40) > 30; }, ""},
                           {"no order", [](double x) { return std::fmod(x, 3) == 0; }, ""}};
  Vec x(80);
  std::iota(x.begin(), x.end(), 0);
  for (const Operands& row : rows) {
    Vec y = x;
    for (double& v : y) v = row.wrong(v) ? v * v + 2000 + std::fmod(v, 7) : v;
    v1::Case c = OneOutput(D::float32, v1::Judge::EXACT);
    AddInput(&c, "input", D::float32);
    c.set_operator_("log");
    for (const char* family : {"elementwise", "reduction"}) {
      c.set_family(family);
      const v1::Verdict v = CompareCase(c, {{"input", Row(D::float32, x)}}, {{"out", Row(D::float32, x)}},
                                        {{"out", Row(D::float32, y)}});
      const bool elementwise = c.family() == "elementwise";
      const auto first = std::find_if(x.begin(), x.end(), row.wrong) - x.begin();
      const std::string call = absl::StrCat("log(", x[first], ") = ", y[first]);
      EXPECT_EQ(v.reason().find(call) != std::string::npos, elementwise) << row.name << ": " << v.reason();
      const bool has = v.reason().find(" have input ") != std::string::npos;
      EXPECT_EQ(has, elementwise && *row.text != '\0') << row.name << ": " << v.reason();
      EXPECT_THAT(v.reason(), HasSubstr(has ? row.text : "")) << row.name;
    }
  }
}

// Mismatches with nothing in common get no words beyond the first of them.
TEST(Patterns, SayNothingWithoutReason) {
  for (size_t seed = 1; seed <= 200; ++seed) {
    Vec r = Scattered(500);
    Vec y = r;
    for (size_t k = 0; k < 6; ++k) {
      const size_t i = (seed * 613 + k * k * 97 + k * 31) % 500;
      y[i] += 0.25 + static_cast<double>((seed * 37 + k * k * 13) % 101);
    }
    const v1::Verdict v = Pointwise(Tensor(D::float32, {20, 25}, y), r, 0);
    EXPECT_EQ(v.likely_cause(), "") << v.reason();
    EXPECT_EQ(v.reason().find(';'), std::string::npos) << v.reason();
  }
}

TEST(VectorWidth, IsTheLargestThatFits) {
  EXPECT_EQ(VectorWidth(1003, 3), 8);
  EXPECT_EQ(VectorWidth(1025, 1), 1024);
  EXPECT_EQ(VectorWidth(129, 1), 128);
  EXPECT_EQ(VectorWidth(7, 3), 4);
  EXPECT_EQ(VectorWidth(1003, 4), 0);
  EXPECT_EQ(VectorWidth(3, 3), 0);
}

}  // namespace
}  // namespace diopi::baselines
