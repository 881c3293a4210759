// Declared arithmetic: what passes under a contract, fails without it, and how the contract is named.
#include "baselines/compare/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using Vec = std::vector<double>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Rounded toward zero in float32.
float Truncated(double x) {
  const float y = Single(x);
  return std::fabs(static_cast<double>(y)) > std::fabs(x) ? std::nextafter(y, 0.0F) : y;
}

double Rounded(Dtype dtype, double x) {
  char bytes[8];
  StoreDouble(dtype, bytes, 0, x);
  return ElementAsDouble(dtype, bytes, 0);
}

// `rows` sums of n products, with the references that the generator makes of them.
struct Products {
  int64_t rows, n;
  Vec a, b;
  Products(uint64_t seed, int64_t rows_in, int64_t n_in, double mean, Dtype dtype) : rows(rows_in), n(n_in) {
    std::mt19937_64 bits(seed);
    std::normal_distribution<double> normal(mean, 1);
    for (Vec* x : {&a, &b}) {
      x->resize(static_cast<size_t>(rows * n));
      for (double& v : *x) v = Rounded(dtype, normal(bits));
    }
  }
  TensorMap References() const {
    Vec r, sigma, count;
    const double u = 0x1p-24;
    for (int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      double q2 = 0;
      for (int64_t k = i * n; k < (i + 1) * n; ++k) {
        const double p = a[static_cast<size_t>(k)] * b[static_cast<size_t>(k)];
        sum += p;
        q2 += p * p;
      }
      const double terms = static_cast<double>(n);
      r.push_back(sum);
      sigma.push_back(std::sqrt(u * u / 3 * ((terms - 1) * (q2 / 2 + sum * sum / 3) + q2)));
      count.push_back(terms);
    }
    TensorMap references = Oracle({rows}, r, sigma);
    references["out.sigma"] = Row(D::float32, sigma);
    references["out.n"] = Row(D::float32, count);
    return references;
  }
  template <typename Step>
  Vec Sum(Step step) const {
    Vec y;
    for (int64_t i = 0; i < rows; ++i) {
      double s = 0;
      for (int64_t k = i * n; k < (i + 1) * n; ++k) {
        s = step(s, a[static_cast<size_t>(k)], b[static_cast<size_t>(k)]);
      }
      y.push_back(s);
    }
    return y;
  }
};

v1::Verdict Judged(Dtype dtype, v1::Judge::Arithmetic arithmetic, const TensorMap& references, const Vec& y,
                   const std::vector<std::string>& contracts) {
  v1::Case c = OneOutput(dtype, v1::Judge::ACCUMULATION);
  c.mutable_judges(0)->set_arithmetic(arithmetic);
  CompareOptions options;
  options.contracts = *ParseContracts(contracts);
  return CompareCase(c, {}, references, {{"out", Row(dtype, y)}}, options);
}

double StepFloat(double s, double a, double b) {
  return static_cast<double>(Single(s) + Single(a) * Single(b));
}
double StepTf32(double s, double a, double b) {
  return static_cast<double>(Single(s + double{Tf32(Single(a))} * double{Tf32(Single(b))}));
}
double StepTruncated(double s, double a, double b) {
  return static_cast<double>(Truncated(s + a * b));
}
double StepHalf(double s, double a, double b) {
  return Rounded(D::float16, s + Rounded(D::float16, a * b));
}

struct Contract {
  const char* name;
  Dtype dtype;
  double (*step)(double, double, double);
  const char* cause;
};

