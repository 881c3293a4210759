// The noise of a softmax's weighted mean, sum_j e_j x_j / sum_j e_j. An error of e_j is in both sums, so it
// moves the mean only by e_j (x_j - mean) / sum: of one key that a query sees, nothing is left of a score's
// error. Kernels compute the sums of weights without these errors (Take, Plain) and add what they cause
// together (Widened). For types that carry no noise, all of it does nothing; neither does it where queries
// and keys are results themselves (`given` false), because then the errors of different scores are not
// independent.
#ifndef BASELINES_OPS_SUPPORT_WEIGHT_ERRORS_H_
#define BASELINES_OPS_SUPPORT_WEIGHT_ERRORS_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/noise.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {

template <typename C>
struct WeightErrors {
  DIOPI_HD explicit WeightErrors(bool given) { static_cast<void>(given); }
  DIOPI_HD C Take(const C& weight) { return weight; }
  DIOPI_HD C Plain(const C& total) const { return total; }
  template <typename Values>
  DIOPI_HD C Widened(const C& mean, const C& total, const Values& x) const {
    static_cast<void>(total);
    static_cast<void>(x);
    return mean;
  }
};

template <typename V>
class WeightErrors<Noise<V>> {
  using C = Noise<V>;

 public:
  explicit WeightErrors(bool given) : given_(given) {}
  // Call it with the weight of every key in turn; returns the weight without its error.
  C Take(const C& weight) {
    if (!given_) return weight;
    const C plain = C::Clean(weight.v, 0);
    weights_.push_back(weight);
    sum_ += plain;
    return plain;
  }
  // The sum of all weights, with the noise of its own roundings only.
  C Plain(const C& total) const { return given_ ? C::Clean(total.v, sum_.total().s2) : total; }
  // `mean` with the noise that the weights' errors cause; x(j): the value of key j.
  template <typename Values>
  C Widened(const C& mean, const C& total, const Values& x) const {
    V variance = 0, tied = 0, ties = 0;
    for (size_t j = 0; j < weights_.size(); ++j) {
      if (weights_[j].s2 == 0) continue;
      const V moved = x(static_cast<int64_t>(j)).v - mean.v, error = weights_[j].s2 * moved * moved;
      // Equal keys have scores with one error. It counts most where it is the greatest score's, of weight 1.
      if (weights_[j].v == 1) {
        tied += std::sqrt(weights_[j].s2) * moved;
        ties += error;
      } else {
        variance += error;
      }
    }
    variance += std::max(tied * tied, ties);
    return C::Clean(mean.v, mean.s2 + variance / (total.v * total.v));
  }

 private:
  const bool given_;
  std::vector<C> weights_;
  Sum<C> sum_;
};

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_WEIGHT_ERRORS_H_
