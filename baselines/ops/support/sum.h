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
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "baselines/ops/support/dtype.h"
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

// The noise of a sum that grows term by term. It does not keep the terms: what their roundings add up to
// comes from its owner.
template <typename V>
class SumNoise {
 public:
  void Add(const Noise<V>& term) {
    total_ = total_ + term;
    peak_ = std::max(peak_, std::fabs(total_.v));
    terms_ += term.s2;
    squares_ += term.v * term.v;
    ++count_;
  }

  // A partial sum is a multiple of its own last place w, so adding x rounds x to a multiple of w: terms that
  // are equal are rounded alike as long as w lasts. `lost(exponent)` is what rounding all terms to multiples
  // of w = 2^exponent loses, which is asked for from the last place of the largest partial sum, or of a walk
  // of that many terms, down to where it cannot exceed what independent roundings make of it.
  template <typename Lost>
  Noise<V> WithDrift(const Lost& lost) const {
    const Noise<V> independent = Independent();
    if (!MayDrift()) return independent;
    const V negligible = kDriftSigmas * std::sqrt(independent.s2);
    V drift = negligible;
    for (int exponent = LastPlace(std::max(peak_, Reach()));
         V(count_) * std::ldexp(V(1), exponent) / 2 > negligible; --exponent) {
      const V here = lost(exponent).Most();
      // Few partial sums are larger than a walk: there, independent roundings make much of it, too.
      const V by_chance = std::ldexp(kDriftSigmas, exponent) * std::sqrt(V(count_) / 12);
      if (exponent <= LastPlace(Reach()) || here > by_chance) drift = std::max(drift, here);
    }
    if (!(drift > negligible)) return independent;
    const V share = drift / kDriftShare;
    return Noise<V>::Clean(independent.v, independent.s2 + share * share);
  }

  // The errors of rounding terms to multiples of 2^exponent, added up. Equal terms that lie in the middle
  // between two of them, as far as their own error lets one say, are rounded all up or all down.
  class Lost {
   public:
    void Add(const Noise<V>& term, int exponent) {
      const V w = std::ldexp(V(1), exponent);
      const V error = std::nearbyint(term.v / w) * w - term.v;
      nearest_ += error;
      const V reach = kTieSigmas * std::sqrt(term.s2);
      if (!(reach > 0 && reach < w / 4 && std::fabs(error) + reach >= w / 2)) return;
      std::pair<int64_t, V>& tie = ties_[term.v];
      ++tie.first;
      tie.second = error > 0 ? -w : w;
    }
    V Most() const {
      V down = nearest_, up = nearest_;
      for (const auto& [value, tie] : ties_) {
        if (tie.first >= kDriftTerms) (tie.second < 0 ? down : up) += V(tie.first) * tie.second;
      }
      return std::max(std::fabs(down), std::fabs(up));
    }

   private:
    V nearest_ = 0;
    std::unordered_map<V, std::pair<int64_t, V>> ties_;  // by value: how many, and what the other way adds
  };

 private:
  static constexpr int64_t kDriftTerms = 32;  // fewer drift by less than any gate sees
  static constexpr V kDriftSigmas = 4;        // independent roundings are not so far off
  static constexpr V kDriftShare = 3;
  static constexpr V kTieSigmas = 4;

  // The sum without drift.
  Noise<V> Independent() const {
    const V unit = Noise<V>::kUnit;
    // The rounding of each term is the term's own, not the sum's: q^2 is left out at the end.
    const V added =
        count_ < 2 ? V(0) : unit * unit / 3 * V(count_ - 1) * (squares_ / 2 + total_.v * total_.v / 3);
    return Noise<V>::Clean(total_.v, std::max(total_.s2, terms_ + added));
  }
  V Reach() const { return std::max(std::fabs(total_.v), std::sqrt(squares_)); }
  bool MayDrift() const {
    return count_ >= kDriftTerms && Reach() > 0 && std::isfinite(Reach()) && std::isfinite(peak_);
  }
  // The exponent of the unit of the last place of a number; only where it may drift.
  static int LastPlace(V number) { return std::ilogb(number) + std::ilogb(2 * Noise<V>::kUnit); }

  Noise<V> total_ = Noise<V>(0);
  V peak_ = 0;     // the largest partial sum
  V terms_ = 0;    // sum of the terms' variances
  V squares_ = 0;  // sum of the terms' squares
  int64_t count_ = 0;
};

template <typename V>
class Sum<Noise<V>> {
 public:
  Sum& operator+=(const Noise<V>& term) {
    noise_.Add(term);
    terms_.push_back(term);
    return *this;
  }
  Noise<V> total() const {
    return noise_.WithDrift([this](int exponent) {
      typename SumNoise<V>::Lost lost;
      for (const Noise<V>& term : terms_) lost.Add(term, exponent);
      return lost;
    });
  }

 private:
  SumNoise<V> noise_;
  std::vector<Noise<V>> terms_;
};

// The sums of the first term, of the first two, and so on.
template <typename C>
std::vector<C> RunningTotals(const std::vector<C>& terms) {
  std::vector<C> totals;
  totals.reserve(terms.size());
  for (const C& term : terms) totals.push_back(totals.empty() ? term : WrapAdd(totals.back(), term));
  return totals;
}

// Each with the noise that Sum gives it, in one pass: what is lost in every unit of the last place that any
// of them asks for is summed along.
template <typename V>
std::vector<Noise<V>> RunningTotals(const std::vector<Noise<V>>& terms) {
  std::vector<Noise<V>> totals;
  totals.reserve(terms.size());
  SumNoise<V> noise;
  using Lost = typename SumNoise<V>::Lost;
  std::map<int, std::pair<Lost, size_t>> lost;  // by exponent: of the first so many terms
  for (size_t i = 0; i < terms.size(); ++i) {
    noise.Add(terms[i]);
    if (i == 0) {
      totals.push_back(terms[0]);  // a copy, which rounds nothing
      continue;
    }
    totals.push_back(noise.WithDrift([&](int exponent) {
      std::pair<Lost, size_t>& known = lost[exponent];
      while (known.second <= i) known.first.Add(terms[known.second++], exponent);
      return known.first;
    }));
  }
  return totals;
}

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
