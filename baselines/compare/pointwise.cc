// The kernel judges eight elements side by side (pointwise_kernel.h); this file feeds it chunks that stay in
// the cache and finishes what lanes cannot do: histograms, places of mismatches, maxima with their index.
// Blocks are merged in the order of their index, so the number of threads changes no bit.
#include "baselines/compare/pointwise.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <thread>
#include <vector>

#include "baselines/compare/pointwise_kernel.h"

namespace diopi::baselines {
namespace {

// Sums and maxima over the lanes, in one order on every machine.
double SumOf(const LaneSums::Lanes& l) {
  return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

double MaxOf(const LaneSums::Lanes& l) {
  return *std::max_element(l.begin(), l.end());
}

// Histograms side by side: elements that fall into one bin one after the other do not wait for each other.
using Histograms = std::array<std::array<int64_t, 32>, kLanes>;

void CountBins(const Chunk& chunk, size_t count, Histograms* histograms) {
  size_t at = 0;
  for (; at + kLanes <= count; at += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) ++(*histograms)[lane][chunk.bin[at + lane]];
  }
  for (; at < count; ++at) ++(*histograms)[at % kLanes][chunk.bin[at]];
}

void AddMismatches(int64_t begin, Chunk* chunk, Tally* tally) {
  for (size_t i = 0; i < chunk->bad.size(); ++i) {
    uint32_t bits = chunk->bad[i];
    const int64_t at = begin + static_cast<int64_t>(i * kLanes);
    for (; bits != 0 && tally->first.size() < kMaxFirst; bits &= bits - 1) {
      tally->AddMismatch(at + std::countr_zero(bits));
    }
    if (bits == 0) continue;
    tally->mismatches += std::popcount(bits);
    tally->last = at + std::bit_width(bits) - 1;
  }
  chunk->bad.fill(0);
  chunk->any_bad = false;
}

const uint8_t* At(const void* column, int64_t index, Dtype dtype) {
  return column == nullptr ? nullptr : static_cast<const uint8_t*>(column) + index * ElementSize(dtype);
}

// Elements from `begin` on. Without a sigma they have that of `zeros`.
Stretch StretchAt(Dtype dtype, const void* actual, const OracleView& oracle, int64_t begin,
                  const std::array<float, kChunk>& zeros) {
  Stretch stretch{dtype, At(actual, begin, dtype), oracle};
  stretch.oracle.r = At(oracle.r, begin, v1::Dtype::float64);
  stretch.oracle.low = At(oracle.low, begin, v1::Dtype::float64);
  stretch.oracle.sigma = At(oracle.sigma, begin, oracle.sigma_dtype);
  if (oracle.sigma == nullptr) {
    stretch.oracle.sigma = zeros.data();
    stretch.oracle.sigma_dtype = v1::Dtype::float32;
  }
  return stretch;
}

}  // namespace

PointwiseRule RuleFor(Dtype dtype, double kf) {
  const FloatFormat format = FormatOf(dtype);
  const bool narrow = dtype == v1::Dtype::float16 || dtype == v1::Dtype::bfloat16;
  PointwiseRule rule;
  rule.smallest_normal = std::ldexp(1.0, format.min_exponent);
  rule.top_binade = std::ldexp(1.0, format.max_exponent);
  rule.ulp_of_one = std::ldexp(1.0, 1 - format.precision);
  rule.overflow = std::ldexp(1.0, format.max_exponent + 1);
  rule.kf = narrow ? std::min(kf, 0.25) : kf;
  rule.kappa = std::max(rule.kf, 0.25);
  rule.eta = dtype == v1::Dtype::float16 ? 0 : std::ldexp(1.0, format.min_exponent - (format.precision - 1));
  const bool ftz = dtype == v1::Dtype::float32 || dtype == v1::Dtype::bfloat16;
  rule.flushable = ftz ? rule.smallest_normal : 0;
  rule.wide = dtype == v1::Dtype::float64;
  rule.rounder = rule.wide ? 0 : rule.rounder;
  if (narrow) {
    rule.public_atol = 1e-2;
    rule.public_rtol = 5e-2;
  }
  return rule;
}

Sample SampleAt(Dtype dtype, const void* actual, const OracleView& oracle, int64_t index) {
  Sample sample;
  sample.y = ElementAsDouble(dtype, actual, index);
  sample.r = ElementAsDouble(v1::Dtype::float64, oracle.r, index);
  sample.sigma = oracle.sigma == nullptr ? 0 : ElementAsDouble(oracle.sigma_dtype, oracle.sigma, index);
  sample.low = oracle.low == nullptr ? 0 : ElementAsDouble(v1::Dtype::float64, oracle.low, index);
  return sample;
}

Tally TallyPointwise(Dtype dtype, const void* actual, const OracleView& oracle, const PointwiseRule& rule,
                     int64_t begin, int64_t end) {
  static constexpr std::array<float, kChunk> kZeros{};
  Tally tally;
  tally.elements = end - begin;
  tally.finite = end - begin;
  LaneSums sums;
  Histograms histograms{};
  Chunk chunk;
  double max_z2 = 0;
  for (int64_t at = begin; at < end; at += static_cast<int64_t>(kChunk)) {
    const size_t count = std::min(kChunk, static_cast<size_t>(end - at));
    const size_t whole = count / kLanes * kLanes;
    const Stretch stretch = StretchAt(dtype, actual, oracle, at, kZeros);
    TallyChunk(stretch, rule, whole, &chunk, &sums, &tally);
    for (size_t i = whole; i < count; ++i) TallyOne(stretch, rule, i, &chunk, &sums, &tally);
    CountBins(chunk, count, &histograms);
    if (chunk.any_bad) AddMismatches(at, &chunk, &tally);
    const double most = MaxOf(sums.max_z2);
    if (most > max_z2) {
      max_z2 = most;
      const auto* const z2 = chunk.z2.data();
      tally.argmax = at + (std::find(z2, z2 + count, most) - z2);
    }
  }
  tally.sum_z2 = SumOf(sums.z2);
  tally.sum_d2 = SumOf(sums.d2);
  tally.sum_ideal2 = SumOf(sums.ideal2);
  tally.sum_bias = SumOf(sums.bias);
  tally.sum_radial = SumOf(sums.radial);
  tally.max_z = std::sqrt(max_z2);
  tally.max_abs = MaxOf(sums.max_abs);
  tally.max_ulp = MaxOf(sums.max_ulp);
  tally.max_rel = MaxOf(sums.max_rel);
  for (const auto& histogram : histograms) {
    for (size_t i = 0; i < kHistogramBins; ++i) tally.histogram[i] += histogram[i];
  }
  return tally;
}

Tally TallyPointwise(const HostTensor& actual, const OracleView& oracle, const PointwiseRule& rule,
                     int threads) {
  const int64_t elements = NumElements(actual.shape);
  const int64_t blocks = (elements + kBlock - 1) / kBlock;
  const auto tally_block = [&](int64_t block) {
    return TallyPointwise(actual.dtype, actual.data.data(), oracle, rule, block * kBlock,
                          std::min((block + 1) * kBlock, elements));
  };
  Tally total;
  if (threads <= 1 || blocks <= 1) {
    for (int64_t block = 0; block < blocks; ++block) total.Merge(tally_block(block));
    return total;
  }
  std::vector<Tally> tallies(static_cast<size_t>(blocks));
  std::atomic<int64_t> next = 0;
  {
    std::vector<std::jthread> workers;
    for (int64_t i = 0; i < std::min<int64_t>(threads, blocks); ++i) {
      workers.emplace_back([&] {
        for (int64_t block = next++; block < blocks; block = next++) {
          tallies[static_cast<size_t>(block)] = tally_block(block);
        }
      });
    }
  }
  for (const Tally& tally : tallies) total.Merge(tally);
  return total;
}

}  // namespace diopi::baselines
