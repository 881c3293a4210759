// Highway compiles this file once per instruction set; the best one is chosen at run time. Eight elements are
// judged side by side by the operations of Judge (rule.h), in the same order and without fused multiply-add,
// and sums run in eight lanes by index, so that every machine and every vector width gives the same bits.
// Rare elements (NaN, infinity, overflow, unknown sigma) would need branches in every lane: they are masked
// out and judged one by one (PatchOthers), which keeps the common path free of them.
#include "baselines/compare/pointwise_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// The width of a register must be a constant here; AVX3_DL offers nothing beyond AVX3.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "baselines/compare/pointwise_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef BASELINES_COMPARE_POINTWISE_KERNEL_ONCE_
#define BASELINES_COMPARE_POINTWISE_KERNEL_ONCE_
namespace diopi::baselines {

// The contributions of one register's elements to sums and maxima, lane by lane.
struct Register {
  alignas(64) LaneSums::Lanes d;  // |d|
  alignas(64) LaneSums::Lanes ideal_d;
  alignas(64) LaneSums::Lanes ulps;
  alignas(64) LaneSums::Lanes z2;
  alignas(64) LaneSums::Lanes relative;
  alignas(64) LaneSums::Lanes bias;
  alignas(64) LaneSums::Lanes radial;
};

// Judges the elements [at, at + 8) whose bit is set one by one, counts them, and puts them in their places.
void Patch(const Stretch& stretch, const PointwiseRule& rule, size_t at, uint32_t elements, Register* reg,
           Chunk* chunk, Tally* tally);

}  // namespace diopi::baselines
#endif  // BASELINES_COMPARE_POINTWISE_KERNEL_ONCE_

HWY_BEFORE_NAMESPACE();
namespace diopi::baselines::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, kLanes>;
using Integers = hn::Rebind<uint64_t, Doubles>;
using V = hn::Vec<Doubles>;
using M = hn::Mask<Doubles>;
constexpr size_t kWidth = hn::MaxLanes(Doubles());
static_assert(kLanes % kWidth == 0);

HWY_INLINE V Set(double value) {
  return hn::Set(Doubles(), value);
}

// Loads kWidth elements without any alignment.
template <typename Stored>
HWY_INLINE auto LoadStored(const uint8_t* from) {
  const hn::Rebind<Stored, Doubles> tag;
  if constexpr (kWidth == 1) {
    Stored one;
    std::memcpy(&one, from, sizeof(Stored));
    return hn::Load(tag, &one);
  } else {
    return hn::BitCast(tag, hn::LoadU(hn::Repartition<uint8_t, decltype(tag)>(), from));
  }
}

// float16 as float32. Before AVX2, Highway's own conversion turns Inf and NaN into finite numbers.
template <typename Half>
HWY_INLINE auto FromHalf(Half half) {
  const hn::Rebind<float, Doubles> f32;
  const hn::Rebind<uint32_t, Doubles> u32;
  const auto bits = hn::PromoteTo(u32, half);
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(u32, 0x7fffU)));
  // A multiplication shifts the bias of the exponent, and makes subnormals come out right.
  const auto scaled = hn::BitCast(u32, hn::Mul(hn::BitCast(f32, magnitude), hn::Set(f32, 0x1p112F)));
  // What lands at 2^16 or above was Inf or NaN. As integers, these compare as the floats do.
  const hn::Rebind<int32_t, Doubles> i32;
  const auto special = hn::Gt(hn::BitCast(i32, scaled), hn::Set(i32, 0x477fffff));
  const auto top = hn::And(hn::BitCast(u32, hn::VecFromMask(i32, special)), hn::Set(u32, 0x7f800000U));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(u32, 0x8000U)));
  return hn::BitCast(f32, hn::Or(hn::Or(scaled, top), sign));
}

