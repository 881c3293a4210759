// A sum of terms that are added one after the other. On numbers that carry noise, its variance holds for any
// order of the terms and not just for this one: a library may add in any order, and where small terms come
// first, this order makes less noise than most others. The variance is that of docs/method.md,
// section 3.2: u^2/3 * ((n-1) (q^2/2 + r^2/3) + q^2), where q^2 is the sum of x^2. Roundings of a long sum
// that are not independent, because terms repeat or crowd around 0, add their drift (section 3.3).
#ifndef BASELINES_OPS_SUPPORT_SUM_H_
#define BASELINES_OPS_SUPPORT_SUM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "baselines/ops/support/noise.h"

namespace diopi::ops {

template <typename C>
class Sum {
 public:
  DIOPI_HD Sum& operator+=(const C& term) {
    total_ = total_ + term;
    return *this;
  }
  DIOPI_HD C total() const { return total_; }

 private:
  C total_ = C(0);
};

template <typename V>
class Sum<Noise<V>> {
 public:
  Sum& operator+=(const Noise<V>& term) {
    total_ = total_ + term;
    terms_ += term.s2;
    squares_ += term.v * term.v;
    values_.push_back(term.v);
    return *this;
  }
  Noise<V> total() const {
    const V unit = Noise<V>::kUnit;
    const V r2 = total_.v * total_.v;
    // The rounding of each term is the term's own, not the sum's: q^2 is left out at the end.
    const V count = V(values_.size());
    const V added = count < 2 ? V(0) : unit * unit / 3 * (count - 1) * (squares_ / 2 + r2 / 3);
    const V variance = std::max(total_.s2, terms_ + added);
    const V drift = Drift(kDriftSigmas * std::sqrt(variance)) / kDriftShare;
    return Noise<V>::Clean(total_.v, variance + drift * drift);
  }

 private:
  static constexpr size_t kDriftTerms = 32;  // fewer drift by less than any gate sees
  static constexpr V kDriftSigmas = 4;       // independent roundings are not so far off
  static constexpr V kDriftShare = 3;

  // A partial sum is a multiple of its own last place w, so adding x rounds x to a multiple of w: terms that
  // are equal are rounded alike as long as w lasts. The largest error of rounding all terms to one such grid,
  // from the last place of the total, or of a walk of that many terms, down to where it cannot exceed
  // `negligible`; 0 where it does not.
  V Drift(V negligible) const {
    const V reach = std::max(std::fabs(total_.v), std::sqrt(squares_));
    if (values_.size() < kDriftTerms || !(reach > 0) || !std::isfinite(reach)) return V(0);
    V drift = negligible;
    V w = std::ldexp(V(2 * Noise<V>::kUnit), std::ilogb(reach));
    while (V(values_.size()) * w / 2 > negligible) {
      V lost = 0;
      for (const V& x : values_) lost += std::nearbyint(x / w) * w - x;
      drift = std::max(drift, std::fabs(lost));
      w /= 2;
    }
    return drift > negligible ? drift : V(0);
  }

  Noise<V> total_ = Noise<V>(0);
  V terms_ = 0;    // sum of the terms' variances
  V squares_ = 0;  // sum of the terms' squares
  std::vector<V> values_;
};

// All sums of a list.
template <typename C>
std::vector<C> Totals(const std::vector<Sum<C>>& sums) {
  std::vector<C> totals;
  totals.reserve(sums.size());
  for (const Sum<C>& sum : sums) totals.push_back(sum.total());
  return totals;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_SUM_H_
