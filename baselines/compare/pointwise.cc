#include "baselines/compare/pointwise.h"

#include <algorithm>
#include <array>
#include <cstring>

// The same source for wider registers, chosen when the program starts; no contraction, so the same bits.
// Sanitizers run before the chooser may.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define DIOPI_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define DIOPI_WIDE
#endif

namespace diopi::baselines {
namespace {

constexpr size_t kChunk = 256;  // all columns of a chunk stay in the first-level cache
constexpr size_t kLanes = 8;    // sums run in eight lanes, whatever the machine

using Column = double[kChunk];

// One chunk of elements, padded with zeros that match, and what is measured of it, one column a figure. One
// object: the vectoriser then knows that no column overlaps another.
struct Chunk {
  alignas(64) Column y, r, sigma, low;
  alignas(64) Column z, d, ideal_d, lean, radial, ulps, relative;
  alignas(64) Column bad, soft, finite, flushed, nan, inf, zero, leaning, peer_bad;
};

float HalfBitsToFloat(uint16_t half) {
  uint32_t magnitude = static_cast<uint32_t>(half & 0x7fff) << 13;
  const bool special = magnitude >= 0x0f800000;  // Inf, NaN
  // Shifting the exponent's bias by a multiplication makes subnormals come out right too.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const uint32_t bits = special ? (magnitude | 0x7f800000) : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(bits | static_cast<uint32_t>(half & 0x8000) << 16);
}

float BrainBitsToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

template <typename Stored, typename Convert>
void LoadAs(const void* from, int64_t begin, size_t count, Convert convert, double* into) {
  std::array<Stored, kChunk> raw;
  std::memcpy(raw.data(), static_cast<const char*>(from) + static_cast<size_t>(begin) * sizeof(Stored),
              count * sizeof(Stored));
  for (size_t i = 0; i < count; ++i) into[i] = convert(raw[i]);
}

void Load(Dtype dtype, const void* from, int64_t begin, size_t count, double* into) {
  switch (dtype) {
    case v1::Dtype::float16:
      LoadAs<uint16_t>(from, begin, count, HalfBitsToFloat, into);
      break;
    case v1::Dtype::bfloat16:
      LoadAs<uint16_t>(from, begin, count, BrainBitsToFloat, into);
      break;
    case v1::Dtype::float32:
      LoadAs<float>(
          from, begin, count, [](float x) { return static_cast<double>(x); }, into);
      break;
    default:
      LoadAs<double>(
          from, begin, count, [](double x) { return x; }, into);
      break;
  }
  std::fill(into + count, into + kChunk, 0.0);
}

DIOPI_WIDE void Measure(const PointwiseRule& shared_rule, Chunk* c) {
  const PointwiseRule rule = shared_rule;  // no aliasing with what is written
  for (size_t i = 0; i < kChunk; ++i) {
    const Point p = Judge(rule, c->y[i], c->r[i], c->sigma[i], c->low[i]);
    c->z[i] = p.z;
    c->d[i] = p.d;
    c->ideal_d[i] = p.ideal_d;
    c->lean[i] = p.lean;
    c->radial[i] = p.radial;
    c->ulps[i] = p.ulps;
    c->relative[i] = p.relative;
    c->bad[i] = p.bad;
    c->soft[i] = p.soft;
    c->finite[i] = p.finite;
    c->flushed[i] = p.flushed;
    c->nan[i] = p.nan;
    c->inf[i] = p.inf;
    c->zero[i] = p.zero;
    c->leaning[i] = p.leaning;
    c->peer_bad[i] = p.peer_bad;
  }
}

DIOPI_WIDE double Sum(const double* column) {
  std::array<double, kLanes> lanes{};
  for (size_t i = 0; i < kChunk; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] += column[i + l];
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

DIOPI_WIDE double SumSquares(const double* column) {
  std::array<double, kLanes> lanes{};
  for (size_t i = 0; i < kChunk; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] += column[i + l] * column[i + l];
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Magnitudes compare as their bits do.
DIOPI_WIDE double MaxMagnitude(const double* column) {
  int64_t most = 0;
  for (size_t i = 0; i < kChunk; ++i) {
    const auto bits = std::bit_cast<int64_t>(std::fabs(column[i]));
    most = bits > most ? bits : most;
  }
  return std::bit_cast<double>(most);
}

int64_t Count(const double* flags) {
  return static_cast<int64_t>(Sum(flags));
}

void AddChunk(const Chunk& m, int64_t begin, size_t count, Tally* tally) {
  const auto padding = static_cast<int64_t>(kChunk - count);
  tally->elements += static_cast<int64_t>(count);
  tally->finite += Count(m.finite) - padding;
  tally->zeros += Count(m.zero) - padding;
  tally->soft += Count(m.soft);
  tally->nan += Count(m.nan);
  tally->inf += Count(m.inf);
  tally->flushed += Count(m.flushed);
  tally->leaning += Count(m.leaning);
  tally->peer_mismatches += Count(m.peer_bad);
  tally->sum_z2 += SumSquares(m.z);
  tally->sum_d2 += SumSquares(m.d);
  tally->sum_ideal2 += SumSquares(m.ideal_d);
  tally->sum_lean += Sum(m.lean);
  tally->sum_radial += Sum(m.radial);
  const double max_z = MaxMagnitude(m.z);
  if (max_z > tally->max_z) {
    tally->max_z = max_z;
    const auto* at = std::find_if(m.z, m.z + count, [&](double z) { return std::fabs(z) == max_z; });
    tally->argmax = begin + (at - m.z);
  }
  tally->max_abs = std::max(tally->max_abs, MaxMagnitude(m.d));
  tally->max_ulp = std::max(tally->max_ulp, MaxMagnitude(m.ulps));
  tally->max_rel = std::max(tally->max_rel, MaxMagnitude(m.relative));
  for (size_t i = 0; i < count; ++i) ++tally->histogram[HistogramBin(m.ulps[i])];
  if (Count(m.bad) == 0) return;
  for (size_t i = 0; i < count; ++i) {
    if (m.bad[i] != 0) tally->AddMismatch(begin + static_cast<int64_t>(i));
  }
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
    rule.peer_atol = 1e-2;
    rule.peer_rtol = 5e-2;
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
  Tally tally;
  Chunk chunk;
  std::fill(chunk.sigma, chunk.sigma + kChunk, 0.0);
  std::fill(chunk.low, chunk.low + kChunk, 0.0);
  for (int64_t at = begin; at < end; at += static_cast<int64_t>(kChunk)) {
    const size_t count = std::min(kChunk, static_cast<size_t>(end - at));
    Load(dtype, actual, at, count, chunk.y);
    Load(v1::Dtype::float64, oracle.r, at, count, chunk.r);
    if (oracle.sigma != nullptr) Load(oracle.sigma_dtype, oracle.sigma, at, count, chunk.sigma);
    if (oracle.low != nullptr) Load(v1::Dtype::float64, oracle.low, at, count, chunk.low);
    Measure(rule, &chunk);
    AddChunk(chunk, at, count, &tally);
  }
  return tally;
}

Tally TallyPointwise(const HostTensor& actual, const OracleView& oracle, const PointwiseRule& rule) {
  Tally total;
  const int64_t elements = NumElements(actual.shape);
  for (int64_t begin = 0; begin < elements; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, elements);
    total.Merge(TallyPointwise(actual.dtype, actual.data.data(), oracle, rule, begin, end));
  }
  return total;
}

}  // namespace diopi::baselines
