// The rule against planted bugs and against correct but different implementations: a port of part of the
// numeric prototype (50 mutants, thousands of variants) that settled its constants.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using Vec = std::vector<double>;

Vec Normals(std::mt19937_64& bits, size_t n, double mean = 0) {
  std::normal_distribution<double> normal(mean, 1);
  Vec x(n);
  for (double& v : x) v = static_cast<double>(Single(normal(bits)));
  return x;
}

// An oracle as the generator makes one for an accumulation: sigma from r, q^2 = f(x^2) and n = f(1).
struct Oracle1 {
  Vec r, sigma;
};

double ClosedForm(double r, double q2, double n) {
  const double u = 0x1p-24;
  return std::sqrt(u * u / 3 * ((n - 1) * (q2 / 2 + r * r / 3) + q2));
}

// Sums of `rows` rows of n products a*b, in several orders of float32 arithmetic.
struct Sums {
  size_t rows, n;
  Vec a, b;

  Oracle1 Oracle() const {
    Oracle1 o;
    for (size_t i = 0; i < rows; ++i) {
      long double r = 0;
      double q2 = 0;
      for (size_t k = 0; k < n; ++k) {
        const double p = a[i * n + k] * b[i * n + k];
        r += p;
        q2 += p * p;
      }
      o.r.push_back(static_cast<double>(r));
      o.sigma.push_back(ClosedForm(o.r.back(), q2, static_cast<double>(n)));
    }
    return o;
  }
  Vec Each(const std::function<float(const double*, const double*)>& sum) const {
    Vec y;
    for (size_t i = 0; i < rows; ++i) y.push_back(static_cast<double>(sum(&a[i * n], &b[i * n])));
    return y;
  }
};

v1::Verdict Verdict(Dtype dtype, const Vec& y, const Oracle1& o) {
  const auto n = static_cast<int64_t>(y.size());
  return CompareCase(OneOutput(dtype, v1::Judge::ACCUMULATION), {}, baselines::Oracle({n}, o.r, o.sigma),
                     {{"out", Row(dtype, y)}});
}

float Forward(const double* a, const double* b, size_t n) {
  float s = 0;
  for (size_t k = 0; k < n; ++k) s += Single(a[k]) * Single(b[k]);
  return s;
}
float Backward(const double* a, const double* b, size_t n) {
  float s = 0;
  for (size_t k = n; k-- > 0;) s += Single(a[k]) * Single(b[k]);
  return s;
}
float Fused(const double* a, const double* b, size_t n) {
  float s = 0;
  for (size_t k = 0; k < n; ++k) s = std::fma(Single(a[k]), Single(b[k]), s);
  return s;
}
float Pairwise(const double* a, const double* b, size_t n) {
  if (n <= 8) return Forward(a, b, n);
  return Pairwise(a, b, n / 2) + Pairwise(a + n / 2, b + n / 2, n - n / 2);
}
float Lanes(const double* a, const double* b, size_t n) {
  float lanes[16] = {};
  for (size_t k = 0; k < n; ++k) lanes[k % 16] += Single(a[k]) * Single(b[k]);
  float s = 0;
  for (const float lane : lanes) s += lane;
  return s;
}
float SplitK(const double* a, const double* b, size_t n) {
  return Forward(a, b, n / 3) +
         (Fused(a + n / 3, b + n / 3, n / 3) + Backward(a + 2 * (n / 3), b + 2 * (n / 3), n - 2 * (n / 3)));
}

TEST(Variants, OrdersOfSummationPassOnManySeeds) {
  const std::vector<std::pair<const char*, float (*)(const double*, const double*, size_t)>> variants = {
      {"forward", Forward},   {"backward", Backward}, {"fma", Fused},
      {"pairwise", Pairwise}, {"lanes", Lanes},       {"split-k", SplitK}};
  int verdicts = 0;
  double worst = 0;
  for (int seed = 0; seed < 40; ++seed) {
    for (const size_t n : {1, 2, 7, 64, 1000, 4096}) {
      for (const double mean : {0.0, 3.0}) {
        std::mt19937_64 bits(static_cast<uint64_t>(seed) * 1000 + n);
        const Sums sums{24, n, Normals(bits, 24 * n, mean), Normals(bits, 24 * n)};
        const Oracle1 oracle = sums.Oracle();
        for (const auto& [name, sum] : variants) {
          const auto f = sum;
          const Vec y = sums.Each([&](const double* a, const double* b) { return f(a, b, n); });
          for (const Dtype dtype : {D::float32, D::float16, D::bfloat16}) {
            const v1::Verdict v = Verdict(dtype, y, oracle);
            ++verdicts;
            worst = std::max(worst, v.outputs(0).max_z());
            EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS) << name << " n=" << n << " seed=" << seed << v.reason();
          }
        }
      }
    }
  }
  std::printf("%d verdicts, no false alarm allowed; worst max z %.2f\n", verdicts, worst);
}

