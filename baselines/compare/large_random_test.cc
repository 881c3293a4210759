// Random outputs of millions of elements: good ones pass, whatever the steps between their numbers are, and
// planted defects are found.
#include "baselines/compare/large_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "absl/strings/match.h"
#include "baselines/compare/compare_slices.h"
#include "baselines/compare/random.h"
#include "baselines/compare/random_stream.h"
#include "baselines/compare/tails.h"
#include "baselines/compare/testing.h"
#include "cases/base/case_parts.h"
#include "cases/fill/random.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

constexpr int64_t kMany = int64_t{1} << 22;
constexpr int64_t kSome = int64_t{1} << 20;

// 32 random bits of an element.
uint32_t BitsOf(uint64_t seed, int64_t i) {
  uint64_t x = (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15 + seed * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<uint32_t>((x ^ (x >> 31)) >> 32);
}

double UniformOf(uint64_t seed, int64_t i) {
  return static_cast<double>(BitsOf(seed, i) >> 8) * 0x1p-24;
}

double NormalOf(uint64_t seed, int64_t i) {
  const double u = 1 - UniformOf(seed, 2 * (i / 2));
  const double angle = 2 * std::numbers::pi * UniformOf(seed, 2 * (i / 2) + 1);
  return std::sqrt(-2 * std::log(u)) * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

double SumOfTwelve(uint64_t seed, int64_t i) {
  double sum = -6;
  for (int64_t k = 0; k < 12; ++k) sum += UniformOf(seed, 12 * i + k);
  return sum;
}

// Made from uniform numbers in (0, 1] of so many bits, rounded to nearest.
double NormalOfBits(int bits, uint64_t seed, int64_t i) {
  const auto uniform = [&](int64_t at) {
    return std::ldexp(std::floor(std::ldexp(UniformOf(seed, at), bits)) + 1, -bits);
  };
  const double angle = 2 * std::numbers::pi * uniform(2 * i + 1);
  return std::sqrt(-2 * std::log(uniform(2 * i))) * std::cos(angle);
}

HostTensor Made(Dtype dtype, int64_t n, const std::function<double(int64_t)>& number) {
  HostTensor tensor{dtype, {n}, std::string(static_cast<size_t>(n * ElementSize(dtype)), '\0')};
  for (int64_t i = 0; i < n; ++i) StoreDouble(dtype, tensor.data.data(), i, number(i));
  return tensor;
}

// As a conversion that drops bits.
HostTensor TruncatedToBfloat16(const HostTensor& float32) {
  HostTensor tensor{D::bfloat16, float32.shape, {}};
  for (size_t i = 0; i < float32.data.size(); i += 4) tensor.data.append(float32.data, i + 2, 2);
  return tensor;
}

// One after the other from `at` on.
void Put(int64_t at, int64_t count, const std::function<double(int64_t)>& number, HostTensor* tensor) {
  for (int64_t i = 0; i < count; ++i) StoreDouble(tensor->dtype, tensor->data.data(), at + i, number(i));
}

TEST(LargeRandom, GoodStreamsOfEveryStepPass) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    for (const auto& [from, to] :
         std::vector<std::pair<double, double>>{{0, 1}, {-0.0441942, 0.0441942}, {2, 2.5}, {-1000, 3000}}) {
      const auto number = [&, low = from, width = to - from](int64_t i) {
        return low + width * UniformOf(seed, i);
      };
      for (const Dtype dtype : {D::float32, D::float64, D::float16, D::bfloat16}) {
        EXPECT_EQ(TextOf(CheckUniformStream(Made(dtype, kSome, number), from, to)), "")
            << DtypeName(dtype) << " from " << from << " seed " << seed;
      }
      EXPECT_EQ(TextOf(CheckUniformStream(TruncatedToBfloat16(Made(D::float32, kSome, number)), from, to)),
                "")
          << from << " seed " << seed;
    }
    const auto number = [&](int64_t i) { return 0.5 + 0.02 * NormalOf(seed, i); };
    for (const Dtype dtype : {D::float32, D::float64, D::float16, D::bfloat16}) {
      double ks = 0;
      EXPECT_EQ(TextOf(CheckNormalStream(Made(dtype, kSome, number), 0.5, 0.02, &ks)), "")
          << DtypeName(dtype) << seed;
      EXPECT_LT(ks, 2);
    }
    EXPECT_EQ(
        TextOf(CheckNormalStream(TruncatedToBfloat16(Made(D::float32, kSome, number)), 0.5, 0.02, nullptr)),
        "");
    for (const double keep : {0.1, 0.5, 0.7, 0.9, 0.97, 1.0}) {
      const HostTensor mask =
          Made(D::bool_, kSome + 7, [&](int64_t i) { return UniformOf(seed, i) < keep ? 1 : 0; });
      EXPECT_EQ(TextOf(CheckKeptStream(mask, keep)), "") << keep;
    }
  }
}

