#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "baselines/compare/tails.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using Vec = std::vector<double>;
using Draw = std::function<double(std::mt19937_64&)>;

double U01(std::mt19937_64& bits) {
  return static_cast<double>(bits() >> 40) * 0x1p-24;
}

v1::Case Random(Dtype dtype, v1::Judge::Distribution distribution) {
  v1::Case c = OneOutput(dtype, v1::Judge::RANDOM);
  c.mutable_judges(0)->set_distribution(distribution);
  return c;
}

v1::Case UniformCase(Dtype dtype, double from, double to) {
  v1::Case c = Random(dtype, v1::Judge::UNIFORM);
  AddNumber(&c, "from", from);
  AddNumber(&c, "to", to);
  return c;
}

v1::Case NormalCase(Dtype dtype, double mean, double std) {
  v1::Case c = Random(dtype, v1::Judge::NORMAL);
  AddNumber(&c, "mean", mean);
  AddNumber(&c, "std", std);
  return c;
}

v1::Case IntegerCase(Dtype dtype, int64_t from, int64_t to) {
  v1::Case c = Random(dtype, v1::Judge::UNIFORM);
  AddInt(&c, "from", from);
  AddInt(&c, "to", to);
  return c;
}

v1::Verdict Judge(const v1::Case& c, const Vec& y, const TensorMap& inputs = {}) {
  const HostTensor tensor = Row(c.dtype(), y);
  return CompareCase(c, inputs, {{"out", tensor}}, {{"out", tensor}});
}

Vec Sample(size_t n, uint64_t seed, const Draw& draw) {
  std::mt19937_64 bits(seed);
  Vec y(n);
  for (double& v : y) v = draw(bits);
  return y;
}

TEST(Random, GoodStreamsPassAtEverySize) {
  int verdicts = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    for (const size_t n : {0, 1, 2, 5, 33, 300, 3000, 20000}) {
      for (const Dtype dtype : {D::float32, D::float16, D::bfloat16, D::float64}) {
        const Vec u = Sample(n, seed, [](auto& b) { return -3 + 8 * U01(b); });
        const v1::Verdict uniform = Judge(UniformCase(dtype, -3, 5), u);
        EXPECT_EQ(uniform.outcome(), v1::OUTCOME_PASS) << n << " " << DtypeName(dtype) << uniform.reason();
        std::normal_distribution<double> normal(2, 3);
        const Vec z = Sample(n, seed, [&](auto& b) { return normal(b); });
        const v1::Verdict gauss = Judge(NormalCase(dtype, 2, 3), z);
        EXPECT_EQ(gauss.outcome(), v1::OUTCOME_PASS) << n << " " << DtypeName(dtype) << gauss.reason();
        verdicts += 2;
      }
      for (const int64_t range : {1, 2, 10, 1000, 1000000}) {
        const Vec k = Sample(
            n, seed, [&](auto& b) { return static_cast<double>(b() % static_cast<uint64_t>(range)) - 5; });
        for (const Dtype dtype : {D::int64, D::float32}) {
          const v1::Verdict v = Judge(IntegerCase(dtype, -5, range - 5), k);
          EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS) << n << " range " << range << v.reason();
          ++verdicts;
        }
      }
      for (const double p : {0.0, 0.001, 0.3, 0.5, 0.97, 1.0}) {
        v1::Case c = Random(D::float32, v1::Judge::BERNOULLI);
        AddNumber(&c, "p", p);
        const v1::Verdict v = Judge(c, Sample(n, seed, [&](auto& b) { return U01(b) < p ? 1.0 : 0.0; }));
        EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS) << n << " p " << p << v.reason();
        ++verdicts;
      }
    }
  }
  std::printf("%d verdicts on good streams\n", verdicts);
}

