// A number of a 16-bit format that is rounded back to the format after every operation, so that the kernels
// compute like a chip without a wider accumulator. Only baselines/native16 is built with it.
#ifndef BASELINES_NATIVE16_NARROW_H_
#define BASELINES_NATIVE16_NARROW_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "baselines/ops/support/sum.h"

namespace diopi::ops {

uint16_t ToFloat16(double x);
uint16_t ToBfloat16(double x);
float FromFloat16(uint16_t bits);
float FromBfloat16(uint16_t bits);

// The switches of the library (baselines/native16/switches.cc).
struct NarrowSwitches {
  enum class Order { kBlocks, kReversed, kSequential, kPairwise, kLanes, kChunks };
  Order order = Order::kBlocks;
  bool truncate = false;            // round every result toward zero
  bool truncate_sums = false;       // the same, but only the partial sums of accumulations
  bool truncate_functions = false;  // the same, but only exp, sqrt, tanh, ...
  bool drop_tail = false;           // sums leave out what follows the last whole block of 32
  bool short_sums = false;          // partial sums keep 8 bits in both formats
  bool saturate = false;            // the largest number instead of infinity
  bool cautious = false;            // NaN for a sum that overflows in some order of its terms
};
const NarrowSwitches& TheNarrowSwitches();

enum class Format16 { kFloat16, kBfloat16 };

template <Format16 kFormat>
struct Narrow {
  float v = 0;

  Narrow() = default;
  template <typename T>
  requires std::is_arithmetic_v<T> Narrow(T x)
      : v(Nearest(static_cast<double>(x))) {}  // NOLINT: constants are rounded, too
  template <typename V>
  explicit Narrow(const Noise<V>& x) : v(Nearest(static_cast<double>(x.v))) {}
  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit operator T() const { return static_cast<T>(v); }

  static float Nearest(double x) {
    return kFormat == Format16::kFloat16 ? FromFloat16(ToFloat16(x)) : FromBfloat16(ToBfloat16(x));
  }
  static float TowardZero(double x) {
    const float near = Nearest(x);
    if (!(std::fabs(static_cast<double>(near)) > std::fabs(x)) || !std::isfinite(x)) return near;
    return kFormat == Format16::kFloat16 ? FromFloat16(static_cast<uint16_t>(ToFloat16(x) - 1))
                                         : FromBfloat16(static_cast<uint16_t>(ToBfloat16(x) - 1));
  }
  static Narrow Of(double x) {
    const NarrowSwitches& on = TheNarrowSwitches();
    const float result = on.truncate ? TowardZero(x) : Nearest(x);
    const bool overflows = on.saturate && std::isinf(result) && std::isfinite(x);
    return Made(overflows ? std::copysign(std::numeric_limits<Narrow>::max().v, result) : result);
  }
  static Narrow OfFunction(double x) {
    const NarrowSwitches& on = TheNarrowSwitches();
    return Made(on.truncate || on.truncate_functions ? TowardZero(x) : Nearest(x));
  }
  static Narrow OfSum(double x) {
    const NarrowSwitches& on = TheNarrowSwitches();
    if (on.short_sums && std::isfinite(x)) x = static_cast<double>(FromBfloat16(ToBfloat16(x)));
    return Made(on.truncate || on.truncate_sums ? TowardZero(x) : Nearest(x));
  }

  friend Narrow operator+(Narrow a, Narrow b) { return Of(a.wide() + b.wide()); }
  friend Narrow operator-(Narrow a, Narrow b) { return Of(a.wide() - b.wide()); }
  friend Narrow operator*(Narrow a, Narrow b) { return Of(a.wide() * b.wide()); }
  friend Narrow operator/(Narrow a, Narrow b) { return Of(a.wide() / b.wide()); }
  friend Narrow operator-(Narrow a) { return Made(-a.v); }
  friend Narrow operator+(Narrow a) { return a; }
  Narrow& operator+=(Narrow b) { return *this = *this + b; }
  Narrow& operator-=(Narrow b) { return *this = *this - b; }
  Narrow& operator*=(Narrow b) { return *this = *this * b; }
  Narrow& operator/=(Narrow b) { return *this = *this / b; }