TEST(Declared, WidensWhatItAllowsAndUndeclaredFails) {
  for (const Contract& row : {Contract{"tf32", D::float32, StepTf32, "TF32 products"},
                              {"tc32", D::float32, StepTruncated, "a float32 accumulator that truncates"},
                              {"native16", D::float16, StepHalf, ""}}) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      for (const double mean : {0.0, 1.0}) {
        const Products products(seed, 64, 1024, mean, row.dtype);
        const TensorMap references = products.References();
        const Vec good = products.Sum(StepFloat);
        EXPECT_EQ(Judged(row.dtype, v1::Judge::MATRIX, references, good, {}).outcome(), v1::OUTCOME_PASS);
        const Vec y = products.Sum(row.step);
        const v1::Verdict declared = Judged(row.dtype, v1::Judge::MATRIX, references, y, {row.name});
        // One product at a time is truncated 1024 times, not in tiles of 4; at mean 0 that is within the
        // noise.
        if (row.step == StepTruncated && mean != 0) continue;
        if (row.step == StepHalf && mean != 0) continue;  // stagnates beyond 2048
        EXPECT_EQ(declared.outcome(), v1::OUTCOME_PASS)
            << row.name << " " << mean << " " << declared.reason();
        EXPECT_THAT(declared.contracts(), ElementsAre(row.name));
        if (row.step == StepTruncated) continue;  // hidden in float32's noise
        const v1::Verdict undeclared = Judged(row.dtype, v1::Judge::MATRIX, references, y, {});
        EXPECT_EQ(undeclared.outcome(), v1::OUTCOME_FAIL) << row.name << " " << mean;
        EXPECT_THAT(undeclared.contracts(), IsEmpty());
        // Where sums do not cancel, the contract is wide enough for other defects too: nothing is certain.
        EXPECT_THAT(undeclared.likely_cause(), HasSubstr(mean == 0 ? row.cause : "")) << undeclared.reason();
        if (row.dtype == D::float16) {
          EXPECT_EQ(undeclared.likely_cause(), "");  // by KEY.native16 alone
        }
        // The judge must let it count.
        if (row.dtype == D::float32) {
          EXPECT_EQ(Judged(row.dtype, v1::Judge::PLAIN, references, y, {row.name}).outcome(),
                    v1::OUTCOME_FAIL);
        }
      }
    }
  }
}

TEST(Declared, HasItsFormula) {
  const double u = 0x1p-24;
  const double r = 7;
  const double q2 = 40;
  const double n = 12;
  const double plain = u * u / 3 * ((n - 1) * (q2 / 2 + r * r / 3) + q2);
  TensorMap references = Oracle({1}, {r}, {std::sqrt(plain)});
  references["out.n"] = Row(D::float32, {n});
  const auto sigma = [&](Dtype dtype, v1::Judge::Arithmetic arithmetic, const Contracts& contracts) {
    v1::Case c = OneOutput(dtype, v1::Judge::ACCUMULATION);
    c.mutable_judges(0)->set_arithmetic(arithmetic);
    const JudgedOutput output = JudgedOutputs(c).at(0);
    const HostTensor actual = Row(dtype, {r});
    const TensorMap none;
    const Job job{c, none, references, none, output, references.at("out"), actual, contracts};
    OutputOracle oracle;
    std::string error;
    EXPECT_TRUE(oracle.Load(job, contracts, &error)) << error;
    return oracle.At(actual, 0).sigma;
  };
  const double ut = 0x1p-11;
  const double tf32 = 2.0 / 3 * ut * ut * q2 + 2.25 * ut * ut * r * r;
  const double lost = 0.72 * u * n / 4 * (0.53 * std::sqrt(q2) + 0.5 * r);
  const double fast = u * u * (1100 + 9 * n) * q2;
  Contracts none, c_tf32, c_tc32, c_fast, c_native, c_cast;
  c_tf32.tf32 = c_tc32.tc32 = c_fast.fastconv = c_native.native16 = c_cast.p_cast = true;
  const auto near = [](double a, double b) { EXPECT_NEAR(a / std::sqrt(b), 1, 1e-6); };
  near(sigma(D::float32, v1::Judge::MATRIX, none), plain);
  near(sigma(D::float32, v1::Judge::PLAIN, c_tf32), plain);
  near(sigma(D::float32, v1::Judge::MATRIX, c_tf32), plain + tf32);
  near(sigma(D::float32, v1::Judge::MATRIX, c_tc32), plain + lost * lost);
  near(sigma(D::float16, v1::Judge::MATRIX, none), plain + lost * lost);
  near(sigma(D::float16, v1::Judge::PLAIN, none), plain);
  near(sigma(D::float32, v1::Judge::MATRIX, c_fast), plain);
  near(sigma(D::float32, v1::Judge::CONVOLUTION, c_fast), plain + fast);
  near(sigma(D::float16, v1::Judge::PLAIN, c_native), plain * 0x1p26);
  near(sigma(D::bfloat16, v1::Judge::PLAIN, c_native), plain * 0x1p32);
  near(sigma(D::float32, v1::Judge::PLAIN, c_native), plain);
  near(sigma(D::bfloat16, v1::Judge::ATTENTION, c_cast), plain * 0x1p32 + lost * lost);
  near(sigma(D::float32, v1::Judge::ATTENTION, c_cast), plain);
  near(sigma(D::float64, v1::Judge::MATRIX, c_tf32), plain);
}

