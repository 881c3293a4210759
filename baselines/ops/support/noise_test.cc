#include "baselines/ops/support/noise.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "baselines/ops/support/weight_errors.h"

namespace diopi::ops {
namespace {

using N = Noise<double>;

// A formula in float32, and the same on noise numbers.
struct Formula {
  const char* name;
  double low, high;
  float (*narrow)(float, float);
  N (*wide)(N, N);
};

template <typename C>
C SigmoidOf(C x, C) {
  using std::exp;
  return C(1) / (C(1) + exp(-x));
}
template <typename C>
C PolynomialOf(C x, C y) {
  return ((x * y - C(2)) * x + y) / (C(3) + x * x);
}
template <typename C>
C LogSumOf(C x, C y) {
  using std::exp;
  using std::log;
  return log(exp(x) + exp(y));
}
template <typename C>
C NormOf(C x, C y) {
  using std::sqrt;
  return x / sqrt(x * x + y * y);
}
template <typename C>
C GeluOf(C x, C) {
  using std::erf;
  return x * C(0.5) * (C(1) + erf(x * Rounded<C>(0.707106781186547524400844362104849039L)));
}
template <typename C>
C TrigOf(C x, C y) {
  using std::cos;
  using std::sin;
  return sin(x) * cos(y) + cos(x) * sin(y);
}
template <typename C>
C TanhOf(C x, C y) {
  using std::tanh;
  return tanh(x) - tanh(y);
}
// The product is subnormal in float32.
template <typename C>
C UnderflowOf(C x, C y) {
  return C(0x1p-132F) * x * y * C(0x1p100F);
}
template <typename C>
C PowOf(C x, C y) {
  using std::fabs;
  using std::pow;
  return pow(fabs(x) + C(0.5), y);
}

// One sigma must cover what float32 really does: the RMS of (float32 - wide) in units of sigma and of the
// final rounding stays below 1 (up to statistics), and is no idle bound (not below 0.01).
TEST(Noise, CoversFloat32) {
  const std::vector<Formula> formulas = {
      {"sigmoid", -20, 20, SigmoidOf<float>, SigmoidOf<N>},
      {"polynomial", -4, 4, PolynomialOf<float>, PolynomialOf<N>},
      {"logsumexp", -30, 30, LogSumOf<float>, LogSumOf<N>},
      {"norm", -100, 100, NormOf<float>, NormOf<N>},
      {"gelu", -8, 8, GeluOf<float>, GeluOf<N>},
      {"angle sum", -3, 3, TrigOf<float>, TrigOf<N>},
      {"tanh difference", -3, 3, TanhOf<float>, TanhOf<N>},
      {"pow", -5, 5, PowOf<float>, PowOf<N>},
      {"underflow", -4, 4, UnderflowOf<float>, UnderflowOf<N>},
  };
  std::mt19937_64 random(7);
  for (const Formula& f : formulas) {
    std::uniform_real_distribution<float> draw(static_cast<float>(f.low), static_cast<float>(f.high));
    double sum = 0;
    const int count = 20000;
    for (int i = 0; i < count; ++i) {
      const float x = draw(random), y = draw(random);
      const N wide = f.wide(N(x), N(y));
      const double got = static_cast<double>(f.narrow(x, y));
      const double ulp = std::ldexp(1.0, std::ilogb(wide.v) - 23);
      sum += (got - wide.v) * (got - wide.v) / (wide.s2 + ulp * ulp / 12);
    }
    const double rms = std::sqrt(sum / count);
    EXPECT_LT(rms, 1.05) << f.name;
    EXPECT_GT(rms, 0.01) << f.name;
  }
}

TEST(Noise, PropagatesWhatEntered) {
  const N x(2.0, 1e-6);
  struct Row {
    N got;
    double variance;
  } rows[] = {
      {x + x, 2e-6},      {x * N(3), 9e-6},       {N(1) / x, 1e-6 / 16},
      {-x, 1e-6},         {sqrt(x), 1e-6 / 8},    {exp(x), 1e-6 * std::exp(4.0)},
      {log(x), 1e-6 / 4}, {pow(x, N(3)), 144e-6},
  };
  for (const Row& row : rows) EXPECT_NEAR(row.got.s2 / row.variance, 1.0, 1e-4);
}

TEST(Noise, SpecialValuesCarryNone) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const N& x : {exp(N(1000.0, 1.0)), N(1) / N(0.0), N(inf) - N(inf), log(N(0.0, 1.0)) * N(2)}) {
    EXPECT_FALSE(isfinite(x));
    EXPECT_EQ(x.s2, 0);
  }
  // The root of 0 with an error.
  EXPECT_NEAR(sqrt(N(0.0, 1e-20)).s2, 1e-10, 1e-15);
  EXPECT_EQ(sqrt(N(0.0, 0.0)).s2, 0);
  // Finite results of infinite or nearly infinite intermediates keep a finite variance.
  for (const N& x : {SigmoidOf(N(-1000.0), N(0)), SigmoidOf(N(-400.0), N(0)), N(1) / N(inf), tanh(N(inf)),
                     exp(N(-inf)), sqrt(N(0.0, 1e-20))}) {
    EXPECT_TRUE(isfinite(x));
    EXPECT_TRUE(std::isfinite(x.s2));
  }
}