// Table functions are judged by kf alone, without 8 sigma: no correct float32 implementation may fail.
// glibc's, the same in double rounded twice, and, the worst that CUDA documents, off by its maximum
// everywhere.
struct TableFunction {
  const char* name;
  double kf;        // of the operators' files
  double cuda_ulp;  // CUDA's documented maximum
  double low, high;
  double (*reference)(double);
  float (*single)(float);
};

TEST(Variants, OfTableFunctionsPassByKfAlone) {
  const std::vector<TableFunction> functions = {
      {"exp", 3, 2, -87, 88, [](double x) { return std::exp(x); }, [](float x) { return std::exp(x); }},
      {"exp, near 0", 3, 2, -1e-3, 1e-3, [](double x) { return std::exp(x); },
       [](float x) { return std::exp(x); }},
      {"log", 2, 1, 1e-30, 1e6, [](double x) { return std::log(x); }, [](float x) { return std::log(x); }},
      {"log, near 1", 2, 1, 0.99, 1.01, [](double x) { return std::log(x); },
       [](float x) { return std::log(x); }},
      {"tanh", 4, 2, -9, 9, [](double x) { return std::tanh(x); }, [](float x) { return std::tanh(x); }},
      {"tanh, small", 4, 2, -1e-3, 1e-3, [](double x) { return std::tanh(x); },
       [](float x) { return std::tanh(x); }},
      {"pow 3.7", 16, 8, 1e-3, 1e3, [](double x) { return std::pow(x, double{3.7F}); },
       [](float x) { return std::pow(x, 3.7F); }},
      {"sin", 4, 2, -100, 100, [](double x) { return std::sin(x); }, [](float x) { return std::sin(x); }}};
  int64_t verdicts = 0;
  double worst = 0;
  for (const TableFunction& f : functions) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      std::mt19937_64 bits(seed);
      std::uniform_real_distribution<double> uniform(f.low, f.high);
      Vec r;
      Vec single;
      Vec twice;
      Vec cuda;
      for (int i = 0; i < 20000; ++i) {
        const float x = Single(uniform(bits));
        r.push_back(f.reference(static_cast<double>(x)));
        single.push_back(static_cast<double>(f.single(x)));
        twice.push_back(r.back() * (1 + 0x1p-31));
        // Off by CUDA's maximum of the library's own float, toward one side or the other.
        const double ulp = std::ldexp(1.0, std::max(std::ilogb(r.back()), -126) - 23);
        cuda.push_back(r.back() + (seed % 2 == 0 ? 1 : -1) * std::min(f.cuda_ulp, f.kf) * ulp);
      }
      for (const Vec* y : {&single, &twice, &cuda}) {
        const v1::Verdict v = Pointwise(Row(D::float32, *y), r, 1e-9, f.kf);
        ++verdicts;
        if (y != &cuda) worst = std::max(worst, v.outputs(0).max_ulp());
        EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS) << f.name << ": " << v.reason();
      }
    }
  }
  std::printf("%jd verdicts on table functions; glibc's worst %.2f ulp\n", static_cast<intmax_t>(verdicts),
              worst);
}

double Half(double x) {
  char bytes[2];
  StoreDouble(D::float16, bytes, 0, x);
  return ElementAsDouble(D::float16, bytes, 0);
}

TEST(Mutants, OfAMatrixProductAreCaught) {
  int caught = 0;
  for (int seed = 0; seed < 10; ++seed) {
    std::mt19937_64 bits(static_cast<uint64_t>(seed) + 77);
    const size_t n = 2048;
    const Sums sums{128, n, Normals(bits, 128 * n), Normals(bits, 128 * n)};
    const Oracle1 oracle = sums.Oracle();
    const Vec good = sums.Each([&](const double* a, const double* b) { return Lanes(a, b, n); });
    ASSERT_EQ(Verdict(D::float32, good, oracle).outcome(), v1::OUTCOME_PASS);

    // TF32 inputs where float32 was promised.
    const Vec tf32 = sums.Each([&](const double* a, const double* b) {
      float s = 0;
      for (size_t k = 0; k < n; ++k) s += Tf32(Single(a[k])) * Tf32(Single(b[k]));
      return s;
    });
    EXPECT_EQ(Verdict(D::float32, tf32, oracle).outcome(), v1::OUTCOME_FAIL);
    // A float16 accumulator, and one of 16 products at a time.
    for (const size_t block : {size_t{1}, size_t{16}}) {
      const Vec half = sums.Each([&](const double* a, const double* b) {
        double s = 0;
        for (size_t k = 0; k < n; k += block) s = Half(s + static_cast<double>(Forward(a + k, b + k, block)));
        return Single(s);
      });
      EXPECT_EQ(Verdict(D::float16, half, oracle).outcome(), v1::OUTCOME_FAIL) << block;
    }
    // The last product dropped.
    const Vec dropped = sums.Each([&](const double* a, const double* b) { return Lanes(a, b, n - 1); });
    EXPECT_EQ(Verdict(D::float32, dropped, oracle).outcome(), v1::OUTCOME_FAIL);
    // The last three results stale, in a thousand: the public rule lets this pass.
    Vec stale = good;
    for (size_t i = 0; i < stale.size(); ++i) stale[i] = i + 3 >= stale.size() ? 0 : stale[i];
    const v1::Verdict v = Verdict(D::float32, stale, oracle);
    EXPECT_EQ(v.outcome(), v1::OUTCOME_FAIL);
    EXPECT_EQ(v.outputs(0).mismatches(), 3);
    caught += 5;
  }
  std::printf("%d mutants caught\n", caught);
}

