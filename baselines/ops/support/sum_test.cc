#include "baselines/ops/support/sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace diopi::ops {
namespace {

using N = Noise<double>;

N Total(const std::vector<double>& terms) {
  Sum<N> sum;
  for (const double term : terms) sum += N(term);
  return sum.total();
}

TEST(Sum, PlainNumbersAreAddedInOrder) {
  Sum<float> sum;
  for (const float term : {1e8F, 1.0F, -1e8F}) sum += term;
  EXPECT_EQ(sum.total(), (1e8F + 1.0F) - 1e8F);
}

TEST(Sum, NothingAndOneTermAreExact) {
  EXPECT_EQ(Total({}).s2, 0);
  EXPECT_EQ(Total({3}).v, 3);
  // 0 + 3 is still an addition to the noise number; no more than that.
  EXPECT_LE(Total({3}).s2, N::kUnit * N::kUnit * 9 / 3);
}

// Small terms before one large: this order costs almost nothing, the reverse costs one rounding of the large
// one at every addition. The variance has to allow for both, by the closed form.
TEST(Sum, TheOrderOfTermsHardlyMatters) {
  std::vector<double> rising(1000, 1e-6);
  rising.push_back(1);
  std::vector<double> falling = rising;
  std::reverse(falling.begin(), falling.end());
  const N up = Total(rising), down = Total(falling);
  const double closed = N::kUnit * N::kUnit / 3 * 1000 * (1 + 1000e-12) * (0.5 + 1.0 / 3);
  EXPECT_GE(up.s2, 0.99 * closed);
  EXPECT_LE(down.s2, 1.3 * up.s2);
  EXPECT_GE(down.s2, up.s2);
}

// The error of one float after the other, in standard deviations that the noise number gives.
double SerialError(const std::vector<double>& terms, int lanes = 1) {
  std::vector<float> sums(static_cast<size_t>(lanes));
  for (size_t i = 0; i < terms.size(); ++i) sums[i % sums.size()] += static_cast<float>(terms[i]);
  float sum = 0;
  for (const float lane : sums) sum += lane;
  const N total = Total(terms);
  return std::fabs(static_cast<double>(sum) - total.v) / std::sqrt(total.s2);
}

double ClosedForm(const std::vector<double>& terms) {
  double r = 0, q2 = 0;
  for (const double x : terms) {
    r += x;
    q2 += x * x;
  }
  return N::kUnit * N::kUnit / 3 * static_cast<double>(terms.size() - 1) * (q2 / 2 + r * r / 3);
}

std::vector<double> Cycled(const std::vector<float>& values, size_t count) {
  std::vector<double> terms(count);
  for (size_t i = 0; i < count; ++i) terms[i] = static_cast<double>(values[i % values.size()]);
  return terms;
}

// Equal terms are rounded alike while the sum keeps its binade: the error grows with n instead of sqrt(n).
// Gate P allows 8 standard deviations, gate R 2 on average.
TEST(Sum, TermsThatRepeatDrift) {
  double beyond = 0, squares = 0, count = 0;
  for (const size_t n : {100U, 1000U, 20000U}) {
    for (int k = 1; k <= 20; ++k) {
      const float x = static_cast<float>(k) / 21.0F;
      for (const std::vector<float>& values : {std::vector<float>{x}, {x, 2.7F * x, 0.3F}, {x, -0.2F}}) {
        const std::vector<double> terms = Cycled(values, n);
        const double error = SerialError(terms);
        EXPECT_LT(error, 8) << n << " times " << x;
        EXPECT_LT(SerialError(terms, 2), 8) << n << " times " << x << ", even and odd";
        beyond = std::max(beyond, error * std::sqrt(Total(terms).s2 / ClosedForm(terms)));
        squares += error * error;
        ++count;
      }
    }
  }
  EXPECT_GT(beyond, 80);  // by the closed form alone
  EXPECT_LT(std::sqrt(squares / count), 2);
}

// Squared distances of -1, 0, 1 and 2 from their mean. That of 2 lies beside the middle between two multiples
// of the last place, by less than its own rounding: on one side in float32, on the other exactly.
TEST(Sum, TermsInTheMiddleDriftEitherWay) {
  constexpr size_t kCount = 1488;
  std::vector<float> values(kCount);
  double mean = 0;
  for (size_t i = 0; i < kCount; ++i) {
    const float value = i < 356 ? -1 : i < 746 ? 0 : i < 1116 ? 1 : 2;
    values[i * 7919 % kCount] = value;
    mean += static_cast<double>(value) / kCount;
  }
  Sum<N> sum;
  float serial = 0;
  for (const float value : values) {
    const N distance = N(static_cast<double>(value)) - N(mean);
    sum += distance * distance;
    const float rounded = value - static_cast<float>(mean);
    serial += rounded * rounded;
  }
  const N total = sum.total();
  EXPECT_LT(std::fabs(static_cast<double>(serial) - total.v) / std::sqrt(total.s2), 8);
}

// Equal terms just above a multiple of the last place, by less than their own error: the library's are 2.5
// standard deviations larger, beyond the middle to the next multiple, and each is rounded up.
TEST(Sum, TermsWhoseErrorReachesTheMiddleDriftEitherWay) {
  constexpr int kCount = 16000;
  const double place = std::ldexp(1.0, -10);  // the last place of sums in [2^13, 2^14)
  const N term = N::Clean(1 + 0.05 * place, std::pow(0.2 * place, 2));
  Sum<N> sum;
  float serial = 0;
  for (int i = 0; i < kCount; ++i) {
    sum += term;
    serial += static_cast<float>(1 + 0.55 * place);
  }
  const N total = sum.total();
  EXPECT_LT(std::fabs(static_cast<double>(serial) - total.v) / std::sqrt(total.s2), 8);
}

// The losses of rows that are equal: each is a sum that drifts, all by the same error.
TEST(Sum, EqualTermsHaveTheirErrorInCommon) {
  const std::vector<double> row = Cycled({0.1F}, 1000);
  const N loss = Total(row);
  float serial = 0;
  for (const double term : row) serial += static_cast<float>(term);
  for (const int rows : {2, 12, 100}) {
    Sum<N> sum, unequal;
    float total = 0;
    for (int i = 0; i < rows; ++i) {
      sum += loss;
      unequal += N::Clean(loss.v * (1 + i * 1e-9), loss.s2);
      total += serial;
    }
    const double error = std::fabs(static_cast<double>(total) - sum.total().v);
    EXPECT_NEAR(error / std::sqrt(sum.total().s2), SerialError(row), 0.5) << rows;
    EXPECT_LT(unequal.total().s2, 1.2 * sum.total().s2 / rows) << rows;
  }
}

// Equal terms that lie side by side and cancel with others: partial sums are larger than the sum and a walk.
TEST(Sum, TermsThatCancelInBlocksDrift) {
  double beyond = 0;
  for (const size_t n : {32U, 100U, 1000U}) {
    for (int k = 1; k <= 20; ++k) {
      std::vector<double> terms;
      for (const float x : {static_cast<float>(k) / 21.0F, 0.01F, static_cast<float>(-k) / 21.3F})
        terms.insert(terms.end(), n, static_cast<double>(x));
      beyond = std::max(beyond, SerialError(terms));
    }
  }
  EXPECT_LT(beyond, 8);
}

// Squares of what is spread around 0: most of them are below half a last place of a long sum.
TEST(Sum, TermsThatCrowdAroundZeroDrift) {
  std::vector<double> terms;
  for (int i = 0; i < 1000000; ++i) {
    const double x = std::fmod(i * 0.6180339887498949, 1.0);
    terms.push_back(x * x * x * x);
  }
  EXPECT_LT(SerialError(terms), 8);
  EXPECT_GT(SerialError(terms) * std::sqrt(Total(terms).s2 / ClosedForm(terms)), 8);
}

// What has no drift keeps the closed form: short sums, different terms, and terms that no sum rounds.
TEST(Sum, OtherTermsDoNot) {
  std::vector<double> different(20000);
  for (size_t i = 0; i < different.size(); ++i) {
    different[i] = std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0);
  }
  for (const std::vector<double>& terms : {Cycled({0.1F}, 31), Cycled({0.5F, 3}, 20000), different}) {
    // The noise number's own loop gives less or hardly more.
    EXPECT_LT(Total(terms).s2, 1.1 * ClosedForm(terms)) << terms.size();
  }
}