  friend bool operator==(Narrow a, Narrow b) { return a.v == b.v; }
  friend bool operator!=(Narrow a, Narrow b) { return a.v != b.v; }
  friend bool operator<(Narrow a, Narrow b) { return a.v < b.v; }
  friend bool operator<=(Narrow a, Narrow b) { return a.v <= b.v; }
  friend bool operator>(Narrow a, Narrow b) { return a.v > b.v; }
  friend bool operator>=(Narrow a, Narrow b) { return a.v >= b.v; }

  double wide() const { return static_cast<double>(v); }
  static Narrow Made(float x) {
    Narrow result;
    result.v = x;
    return result;
  }

  // Exact.
  friend bool isnan(Narrow x) { return std::isnan(x.v); }
  friend bool isinf(Narrow x) { return std::isinf(x.v); }
  friend bool isfinite(Narrow x) { return std::isfinite(x.v); }
  friend bool signbit(Narrow x) { return std::signbit(x.v); }
  friend Narrow abs(Narrow x) { return Made(std::fabs(x.v)); }
  friend Narrow fabs(Narrow x) { return Made(std::fabs(x.v)); }
  friend Narrow floor(Narrow x) { return Made(std::floor(x.v)); }
  friend Narrow ceil(Narrow x) { return Made(std::ceil(x.v)); }
  friend Narrow trunc(Narrow x) { return Made(std::trunc(x.v)); }
  friend Narrow round(Narrow x) { return Made(std::round(x.v)); }
  friend Narrow nearbyint(Narrow x) { return Made(std::nearbyint(x.v)); }
  friend Narrow copysign(Narrow x, Narrow y) { return Made(std::copysign(x.v, y.v)); }
  friend Narrow fmod(Narrow a, Narrow b) { return Made(std::fmod(a.v, b.v)); }
  friend Narrow fma(Narrow a, Narrow b, Narrow c) { return Of(std::fma(a.wide(), b.wide(), c.wide())); }

#define DIOPI_NARROW_FUNCTION(name)         \
  friend Narrow name(Narrow x) {            \
    return OfFunction(std::name(x.wide())); \
  }
  DIOPI_NARROW_FUNCTION(sqrt)
  DIOPI_NARROW_FUNCTION(cbrt)
  DIOPI_NARROW_FUNCTION(exp)
  DIOPI_NARROW_FUNCTION(exp2)
  DIOPI_NARROW_FUNCTION(expm1)
  DIOPI_NARROW_FUNCTION(log)
  DIOPI_NARROW_FUNCTION(log2)
  DIOPI_NARROW_FUNCTION(log10)
  DIOPI_NARROW_FUNCTION(log1p)
  DIOPI_NARROW_FUNCTION(sin)
  DIOPI_NARROW_FUNCTION(cos)
  DIOPI_NARROW_FUNCTION(tan)
  DIOPI_NARROW_FUNCTION(asin)
  DIOPI_NARROW_FUNCTION(acos)
  DIOPI_NARROW_FUNCTION(atan)
  DIOPI_NARROW_FUNCTION(sinh)
  DIOPI_NARROW_FUNCTION(cosh)
  DIOPI_NARROW_FUNCTION(tanh)
  DIOPI_NARROW_FUNCTION(asinh)
  DIOPI_NARROW_FUNCTION(acosh)
  DIOPI_NARROW_FUNCTION(atanh)
  DIOPI_NARROW_FUNCTION(erf)
  DIOPI_NARROW_FUNCTION(erfc)
#undef DIOPI_NARROW_FUNCTION
  friend Narrow pow(Narrow a, Narrow b) {
    return OfFunction(std::pow(a.wide(), b.wide()));
  }
  friend Narrow atan2(Narrow y, Narrow x) {
    return OfFunction(std::atan2(y.wide(), x.wide()));
  }
};

// Terms are stored and added up at the end, in the order that the switch selects.
template <Format16 kFormat>
class Sum<Narrow<kFormat>> {
 public:
  using T = Narrow<kFormat>;
  Sum& operator+=(const T& term) {
    terms_.push_back(term);
    return *this;
  }
  T total() const {
    const NarrowSwitches& on = TheNarrowSwitches();
    size_t count = terms_.size();
    if (on.drop_tail && count > kBlock) count -= count % kBlock;
    if (count == 0) return T::Made(0);
    if (on.cautious && MayOverflow()) return std::numeric_limits<T>::quiet_NaN();
    switch (on.order) {
      case NarrowSwitches::Order::kSequential:
        return Chain(0, count, 1);
      case NarrowSwitches::Order::kPairwise:
        return Tree(terms_, 0, count);
      case NarrowSwitches::Order::kLanes: {
        std::vector<T> lanes;
        for (size_t lane = 0; lane < kBlock && lane < count; ++lane)
          lanes.push_back(Chain(lane, count, kBlock));
        return Tree(lanes, 0, lanes.size());
      }
      case NarrowSwitches::Order::kChunks: {
        std::vector<T> chunks;
        for (size_t begin = 0; begin < count; begin += kChunk) {
          double exact = 0;
          for (size_t i = begin; i < std::min(begin + kChunk, count); ++i) exact += terms_[i].wide();
          chunks.push_back(T::OfSum(exact));
        }
        return Tree(chunks, 0, chunks.size());
      }
      case NarrowSwitches::Order::kReversed: {
        Sum backwards;
        backwards.terms_.assign(terms_.rend() - static_cast<int64_t>(count), terms_.rend());
        return backwards.Blocks(count);
      }
      case NarrowSwitches::Order::kBlocks:
        break;
    }
    return Blocks(count);
  }

