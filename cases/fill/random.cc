// The same inputs on every machine: only integer arithmetic and operations that IEEE 754 rounds exactly (+ -
// * / sqrt), no functions of libm, which differ. Philox needs no state, so element i is drawn without those
// before it. The vector code computes the same bits. Changing any number here changes the inputs of most
// cases.
#include "cases/fill/random.h"

#include <bit>
#include <cmath>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace diopi {
namespace {

// A Philox block.
struct Counter {
  uint32_t a, b, c, d;
};

Counter Round(const Counter& x, uint32_t k0, uint32_t k1) {
  const uint64_t first = uint64_t{0xD2511F53U} * x.a;
  const uint64_t second = uint64_t{0xCD9E8D57U} * x.c;
  return {static_cast<uint32_t>(second >> 32) ^ x.b ^ k0, static_cast<uint32_t>(second),
          static_cast<uint32_t>(first >> 32) ^ x.d ^ k1, static_cast<uint32_t>(first)};
}

// All ten rounds of several blocks, which the processor computes side by side.
template <size_t N>
void Rounds(uint64_t key, Counter (&blocks)[N]) {
  auto k0 = static_cast<uint32_t>(key);
  auto k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (Counter& block : blocks) block = Round(block, k0, k1);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
}

Counter CounterOf(uint64_t index, uint32_t draw) {
  return {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), draw, 0};
}

uint64_t BitsOf(const Counter& block) {
  return static_cast<uint64_t>(block.b) << 32 | block.a;
}

template <size_t N>
double Horner(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (size_t i = N - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// AS241's coefficients: the centre (|p - 1/2| <= 0.425), the tails, the far tails.
constexpr std::array<double, 8> kA = {
    3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
    4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array<double, 8> kB = {1.0,
                                      4.2313330701600911252e1,
                                      6.8718700749205790830e2,
                                      5.3941960214247511077e3,
                                      2.1213794301586595867e4,
                                      3.9307895800092710610e4,
                                      2.8729085735721942674e4,
                                      5.2264952788528545610e3};
constexpr std::array<double, 8> kC = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                      5.76949722146069140550e0,  3.64784832476320460504e0,
                                      1.27045825245236838258e0,  2.41780725177450611770e-1,
                                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kD = {1.0,
                                      2.05319162663775882187e0,
                                      1.67638483018380384940e0,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};
constexpr std::array<double, 8> kE = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                      1.78482653991729133580e0,  2.96560571828504891230e-1,
                                      2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kF = {1.0,
                                      5.99832206555887937690e-1,
                                      1.36929880922735805310e-1,
                                      1.48753612908506148525e-2,
                                      7.86869131145613259100e-4,
                                      1.84631831751005468180e-5,
                                      1.42151175831644588870e-7,
                                      2.04426310338993978564e-15};

}  // namespace

std::array<uint32_t, 4> Philox(const std::array<uint32_t, 4>& counter, uint64_t key) {
  Counter blocks[1] = {{counter[0], counter[1], counter[2], counter[3]}};
  Rounds(key, blocks);
  return {blocks[0].a, blocks[0].b, blocks[0].c, blocks[0].d};
}

uint64_t RandomBits(uint64_t key, uint64_t index, uint32_t draw) {
  Counter blocks[1] = {CounterOf(index, draw)};
  Rounds(key, blocks);
  return BitsOf(blocks[0]);
}

namespace {

#ifdef __SSE2__
// Two Philox blocks: each word in the lower half of a lane, whose upper half does not matter.
struct CounterPair {
  __m128i a, b, c, d;
};

CounterPair CounterPairOf(uint64_t index, uint32_t draw) {
  const __m128i indices = _mm_set_epi64x(static_cast<int64_t>(index + 1), static_cast<int64_t>(index));
  return {indices, _mm_srli_epi64(indices, 32), _mm_set1_epi64x(int64_t{draw}), _mm_setzero_si128()};
}

CounterPair Round(const CounterPair& x, __m128i k0, __m128i k1) {
  const __m128i first = _mm_mul_epu32(x.a, _mm_set1_epi64x(0xD2511F53));
  const __m128i second = _mm_mul_epu32(x.c, _mm_set1_epi64x(0xCD9E8D57));
  return {_mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(second, 32), x.b), k0), second,
          _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(first, 32), x.d), k1), first};
}

void StoreBits(const CounterPair& x, uint64_t* bits) {
  const __m128i low = _mm_and_si128(x.a, _mm_set1_epi64x(0xffffffff));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bits), _mm_or_si128(_mm_slli_epi64(x.b, 32), low));
}

constexpr size_t kBlocksTogether = 4;