// Each prefix has the noise of a sum of its own, once the values that repeat do so in it.
TEST(RunningTotals, AreTheSumsOfEveryPrefix) {
  for (const std::vector<double>& terms :
       {Cycled({0.3F}, 700), Cycled({0.1F, -2.5F, 1e-6F}, 200), std::vector<double>(40, 0.0),
        std::vector<double>{1, 2, HUGE_VAL, 3}}) {
    std::vector<N> numbers(terms.begin(), terms.end());
    numbers.back().s2 = 0.25;
    const std::vector<N> totals = RunningTotals(numbers);
    ASSERT_EQ(totals.size(), terms.size());
    Sum<N> sum;
    float serial = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      sum += numbers[i];
      EXPECT_EQ(totals[i].v, sum.total().v) << i;
      if (i == 0) {
        EXPECT_EQ(totals[i].s2, 0) << "a copy";
      } else if (i < 31 || i >= 96) {
        EXPECT_DOUBLE_EQ(totals[i].s2, sum.total().s2) << i;
      } else {
        EXPECT_GE(totals[i].s2, sum.total().s2) << i;
      }
      serial += static_cast<float>(terms[i]);
      if (!std::isfinite(serial) || totals[i].s2 == 0) continue;
      EXPECT_LT(std::fabs(static_cast<double>(serial) - totals[i].v) / std::sqrt(totals[i].s2), 8) << i;
    }
  }
  EXPECT_EQ(RunningTotals(std::vector<int64_t>{1, 2, INT64_MAX}),
            (std::vector<int64_t>{1, 3, INT64_MIN + 2}));
  EXPECT_TRUE(RunningTotals(std::vector<float>{}).empty());
}

TEST(Sum, TermsBringTheirOwnNoise) {
  Sum<N> sum;
  sum += N(1, 0.25);
  sum += N(-1, 0.5);
  EXPECT_EQ(sum.total().v, 0);
  EXPECT_NEAR(sum.total().s2, 0.75, 1e-12);
}

// Each NaN is unequal to all others: what counts equal terms must not keep one entry for each. With entries,
// this takes hours.
TEST(Sum, ManyNansAreAddedQuickly) {
  EXPECT_TRUE(std::isnan(Total(std::vector<double>(size_t{1} << 22, std::nan(""))).v));
}

TEST(Sum, InfinityCarriesNoNoise) {
  EXPECT_EQ(Total({1, HUGE_VAL, 2}).s2, 0);
  EXPECT_TRUE(std::isnan(Total({HUGE_VAL, -HUGE_VAL}).v));
  EXPECT_EQ(Total({HUGE_VAL, -HUGE_VAL}).s2, 0);
}

}  // namespace
}  // namespace diopi::ops
