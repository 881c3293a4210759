// The streamed comparison against Judge, element by element: the same bits with every instruction set that
// this machine has, on any number of threads, for every length and alignment.
#include "baselines/compare/pointwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "baselines/compare/pointwise_kernel.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

// What pointwise.h promises, written down in the plainest way.
Tally Expected(Dtype dtype, const void* actual, const OracleView& oracle, const PointwiseRule& rule,
               int64_t begin, int64_t end) {
  Tally tally;
  LaneSums sums;
  double max_z2 = 0;
  for (int64_t i = begin; i < end; ++i) {
    const auto lane = static_cast<size_t>(i - begin) % kLanes;
    const Sample s = SampleAt(dtype, actual, oracle, i);
    const Point p = Judge(rule, s.y, s.r, s.sigma, s.low);
    ++tally.elements;
    tally.finite += static_cast<int64_t>(p.finite);
    tally.marginal += static_cast<int64_t>(p.marginal);
    tally.nan += static_cast<int64_t>(p.nan);
    tally.inf += static_cast<int64_t>(p.inf);
    tally.flushed += static_cast<int64_t>(p.flushed);
    tally.zeros += static_cast<int64_t>(p.zero);
    tally.leaning += static_cast<int64_t>(p.leaning);
    tally.public_mismatches += static_cast<int64_t>(p.public_bad);
    sums.z2[lane] += p.z2;
    sums.d2[lane] += p.d * p.d;
    sums.ideal2[lane] += p.ideal_d * p.ideal_d;
    sums.bias[lane] += p.bias;
    sums.radial[lane] += p.radial;
    if (p.z2 > max_z2) {
      max_z2 = p.z2;
      tally.argmax = i;
    }
    tally.max_abs = std::max(tally.max_abs, std::fabs(p.d));
    tally.max_ulp = std::max(tally.max_ulp, p.ulps);
    tally.max_rel = std::max(tally.max_rel, p.relative);
    ++tally.histogram[HistogramBin(p.ulps)];
    if (p.bad != 0) tally.AddMismatch(i);
  }
  const auto sum = [](const LaneSums::Lanes& l) {
    return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
  };
  tally.sum_z2 = sum(sums.z2);
  tally.sum_d2 = sum(sums.d2);
  tally.sum_ideal2 = sum(sums.ideal2);
  tally.sum_bias = sum(sums.bias);
  tally.sum_radial = sum(sums.radial);
  tally.max_z = std::sqrt(max_z2);
  return tally;
}

// Every figure, doubles by their bits.
std::string Text(const Tally& t) {
  std::string text = absl::StrCat("elements ", t.elements, " finite ", t.finite, " mismatches ", t.mismatches,
                                  " marginal ", t.marginal, " nan ", t.nan, " inf ", t.inf, " flushed ",
                                  t.flushed, " zeros ", t.zeros, " leaning ", t.leaning, " public ",
                                  t.public_mismatches, " last ", t.last, " argmax ", t.argmax, "\n");
  const std::vector<std::pair<const char*, double>> figures = {
      {"z2", t.sum_z2},     {"d2", t.sum_d2},         {"ideal2", t.sum_ideal2},
      {"bias", t.sum_bias}, {"radial", t.sum_radial}, {"max_ulp", t.max_ulp},
      {"max_z", t.max_z},   {"max_abs", t.max_abs},   {"max_rel", t.max_rel}};
  for (const auto& [name, value] : figures) {
    absl::StrAppend(&text, name, " ", value, " ", absl::Hex(std::bit_cast<uint64_t>(value)), "\n");
  }
  for (const int64_t count : t.histogram) absl::StrAppend(&text, count, " ");
  for (const int64_t index : t.first) absl::StrAppend(&text, "[", index, "]");
  return text;
}

// Columns that begin at an odd address.
struct Column {
  std::vector<char> bytes;
  Dtype dtype;

  Column(Dtype of, size_t count) : bytes(count * static_cast<size_t>(ElementSize(of)) + 1), dtype(of) {}
  char* data() { return bytes.data() + 1; }
  const char* data() const { return bytes.data() + 1; }
};

struct Data {
  Column y, r, sigma, low;
  bool has_sigma = true;
  bool has_low = false;

