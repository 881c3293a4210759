// Highway compiles this file once per instruction set; the best one is chosen at run time. Products are not
// fused with sums, and sums run in 32 lanes by index, so that every machine gives the same bits. Elements are
// loaded through memcpy, because a library's tensors may lie at any address.
#include "baselines/compare/contraction_kernel.h"

#include <cstring>

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/compare/contraction_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace diopi::baselines::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLanes = 32;
constexpr size_t kAhead = 4096;  // bytes that are asked for before they are read
using Doubles = hn::CappedTag<double, 8>;
using Floats = hn::Rebind<float, Doubles>;
using Halves = hn::Rebind<uint16_t, Doubles>;
using Words = hn::Rebind<uint32_t, Doubles>;
using Vector = hn::Vec<Doubles>;
constexpr size_t kWidth = hn::MaxLanes(Doubles());
static_assert(kLanes % kWidth == 0);

// How elements are read, in registers and one at a time.
struct Float64 {
  static constexpr size_t kSize = 8;
  static Vector Load(const char* data, size_t i) {
    double values[kWidth];
    std::memcpy(values, data + 8 * i, sizeof(values));
    return hn::LoadU(Doubles(), values);
  }
  static double One(const char* data, size_t i) {
    double value;
    std::memcpy(&value, data + 8 * i, 8);
    return value;
  }
};

struct Float32 {
  static constexpr size_t kSize = 4;
  static Vector Load(const char* data, size_t i) {
    float values[kWidth];
    std::memcpy(values, data + 4 * i, sizeof(values));
    return hn::PromoteTo(Doubles(), hn::LoadU(Floats(), values));
  }
  static double One(const char* data, size_t i) {
    float value;
    std::memcpy(&value, data + 4 * i, 4);
    return static_cast<double>(value);
  }
};

struct Bfloat16 {
  static constexpr size_t kSize = 2;
  static Vector Load(const char* data, size_t i) {
    uint16_t bits[kWidth];
    std::memcpy(bits, data + 2 * i, sizeof(bits));
    const auto words = hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(Halves(), bits)));
    return hn::PromoteTo(Doubles(), hn::BitCast(Floats(), words));
  }
  static double One(const char* data, size_t i) {
    uint16_t bits;
    std::memcpy(&bits, data + 2 * i, 2);
    const uint32_t word = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &word, 4);
    return static_cast<double>(value);
  }
};

template <typename Elements>
double Dot(const char* data, const double* weights, size_t count) {
  constexpr size_t kParts = kLanes / kWidth;
  Vector sums[kParts];
  for (auto& sum : sums) sum = hn::Zero(Doubles());
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t k = 0; k < kParts; ++k) {
      const size_t at = i + k * kWidth;
      const auto product = hn::Mul(Elements::Load(data, at), hn::LoadU(Doubles(), weights + at));
      sums[k] = hn::Add(sums[k], product);
    }
  }
  double all = 0;
  for (; i < count; ++i) all += Elements::One(data, i) * weights[i];
  double lanes[kLanes];
  for (size_t k = 0; k < kParts; ++k) hn::StoreU(sums[k], Doubles(), lanes + k * kWidth);
  for (const double lane : lanes) all += lane;
  return all;
}

template <typename Elements>
void AddScaled(double weight, const char* data, size_t count, double* sums) {
  const auto factor = hn::Set(Doubles(), weight);
  size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    __builtin_prefetch(data + i * Elements::kSize + kAhead);
    const auto product = hn::Mul(factor, Elements::Load(data, i));
    hn::StoreU(hn::Add(hn::LoadU(Doubles(), sums + i), product), Doubles(), sums + i);
  }
  for (; i < count; ++i) sums[i] += weight * Elements::One(data, i);
}

double DotFloat64(const char* data, const double* weights, size_t count) {
  return Dot<Float64>(data, weights, count);
}
double DotFloat32(const char* data, const double* weights, size_t count) {
  return Dot<Float32>(data, weights, count);
}
double DotBfloat16(const char* data, const double* weights, size_t count) {
  return Dot<Bfloat16>(data, weights, count);
}
void AddScaledFloat64(double weight, const char* data, size_t count, double* sums) {
  AddScaled<Float64>(weight, data, count, sums);
}
void AddScaledFloat32(double weight, const char* data, size_t count, double* sums) {
  AddScaled<Float32>(weight, data, count, sums);
}
void AddScaledBfloat16(double weight, const char* data, size_t count, double* sums) {
  AddScaled<Bfloat16>(weight, data, count, sums);
}

}  // namespace
}  // namespace diopi::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace diopi::baselines {

HWY_EXPORT(DotFloat64);
HWY_EXPORT(DotFloat32);
HWY_EXPORT(DotBfloat16);
HWY_EXPORT(AddScaledFloat64);
HWY_EXPORT(AddScaledFloat32);
HWY_EXPORT(AddScaledBfloat16);

double Dot(Dtype dtype, const char* data, const double* weights, size_t count) {
  switch (dtype) {
    case v1::Dtype::float32:
      return HWY_DYNAMIC_DISPATCH(DotFloat32)(data, weights, count);
    case v1::Dtype::bfloat16:
      return HWY_DYNAMIC_DISPATCH(DotBfloat16)(data, weights, count);
    default:
      return HWY_DYNAMIC_DISPATCH(DotFloat64)(data, weights, count);
  }
}

void AddScaled(Dtype dtype, double weight, const char* data, size_t count, double* sums) {
  switch (dtype) {
    case v1::Dtype::float32:
      return HWY_DYNAMIC_DISPATCH(AddScaledFloat32)(weight, data, count, sums);
    case v1::Dtype::bfloat16:
      return HWY_DYNAMIC_DISPATCH(AddScaledBfloat16)(weight, data, count, sums);
    default:
      return HWY_DYNAMIC_DISPATCH(AddScaledFloat64)(weight, data, count, sums);
  }
}

}  // namespace diopi::baselines
#endif  // HWY_ONCE