struct Planted {
  const char* what;
  std::function<void(HostTensor*)> plant;
  const char* finding;  // a part of it
};

constexpr int64_t kLast = kMany - 4096;

TEST(LargeRandom, DefectsOfNormalNumbersAreFound) {
  const HostTensor good = Made(D::float32, kMany, [](int64_t i) { return NormalOf(5, i); });
  ASSERT_EQ(TextOf(CheckNormalStream(good, 0, 1, nullptr)), "");
  const std::vector<Planted> rows = {
      {"the last 4096 stay zero",
       [](HostTensor* y) {
         Put(
             kLast, 4096, [](int64_t) { return 0; }, y);
       },
       "are all equal"},
      {"16 in the middle are what was there",
       [](HostTensor* y) {
         Put(
             kMany / 2, 16, [](int64_t) { return 1.5; }, y);
       },
       "are all equal"},
      {"the last 4096 count up",
       [](HostTensor* y) {
         Put(
             kLast, 4096, [](int64_t i) { return static_cast<double>(i) / 1024 - 2; }, y);
       },
       "correlation"},
      {"65536 come from another seed's stretch twice",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             3'000'001, 65536, [&](int64_t i) { return ElementAsDouble(from, 100 + i); }, y);
       },
       "again"},
      {"a stretch of 2000 occurs twice, at an odd distance",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             1'234'567, 2000, [&](int64_t i) { return ElementAsDouble(from, 77'000 + i); }, y);
       },
       "again"},
      {"the second half is the first",
       [](HostTensor* y) {
         y->data = y->data.substr(0, y->data.size() / 2) + y->data.substr(0, y->data.size() / 2);
       },
       "again"},
      {"a block's deviation is 10 % too large",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             20 * 65536, 65536, [&](int64_t i) { return 1.1 * ElementAsDouble(from, 20 * 65536 + i); }, y);
       },
       "elements from 1310720 on"},
      {"a block is shifted by 5 %",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             20 * 65536, 65536, [&](int64_t i) { return ElementAsDouble(from, 20 * 65536 + i) + 0.05; }, y);
       },
       "elements from 1310720 on"},
      {"tails are cut off at 3.5",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             0, kMany, [&](int64_t i) { return std::clamp(ElementAsDouble(from, i), -3.5, 3.5); }, y);
       },
       "beyond 3.5"},
      {"numbers of 12 bits",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             0, kMany, [&](int64_t i) { return std::round(ElementAsDouble(from, i) * 512) / 512; }, y);
       },
       "distinct"},
      {"one number is not a number",
       [](HostTensor* y) {
         Put(
             77, 1, [](int64_t) { return std::nan(""); }, y);
       },
       "element 77 is nan"},
  };
  for (const Planted& row : rows) {
    HostTensor y = good;
    row.plant(&y);
    EXPECT_THAT(TextOf(CheckNormalStream(y, 0, 1, nullptr)), ::testing::HasSubstr(row.finding)) << row.what;
  }
}