TEST(Declared, MatchesOverManyBlocks) {
  const auto n = static_cast<size_t>(2 * kBlock + 77);
  const Vec ones(n, 1);
  TensorMap references = Oracle({static_cast<int64_t>(n)}, ones, Vec(n, 1e-7));
  references["out.n"] = Row(D::float32, Vec(n, 4));
  Vec y = ones;
  y[static_cast<size_t>(kBlock) + 5] = 2;
  y[n - 1] = 3;
  const v1::Verdict v = Judged(D::float32, v1::Judge::MATRIX, references, y, {"tf32"});
  EXPECT_EQ(v.outputs(0).mismatches(), 2);
  EXPECT_EQ(v.outputs(0).first(0).index(), kBlock + 5);
  EXPECT_EQ(v.outputs(0).first(1).index(), static_cast<int64_t>(n) - 1);
  EXPECT_EQ(v.outputs(0).argmax(), static_cast<int64_t>(n) - 1);
}

// 16-bit results of products with a positive mean, whose errors add up in one direction when they are
// truncated.
double StepTruncatedHalf(double s, double a, double b) {
  const auto cut = [](double x) {
    const double near = Rounded(D::float16, x);
    return std::fabs(near) <= std::fabs(x) ? near : near * (1 - 0x1p-10);
  };
  return cut(s + cut(a * b));
}

TEST(Native16, AllowsRoundingButNotTruncation) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (const double mean : {0.0, 1.0}) {
      const Products products(seed, 128, 32, mean, D::float16);
      const TensorMap references = products.References();
      const auto judged = [&](double (*step)(double, double, double)) {
        return Judged(D::float16, v1::Judge::MATRIX, references, products.Sum(step), {"native16"});
      };
      EXPECT_EQ(judged(StepHalf).outcome(), v1::OUTCOME_PASS) << judged(StepHalf).reason();
      if (mean != 0) {
        EXPECT_EQ(judged(StepTruncatedHalf).outcome(), v1::OUTCOME_FAIL);
      }
    }
  }
}

// 1,027 terms of one sign: a sequential sum of as many loses terms, and is no licence for a third of the
// result.
TEST(Native16, HasATightNoiseForLongSums) {
  v1::Case c = OneOutput(D::bfloat16, v1::Judge::COMPOSITION);
  c.set_dtype(D::bfloat16);
  c.set_function("diopiNorm");
  const double sigma = 0x1p-24 / std::sqrt(3.0) * std::sqrt(1026.0 / 3) * 4352;
  const TensorMap inputs = {{"input", Row(D::bfloat16, Vec(1027, 4))}};
  CompareOptions options;
  options.contracts = *ParseContracts({"native16:bfloat16"});
  const v1::Verdict v =
      CompareCase(c, inputs, Oracle({1}, {4352}, {sigma}), {{"out", Row(D::bfloat16, {8192})}}, options);
  ASSERT_EQ(v.outcome(), v1::OUTCOME_FAIL);
  // That of runs of 64 terms (Runs in oracle.cc); half a unit in the last place is 16.
  EXPECT_NEAR(v.outputs(0).first(0).tolerance(), 167.9, 0.1);
}