// exp(90) is infinite in float32, so its silu of -90 is 0.
TEST(Noise, KnowsThatDivisorsOverflow) {
  for (const double x : {-80.0, -90.0}) {
    const N silu = N(x) / (N(1) + exp(N(-x)));
    EXPECT_EQ(std::sqrt(silu.s2) >= std::fabs(silu.v), x < -88.8) << x;
  }
}

TEST(Noise, ConstantsAreExactOrRounded) {
  EXPECT_EQ(Exact<N>(0.1).s2, 0);
  EXPECT_EQ(Rounded<N>(0.5L).s2, 0);
  EXPECT_GT(Rounded<N>(0.1L).s2, 0);
  using L = Noise<long double>;
  EXPECT_EQ(Rounded<L>(0.1).s2, 0);  // a double holds what it was given
  EXPECT_GT(Rounded<L>(0.1L).s2, 0);
  EXPECT_LT((L(1) / L(3)).s2, 1e-32);
}

// Weights 1, 1 and 1/2, whose errors have variance 1e-6: the first two are of equal keys, with one error.
TEST(WeightErrors, MoveAMeanOnlyByTheDistanceOfTheValue) {
  const auto variance = [](const std::vector<double>& weights, const std::vector<double>& values) {
    WeightErrors<N> errors(true);
    double total = 0, weighed = 0;
    for (size_t j = 0; j < weights.size(); ++j) {
      EXPECT_EQ(errors.Take(N(weights[j], 1e-6)).s2, 0);
      total += weights[j];
      weighed += weights[j] * values[j];
    }
    const auto value = [&](int64_t j) { return N(values[static_cast<size_t>(j)]); };
    return errors.Widened(N(weighed / total), N(total), value).s2 * 1e6 * total * total;
  };
  EXPECT_EQ(variance({1}, {3}), 0);
  EXPECT_EQ(variance({1, 0.5}, {3, 3}), 0);
  EXPECT_NEAR(variance({1, 0.5}, {3, 0}), 1 + 4, 1e-9);             // the mean is 2
  EXPECT_NEAR(variance({1, 1, 0.5}, {5, 5, 0}), 2 * 2 + 16, 1e-9);  // the mean is 4
  EXPECT_NEAR(variance({1, 1, 0.5}, {5, -5, 0}), 50, 1e-9);         // or two errors, if by chance
}

TEST(Noise, LongDoubleKeepsItsDigits) {
  using L = Noise<long double>;
  const L x = exp(L(1)) - L(2.718281828459045090795598L);
  EXPECT_NEAR(static_cast<double>(x.v) / 1.4456e-16, 1.0, 1e-3);  // e - double(e)
}

}  // namespace
}  // namespace diopi::ops
