// A sum of terms that are added one after the other. On numbers that carry noise, its variance holds for any
// order of the terms and not just for this one: where small terms come first, adding them in this order makes
// less noise than most orders do, and a library may add in any order. The variance is that of docs/method.md,
// section 3.2: u^2/3 * ((n-1) (q^2/2 + r^2/3) + q^2), where q^2 is the sum of x^2.
#ifndef BASELINES_OPS_SUPPORT_SUM_H_
#define BASELINES_OPS_SUPPORT_SUM_H_

#include <algorithm>
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
    ++count_;
    return *this;
  }
  Noise<V> total() const {
    const V unit = Noise<V>::kUnit;
    const V r2 = total_.v * total_.v;
    // The rounding of each term is the term's own, not the sum's: q^2 is left out at the end.
    const V added = count_ < 2 ? V(0) : unit * unit / 3 * V(count_ - 1) * (squares_ / 2 + r2 / 3);
    return Noise<V>::Clean(total_.v, std::max(total_.s2, terms_ + added));
  }

 private:
  Noise<V> total_ = Noise<V>(0);
  V terms_ = 0;    // sum of the terms' variances
  V squares_ = 0;  // sum of the terms' squares
  int64_t count_ = 0;
};

// Every sum of a list.
template <typename C>
std::vector<C> Totals(const std::vector<Sum<C>>& sums) {
  std::vector<C> totals;
  totals.reserve(sums.size());
  for (const Sum<C>& sum : sums) totals.push_back(sum.total());
  return totals;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_SUM_H_