// Draws of 23 bits, of 24 in (0, 1], of 32 rounded, each mapped to its range in float32: the rounding of the
// map meets the steps of the draws in regular ways.
TEST(Random, GoodStreamsOfFloat32GeneratorsPass) {
  const std::vector<std::function<float(uint32_t)>> generators = {
      [](uint32_t x) { return static_cast<float>(x >> 9) * 0x1p-23F; },
      [](uint32_t x) { return 1 - static_cast<float>(x >> 8) * 0x1p-24F; },
      [](uint32_t x) { return std::fmin(static_cast<float>(x) * 0x1p-32F + 0x1p-33F, 1.0F); }};
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (size_t g = 0; g < generators.size(); ++g) {
      for (const auto& range : std::vector<std::pair<float, float>>{{0, 1}, {2, 2.5F}, {-1000, 1000}}) {
        const float from = range.first, to = range.second;
        const Vec y = Sample(65536, seed, [&](auto& b) {
          return static_cast<double>(from + (to - from) * generators[g](static_cast<uint32_t>(b() >> 32)));
        });
        const v1::Verdict v =
            Judge(UniformCase(D::float32, static_cast<double>(from), static_cast<double>(to)), y);
        EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS) << g << " from " << from << ": " << v.reason();
      }
    }
  }
}

struct Defect {
  const char* name;
  v1::Case c;
  Draw draw;
};

TEST(Random, BadStreamsAreCaught) {
  std::normal_distribution<double> normal(0, 1);
  int repeat = 0;
  Vec block;
  const std::vector<Defect> defects = {
      {"constant", UniformCase(D::float32, 0, 1), [](auto&) { return 0.5; }},
      {"all zero", NormalCase(D::float32, 0, 1), [](auto&) { return 0.0; }},
      {"ten bits", UniformCase(D::float32, 0, 1), [](auto& b) { return std::floor(U01(b) * 1024) / 1024; }},
      {"sixteen bits", UniformCase(D::float32, 0, 1),
       [](auto& b) { return std::floor(U01(b) * 65536) / 65536; }},
      {"seventeen bits of a shifted range", UniformCase(D::float64, -3, 5),
       [](auto& b) { return -3 + std::floor(U01(b) * 0x1p17) / 0x1p14; }},
      {"unscaled", UniformCase(D::float32, -3, 5), [](auto& b) { return U01(b); }},
      {"outside", UniformCase(D::float32, 0, 1), [](auto& b) { return U01(b) * 1.001; }},
      {"a square", UniformCase(D::float32, 0, 1), [](auto& b) { return U01(b) * U01(b); }},
      {"narrow", UniformCase(D::float32, 0, 1), [](auto& b) { return 0.02 + 0.96 * U01(b); }},
      {"std 1.05", NormalCase(D::float32, 0, 1), [&](auto& b) { return 1.05 * normal(b); }},
      {"mean .05", NormalCase(D::float32, 0, 1), [&](auto& b) { return 0.05 + normal(b); }},
      {"uniform for normal", NormalCase(D::float32, 0, 1),
       [](auto& b) { return (U01(b) - 0.5) * std::sqrt(12.0); }},
      {"tails cut at 3", NormalCase(D::float32, 0, 1),
       [&](auto& b) {
         double z = normal(b);
         while (std::fabs(z) > 3) z = normal(b);
         return z;
       }},
      {"blocks of 256 twice", UniformCase(D::float32, 0, 1),
       [&](auto& b) {
         if (repeat++ % 512 < 256) {
           block.push_back(U01(b));
           return block.back();
         }
         const double again =
             block[static_cast<size_t>(repeat - 1 - 256) - 256 * static_cast<size_t>((repeat - 1) / 512)];
         return again;
       }},
      {"the end included", IntegerCase(D::int64, 0, 10),
       [](auto& b) { return static_cast<double>(b() % 11); }},
      {"a value missing", IntegerCase(D::int32, 0, 10), [](auto& b) { return static_cast<double>(b() % 9); }},
      {"halves", IntegerCase(D::float32, 0, 10), [](auto& b) { return static_cast<double>(b() % 19) / 2; }},
  };
  for (const Defect& defect : defects) {
    const v1::Verdict v = Judge(defect.c, Sample(65536, 3, defect.draw));
    EXPECT_EQ(v.outcome(), v1::OUTCOME_FAIL) << defect.name;
    EXPECT_EQ(v.outputs(0).gates(), "RANDOM");
    EXPECT_NE(v.reason(), "");
  }
  v1::Case c = Random(D::float32, v1::Judge::BERNOULLI);
  AddNumber(&c, "p", 0.3);
  EXPECT_EQ(Judge(c, Sample(65536, 1, [](auto& b) { return U01(b) < 0.32 ? 1.0 : 0.0; })).outcome(),
            v1::OUTCOME_FAIL);
}