// The same as doubles.
template <typename Stored>
HWY_INLINE V LoadAs(const uint8_t* from) {
  const hn::Rebind<float, Doubles> f32;
  if constexpr (std::is_same_v<Stored, double>) {
    return LoadStored<double>(from);
  } else if constexpr (std::is_same_v<Stored, float>) {
    return hn::PromoteTo(Doubles(), LoadStored<float>(from));
  } else if constexpr (std::is_same_v<Stored, hwy::float16_t>) {
    return hn::PromoteTo(Doubles(), FromHalf(LoadStored<uint16_t>(from)));
  } else {
    return hn::PromoteTo(Doubles(), hn::PromoteTo(f32, LoadStored<hwy::bfloat16_t>(from)));
  }
}

HWY_INLINE int64_t CountOf(M mask) {
  return static_cast<int64_t>(hn::CountTrue(Doubles(), mask));
}

HWY_INLINE uint32_t BitsOf(M mask) {
  alignas(8) std::array<uint8_t, 8> bits{};
  hn::StoreMaskBits(Doubles(), mask, bits.data());
  return bits[0];
}

HWY_INLINE void AddTo(double* lanes, V v) {
  hn::Store(hn::Add(hn::Load(Doubles(), lanes), v), Doubles(), lanes);
}

// The running figures of kWidth lanes, in registers.
struct Running {
  V z2, d2, ideal2, max_z2, max_abs, max_ulp, max_rel;

  HWY_INLINE void Load(const LaneSums& sums, size_t lane) {
    const Doubles f64;
    z2 = hn::Load(f64, &sums.z2[lane]);
    d2 = hn::Load(f64, &sums.d2[lane]);
    ideal2 = hn::Load(f64, &sums.ideal2[lane]);
    max_z2 = hn::Load(f64, &sums.max_z2[lane]);
    max_abs = hn::Load(f64, &sums.max_abs[lane]);
    max_ulp = hn::Load(f64, &sums.max_ulp[lane]);
    max_rel = hn::Load(f64, &sums.max_rel[lane]);
  }
  HWY_INLINE void Store(size_t lane, LaneSums* sums) const {
    const Doubles f64;
    hn::Store(z2, f64, &sums->z2[lane]);
    hn::Store(d2, f64, &sums->d2[lane]);
    hn::Store(ideal2, f64, &sums->ideal2[lane]);
    hn::Store(max_z2, f64, &sums->max_z2[lane]);
    hn::Store(max_abs, f64, &sums->max_abs[lane]);
    hn::Store(max_ulp, f64, &sums->max_ulp[lane]);
    hn::Store(max_rel, f64, &sums->max_rel[lane]);
  }
};

// One element per lane. `ordinary` elements need no special care; for the others only `ordinary` is valid.
struct Elements {
  M ordinary;  // y is finite, r is not clipped, sigma is known
  V r, w, slack;
  V d;  // |d|
  V signed_d, ideal_d, ulps, z2, relative;
  M zero, exceeds, leaning, public_bad;

  HWY_INLINE V Tolerance(const PointwiseRule& rule) const {
    return hn::Add(hn::Add(hn::Mul(Set((0.5 + rule.kappa) * kSpare), w), slack), Set(rule.eta));
  }
};