  OracleView View() const {
    return {r.data(), has_sigma ? sigma.data() : nullptr, sigma.dtype, has_low ? low.data() : nullptr};
  }
};

template <typename T>
T Pick(std::mt19937_64& bits, std::initializer_list<T> from) {
  return *(from.begin() + bits() % from.size());
}

// A number of the dtype: usual, or any bits at all.
void StoreActual(std::mt19937_64& bits, bool usual, double r, int64_t i, Column* y) {
  const auto size = static_cast<size_t>(ElementSize(y->dtype));
  const uint64_t any = bits();
  StoreDouble(y->dtype, y->data(), i, r);
  char* const at = y->data() + static_cast<size_t>(i) * size;
  if (usual || any % 3 != 0) {
    // Off by a few units in the last place now and then.
    uint64_t word = 0;
    std::memcpy(&word, at, size);
    word += any % 7 == 0 ? any >> 8 & (usual ? 1 : 255) : 0;
    std::memcpy(at, &word, size);
    return;
  }
  std::memcpy(at, &any, size);
}

// `usual`: what a right library gives, errors and specials being rare. Otherwise everything that could hurt.
Data Make(Dtype dtype, Dtype sigma_dtype, size_t count, bool usual, uint64_t seed) {
  Data data{Column(dtype, count), Column(D::float64, count), Column(sigma_dtype, count),
            Column(D::float64, count)};
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  const FloatFormat format = FormatOf(dtype);
  for (size_t at = 0; at < count; ++at) {
    const auto i = static_cast<int64_t>(at);
    const int exponent = static_cast<int>(bits() % 12) - 6;
    const int edge = Pick(bits, {format.min_exponent, format.min_exponent - format.precision, -1060,
                                 format.max_exponent, format.max_exponent + 1, format.max_exponent + 2, 0});
    double r = std::ldexp(normal(bits), exponent);
    if (!usual || bits() % 64 == 0) {
      r = Pick(bits, {r, std::ldexp(normal(bits), edge), std::ldexp(1.0, edge), 0.0, -0.0, kInf, -kInf, kNan,
                      std::bit_cast<double>(bits())});
    }
    StoreDouble(D::float64, data.r.data(), i, r);
    StoreActual(bits, usual, r, i, &data.y);
    const double near = std::ldexp(std::fabs(r), -format.precision) * std::fabs(normal(bits));
    double sigma = usual ? near : Pick(bits, {near, 100 * near, 0.01 * near, 0.0});
    if (bits() % (usual ? 100 : 5) == 0) {
      sigma = Pick(bits, {-1.0, -0.0, kNan, kInf, -kInf, kUnknownSigma, 1e30, 1e-45, 1e300, 1e-320});
    }
    StoreDouble(sigma_dtype, data.sigma.data(), i, sigma);
    const double low = std::ldexp(r, -54) * normal(bits);
    StoreDouble(D::float64, data.low.data(), i,
                usual || bits() % 4 != 0 ? low : Pick(bits, {0.0, kNan, kInf, -kInf, 1e-320, 1e300}));
  }
  return data;
}

void ExpectSame(const Data& data, const PointwiseRule& rule, int64_t begin, int64_t end,
                const std::string& where) {
  const OracleView view = data.View();
  const std::string expected = Text(Expected(data.y.dtype, data.y.data(), view, rule, begin, end));
  EXPECT_EQ(Text(TallyPointwise(data.y.dtype, data.y.data(), view, rule, begin, end)), expected) << where;
}

// One run for every instruction set.
class Pointwise : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { UseInstructionSet(GetParam()); }
  void TearDown() override { UseInstructionSet(""); }
};

INSTANTIATE_TEST_SUITE_P(With, Pointwise, testing::ValuesIn(InstructionSets()),
                         [](const auto& set) { return set.param; });