// float16 holds -0.0481125 as -0.0481262, below the limit of the range: no rounding to float16 can avoid it.
TEST(Random, ALimitMayBeRounded) {
  const v1::Case c = UniformCase(D::float16, -0.0481125, 0.0481125);
  const auto draw = [](auto& bits) { return 0.0481125 * (2 * U01(bits) - 1); };
  Vec y = Sample(20'000, 3, draw);
  y[7] = -0.0481262;
  EXPECT_EQ(Judge(c, y).outcome(), v1::OUTCOME_PASS) << Judge(c, y).reason();
  y[7] = -0.0481567;  // the number of float16 below that
  EXPECT_EQ(Judge(c, y).outcome(), v1::OUTCOME_FAIL);
}

// What a permutation of n numbers is judged as.
v1::Verdict JudgeOrder(const Vec& y) {
  v1::Case c = Random(D::int64, v1::Judge::UNIFORM);
  AddInt(&c, "n", static_cast<int64_t>(y.size()));
  return Judge(c, y);
}

Vec Counted(size_t n) {
  Vec y(n);
  std::iota(y.begin(), y.end(), 0.0);
  return y;
}

TEST(Random, PermutationsPassAndOtherOrdersFail) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (const size_t n : {0, 1, 2, 3, 5, 33, 1000, 5000}) {
      std::mt19937_64 bits(seed);
      Vec y = Counted(n);
      std::shuffle(y.begin(), y.end(), bits);
      EXPECT_EQ(JudgeOrder(y).outcome(), v1::OUTCOME_PASS) << n << JudgeOrder(y).reason();
      if (n < 1000) continue;
      y[7] = y[8];
      EXPECT_EQ(JudgeOrder(y).outcome(), v1::OUTCOME_FAIL) << "a number twice";
      y[7] = static_cast<double>(n);
      EXPECT_EQ(JudgeOrder(y).outcome(), v1::OUTCOME_FAIL) << "a number beyond the last";
    }
  }
  std::mt19937_64 bits(5);
  for (const size_t n : {20, 300, 5000}) {
    EXPECT_EQ(JudgeOrder(Counted(n)).outcome(), v1::OUTCOME_FAIL) << n << " in order";
    Vec backwards = Counted(n);
    std::reverse(backwards.begin(), backwards.end());
    if (n > 30) {
      EXPECT_EQ(JudgeOrder(backwards).outcome(), v1::OUTCOME_FAIL) << n << " backwards";
    }
  }
  Vec rotated = Counted(5000);
  std::rotate(rotated.begin(), rotated.begin() + 1057, rotated.end());
  EXPECT_EQ(JudgeOrder(rotated).outcome(), v1::OUTCOME_FAIL) << "neighbours stay together";
  Vec halves = Counted(1000);
  std::shuffle(halves.begin(), halves.begin() + 500, bits);
  std::shuffle(halves.begin() + 500, halves.end(), bits);
  EXPECT_EQ(JudgeOrder(halves).outcome(), v1::OUTCOME_FAIL) << "two halves shuffled";
}