TEST(Mutants, StaleTailThatThePublicRuleAccepts) {
  std::mt19937_64 bits(5);
  const Vec r = Normals(bits, 4001);
  Vec y = r;
  for (size_t i = y.size() - 3; i < y.size(); ++i) y[i] = 0;
  const v1::Verdict v = Pointwise(Row(D::float32, y), r, 0);
  EXPECT_EQ(v.outcome(), v1::OUTCOME_FAIL);
  EXPECT_TRUE(v.outputs(0).public_pass());
  EXPECT_NEAR(v.outputs(0).public_mismatch_ratio(), 3.0 / 4001, 1e-6);
}

double TruncateTo(Dtype dtype, double x) {
  // Towards zero: round, and step back when that went away from it.
  char bytes[8];
  StoreDouble(dtype, bytes, 0, x);
  const double y = ElementAsDouble(dtype, bytes, 0);
  if (std::fabs(y) <= std::fabs(x)) return y;
  uint16_t half = 0;
  std::memcpy(&half, bytes, 2);
  --half;
  std::memcpy(bytes, &half, 2);
  return ElementAsDouble(dtype, bytes, 0);
}

TEST(Mutants, RoundingTowardsZeroIsCaughtAndRoundingToNearestIsNot) {
  for (int seed = 0; seed < 20; ++seed) {
    std::mt19937_64 bits(static_cast<uint64_t>(seed));
    const Vec r = Normals(bits, 1000);
    for (const Dtype dtype : {D::float16, D::bfloat16}) {
      Vec truncated;
      for (const double x : r) truncated.push_back(TruncateTo(dtype, x));
      const v1::Verdict bad = Pointwise(Row(dtype, truncated), r, 0);
      EXPECT_EQ(bad.outcome(), v1::OUTCOME_FAIL);
      EXPECT_LT(bad.outputs(0).radial_bias(), -1.5);  // -1.73 in theory
      const v1::Verdict good = Pointwise(Row(dtype, r), r, 0);
      EXPECT_EQ(good.outcome(), v1::OUTCOME_PASS);
      EXPECT_LT(std::fabs(good.outputs(0).radial_bias()), 0.3);
      EXPECT_NEAR(good.outputs(0).rms_z(), 1, 0.1);
      EXPECT_DOUBLE_EQ(good.outputs(0).rmse(), good.outputs(0).rmse_ideal());
    }
  }
}

// A composition: softmax of rows of 64, with its noise as the noise number carries it, roughly.
TEST(Mutants, SoftmaxWithAFastExponentialOrWithoutItsMaximum) {
  std::mt19937_64 bits(9);
  const size_t n = 64;
  Vec x = Normals(bits, n);
  for (double& v : x) v = static_cast<double>(Single(v * 20));
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double v : x) sum += std::exp(v - top);
  Vec r;
  Vec sigma;
  const double u = 0x1p-24;
  for (const double v : x) {
    r.push_back(std::exp(v - top) / sum);
    sigma.push_back(r.back() * u / std::sqrt(3.0) * (std::fabs(v - top) + 6));
  }
  const auto judge = [&](const std::function<float(float)>& exponential, double shift) {
    float s = 0;
    for (const double v : x) s += exponential(Single(v - shift));
    Vec y;
    for (const double v : x) y.push_back(static_cast<double>(exponential(Single(v - shift)) / s));
    return CompareCase(OneOutput(D::float32, v1::Judge::COMPOSITION), {},
                       Oracle({static_cast<int64_t>(n)}, r, sigma), {{"out", Row(D::float32, y)}})
        .outcome();
  };
  EXPECT_EQ(judge([](float v) { return std::exp(v); }, top), v1::OUTCOME_PASS);
  EXPECT_EQ(judge([](float v) { return std::exp2(v * 1.44269504F); }, top), v1::OUTCOME_PASS);
  EXPECT_EQ(judge([](float v) { return std::exp(v); }, -100), v1::OUTCOME_FAIL);  // NaN: Inf / Inf
  EXPECT_EQ(judge([](float v) { return std::pow(2.718F, v); }, top), v1::OUTCOME_FAIL);
}

}  // namespace
}  // namespace diopi::baselines
