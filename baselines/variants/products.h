// Matrix products as correct libraries and devices compute them.
#ifndef BASELINES_VARIANTS_PRODUCTS_H_
#define BASELINES_VARIANTS_PRODUCTS_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "baselines/ops/support/gemm.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {

enum class Product {
  kReversed,       // the last k first
  kFma,            // in order, each product and sum rounded once
  kSplit4,         // k in four parts, summed in pairs: split-K
  kBlocks16,       // blocks of 16 in their own accumulators, added up in order
  kDouble,         // in the next wider type, rounded once
  kTensorCore4,    // exact products truncated in fours, see MatrixUnit
  kTensorCore8,    // and in eights
  kTf32Nearest,    // operands rounded to 11 bits, ties to even
  kTf32Truncated,  // operands cut to 11 bits
  // Injected bugs that a declared tf32 or tc32 must not hide.
  kEightBits,        // operands rounded to 8 bits
  kTf32ShortSums,    // TF32 products, partial sums rounded to 11 bits
  kTf32LastLost,     // TF32 products, the last k left out
  kCoreTf32,         // kTensorCore8 on TF32 operands
  kCoreTailLost,     // kTensorCore8 without the terms after the last whole block
  kCoreSixteenBits,  // kTensorCore8 with an accumulator cut to 16 bits
};

// A float cut to the 11 bits of TF32.
inline float Tf32Truncated(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xFFFFE000U);
}

inline float Tf32Nearest(float x) {
  if (!std::isfinite(x)) return x;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0xFFFU + (bits >> 13 & 1U)) & 0xFFFFE000U);
}

inline float RoundedTo(int bits, float x) {
  int exponent = 0;
  const float scaled = std::ldexp(std::frexp(x, &exponent), bits);
  return std::isfinite(x) ? std::ldexp(std::nearbyint(scaled), exponent - bits) : x;
}

// `x` cut (towards zero) to multiples of 2^(exponent - 23).
inline double CutTo(double x, int exponent) {
  return std::ldexp(std::trunc(std::ldexp(x, 23 - exponent)), exponent - 23);
}

// How a matrix unit adds `products` exact products to its float accumulator in one step: all of them cut to
// `guard` bits below the last place of the largest, added exactly, and the sum cut to 24 bits. Fasi, Higham,
// Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021, measured 4 and 0 on V100, 8 and 1
// on A100.
struct MatrixUnit {
  int64_t products;
  int guard;
};
inline constexpr MatrixUnit kUnit4{4, 0};
inline constexpr MatrixUnit kUnit8{8, 1};

inline float MatrixUnitStep(const MatrixUnit& unit, float accumulator, const std::vector<double>& products) {
  double plain = static_cast<double>(accumulator), largest = std::fabs(plain);
  for (const double p : products) {
    plain += p;
    largest = std::fmax(largest, std::fabs(p));
  }
  if (!std::isfinite(plain) || largest == 0.0) return static_cast<float>(plain);
  const int exponent = std::max(std::ilogb(largest), -126) - unit.guard;
  double sum = CutTo(static_cast<double>(accumulator), exponent);
  for (const double p : products) sum += CutTo(p, exponent);
  if (sum == 0.0) return 0.0F;
  return static_cast<float>(CutTo(sum, std::max(std::ilogb(sum), -126)));
}

// One line of a matrix.
template <typename C>
struct Strided {
  const C* data;
  int64_t step;
  C operator()(int64_t i) const { return data[i * step]; }
};

template <typename C>
C MatrixUnitDot(const MatrixUnit& unit, C start, int64_t k, const Strided<C>& a, const Strided<C>& b) {
  float sum = static_cast<float>(start);
  std::vector<double> products;
  for (int64_t i = 0; i < k; i += unit.products) {
    products.clear();
    for (int64_t j = i; j < std::min(i + unit.products, k); ++j)
      products.push_back(static_cast<double>(a(j)) * static_cast<double>(b(j)));
    sum = MatrixUnitStep(unit, sum, products);
  }
  return static_cast<C>(sum);
}

// start + the products of [begin, end), in order.
template <typename C>
C DotInOrder(C start, int64_t begin, int64_t end, const Strided<C>& a, const Strided<C>& b) {
  C sum = start;
  for (int64_t i = begin; i < end; ++i) sum += a(i) * b(i);
  return sum;
}