// The first `fixed` numbers at their own places, and no others (Sattolo's shuffle).
Vec WithFixed(size_t n, size_t fixed, uint64_t seed) {
  std::mt19937_64 bits(seed);
  Vec y = Counted(n);
  for (size_t i = n - 1; i > fixed; --i) std::swap(y[i], y[fixed + bits() % (i - fixed)]);
  return y;
}

TEST(Random, PermutationsHaveFewNumbersAtTheirOwnPlaces) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(JudgeOrder(WithFixed(1000, 10, seed)).outcome(), v1::OUTCOME_PASS) << seed;
    EXPECT_EQ(JudgeOrder(WithFixed(1000, 11, seed)).outcome(), v1::OUTCOME_FAIL) << seed;
  }
}

// What draws of indices are judged as.
v1::Verdict JudgeIndices(const HostTensor& drawn, const HostTensor& weights, bool replacement) {
  v1::Case c = Random(D::int64, v1::Judge::BERNOULLI);
  AddInput(&c, "input", weights.dtype);
  AddInt(&c, "num_samples", drawn.shape.back());
  v1::Argument* argument = c.add_args();
  argument->set_name("replacement");
  argument->set_b(replacement);
  return CompareCase(c, {{"input", weights}}, {{"out", drawn}}, {{"out", drawn}});
}

HostTensor Indices(const Vec& y, int64_t rows) {
  return Tensor(D::int64, {rows, static_cast<int64_t>(y.size()) / rows}, y);
}

TEST(Random, DrawnIndicesFollowTheWeights) {
  const Vec row = {1, 2, 0, 4, 1};
  Vec two_rows = row;
  two_rows.insert(two_rows.end(), row.rbegin(), row.rend());
  const HostTensor weights = Tensor(D::float32, {2, 5}, two_rows);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (const size_t n : {1, 7, 300, 5000}) {
      std::mt19937_64 bits(seed);
      std::discrete_distribution<int> first(row.begin(), row.end());
      Vec y(2 * n);
      for (size_t i = 0; i < y.size(); ++i) y[i] = i < n ? first(bits) : 4 - first(bits);
      const v1::Verdict good = JudgeIndices(Indices(y, 2), weights, true);
      EXPECT_EQ(good.outcome(), v1::OUTCOME_PASS) << n << good.reason();
      if (n < 300) continue;
      std::rotate(y.begin(), y.begin() + static_cast<int64_t>(n), y.end());
      EXPECT_EQ(JudgeIndices(Indices(y, 2), weights, true).outcome(), v1::OUTCOME_FAIL) << "rows exchanged";
    }
  }
  const Vec with_two = {0, 1, 2, 3, 3, 3};
  EXPECT_EQ(JudgeIndices(Indices(with_two, 1), Row(D::float32, row), true).outcome(), v1::OUTCOME_FAIL)
      << "weight 0";
  EXPECT_EQ(JudgeIndices(Indices({0, 5}, 1), Row(D::float32, row), true).outcome(), v1::OUTCOME_FAIL)
      << "no such index";
  EXPECT_EQ(JudgeIndices(Indices({3, 1, 0}, 1), Row(D::float32, row), false).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(JudgeIndices(Indices({3, 1, 3}, 1), Row(D::float32, row), false).outcome(), v1::OUTCOME_FAIL)
      << "one twice without replacement";
  Vec repeated = Sample(4000, 3, [](auto& b) { return static_cast<double>(b() % 4); });
  for (size_t i = 1; i < repeated.size(); i += 2) repeated[i] = repeated[i - 1];
  EXPECT_EQ(JudgeIndices(Indices(repeated, 1), Row(D::float32, {1, 1, 1, 1}), true).outcome(),
            v1::OUTCOME_FAIL)
      << "draws in pairs";
}

