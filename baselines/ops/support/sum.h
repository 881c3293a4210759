// A sum of terms that are added one after the other. On numbers that carry noise, its variance holds for any
// order of the terms and not just for this one: a library may add in any order, and where small terms come
// first, this order makes less noise than most others. The variance is that of docs/method.md,
// section 3.2: u^2/3 * ((n-1) (q^2/2 + r^2/3) + q^2), where q^2 is the sum of x^2. Roundings of a long sum
// that are not independent, because terms repeat or crowd around 0, add their drift, and equal terms of more
// than a few roundings have their error in common (section 3.3).
#ifndef BASELINES_OPS_SUPPORT_SUM_H_
#define BASELINES_OPS_SUPPORT_SUM_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
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

  // Equal terms of the same variance, as the losses of equal rows are, come from the same calculation and are
  // off by the same error: m of them make m^2 of their variance. A few roundings per term do not matter
  // beside those of the sum, and a zero is most often an exact difference.
  void AddInCommon(const std::vector<Noise<V>>& terms) {
    const V roundings = kFewRoundings * Noise<V>::kUnit * Noise<V>::kUnit / 3;
    std::vector<Noise<V>> noisy;
    for (const Noise<V>& term : terms) {
      const bool counts = term.v != 0 && std::isfinite(term.v);
      if (counts && term.s2 > roundings * term.v * term.v) noisy.push_back(term);
    }
    const Counters counters(noisy, 4 * noisy.size());
    std::erase_if(noisy, [&](const Noise<V>& term) { return counters.AtMost(term.v) < 2; });
    std::map<std::pair<V, V>, V> equal;
    for (const Noise<V>& term : noisy) ++equal[{term.v, term.s2}];
    for (const auto& [term, count] : equal) terms_ += count * (count - 1) * term.second;
  }

  // A partial sum is a multiple of its own last place w, so adding x rounds x to a multiple of w: terms that
  // are equal are rounded alike as long as w lasts. `lost(exponent)` is what rounding all terms to multiples
  // of w = 2^exponent loses at most, which is asked for from the last place of the largest partial sum, of a
  // walk of that many terms, or of `blocks` (Repeated::Largest), down to where it cannot exceed what
  // independent roundings make of it.
  template <typename Lost>
  Noise<V> WithDrift(V blocks, const Lost& lost) const {
    const Noise<V> independent = Independent();
    if (!MayDrift()) return independent;
    const V negligible = kDriftSigmas * std::sqrt(independent.s2);
    V drift = negligible;
    for (int exponent = LastPlace(std::max({peak_, blocks, Reach()}));
         V(count_) * std::ldexp(V(1), exponent) / 2 > negligible; --exponent) {
      const V here = lost(exponent);
      // Few partial sums are larger than a walk: there, independent roundings make much of it, too.
      const V by_chance = std::ldexp(kDriftSigmas, exponent) * std::sqrt(V(count_) / 12);
      if (exponent <= LastPlace(Reach()) || here > by_chance) drift = std::max(drift, here);
    }
    if (!(drift > negligible)) return independent;
    const V share = drift / kDriftShare;
    return Noise<V>::Clean(independent.v, independent.s2 + share * share);
  }

  // How often the values of a list occur, at most: a few values share a counter.
  class Counters {
   public:
    Counters(const std::vector<Noise<V>>& terms, size_t size) : counters_(std::bit_ceil(size)) {
      for (const Noise<V>& term : terms) ++counters_[Of(term.v)];
    }
    int32_t AtMost(V value) const { return counters_[Of(value)]; }

   private:
    size_t Of(V value) const {
      return std::hash<V>()(value) * 0x9E3779B97F4A7C15U >> 32 & (counters_.size() - 1);
    }
    std::vector<int32_t> counters_;
  };

  // Which terms of a list are equal to at least 31 others, and their sums.
  class Repeated {
   public:
    explicit Repeated(const std::vector<Noise<V>>& terms) : repeated_(terms.size()) {
      if (terms.size() < kDriftTerms) return;
      const Counters counters(terms, terms.size() / 4);  // most lists have no such terms
      std::unordered_map<V, int32_t> equal;
      // NaN does not equal itself, so the map would insert every one of them. A sum with NaN does not drift.
      const auto many = [&](V value) {
        return counters.AtMost(value) >= kDriftTerms && std::isfinite(value);
      };
      for (const Noise<V>& term : terms) {
        if (many(term.v)) ++equal[term.v];
      }
      for (size_t i = 0; i < terms.size(); ++i)
        repeated_[i] = many(terms[i].v) && equal[terms[i].v] >= kDriftTerms;
    }
    bool operator[](size_t i) const { return repeated_[i]; }
    // Adds term i, whose value is given.
    void Add(size_t i, V value) {
      if (repeated_[i]) (value < 0 ? negative_ : positive_) += std::fabs(value);
    }
    // The largest partial sum of repeated terms that any order of those added so far has.
    V Largest() const { return std::max(positive_, negative_); }

   private:
    std::vector<bool> repeated_;
    V positive_ = 0, negative_ = 0;
  };

  // The errors of rounding terms to multiples of 2^exponent, added up. Those of repeated terms of different
  // values do not cancel: in another order, or in sums of their own, they are rounded at different places.
  // Where the middle between two multiples lies within a term's own error, its rounding may be that of it.
  class Lost {
   public:
    void Add(const Noise<V>& term, bool repeated, int exponent) {
      const V w = std::ldexp(V(1), exponent);
      const V error = std::nearbyint(term.v / w) * w - term.v;
      if (!repeated) {
        single_ += error;
        return;
      }
      const V own = kTieSigmas * std::sqrt(term.s2);
      repeated_ += own > 0 && std::fabs(error) + own >= w / 2 ? w / 2 : std::fabs(error);
    }
    V Most() const { return std::fabs(single_) + repeated_; }

   private:
    V single_ = 0, repeated_ = 0;
  };

 private:
  static constexpr int kDriftTerms = 32;  // fewer drift by less than any gate sees
  static constexpr V kFewRoundings = 4;   // a product of two inputs has three
  static constexpr V kDriftSigmas = 4;    // independent roundings are not so far off
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
    typename SumNoise<V>::Repeated repeated(terms_);
    for (size_t i = 0; i < terms_.size(); ++i) repeated.Add(i, terms_[i].v);
    SumNoise<V> noise = noise_;
    noise.AddInCommon(terms_);
    return noise.WithDrift(repeated.Largest(), [&](int exponent) {
      typename SumNoise<V>::Lost lost;
      for (size_t i = 0; i < terms_.size(); ++i) lost.Add(terms_[i], repeated[i], exponent);
      return lost.Most();
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
  typename SumNoise<V>::Repeated repeated(terms);
  std::map<int, std::pair<Lost, size_t>> lost;  // by exponent: of the first so many terms
  for (size_t i = 0; i < terms.size(); ++i) {
    noise.Add(terms[i]);
    repeated.Add(i, terms[i].v);
    if (i == 0) {
      totals.push_back(terms[0]);  // a copy, which rounds nothing
      continue;
    }
    totals.push_back(noise.WithDrift(repeated.Largest(), [&](int exponent) {
      auto& [known, count] = lost[exponent];
      for (; count <= i; ++count) known.Add(terms[count], repeated[count], exponent);
      return known.Most();
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