// Judge of rule.h, in the same order. Low is of no interest unless kLow.
template <typename Stored, bool kLow>
HWY_INLINE Elements JudgeElements(const PointwiseRule& rule, V y, V r, V sigma, V low, Tally* tally) {
  constexpr bool kWide = std::is_same_v<Stored, double>;
  constexpr bool kFlushes = std::is_same_v<Stored, float> || std::is_same_v<Stored, hwy::bfloat16_t>;
  const Doubles f64;
  const Integers u64;
  const V zero = hn::Zero(f64);
  Elements e;
  const V ar = hn::Abs(r);
  e.r = r;
  // One addition tells whether y is finite and sigma is known.
  e.ordinary =
      hn::And(hn::Lt(ar, Set(rule.overflow)), hn::Lt(hn::Add(hn::Abs(y), sigma), Set(kUnknownSigma)));
  if (kLow) {
    e.ordinary = hn::And(e.ordinary, hn::Lt(hn::Abs(low), Set(std::numeric_limits<double>::infinity())));
  }
  const V noise = hn::Max(sigma, zero);
  const V exponent = hn::BitCast(f64, hn::Set(u64, uint64_t{0x7ff0000000000000}));
  const V w = hn::Mul(hn::Max(hn::And(r, exponent), Set(rule.smallest_normal)), Set(rule.ulp_of_one));
  e.w = w;
  // 1 / w by its exponent. For float64 that may not fit a double, so there it divides.
  const V scale = hn::BitCast(f64, hn::Sub(hn::Set(u64, uint64_t{2046} << 52), hn::BitCast(u64, w)));
  const auto in_ulps = [&](V v) HWY_ATTR { return kWide ? hn::Div(v, w) : hn::Mul(v, scale); };
  V ideal = r;
  if (!kWide) {
    const V rounder = Set(rule.rounder);
    ideal = hn::Mul(hn::Sub(hn::Add(hn::Mul(r, scale), rounder), rounder), w);
  }
  e.signed_d = hn::Sub(y, r);
  e.ideal_d = hn::Sub(ideal, r);
  if (kLow) {
    e.signed_d = hn::Sub(e.signed_d, low);
    e.ideal_d = hn::Sub(e.ideal_d, low);
  }
  e.slack = hn::Mul(Set(rule.lambda), noise);
  e.zero = hn::Eq(y, zero);
  if (kFlushes) {
    const M small = hn::And(hn::Lt(ar, Set(rule.flushable)), hn::Gt(ar, zero));
    const M gone = hn::And(hn::And(e.zero, e.ordinary), small);
    if (HWY_UNLIKELY(!hn::AllFalse(f64, gone))) {
      tally->flushed += CountOf(hn::And(gone, hn::Gt(hn::Abs(e.signed_d), e.Tolerance(rule))));
      e.signed_d = hn::IfThenZeroElse(gone, e.signed_d);
    }
  }
  e.d = hn::Abs(e.signed_d);
  e.ulps = in_ulps(e.d);
  V squared = e.ulps;
  V noise_ulps = in_ulps(noise);
  if (kWide || kLow) {  // nothing else gets that far
    squared = hn::Min(squared, Set(kMaxSquaredUlps));
    noise_ulps = hn::Min(noise_ulps, Set(kMaxSquaredUlps));
  }
  e.z2 = hn::Div(hn::Mul(squared, squared), hn::Add(hn::Mul(noise_ulps, noise_ulps), Set(1.0 / 12)));
  e.relative = hn::IfThenElseZero(hn::Gt(ar, zero), hn::Div(e.d, ar));
  e.exceeds = hn::Gt(e.d, hn::Add(hn::Mul(Set((0.5 + rule.kf) * kSpare), w), e.slack));
  e.leaning = hn::And(hn::Lt(noise, hn::Mul(Set(kLeaningUlps), w)), hn::Ne(e.ideal_d, zero));
  e.public_bad = hn::Gt(hn::Abs(hn::Sub(y, ideal)),
                        hn::Add(Set(rule.public_atol), hn::Mul(Set(rule.public_rtol), hn::Abs(ideal))));
  return e;
}

HWY_INLINE void MarkBad(size_t at, M bad, Chunk* chunk) {
  if (hn::AllFalse(Doubles(), bad)) return;
  chunk->bad[at / kLanes] |= static_cast<uint8_t>(BitsOf(bad) << at % kLanes);
  chunk->any_bad = true;
}