TEST(Random, IntegersWithoutALimitReachTheirTypesEnd) {
  v1::Case c = Random(D::int16, v1::Judge::UNIFORM);
  AddInt(&c, "from", 100);
  const auto below = [](uint64_t count) {
    return [=](auto& b) { return 100 + static_cast<double>(b() % count); };
  };
  EXPECT_EQ(Judge(c, Sample(20000, 1, below(32668))).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(Judge(c, Sample(20000, 1, below(28))).outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(Judge(c, Sample(20000, 1, below(30000))).outcome(), v1::OUTCOME_FAIL);
}

TEST(Random, ParametersMayBeTensors) {
  v1::Case c = Random(D::float32, v1::Judge::NORMAL);
  AddInput(&c, "mean", D::float32);
  AddNumber(&c, "std", 2);
  std::normal_distribution<double> normal(0, 2);
  Vec mean = Sample(4000, 1, [](auto& b) { return 100 * U01(b); });
  Vec y = Sample(4000, 2, [&](auto& b) { return normal(b); });
  for (size_t i = 0; i < y.size(); ++i) y[i] += mean[i];
  const TensorMap inputs = {{"mean", Row(D::float32, mean)}};
  EXPECT_EQ(Judge(c, y, inputs).outcome(), v1::OUTCOME_PASS) << Judge(c, y, inputs).reason();
  std::swap(y[0], y[1]);  // within the noise or not, the means differ by far
  std::reverse(y.begin(), y.end());
  EXPECT_EQ(Judge(c, y, inputs).outcome(), v1::OUTCOME_FAIL);

  v1::Case b = Random(D::float32, v1::Judge::BERNOULLI);
  AddInput(&b, "input", D::float32);
  const Vec p = Sample(5000, 4, [](auto& bits) { return U01(bits); });
  std::mt19937_64 bits(7);
  Vec draws;
  for (const double q : p) draws.push_back(U01(bits) < q ? 1 : 0);
  EXPECT_EQ(Judge(b, draws, {{"input", Row(D::float32, p)}}).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(Judge(b, Vec(5000, 1), {{"input", Row(D::float32, p)}}).outcome(), v1::OUTCOME_FAIL);
}

struct Dropout {
  v1::Case c;
  TensorMap inputs, actual;
};

// `factor`: what is kept is multiplied by; 0: by 1/(1-p) in float32.
Dropout MakeDropout(double p, bool train, uint64_t seed, Dtype dtype, double factor = 0) {
  Dropout d{Random(dtype, v1::Judge::DROPOUT_OUT), {}, {}};
  AddInput(&d.c, "input", dtype);
  AddNumber(&d.c, "p", p);
  v1::Argument* training = d.c.add_args();
  training->set_name("train");
  training->set_b(train);
  v1::Argument* mask = d.c.add_args();
  mask->set_name("mask");
  mask->set_role(v1::ROLE_OUTPUT);
  mask->mutable_tensor()->set_dtype(D::bool_);
  v1::Judge* judge = d.c.add_judges();
  judge->set_output("mask");
  judge->set_kind(v1::Judge::RANDOM);
  judge->set_distribution(v1::Judge::DROPOUT_MASK);
  const HostTensor x = Row(dtype, Sample(5000, seed, [](auto& b) { return U01(b) - 0.5; }));
  Vec kept = Sample(5000, seed + 1, [&](auto& b) { return !train || U01(b) >= p ? 1.0 : 0.0; });
  Vec y;
  for (size_t i = 0; i < kept.size(); ++i) {
    const double v = ElementAsDouble(dtype, x.data.data(), static_cast<int64_t>(i));
    const auto scale = static_cast<double>(train ? 1.0F / static_cast<float>(1 - p) : 1.0F);
    y.push_back(kept[i] * v * (factor != 0 ? factor : scale));
  }
  d.inputs["input"] = x;
  d.actual["out"] = Row(dtype, y);
  d.actual["mask"] = Row(D::bool_, kept);
  return d;
}

TEST(Random, Dropout) {
  for (const Dtype dtype : {D::float32, D::float16}) {
    for (const bool train : {true, false}) {
      const Dropout good = MakeDropout(0.3, train, 5, dtype);
      const v1::Verdict v = CompareCase(good.c, good.inputs, good.actual, good.actual);
      EXPECT_EQ(v.outcome(), v1::OUTCOME_PASS) << v.reason();
    }
  }
  const Dropout good = MakeDropout(0.3, true, 5, D::float32);
  Dropout bad = good;
  bad.actual["out"] = good.inputs.at("input");  // neither scaled nor dropped
  EXPECT_EQ(CompareCase(bad.c, bad.inputs, good.actual, bad.actual).outcome(), v1::OUTCOME_FAIL);
  bad = MakeDropout(0.35, true, 5, D::float32);  // another p than the case says
  bad.c = good.c;
  EXPECT_EQ(CompareCase(bad.c, bad.inputs, good.actual, bad.actual).outcome(), v1::OUTCOME_FAIL);
  bad = good;
  bad.actual["mask"].data[7] = static_cast<char>(0xff);
  EXPECT_EQ(CompareCase(bad.c, bad.inputs, good.actual, bad.actual).outcome(), v1::OUTCOME_FAIL);
  bad = good;
  bad.actual["mask"] = Row(D::bool_, Vec(5000, 1));
  EXPECT_EQ(CompareCase(bad.c, bad.inputs, good.actual, bad.actual).outcome(), v1::OUTCOME_FAIL);
}

// Without a mask the zeros are the draws, as in attention.
TEST(Random, DropoutWithoutAMask) {
  const auto outcome = [](double said, double drawn, double factor) {
    Dropout d = MakeDropout(drawn, true, 5, D::float32, factor);
    d.c.mutable_args()->RemoveLast();  // the mask
    for (v1::Argument& argument : *d.c.mutable_args()) {
      if (argument.name() != "p") continue;
      argument.set_name("p_dropout");
      argument.set_f(said);
    }
    d.c.mutable_judges()->RemoveLast();
    d.actual.erase("mask");
    return CompareCase(d.c, d.inputs, d.actual, d.actual).outcome();
  };
  EXPECT_EQ(outcome(0.3, 0.3, 0), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome(0.25, 0.3, static_cast<double>(1.0F / 0.75F)), v1::OUTCOME_FAIL);  // too few are kept
  EXPECT_EQ(outcome(0.3, 0.3, 1), v1::OUTCOME_FAIL);                                   // not scaled
}

TEST(Random, DropoutsFactorMayBeRoundedToA16BitType) {
  const auto outcome = [](Dtype dtype, double factor) {
    const Dropout d = MakeDropout(0.1, true, 5, dtype, factor);
    return CompareCase(d.c, d.inputs, d.actual, d.actual).outcome();
  };
  EXPECT_EQ(outcome(D::bfloat16, 1.109375), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome(D::bfloat16, 1.1171875), v1::OUTCOME_FAIL);  // the next one
  EXPECT_EQ(outcome(D::float32, 1.109375), v1::OUTCOME_FAIL);
}

TEST(Random, DropoutDecidesForEachElement) {
  Dropout bad = MakeDropout(0.3, true, 5, D::float32);
  Vec kept, y;
  for (size_t i = 0; i < 5000; ++i) {  // the number that are kept is right, but four at a time are
    const auto at = static_cast<int64_t>(i);
    kept.push_back(ElementAsDouble(D::bool_, bad.actual["mask"].data.data(), at / 4));
    const double x = ElementAsDouble(D::float32, bad.inputs["input"].data.data(), at);
    y.push_back(kept.back() * x * static_cast<double>(1.0F / static_cast<float>(1 - 0.3)));
  }
  bad.actual["out"] = Row(D::float32, y);
  bad.actual["mask"] = Row(D::bool_, kept);
  const v1::Verdict verdict = CompareCase(bad.c, bad.inputs, bad.actual, bad.actual);
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
  EXPECT_NE(verdict.reason().find("ahead"), std::string::npos) << verdict.reason();
}

TEST(Random, ATailThatNoDrawReachedIsSeen) {
  std::mt19937_64 bits(11);
  for (const auto& [dtype, tail] :
       {std::pair{D::float32, 3}, {D::float64, 3}, {D::float16, 4}, {D::bfloat16, 6}}) {
    Vec values(1000);
    for (double& v : values) v = U01(bits);
    const v1::Case c = UniformCase(dtype, 0, 1);
    const HostTensor good = Row(dtype, values);
    EXPECT_EQ(CompareCase(c, {}, {{"out", good}}, {{"out", good}}).outcome(), v1::OUTCOME_PASS);
    for (int i = 0; i < tail; ++i) values[values.size() - 1 - static_cast<size_t>(i)] = 0.5;
    const HostTensor bad = Row(dtype, values);
    const v1::Verdict v = CompareCase(c, {}, {{"out", bad}}, {{"out", bad}});
    EXPECT_EQ(v.outcome(), v1::OUTCOME_FAIL) << DtypeName(dtype);
    EXPECT_NE(v.reason().find("no draw reached"), std::string::npos) << v.reason();
  }
}

TEST(Random, ThePublicRuleIsToldBesideOurs) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  Vec honest(65536), cut(65536), wide(65536);
  for (size_t i = 0; i < honest.size(); ++i) {
    honest[i] = normal(bits);
    do {
      cut[i] = normal(bits);
    } while (std::fabs(cut[i]) > 3.5);
    wide[i] = 1.2 * normal(bits);
  }
  const struct {
    const Vec& values;
    bool ours, theirs;
  } rows[] = {{honest, true, true}, {cut, false, true}, {wide, false, false}};
  for (const auto& row : rows) {
    const HostTensor actual = Row(D::float32, row.values);
    const v1::Verdict v = CompareCase(NormalCase(D::float32, 0, 1), {}, {{"out", actual}}, {{"out", actual}});
    EXPECT_EQ(v.outcome(), row.ours ? v1::OUTCOME_PASS : v1::OUTCOME_FAIL) << v.reason();
    EXPECT_EQ(v.outputs(0).public_pass(), row.theirs);
  }
  for (const double drawn : {0.3, 0.33, 0.4}) {  // the case says 0.3
    Dropout dropout = MakeDropout(drawn, true, 5, D::float32);
    dropout.c = MakeDropout(0.3, true, 5, D::float32).c;
    const v1::Verdict v = CompareCase(dropout.c, dropout.inputs, dropout.actual, dropout.actual);
    for (const v1::OutputStats& stats : v.outputs())
      EXPECT_EQ(stats.public_pass(), drawn < 0.35) << stats.key();
  }
}

TEST(Tails, NearNormalCdfIsNear) {
  for (int i = -90000; i <= 90000; ++i) {
    const double x = i / 10007.0;
    ASSERT_NEAR(NearNormalCdf(x), NormalCdf(x), 1e-12) << x;
  }
  EXPECT_EQ(NearNormalCdf(-HUGE_VAL), 0);
  EXPECT_EQ(NearNormalCdf(HUGE_VAL), 1);
}

TEST(Tails, BinomialIsExact) {
  EXPECT_FALSE(BinomialRejects(20, 0, 0.5));  // 2^-20 is about 9.5e-7
  EXPECT_TRUE(BinomialRejects(25, 0, 0.5));   // 2^-25 is about 3e-8
  EXPECT_TRUE(BinomialRejects(25, 25, 0.5));
  EXPECT_FALSE(BinomialRejects(1, 1, 1e-6));
  EXPECT_TRUE(BinomialRejects(1, 1, 1e-8));
  EXPECT_FALSE(BinomialRejects(0, 0, 0.5));
  EXPECT_FALSE(BinomialRejects(1 << 20, (1 << 19) + 2700, 0.5));
  EXPECT_TRUE(BinomialRejects(1 << 20, (1 << 19) + 2800, 0.5));  // 5.47 standard deviations
}

}  // namespace
}  // namespace diopi::baselines