// Twelve uniform numbers added up have a kurtosis of 2.9. Shorter outputs than 2^18 are judged as small ones.
TEST(LargeRandom, TheKurtosisTellsASumOfUniformNumbers) {
  const struct {
    Dtype dtype;
    int64_t n;
    bool found;
  } rows[] = {{D::float32, 140'000, true},          {D::float64, 140'000, true},
              {D::float16, 260'000, true},          {D::float32, int64_t{1} << 18, true},
              {D::float64, int64_t{1} << 18, true}, {D::float16, kSome, true},
              {D::float32, 20'000, false}};
  for (const auto& row : rows) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const auto check = [&](const HostTensor& y) {
        return TextOf(row.n < kShortestStream ? CheckNormal(y, Parameter(0), Parameter(1))
                                              : CheckNormalStream(y, 0, 1, nullptr));
      };
      EXPECT_EQ(check(Made(row.dtype, row.n, [&](int64_t i) { return NormalOf(seed, i); })), "")
          << DtypeName(row.dtype) << " " << row.n << " seed " << seed;
      const std::string finding =
          check(Made(row.dtype, row.n, [&](int64_t i) { return SumOfTwelve(seed, i); }));
      if (row.found) {
        EXPECT_THAT(finding, ::testing::AnyOf(::testing::HasSubstr("the kurtosis is 2."),
                                              ::testing::HasSubstr("beyond 3.5")))
            << DtypeName(row.dtype) << " " << row.n << " seed " << seed;
      } else {
        EXPECT_EQ(finding, "") << DtypeName(row.dtype) << " " << row.n << " seed " << seed;
      }
    }
  }
}

// The bounds hold at every size: of good numbers, nothing comes near them; a wide one has no more than its
// own.
TEST(LargeRandom, TheFourthMomentOfGoodNumbersStaysWithin) {
  for (const int64_t n : {1, 2, 10, 100, 1000, 10'000, 100'000}) {
    const FourthMomentBounds bounds = BoundsOfFourthMoment(static_cast<double>(n));
    EXPECT_GT(bounds.above, bounds.below);
    double least = 0, greatest = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += FourthMomentTerm(NormalOf(seed, i));
      least = std::min(least, sum);
      greatest = std::max(greatest, sum);
    }
    EXPECT_GT(least, -0.8 * bounds.below) << n;
    EXPECT_LT(greatest, 0.8 * bounds.above) << n;
  }
}

// PyTorch's CPU kernel draws the uniform numbers of normal_ in the tensor's type, of 8 or 11 bits; its CUDA
// kernel in float32.
TEST(LargeRandom, NormalNumbersOfUniformNumbersOf16BitTypesAreFound) {
  const struct {
    Dtype dtype;
    int bits;
    const char* finding;
  } rows[] = {{D::bfloat16, 8, "uniform numbers drawn in bfloat16 are too few for a normal tail"},
              {D::float16, 11, "uniform numbers drawn in float16 are too few for a normal tail"},
              {D::bfloat16, 24, ""},
              {D::float16, 24, ""}};
  for (const auto& row : rows) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const HostTensor y = Made(row.dtype, kSome, [&](int64_t i) { return NormalOfBits(row.bits, seed, i); });
      const std::string finding = TextOf(CheckNormalStream(y, 0, 1, nullptr));
      EXPECT_TRUE(row.finding[0] == '\0' ? finding.empty() : absl::StrContains(finding, row.finding))
          << DtypeName(row.dtype) << " of " << row.bits << " bits: " << finding;
    }
  }
}

// 32 million numbers are enough to see a thousandth.
TEST(LargeRandom, ADeviationThatIsOffByAThousandthIsFound) {
  const int64_t n = int64_t{1} << 25;
  const HostTensor y = Made(D::float32, n, [](int64_t i) { return NormalOf(9, i); });
  EXPECT_EQ(TextOf(CheckNormalStream(y, 0, 1, nullptr)), "");
  EXPECT_THAT(TextOf(CheckNormalStream(y, 0, 1.001, nullptr)), ::testing::HasSubstr("the variance is 0.99"));
  EXPECT_THAT(TextOf(CheckNormalStream(y, 0.0012, 1, nullptr)), ::testing::HasSubstr("the mean"));
}