// The products that are wrong even where the device declares TF32 or a truncating accumulator.
template <typename C>
C WrongDot(Product how, C start, int64_t k, const Strided<C>& a, const Strided<C>& b) {
  const auto tf32 = [&](int64_t i) {
    return Tf32Nearest(static_cast<float>(a(i))) * Tf32Nearest(static_cast<float>(b(i)));
  };
  C sum = start;
  if (how == Product::kCoreTailLost) return MatrixUnitDot(kUnit8, start, k < 8 ? k : k / 8 * 8, a, b);
  if (how == Product::kTf32LastLost && k > 1) --k;
  if (how == Product::kCoreTf32 || how == Product::kCoreSixteenBits) {
    float total = static_cast<float>(start);
    for (int64_t i = 0; i < k; i += kUnit8.products) {
      std::vector<double> products;
      for (int64_t j = i; j < std::min(i + kUnit8.products, k); ++j) {
        products.push_back(how == Product::kCoreTf32 ? static_cast<double>(tf32(j))
                                                     : static_cast<double>(a(j)) * static_cast<double>(b(j)));
      }
      total = MatrixUnitStep(kUnit8, total, products);
      if (how == Product::kCoreSixteenBits && std::isfinite(total))
        total = std::bit_cast<float>(std::bit_cast<uint32_t>(total) & 0xFFFFFF00U);
    }
    return static_cast<C>(total);
  }
  for (int64_t i = 0; i < k; ++i) {
    if (how == Product::kEightBits) {
      sum += static_cast<C>(RoundedTo(8, static_cast<float>(a(i))) * RoundedTo(8, static_cast<float>(b(i))));
    } else {
      sum += static_cast<C>(tf32(i));
      if (how == Product::kTf32ShortSums) sum = static_cast<C>(RoundedTo(11, static_cast<float>(sum)));
    }
  }
  return sum;
}

template <typename C>
C Dot(Product how, C start, int64_t k, const Strided<C>& a, const Strided<C>& b) {
  C sum = start;
  switch (how) {
    case Product::kReversed:
      for (int64_t i = k; i-- > 0;) sum += a(i) * b(i);
      return sum;
    case Product::kFma:
      for (int64_t i = 0; i < k; ++i) sum = std::fma(a(i), b(i), sum);
      return sum;
    case Product::kSplit4: {
      std::array<C, 4> parts{};
      for (int64_t p = 0; p < 4; ++p)
        parts[static_cast<size_t>(p)] = DotInOrder(C(0), k * p / 4, k * (p + 1) / 4, a, b);
      return start + ((parts[0] + parts[1]) + (parts[2] + parts[3]));
    }
    case Product::kBlocks16:
      for (int64_t i = 0; i < k; i += 16) sum += DotInOrder(C(0), i, std::min(i + 16, k), a, b);
      return sum;
    case Product::kDouble: {
      Wide<C> wide = static_cast<Wide<C>>(start);
      for (int64_t i = 0; i < k; ++i) wide += static_cast<Wide<C>>(a(i)) * static_cast<Wide<C>>(b(i));
      return static_cast<C>(wide);
    }
    case Product::kTensorCore4:
      return MatrixUnitDot(kUnit4, start, k, a, b);
    case Product::kTensorCore8:
      return MatrixUnitDot(kUnit8, start, k, a, b);
    case Product::kTf32Nearest:
      for (int64_t i = 0; i < k; ++i)
        sum += static_cast<C>(Tf32Nearest(static_cast<float>(a(i))) * Tf32Nearest(static_cast<float>(b(i))));
      return sum;
    case Product::kTf32Truncated:
      for (int64_t i = 0; i < k; ++i)
        sum +=
            static_cast<C>(Tf32Truncated(static_cast<float>(a(i))) * Tf32Truncated(static_cast<float>(b(i))));
      return sum;
    default:
      return WrongDot(how, start, k, a, b);
  }
}

// As ops::Gemm: c[m,n] = op(a) * op(b), added to c when `accumulate`.
template <typename C>
void GemmBy(Product how, ops::Trans trans_a, ops::Trans trans_b, int64_t m, int64_t n, int64_t k, const C* a,
            const C* b, C* c, bool accumulate = false) {
  const bool ta = trans_a == ops::Trans::kYes, tb = trans_b == ops::Trans::kYes;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      C& element = c[i * n + j];
      element = Dot<C>(how, accumulate ? element : C(0), k, {a + i * (ta ? 1 : k), ta ? m : 1},
                       {b + j * (tb ? k : 1), tb ? 1 : n});
    }
  }
}

// The switches of a family of products, and which of them is on for this dtype. TF32 and the truncating
// accumulator do not exist for float64; TF32 holds 16-bit operands exactly, so they are computed otherwise;
// the truncating accumulator has two switches, because float32 has to declare it.
struct ProductSwitches {
  bool reversed, fma, split4, blocks16, in_double, core4_half, core4_single, core8_half, core8_single,
      tf32_nearest, tf32_truncated;

  std::optional<Product> Chosen(diopiDtype_t dtype) const {
    if (!ops::IsFloating(dtype)) return std::nullopt;
    if (reversed) return Product::kReversed;
    if (fma) return Product::kFma;
    if (split4) return Product::kSplit4;
    if (blocks16) return Product::kBlocks16;
    if (in_double) return Product::kDouble;
    if (core4_half && IsHalf(dtype)) return Product::kTensorCore4;
    if (core8_half && IsHalf(dtype)) return Product::kTensorCore8;
    if (dtype != diopi_dtype_float32) return std::nullopt;
    if (core4_single) return Product::kTensorCore4;
    if (core8_single) return Product::kTensorCore8;
    if (tf32_nearest) return Product::kTf32Nearest;
    if (tf32_truncated) return Product::kTf32Truncated;
    return std::nullopt;
  }
};

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_PRODUCTS_H_