TEST_P(Pointwise, IsJudgeAddedUpToTheLastBit) {
  for (const Dtype dtype : {D::float32, D::float16, D::bfloat16, D::float64}) {
    for (const Dtype sigma_dtype : {D::float32, D::float64}) {
      for (const bool usual : {true, false}) {
        for (const auto& [has_sigma, has_low] : {std::pair(true, false), {true, true}, {false, false}}) {
          Data data = Make(dtype, sigma_dtype, 4001, usual, 11);
          data.has_sigma = has_sigma;
          data.has_low = has_low;
          for (const double kf : {0.0, 3.0}) {
            PointwiseRule rule = RuleFor(dtype, kf);
            if (kf > 0) rule.lambda = 6.5;  // nothing may rest on a power of two
            ExpectSame(data, rule, 3, 4001,
                       absl::StrCat(std::string(DtypeName(dtype)), " usual ", usual, " sigma ",
                                    std::string(DtypeName(sigma_dtype)), has_sigma, " low ", has_low));
          }
        }
      }
    }
  }
}

TEST_P(Pointwise, EveryLengthAndPlace) {
  for (const Dtype dtype : {D::float32, D::float16, D::bfloat16, D::float64}) {
    for (const bool usual : {true, false}) {
      const Data data = Make(dtype, D::float32, 1200, usual, 5);
      const PointwiseRule rule = RuleFor(dtype, 0);
      for (const int64_t begin : {0, 1, 7, 30}) {
        for (int64_t length = 0; length <= 17; ++length) {
          ExpectSame(data, rule, begin, begin + length, absl::StrCat("length ", length));
        }
        for (int64_t length = 505; length <= 521; ++length) {
          ExpectSame(data, rule, begin, begin + length, absl::StrCat("length ", length));
        }
      }
    }
  }
}

TEST_P(Pointwise, EveryNumberOf16Bits) {
  for (const Dtype dtype : {D::float16, D::bfloat16}) {
    Data data = Make(dtype, D::float32, 65536, true, 1);
    for (uint32_t i = 0; i < 65536; ++i) {
      const auto word = static_cast<uint16_t>(i);
      std::memcpy(data.y.data() + size_t{2} * i, &word, 2);
      StoreDouble(D::float64, data.r.data(), i, ElementAsDouble(dtype, data.y.data(), i));
    }
    const Tally exact = TallyPointwise(dtype, data.y.data(), data.View(), RuleFor(dtype, 0), 0, 65536);
    EXPECT_EQ(exact.mismatches, 0);
    EXPECT_EQ(exact.max_z, 0);
    EXPECT_EQ(exact.argmax, -1);
    for (int64_t i = 0; i < 65536; ++i) StoreDouble(D::float64, data.r.data(), i, 1.0);
    ExpectSame(data, RuleFor(dtype, 0), 0, 65536, "against 1");
  }
}

TEST_P(Pointwise, FindsTheFirstOfEqualLargestErrorsAndTheFirstMismatches) {
  std::vector<double> y(3000, 1);
  for (const size_t i : {601, 606, 1500, 2999}) y[i] = 1.5;
  const HostTensor actual = Row(D::float32, y);
  const HostTensor r = Row(D::float64, std::vector<double>(3000, 1));
  const Tally tally =
      TallyPointwise(actual, {r.data.data(), nullptr, D::float32, nullptr}, RuleFor(D::float32, 0));
  EXPECT_EQ(tally.argmax, 601);
  EXPECT_EQ(tally.mismatches, 4);
  EXPECT_THAT(tally.first, testing::ElementsAre(601, 606, 1500, 2999));
  EXPECT_EQ(tally.last, 2999);
}

TEST(Threads, ChangeNoBit) {
  const int64_t count = 5 * kBlock + 4321;
  for (const bool usual : {true, false}) {
    const Data data = Make(D::float32, D::float32, static_cast<size_t>(count), usual, 3);
    const HostTensor actual{D::float32, {count}, {data.y.data(), data.y.data() + 4 * count}};
    const PointwiseRule rule = RuleFor(D::float32, 0);
    Tally expected;
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t end = std::min(begin + kBlock, count);
      expected.Merge(Expected(D::float32, data.y.data(), data.View(), rule, begin, end));
    }
    for (const int threads : {1, 2, 3, 7, 100}) {
      EXPECT_EQ(Text(TallyPointwise(actual, data.View(), rule, threads)), Text(expected)) << threads;
    }
  }
}

TEST(Threads, HaveNothingToDoForAnEmptyTensor) {
  const HostTensor empty{D::float32, {0}, {}};
  EXPECT_EQ(TallyPointwise(empty, {}, RuleFor(D::float32, 0), 4).elements, 0);
}

}  // namespace
}  // namespace diopi::baselines