// Where y or r is NaN, or r is Inf, the element is right or wrong and has no figures.
HWY_INLINE void SettleSpecials(size_t at, V y, Elements* e, Chunk* chunk, Tally* tally) {
  const V inf = Set(std::numeric_limits<double>::infinity());
  const M nan = hn::IsNaN(y);
  const M nan_r = hn::IsNaN(e->r);
  const M settled = hn::Or(hn::Or(nan, nan_r), hn::Eq(hn::Abs(e->r), inf));
  const M right = hn::Or(hn::And(nan, nan_r), hn::Eq(y, e->r));
  const M wrong = hn::AndNot(right, settled);
  MarkBad(at, wrong, chunk);
  tally->finite -= CountOf(settled);
  tally->nan += CountOf(nan);
  tally->inf += CountOf(hn::And(settled, hn::Eq(hn::Abs(y), inf)));
  tally->public_mismatches += CountOf(wrong);
  e->ordinary = hn::Or(e->ordinary, settled);
  e->exceeds = hn::AndNot(settled, e->exceeds);
  e->leaning = hn::AndNot(settled, e->leaning);
  e->public_bad = hn::AndNot(settled, e->public_bad);
  for (V* const figure : {&e->d, &e->ideal_d, &e->ulps, &e->z2, &e->relative}) {
    *figure = hn::IfThenZeroElse(settled, *figure);
  }
}

// The remaining elements, one by one: y overflows, r is clipped, sigma is unknown.
HWY_NOINLINE void PatchOthers(const Stretch& stretch, const PointwiseRule& rule, size_t at, Elements* e,
                              Chunk* chunk, LaneSums* sums, Tally* tally) {
  const Doubles f64;
  const uint32_t others = ~BitsOf(e->ordinary) & ((1U << kWidth) - 1);
  e->exceeds = hn::And(e->exceeds, e->ordinary);
  e->leaning = hn::And(e->leaning, e->ordinary);
  e->public_bad = hn::And(e->public_bad, e->ordinary);
  Register reg{};
  hn::Store(e->d, f64, reg.d.data());
  hn::Store(e->ideal_d, f64, reg.ideal_d.data());
  hn::Store(e->ulps, f64, reg.ulps.data());
  hn::Store(e->z2, f64, reg.z2.data());
  hn::Store(e->relative, f64, reg.relative.data());
  Patch(stretch, rule, at, others, &reg, chunk, tally);
  e->d = hn::Load(f64, reg.d.data());
  e->ideal_d = hn::Load(f64, reg.ideal_d.data());
  e->ulps = hn::Load(f64, reg.ulps.data());
  e->z2 = hn::Load(f64, reg.z2.data());
  e->relative = hn::Load(f64, reg.relative.data());
  AddTo(&sums->bias[at % kLanes], hn::Load(f64, reg.bias.data()));
  AddTo(&sums->radial[at % kLanes], hn::Load(f64, reg.radial.data()));
}

HWY_INLINE void CountExceeding(const PointwiseRule& rule, size_t at, const Elements& e, Chunk* chunk,
                               Tally* tally) {
  const M beyond = hn::Gt(e.d, e.Tolerance(rule));
  const M bad = hn::And(e.exceeds, beyond);
  tally->marginal += CountOf(hn::AndNot(beyond, e.exceeds));
  MarkBad(at, bad, chunk);
}

HWY_INLINE void AddLeaning(size_t at, const Elements& e, LaneSums* sums, Tally* tally) {
  const Doubles f64;
  tally->leaning += CountOf(e.leaning);
  const V bias = hn::IfThenElseZero(e.leaning, hn::CopySign(hn::Sqrt(e.z2), e.signed_d));
  AddTo(&sums->bias[at % kLanes], bias);
  AddTo(&sums->radial[at % kLanes], hn::Xor(bias, hn::And(e.r, hn::SignBit(f64))));
}

// HistogramBin of tally.h.
HWY_INLINE hn::Vec<Integers> BinOf(V ulps) {
  const Integers u64;
  const V inside = hn::Min(hn::Max(ulps, Set(0x1p-3)), Set(0x1p19));
  const auto bin = hn::Sub(hn::ShiftRight<52>(hn::BitCast(u64, inside)), hn::Set(u64, uint64_t{1019}));
  const auto any = hn::MaskFromVec(hn::BitCast(u64, hn::VecFromMask(Doubles(), hn::Gt(ulps, Set(0)))));
  return hn::IfThenElseZero(any, bin);
}