// 300^2 is infinite in float16: only where a real 16-bit evaluation says so.
TEST(Native16, AllowsAnOverflowThatRealArithmeticHas) {
  v1::Case c = OneOutput(D::float16, v1::Judge::COMPOSITION);
  c.set_dtype(D::float16);
  TensorMap references = Oracle({2}, {300, 3}, {300 * 0x1p-24, 3 * 0x1p-24});
  const auto outcome = [&](const Vec& y) {
    CompareOptions options;
    options.contracts = Contracts{.native16 = true};
    return CompareCase(c, {}, references, {{"out", Row(D::float16, y)}}, options).outcome();
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outcome({kInfinity, 3}), v1::OUTCOME_FAIL);
  references["out.native16"] = Row(D::float16, {kInfinity, 3});
  EXPECT_EQ(outcome({kInfinity, 3}), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome({300, 3}), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome({65504, 3}), v1::OUTCOME_FAIL);
  EXPECT_EQ(outcome({kInfinity, kInfinity}), v1::OUTCOME_FAIL);
  // Another order of summation may be the one that overflows.
  references["out.native16"] = Row(D::float16, {300, 3});
  EXPECT_EQ(outcome({kInfinity, 3}), v1::OUTCOME_FAIL);
  references["out.native16_pairwise"] = Row(D::float16, {kInfinity, 3});
  EXPECT_EQ(outcome({kInfinity, 3}), v1::OUTCOME_PASS);
}

// Where an evaluation in 16 bits is off by 6 sigma, sigma is too small: another may be off by 12.
TEST(Native16, AllowsTheErrorsOfRealArithmeticWhereSigmaIsTooSmall) {
  v1::Case c = OneOutput(D::float16, v1::Judge::COMPOSITION);
  c.set_dtype(D::float16);
  constexpr double kSigma = 0x1p-5;  // of float16's arithmetic
  TensorMap references = Oracle({1}, {1}, {kSigma * 0x1p-13});
  const auto outcome = [&](double sigmas) {
    CompareOptions options;
    options.contracts = Contracts{.native16 = true};
    return CompareCase(c, {}, references, {{"out", Row(D::float16, {1 + sigmas * kSigma})}}, options)
        .outcome();
  };
  EXPECT_EQ(outcome(7), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome(12), v1::OUTCOME_FAIL);
  references["out.native16"] = Row(D::float16, {1 + 3 * kSigma});
  EXPECT_EQ(outcome(12), v1::OUTCOME_FAIL);  // as the model says
  references["out.native16"] = Row(D::float16, {1 + 6 * kSigma});
  EXPECT_EQ(outcome(12), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome(16), v1::OUTCOME_FAIL);
}

// 0.5058 x + 0.4942 y in bfloat16: both scalars are rounded, so all results are too small. A real evaluation
// has that, too; one that truncates has more.
TEST(Native16, AllowsTheBiasOfSharedScalars) {
  v1::Case c = OneOutput(D::bfloat16, v1::Judge::COMPOSITION);
  c.set_dtype(D::bfloat16);
  const double a = Rounded(D::bfloat16, 0.5058), b = Rounded(D::bfloat16, 0.4942);
  const auto toward_zero = [](double x) {
    return static_cast<double>(std::bit_cast<float>(std::bit_cast<uint32_t>(Single(x)) & 0xffff0000U));
  };
  std::mt19937_64 bits(11);
  std::uniform_real_distribution<double> uniform(0.2, 2);
  Vec r, sigma, real, other, truncated;
  for (int i = 0; i < 5000; ++i) {
    const double x = Rounded(D::bfloat16, uniform(bits)), y = Rounded(D::bfloat16, 1e-3 * uniform(bits));
    r.push_back(0.5058 * x + 0.4942 * y);
    sigma.push_back(0x1p-24 * 0.5058 * x);
    real.push_back(Rounded(D::bfloat16, Rounded(D::bfloat16, a * x) + Rounded(D::bfloat16, b * y)));
    other.push_back(Rounded(D::bfloat16, a * x + Rounded(D::bfloat16, b * y)));  // a fused multiply-add
    truncated.push_back(toward_zero(toward_zero(a * x) + toward_zero(b * y)));
  }
  TensorMap references = Oracle({5000}, r, sigma);
  CompareOptions options;
  options.contracts = Contracts{.native16 = true};
  const auto judged = [&](const Vec& y) {
    return CompareCase(c, {}, references, {{"out", Row(D::bfloat16, y)}}, options);
  };
  EXPECT_EQ(judged(real).outputs(0).gates(), "B");  // before anything was evaluated
  references["out.native16"] = Row(D::bfloat16, real);
  EXPECT_EQ(judged(real).outcome(), v1::OUTCOME_PASS) << judged(real).reason();
  EXPECT_EQ(judged(other).outcome(), v1::OUTCOME_PASS) << judged(other).reason();
  EXPECT_EQ(judged(truncated).outputs(0).gates(), "B");
}