 private:
  static constexpr size_t kBlock = 32, kChunk = 16;

  T Blocks(size_t count) const {
    std::vector<T> blocks;
    for (size_t begin = 0; begin < count; begin += kBlock)
      blocks.push_back(Chain(begin, begin + kBlock < count ? begin + kBlock : count, 1));
    return Tree(blocks, 0, blocks.size());
  }

  bool MayOverflow() const {
    double reach = 0;
    for (const T& term : terms_) reach += std::fabs(term.wide());
    return !(reach <= std::numeric_limits<T>::max().wide());
  }
  static T Add(T a, T b) { return T::OfSum(a.wide() + b.wide()); }
  T Chain(size_t begin, size_t end, size_t step) const {
    T sum = terms_[begin];
    for (size_t i = begin + step; i < end; i += step) sum = Add(sum, terms_[i]);
    return sum;
  }
  static T Tree(const std::vector<T>& parts, size_t begin, size_t end) {
    if (end - begin == 1) return parts[begin];
    const size_t middle = begin + (end - begin) / 2;
    return Add(Tree(parts, begin, middle), Tree(parts, middle, end));
  }

  std::vector<T> terms_;
};

}  // namespace diopi::ops

template <diopi::ops::Format16 kFormat>
// NOLINTNEXTLINE(bugprone-std-namespace-modification): the standard allows it for a type of ours
class std::numeric_limits<diopi::ops::Narrow<kFormat>> {
 public:
  using T = diopi::ops::Narrow<kFormat>;
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static T infinity() { return T::Made(std::numeric_limits<float>::infinity()); }
  static T quiet_NaN() { return T::Made(std::numeric_limits<float>::quiet_NaN()); }
  static T lowest() { return T::Made(-max().v); }
  static T max() { return T::Made(kFormat == diopi::ops::Format16::kFloat16 ? 65504.0F : 0x1.fep127F); }
};

#endif  // BASELINES_NATIVE16_NARROW_H_
