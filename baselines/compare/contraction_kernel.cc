// Highway compiles this file once per instruction set; the best one is chosen at run time. Products are not
// fused with sums, and sums run in eight lanes by index, so that every machine gives the same bits.
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

constexpr size_t kLanes = 8;
using Doubles = hn::CappedTag<double, kLanes>;
using Floats = hn::Rebind<float, Doubles>;
using Halves = hn::Rebind<uint16_t, Doubles>;
using Words = hn::Rebind<uint32_t, Doubles>;
constexpr size_t kWidth = hn::MaxLanes(Doubles());
static_assert(kLanes % kWidth == 0);

void WidenFloat32(const char* data, size_t count, double* out) {
  size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    float values[kWidth];
    std::memcpy(values, data + 4 * i, sizeof(values));
    hn::StoreU(hn::PromoteTo(Doubles(), hn::LoadU(Floats(), values)), Doubles(), out + i);
  }
  for (; i < count; ++i) {
    float value;
    std::memcpy(&value, data + 4 * i, 4);
    out[i] = static_cast<double>(value);
  }
}

void WidenBfloat16(const char* data, size_t count, double* out) {
  size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    uint16_t bits[kWidth];
    std::memcpy(bits, data + 2 * i, sizeof(bits));
    const auto words = hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(Halves(), bits)));
    hn::StoreU(hn::PromoteTo(Doubles(), hn::BitCast(Floats(), words)), Doubles(), out + i);
  }
  for (; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, data + 2 * i, 2);
    const uint32_t word = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &word, 4);
    out[i] = static_cast<double>(value);
  }
}

double Dot(const double* a, const double* b, size_t count) {
  constexpr size_t kParts = kLanes / kWidth;
  hn::Vec<Doubles> sums[kParts];
  for (auto& sum : sums) sum = hn::Zero(Doubles());
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t k = 0; k < kParts; ++k) {
      const size_t at = i + k * kWidth;
      sums[k] = hn::Add(sums[k], hn::Mul(hn::LoadU(Doubles(), a + at), hn::LoadU(Doubles(), b + at)));
    }
  }
  double all = 0;
  for (; i < count; ++i) all += a[i] * b[i];
  double lanes[kLanes];
  for (size_t k = 0; k < kParts; ++k) hn::StoreU(sums[k], Doubles(), lanes + k * kWidth);
  for (const double lane : lanes) all += lane;
  return all;
}

void AddScaled(double weight, const double* values, size_t count, double* sums) {
  const auto factor = hn::Set(Doubles(), weight);
  size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const auto product = hn::Mul(factor, hn::LoadU(Doubles(), values + i));
    hn::StoreU(hn::Add(hn::LoadU(Doubles(), sums + i), product), Doubles(), sums + i);
  }
  for (; i < count; ++i) sums[i] += weight * values[i];
}

}  // namespace
}  // namespace diopi::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace diopi::baselines {

HWY_EXPORT(WidenFloat32);
HWY_EXPORT(WidenBfloat16);
HWY_EXPORT(Dot);
HWY_EXPORT(AddScaled);

void WidenFloat32(const char* data, size_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(WidenFloat32)(data, count, out);
}

void WidenBfloat16(const char* data, size_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(WidenBfloat16)(data, count, out);
}

double Dot(const double* a, const double* b, size_t count) {
  return HWY_DYNAMIC_DISPATCH(Dot)(a, b, count);
}

void AddScaled(double weight, const double* values, size_t count, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(weight, values, count, sums);
}

}  // namespace diopi::baselines
#endif  // HWY_ONCE