// x + x/2 rounds once in the definition; where x/2 is subnormal, 16-bit arithmetic rounds twice.
TEST(Native16, AllowsTheSecondRoundingOfASubnormalProduct) {
  v1::Case c = OneOutput(D::float16, v1::Judge::EXACT);
  c.mutable_judges(0)->set_computed(true);
  const Vec once = {0x1.234p-14, 1.5}, twice = {0x1.238p-14, 1.5};
  TensorMap references = {{"out", Row(D::float16, once)}};
  const auto judged = [&](const Vec& y, bool declared) {
    CompareOptions options;
    options.contracts = Contracts{.native16 = declared};
    v1::Verdict verdict = CompareCase(c, {}, references, {{"out", Row(D::float16, y)}}, options);
    AddWouldPassUnder(c, {}, references, {{"out", Row(D::float16, y)}}, options, &verdict);
    return verdict;
  };
  EXPECT_EQ(judged(twice, true).outcome(), v1::OUTCOME_FAIL);
  references["out.native16"] = Row(D::float16, twice);
  const v1::Verdict passed = judged(twice, true);
  EXPECT_EQ(passed.outcome(), v1::OUTCOME_PASS) << passed.reason();
  EXPECT_THAT(passed.contracts(), ElementsAre("native16"));
  EXPECT_EQ(judged(once, true).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(judged(once, true).contracts_size(), 0);
  EXPECT_EQ(judged({0x1.23cp-14, 1.5}, true).outcome(), v1::OUTCOME_FAIL);
  EXPECT_THAT(judged(twice, false).would_pass_under(), ElementsAre("native16"));
  // What is only moved must be met whatever is declared.
  c.mutable_judges(0)->set_computed(false);
  EXPECT_EQ(judged(twice, true).outcome(), v1::OUTCOME_FAIL);
}

// An attention in bfloat16: 64 outputs, each a sum of 64 values by their probabilities.
TEST(PCast, AllowsRoundedProbabilitiesButNoBug) {
  constexpr size_t kKeys = 64;
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  Vec r, sigma, cast, dropped, coarse, shifted;
  for (size_t row = 0; row < 64; ++row) {
    Vec p(kKeys), v(kKeys);
    double total = 0, squares = 0;
    for (size_t j = 0; j < kKeys; ++j) {
      total += p[j] = std::exp(normal(bits));
      v[j] = Rounded(D::bfloat16, normal(bits));
    }
    Vec sum(5, 0);
    for (size_t j = 0; j < kKeys; ++j) {
      const double share = p[j] / total;
      sum[0] += share * v[j];
      sum[1] += Rounded(D::bfloat16, share) * v[j];
      sum[2] += j + 1 < kKeys ? share * v[j] : 0;
      sum[3] += std::ldexp(std::nearbyint(share * 64), -6) * v[j];  // probabilities in 6 bits
      sum[4] += share * v[(j + 1) % kKeys];
      squares += share * share * v[j] * v[j];
    }
    r.push_back(sum[0]);
    sigma.push_back(0x1p-24 / std::sqrt(3.0) * std::sqrt(squares));
    const auto stored = [](double x) { return Rounded(D::bfloat16, x); };
    cast.push_back(stored(sum[1]));
    dropped.push_back(stored(sum[2]));
    coarse.push_back(stored(sum[3]));
    shifted.push_back(stored(sum[4]));
  }
  v1::Case c = OneOutput(D::bfloat16, v1::Judge::COMPOSITION);
  c.mutable_judges(0)->set_arithmetic(v1::Judge::ATTENTION);
  CompareOptions options;
  options.contracts = *ParseContracts({"p_cast:bfloat16"});
  const auto outcome = [&](const Vec& y) {
    return CompareCase(c, {}, Oracle({64}, r, sigma), {{"out", Row(D::bfloat16, y)}}, options).outcome();
  };
  EXPECT_EQ(outcome(cast), v1::OUTCOME_PASS);
  for (const Vec& wrong : {dropped, coarse, shifted}) EXPECT_EQ(outcome(wrong), v1::OUTCOME_FAIL);
}

// What a contract would change is found without declaring it.
TEST(WouldPassUnder, NamesEachContractThatCoversTheErrors) {
  const Products products(1, 64, 1024, 0, D::float32);
  const TensorMap references = products.References();
  v1::Case c = OneOutput(D::float32, v1::Judge::ACCUMULATION);
  c.set_dtype(D::float32);
  c.mutable_judges(0)->set_arithmetic(v1::Judge::MATRIX);
  const auto would = [&](const Vec& y) {
    const TensorMap actual = {{"out", Row(D::float32, y)}};
    v1::Verdict verdict = CompareCase(c, {}, references, actual);
    AddWouldPassUnder(c, {}, references, actual, {}, &verdict);
    return std::vector<std::string>(verdict.would_pass_under().begin(), verdict.would_pass_under().end());
  };
  EXPECT_THAT(would(products.Sum(StepTf32)), ElementsAre("tf32"));
  EXPECT_THAT(would(products.Sum(StepFloat)), IsEmpty());
  Vec wrong = products.Sum(StepTf32);
  wrong[5] += 100;
  EXPECT_THAT(would(wrong), IsEmpty());
}

// A contract is no hint where the errors stay below its bound, but are much smaller or larger than what it
// makes.
TEST(WouldPassUnder, OnlyWithErrorsOfItsOwnSize) {
  constexpr size_t kElements = 64;
  constexpr double kSigma = 0x1p-22, kTf32 = kSigma * 0x1p13;
  const TensorMap references = Oracle({kElements}, Vec(kElements, 1), Vec(kElements, kSigma));
  v1::Case c = OneOutput(D::float32, v1::Judge::COMPOSITION);
  c.set_dtype(D::float32);
  c.mutable_judges(0)->set_arithmetic(v1::Judge::MATRIX);
  const auto would = [&](double error) {
    Vec y(kElements);
    for (size_t i = 0; i < kElements; ++i) y[i] = 1 + (i % 2 == 0 ? error : -error);
    const TensorMap actual = {{"out", Row(D::float32, y)}};
    v1::Verdict verdict = CompareCase(c, {}, references, actual);
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL) << error;
    EXPECT_EQ(CompareCase(c, {}, references, actual, {.contracts = Contracts{.tf32 = true}}).outcome(),
              v1::OUTCOME_PASS)
        << error;
    AddWouldPassUnder(c, {}, references, actual, {}, &verdict);
    return !verdict.would_pass_under().empty();
  };
  EXPECT_TRUE(would(kTf32));
  EXPECT_FALSE(would(0.02 * kTf32));
  EXPECT_FALSE(would(3.5 * kTf32));
}

TEST(Tf32, KeepsIntegersOfElevenBits) {
  EXPECT_TRUE(FitsTf32({{"x", Row(D::float32, {0, 2047, -2048, 0.5})}}));
  EXPECT_FALSE(FitsTf32({{"x", Row(D::float32, {1, 2049})}}));
  EXPECT_TRUE(FitsTf32({{"i", Row(D::int32, {2049})}}));
}

}  // namespace
}  // namespace diopi::baselines
