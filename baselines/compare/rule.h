// The pointwise rule, gate P, for one element: how far from the oracle it may lie, and its figures.
// pointwise_kernel.cc computes the same for many elements at once; both do the same double operations in
// the same order (no fused multiply-add), so that they agree to the last bit: pointwise_test.
//
//   w   = 2^(max(floor(log2 |r|), emin) - p + 1)            one unit in the last place of r in the dtype
//   P:  |y - r| <= (1/2 + max(kf, 1/4)) w + 8 sigma + eta    every element
//   marginal: |y - r| > (1/2 + kf) w + 8 sigma            counted only: rounding inside is below contract
//   contract z   = (y - r) / sqrt(w^2/12 + sigma^2)                  about 1 RMS for any textbook
//   implementation
//
// y = +-Inf counts as +-2^(emax+1) and r is clipped there: an overflow near the threshold is tolerated,
// saturation is not. Where r is Inf, y must be the same Inf; where r is NaN, y must be NaN.
#ifndef BASELINES_COMPARE_RULE_H_
#define BASELINES_COMPARE_RULE_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cases/base/dtype.h"

namespace diopi::baselines {

// Constants of one output dtype.
struct PointwiseRule {
  double smallest_normal = 0;  // 2^emin
  double top_binade = 0;       // 2^emax
  double ulp_of_one = 0;       // 2^(1-p)
  double overflow = 0;         // 2^(emax+1), Inf for float64 (see `wide`)
  double lambda = 8;           // Lambda: rounding noise beyond 8 sigma does not happen
  double kf = 0;               // extra ulps of the library's table functions
  double kappa = 0.25;         // max(kf, 1/4): a double rounding or a misrounded tie
  double eta = 0;              // one subnormal step; 0 for float16, whose subnormals must be right
  double flushable = 0;       // results below this may be flushed to zero: 2^emin for float32, bfloat16; or 0
  double rounder = 0x1.8p52;  // adding and taking it away rounds to an integer; 0 where r is rounded already
  bool wide = false;          // float64: r carries a low part, and 2^(emax+1) is no double
  double public_atol = 1e-5;  // the public harness's rule, reported beside
  double public_rtol = 1e-5;
};

// `kf` as the case gives it, in float32's table; 16-bit types are computed in float32 and get at most 1/4.
PointwiseRule RuleFor(Dtype dtype, double kf);

inline constexpr double kSpare = 1 + 1e-9;  // the tolerance's own rounding
// A variance that overflowed is stored as the largest float: its noise is unknown.
inline constexpr double kUnknownSigma = double{std::numeric_limits<float>::max()};
// Errors beyond this many ulps count as this many where they are squared: squares stay finite.
inline constexpr double kMaxSquaredUlps = 0x1p500;
// A rounding bias is distinguishable from noise where sigma is below this many ulps.
inline constexpr double kLeaningUlps = 0.1;

// The contribution of one element. Flags are 0.0 or 1.0.
struct Point {
  double d = 0;          // y - r after clipping; 0 where not finite or flushed
  double ideal_d = 0;    // RN_T(r) - r
  double tolerance = 0;  // P
  double ulps = 0;       // |d| / w
  double z2 = 0;         // z^2
  double z = 0;
  double relative = 0;  // |d| / |r|, 0 at r = 0
  double bias = 0;      // z where the rounding bias is measured (sigma < w/10, r not representable), else 0
  double radial = 0;    // the same, signed away from zero
  double leaning = 0;   // flag: measured
  double bad = 0;
  double marginal = 0;
  double finite = 0;   // counts for the statistics
  double flushed = 0;  // a subnormal r came out as zero, and only that saves it
  double nan = 0;
  double inf = 0;
  double zero = 0;
  double public_bad = 0;
};

// `low` is what r lost when it was rounded to double; 0 unless the rule is wide.
inline Point Judge(const PointwiseRule& rule, double y, double r, double sigma, double low) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double ar = std::fabs(r);
  const bool nan_r = r != r;
  const bool nan_y = y != y;
  const bool inf_r = ar == infinity;
  const bool inf_y = std::fabs(y) == infinity;
  const bool finite = !nan_r & !nan_y & !inf_r;