TEST(LargeRandom, DefectsOfUniformNumbersAreFound) {
  const HostTensor good = Made(D::float32, kMany, [](int64_t i) { return UniformOf(6, i) * 4 - 1; });
  ASSERT_EQ(TextOf(CheckUniformStream(good, -1, 3)), "");
  const auto all = [&](const std::function<double(double, int64_t)>& change) {
    return [&good, change](HostTensor* y) {
      Put(
          0, kMany, [&](int64_t i) { return change(ElementAsDouble(good, i), i); }, y);
    };
  };
  const std::vector<Planted> rows = {
      {"beyond the range", all([](double x, int64_t) { return x + 1; }), "outside"},
      {"a narrower range", all([](double x, int64_t) { return x * 0.999; }), "chi-square"},
      {"a square", all([](double x, int64_t) { return (x + 1) * (x + 1) / 4 - 1; }), "the mean"},
      {"a cell is never drawn",
       all([](double x, int64_t i) { return x > 1 && x < 1.01 && i % 3 == 0 ? x + 0.0625 : x; }),
       "chi-square"},
      {"every 64th number repeats the one before",
       all([&](double x, int64_t i) { return i % 64 == 1 ? ElementAsDouble(good, i - 1) : x; }),
       "correlation"},
      {"a stretch of 1000 again",
       [](HostTensor* y) {
         const HostTensor from = *y;
         Put(
             kMany - 1003, 1000, [&](int64_t i) { return ElementAsDouble(from, i); }, y);
       },
       "again"},
  };
  for (const Planted& row : rows) {
    HostTensor y = good;
    row.plant(&y);
    EXPECT_THAT(TextOf(CheckUniformStream(y, -1, 3)), ::testing::HasSubstr(row.finding)) << row.what;
  }
}

TEST(LargeRandom, DefectsOfMasksAreFound) {
  const HostTensor good = Made(D::bool_, kMany, [](int64_t i) { return UniformOf(7, i) < 0.9 ? 1 : 0; });
  ASSERT_EQ(TextOf(CheckKeptStream(good, 0.9)), "");
  EXPECT_THAT(TextOf(CheckKeptStream(good, 0.899)), ::testing::HasSubstr("are kept"));
  const std::vector<Planted> rows = {
      {"the last 4096 are kept",
       [](HostTensor* y) {
         Put(
             kLast, 4096, [](int64_t) { return 1; }, y);
       },
       "are all equal"},
      {"a byte of 3", [](HostTensor* y) { y->data[1000] = 3; }, "element 1000 is 3"},
      {"a stretch of 3000 again",
       [](HostTensor* y) { y->data.replace(2'000'001, 3000, y->data.substr(5, 3000)); }, "again"},
      {"neighbours agree",
       [](HostTensor* y) {
         for (size_t i = 1; i < y->data.size(); i += 64) y->data[i] = y->data[i - 1];
       },
       "correlation"},
  };
  for (const Planted& row : rows) {
    HostTensor y = good;
    row.plant(&y);
    EXPECT_THAT(TextOf(CheckKeptStream(y, 0.9)), ::testing::HasSubstr(row.finding)) << row.what;
  }
}

// All elements of dropout's output, by the mask that the call returned.
TEST(LargeRandom, DropoutIsComparedEverywhere) {
  v1::Case c = OneOutput(D::float32, v1::Judge::RANDOM);
  c.mutable_judges(0)->set_distribution(v1::Judge::DROPOUT_OUT);
  AddNumber(&c, "p", 0.1);
  const HostTensor x = Made(D::float32, kMany, [](int64_t i) { return NormalOf(3, i); });
  const HostTensor mask = Made(D::bool_, kMany, [](int64_t i) { return UniformOf(8, i) < 0.9 ? 1 : 0; });
  const HostTensor good = Made(D::float32, kMany, [&](int64_t i) {
    return ElementAsDouble(mask, i) == 1 ? ElementAsDouble(x, i) / 0.9 : 0;
  });
  const auto judge = [&](const HostTensor& y) {
    v1::OutputStats stats;
    stats.set_ok(true);
    Findings findings;
    const JudgedOutput output = JudgedOutputs(c).front();
    const TensorMap inputs = {{"input", x}}, actual = {{"out", y}, {"mask", mask}};
    EXPECT_TRUE(JudgeLargeRandom(c, output, ViewsOf(inputs), ViewsOf(actual), &stats, &findings))
        << findings.harness_error;
    EXPECT_EQ(findings.found.empty(), stats.ok());
    EXPECT_TRUE(stats.public_pass());
    return stats;
  };
  EXPECT_TRUE(judge(good).ok());
  HostTensor bad = good;
  Put(
      kMany - 2, 1, [&](int64_t) { return ElementAsDouble(good, kMany - 2) + 1; }, &bad);
  const v1::OutputStats stats = judge(bad);
  EXPECT_FALSE(stats.ok());
  EXPECT_EQ(stats.mismatches(), 1);
  EXPECT_EQ(stats.first(0).index(), kMany - 2);
}

}  // namespace
}  // namespace diopi::baselines