template <typename Stored, typename StoredSigma, bool kLow>
void TallyLanes(const Stretch& stretch, const PointwiseRule& shared_rule, size_t lane, size_t count,
                Chunk* chunk, LaneSums* sums, Tally* tally) {
  const Doubles f64;
  const PointwiseRule rule = shared_rule;  // no aliasing with what is written
  const uint8_t* const y = stretch.actual;
  const auto* const r = static_cast<const uint8_t*>(stretch.oracle.r);
  const auto* const sigma = static_cast<const uint8_t*>(stretch.oracle.sigma);
  const auto* const low = static_cast<const uint8_t*>(stretch.oracle.low);
  Running run;
  run.Load(*sums, lane);
  int64_t zeros = 0;
  int64_t public_bad = 0;
  for (size_t at = lane; at < count; at += kLanes) {
    const V actual = LoadAs<Stored>(y + at * sizeof(Stored));
    Elements e =
        JudgeElements<Stored, kLow>(rule, actual, LoadAs<double>(r + at * sizeof(double)),
                                    LoadAs<StoredSigma>(sigma + at * sizeof(StoredSigma)),
                                    kLow ? LoadAs<double>(low + at * sizeof(double)) : hn::Zero(f64), tally);
    if (HWY_UNLIKELY(!hn::AllTrue(f64, e.ordinary))) {
      SettleSpecials(at, actual, &e, chunk, tally);
      if (!hn::AllTrue(f64, e.ordinary)) PatchOthers(stretch, rule, at, &e, chunk, sums, tally);
    }
    if (HWY_UNLIKELY(!hn::AllFalse(f64, e.exceeds))) CountExceeding(rule, at, e, chunk, tally);
    if (!hn::AllFalse(f64, e.leaning)) AddLeaning(at, e, sums, tally);
    zeros += CountOf(e.zero);
    public_bad += CountOf(e.public_bad);
    run.z2 = hn::Add(run.z2, e.z2);
    run.d2 = hn::Add(run.d2, hn::Mul(e.d, e.d));
    run.ideal2 = hn::Add(run.ideal2, hn::Mul(e.ideal_d, e.ideal_d));
    run.max_z2 = hn::Max(run.max_z2, e.z2);
    run.max_abs = hn::Max(run.max_abs, e.d);
    run.max_ulp = hn::Max(run.max_ulp, e.ulps);
    run.max_rel = hn::Max(run.max_rel, e.relative);
    hn::Store(e.z2, f64, &chunk->z2[at]);
    hn::Store(BinOf(e.ulps), Integers(), &chunk->bin[at]);
  }
  run.Store(lane, sums);
  tally->zeros += zeros;
  tally->public_mismatches += public_bad;
}

// Lanes that share no register are independent, so each group of lanes processes the whole chunk in turn.
template <typename Stored, typename StoredSigma, bool kLow>
void TallyAll(const Stretch& stretch, const PointwiseRule& rule, size_t count, Chunk* chunk, LaneSums* sums,
              Tally* tally) {
  for (size_t lane = 0; lane < kLanes; lane += kWidth) {
    TallyLanes<Stored, StoredSigma, kLow>(stretch, rule, lane, count, chunk, sums, tally);
  }
}

template <typename Stored>
auto* ChooseTally(const OracleView& oracle) {
  const bool low = oracle.low != nullptr;
  if (oracle.sigma_dtype == v1::Dtype::float64) {
    return low ? &TallyAll<Stored, double, true> : &TallyAll<Stored, double, false>;
  }
  return low ? &TallyAll<Stored, float, true> : &TallyAll<Stored, float, false>;
}

auto* ChooseTally(Dtype dtype, const OracleView& oracle) {
  switch (dtype) {
    case v1::Dtype::float16:
      return ChooseTally<hwy::float16_t>(oracle);
    case v1::Dtype::bfloat16:
      return ChooseTally<hwy::bfloat16_t>(oracle);
    case v1::Dtype::float32:
      return ChooseTally<float>(oracle);
    default:
      return ChooseTally<double>(oracle);
  }
}