void BlocksOfBits(uint64_t key, uint64_t index, uint32_t draw, uint64_t* bits) {
  CounterPair low = CounterPairOf(index, draw);
  CounterPair high = CounterPairOf(index + 2, draw);
  __m128i k0 = _mm_set1_epi64x(static_cast<int64_t>(key & 0xffffffff));
  __m128i k1 = _mm_set1_epi64x(static_cast<int64_t>(key >> 32));
  for (int round = 0; round < 10; ++round) {
    low = Round(low, k0, k1);
    high = Round(high, k0, k1);
    k0 = _mm_add_epi32(k0, _mm_set1_epi64x(0x9E3779B9));
    k1 = _mm_add_epi32(k1, _mm_set1_epi64x(0xBB67AE85));
  }
  StoreBits(low, bits);
  StoreBits(high, bits + 2);
}
#else
constexpr size_t kBlocksTogether = 2;

void BlocksOfBits(uint64_t key, uint64_t index, uint32_t draw, uint64_t* bits) {
  Counter blocks[kBlocksTogether] = {CounterOf(index, draw), CounterOf(index + 1, draw)};
  Rounds(key, blocks);
  for (size_t i = 0; i < kBlocksTogether; ++i) bits[i] = BitsOf(blocks[i]);
}
#endif

}  // namespace

void RandomBits(uint64_t key, uint64_t first, uint32_t draw, size_t count, uint64_t* bits) {
  size_t i = 0;
  for (; i + kBlocksTogether <= count; i += kBlocksTogether) BlocksOfBits(key, first + i, draw, bits + i);
  for (; i < count; ++i) bits[i] = RandomBits(key, first + i, draw);
}

double UnitInterval(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

double OpenUnitInterval(uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

uint64_t Below(uint64_t bits, uint64_t range) {
  const uint64_t a = bits >> 32;
  const uint64_t b = bits & 0xffffffffU;
  const uint64_t c = range >> 32;
  const uint64_t d = range & 0xffffffffU;
  const uint64_t middle = ((b * d) >> 32) + ((a * d) & 0xffffffffU) + ((b * c) & 0xffffffffU);
  return a * c + ((a * d) >> 32) + ((b * c) >> 32) + (middle >> 32);
}

double Log(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  auto exponent = static_cast<int64_t>((bits >> 52) & 0x7ff) - 1023;
  auto mantissa = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (mantissa > 0x1.6a09e667f3bcdp0) {  // sqrt(2): the rest lies in [sqrt(1/2), sqrt(2)]
    mantissa *= 0.5;
    ++exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;  // 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...); |s| < 0.172, so s^23 is below rounding
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * square;
  const double natural = 2 * (s + s * sum);
  return static_cast<double>(exponent) * 0x1.62e42fefa39efp-1 + natural;
}

double Exp2(double x) {
  if (!(x > -1021)) return 0;
  if (x >= 1023.5) return std::bit_cast<double>(0x7ff0000000000000ULL);
  const auto whole = static_cast<int64_t>(x < 0 ? x - 0.5 : x + 0.5);
  const double t = (x - static_cast<double>(whole)) * 0x1.62e42fefa39efp-1;  // |t| < 0.35
  double sum = 1;  // exp(t) by Taylor; t^15/15! is below rounding
  for (int k = 15; k >= 1; --k) sum = 1 + sum * t / k;
  const auto scale = std::bit_cast<double>(static_cast<uint64_t>(whole + 1022) << 52);
  return sum * scale * 2;
}

namespace {

bool IsCentral(double q) {
  return q >= -0.425 && q <= 0.425;
}

double CentralQuantile(double q) {
  const double r = 0.180625 - q * q;
  return q * Horner(kA, r) / Horner(kB, r);
}

double TailQuantile(double p) {
  const double q = p - 0.5;
  double r = std::sqrt(-Log(q < 0 ? p : 1 - p));
  double value;
  if (r <= 5) {
    r -= 1.6;
    value = Horner(kC, r) / Horner(kD, r);
  } else {
    r -= 5;
    value = Horner(kE, r) / Horner(kF, r);
  }
  return q < 0 ? -value : value;
}

}  // namespace

double NormalQuantile(double p) {
  return IsCentral(p - 0.5) ? CentralQuantile(p - 0.5) : TailQuantile(p);
}

void NormalQuantiles(const double* p, size_t count, double* quantiles) {
  for (size_t i = 0; i < count; ++i) quantiles[i] = CentralQuantile(p[i] - 0.5);
  for (size_t i = 0; i < count; ++i) {
    if (!IsCentral(p[i] - 0.5)) quantiles[i] = TailQuantile(p[i]);
  }
}

uint64_t Permute(uint64_t index, uint64_t size, uint64_t key) {
  if (size < 2) return 0;
  const int bits = std::bit_width(size - 1);
  const int half = (bits + 1) / 2;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  do {
    uint64_t left = index >> half;
    uint64_t right = index & mask;
    for (uint32_t round = 0; round < 6; ++round) {
      const uint64_t mixed = left ^ (RandomBits(key, right, 16 + round) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= size);
  return index;
}

}  // namespace diopi