  const double rc = r > rule.overflow ? rule.overflow : r < -rule.overflow ? -rule.overflow : r;
  const double yc = inf_y ? std::copysign(rule.overflow, y) : y;
  // The binade of r, by its exponent bits; zero for subnormal doubles.
  double binade = std::bit_cast<double>(std::bit_cast<uint64_t>(ar) & 0x7ff0000000000000u);
  binade = binade < rule.smallest_normal ? rule.smallest_normal : binade;
  binade = binade > rule.top_binade ? rule.top_binade : binade;
  const double w = binade * rule.ulp_of_one;
  const double ideal = ((rc / w + rule.rounder) - rule.rounder) * w;  // RN_T(r)

  // Halves keep 2^1024 a double.
  const double to_overflow = 2 * (std::copysign(rule.top_binade, y) - 0.5 * rc);
  const double rest = std::fabs(low) < infinity ? low : 0;
  double d = finite ? (inf_y ? to_overflow : y - rc) - rest : 0;
  // A NaN sigma must never hide an error: it counts as 0.
  double noise = (finite & (sigma < infinity) & (sigma != kUnknownSigma)) ? sigma : 0;
  noise = noise > 0 ? noise : 0;
  double slack = rule.lambda * noise;
  // Noise around an r beyond overflow first has to bring it back: one that overflows for certain is Inf.
  const double beyond = finite ? ar - std::fabs(rc) : 0;
  if (beyond > 0) {
    slack = slack > beyond ? slack - beyond : 0;
    noise = slack / rule.lambda;
  }
  Point p;
  p.tolerance = ((0.5 + rule.kappa) * kSpare * w + slack) + rule.eta;
  const double strict = (0.5 + rule.kf) * kSpare * w + slack;
  const bool gone = finite & (ar < rule.flushable) & (ar > 0) & (y == 0);
  p.flushed = (gone & (std::fabs(d) > p.tolerance)) ? 1 : 0;
  d = gone ? 0 : d;
  p.d = d;
  p.ideal_d = finite ? (ideal - rc) - rest : 0;
  p.bad = ((std::fabs(d) > p.tolerance) | (nan_r != nan_y) | (inf_r & (y != r))) ? 1 : 0;
  p.marginal = ((std::fabs(d) > strict) & (p.bad == 0)) ? 1 : 0;
  p.ulps = std::fabs(d) / w;
  const double squared = p.ulps < kMaxSquaredUlps ? p.ulps : kMaxSquaredUlps;
  const double noise_ulps = noise / w < kMaxSquaredUlps ? noise / w : kMaxSquaredUlps;
  p.z2 = (squared * squared) / (noise_ulps * noise_ulps + 1.0 / 12);
  p.z = std::copysign(std::sqrt(p.z2), d);
  p.relative = ((ar > 0) & finite) ? std::fabs(d) / (ar > 0 ? ar : 1) : 0;
  const bool leaning = finite & (noise < kLeaningUlps * w) & (p.ideal_d != 0);
  p.leaning = leaning ? 1 : 0;
  p.bias = leaning ? p.z : 0;
  p.radial = std::signbit(r) ? -p.bias : p.bias;
  p.finite = finite ? 1 : 0;
  p.nan = nan_y ? 1 : 0;
  p.inf = inf_y ? 1 : 0;
  p.zero = y == 0 ? 1 : 0;
  const double public_gap = std::fabs(yc - ideal);
  const bool public_close = (public_gap <= rule.public_atol + rule.public_rtol * std::fabs(ideal)) &
                            (!inf_y | (std::fabs(ideal) == rule.overflow)) & !inf_r;
  p.public_bad = ((public_close & finite) | (nan_r & nan_y) | (inf_r & (y == r))) ? 0 : 1;
  return p;
}

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_RULE_H_