void TallyChunk(const Stretch& stretch, const PointwiseRule& rule, size_t count, Chunk* chunk, LaneSums* sums,
                Tally* tally) {
  ChooseTally(stretch.dtype, stretch.oracle)(stretch, rule, count, chunk, sums, tally);
}

}  // namespace
}  // namespace diopi::baselines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace diopi::baselines {
namespace {

// What counts, beside the mismatch flag.
void CountOne(const Point& p, size_t at, Chunk* chunk, Tally* tally) {
  tally->marginal += static_cast<int64_t>(p.marginal);
  tally->nan += static_cast<int64_t>(p.nan);
  tally->inf += static_cast<int64_t>(p.inf);
  tally->flushed += static_cast<int64_t>(p.flushed);
  tally->leaning += static_cast<int64_t>(p.leaning);
  tally->public_mismatches += static_cast<int64_t>(p.public_bad);
  tally->finite -= p.finite == 0 ? 1 : 0;
  if (p.bad == 0) return;
  chunk->bad[at / kLanes] |= static_cast<uint8_t>(1U << at % kLanes);
  chunk->any_bad = true;
}

Point PointAt(const Stretch& stretch, const PointwiseRule& rule, size_t at) {
  const Sample s = SampleAt(stretch.dtype, stretch.actual, stretch.oracle, static_cast<int64_t>(at));
  return Judge(rule, s.y, s.r, s.sigma, s.low);
}

}  // namespace

void Patch(const Stretch& stretch, const PointwiseRule& rule, size_t at, uint32_t elements, Register* reg,
           Chunk* chunk, Tally* tally) {
  for (; elements != 0; elements &= elements - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(elements));
    const Point p = PointAt(stretch, rule, at + lane);
    CountOne(p, at + lane, chunk, tally);
    reg->d[lane] = std::fabs(p.d);
    reg->ideal_d[lane] = p.ideal_d;
    reg->ulps[lane] = p.ulps;
    reg->z2[lane] = p.z2;
    reg->relative[lane] = p.relative;
    reg->bias[lane] = p.bias;
    reg->radial[lane] = p.radial;
  }
}

void TallyOne(const Stretch& stretch, const PointwiseRule& rule, size_t at, Chunk* chunk, LaneSums* sums,
              Tally* tally) {
  const size_t lane = at % kLanes;
  const Point p = PointAt(stretch, rule, at);
  CountOne(p, at, chunk, tally);
  tally->zeros += static_cast<int64_t>(p.zero);
  sums->z2[lane] += p.z2;
  sums->d2[lane] += p.d * p.d;
  sums->ideal2[lane] += p.ideal_d * p.ideal_d;
  sums->bias[lane] += p.bias;
  sums->radial[lane] += p.radial;
  sums->max_z2[lane] = std::max(sums->max_z2[lane], p.z2);
  sums->max_abs[lane] = std::max(sums->max_abs[lane], std::fabs(p.d));
  sums->max_ulp[lane] = std::max(sums->max_ulp[lane], p.ulps);
  sums->max_rel[lane] = std::max(sums->max_rel[lane], p.relative);
  chunk->z2[at] = p.z2;
  chunk->bin[at] = HistogramBin(p.ulps);
}

HWY_EXPORT(TallyChunk);

void TallyChunk(const Stretch& stretch, const PointwiseRule& rule, size_t count, Chunk* chunk, LaneSums* sums,
                Tally* tally) {
  HWY_DYNAMIC_DISPATCH(TallyChunk)(stretch, rule, count, chunk, sums, tally);
}

std::vector<std::string> InstructionSets() {
  std::vector<std::string> names;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

void UseInstructionSet(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (hwy::TargetName(target) == name) hwy::SetSupportedTargetsForTest(target);
  }
  hwy::GetChosenTarget().DeInit();
}

}  // namespace diopi::baselines
#endif  // HWY_ONCE
