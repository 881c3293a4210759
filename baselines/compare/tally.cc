#include "baselines/compare/tally.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace diopi::baselines {

void Tally::Merge(const Tally& next) {
  elements += next.elements;
  finite += next.finite;
  in_ulps += next.in_ulps;
  distances += next.distances;
  mismatches += next.mismatches;
  marginal += next.marginal;
  nan += next.nan;
  inf += next.inf;
  flushed += next.flushed;
  zeros += next.zeros;
  leaning += next.leaning;
  public_mismatches += next.public_mismatches;
  sum_z2 += next.sum_z2;
  sum_d2 += next.sum_d2;
  sum_ideal2 += next.sum_ideal2;
  sum_bias += next.sum_bias;
  sum_radial += next.sum_radial;
  max_ulp = std::max(max_ulp, next.max_ulp);
  if (next.max_z > max_z) {
    max_z = next.max_z;
    argmax = next.argmax;
  }
  max_abs = std::max(max_abs, next.max_abs);
  max_rel = std::max(max_rel, next.max_rel);
  for (size_t i = 0; i < kHistogramBins; ++i) histogram[i] += next.histogram[i];
  for (const int64_t index : next.first) {
    if (first.size() < kMaxFirst) first.push_back(index);
  }
  last = std::max(last, next.last);
}

void Tally::AddMismatch(int64_t index) {
  ++mismatches;
  if (first.size() < kMaxFirst) first.push_back(index);
  last = index;
}

void Tally::ToStats(v1::OutputStats* stats) const {
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  const auto of = [](int64_t count, double value) { return count == 0 ? kNotMeasured : value; };
  const auto rms = [&of](double sum, int64_t count) {
    return of(count, std::sqrt(sum / static_cast<double>(count)));
  };
  const auto mean = [&of](double sum, int64_t count) { return of(count, sum / static_cast<double>(count)); };
  stats->set_elements(elements);
  stats->set_mismatches(mismatches);
  stats->set_soft(marginal);
  stats->set_max_ulp(of(finite + in_ulps, max_ulp));
  stats->set_max_z(of(finite, max_z));
  stats->set_argmax(argmax);
  stats->set_rms_z(rms(sum_z2, finite));
  stats->set_max_abs(of(finite + distances, max_abs));
  stats->set_max_rel(of(finite + distances, max_rel));
  stats->set_rmse(rms(sum_d2, finite));
  stats->set_rmse_ideal(rms(sum_ideal2, finite));
  stats->set_bias(mean(sum_bias, leaning));
  stats->set_radial_bias(mean(sum_radial, leaning));
  stats->set_nan_actual(nan);
  stats->set_inf_actual(inf);
  stats->set_flushed(flushed);
  stats->set_zero_fraction(mean(static_cast<double>(zeros), elements));
  if (finite + in_ulps > 0) {
    for (const int64_t count : histogram) stats->add_ulp_histogram(count);
  }
  stats->set_public_mismatch_ratio(mean(static_cast<double>(public_mismatches), elements));
  stats->set_public_pass(static_cast<double>(public_mismatches) <= 1e-3 * static_cast<double>(elements));
}

size_t HistogramBin(double ulps) {
  if (ulps == 0) return 0;
  const auto exponent = static_cast<int64_t>(std::bit_cast<uint64_t>(ulps) >> 52 & 0x7ff) - 1023;
  return static_cast<size_t>(std::clamp<int64_t>(exponent + 4, 1, kHistogramBins - 1));
}

}  // namespace diopi::baselines
