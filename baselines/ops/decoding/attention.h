// Attention of one query of one head after another, for all functions of this family (both.h). A view says
// what the query sees:
//
//   int64_t keys, dim            how many keys there are, and the elements of a head
//   bool Sees(j)                 whether key j takes part
//   C Score(j)                   ScaledProduct(view, j), or a score that is given
//   C Query(d), Key(j, d), Value(j, d)
//   C Scale(), C Epsilon()       what scores are multiplied by, what the softmax adds to its sum
//   C Kept(x)                    x, or what becomes of it in memory (MayRound)
//   void Put(d, x)
#ifndef BASELINES_OPS_DECODING_ATTENTION_H_
#define BASELINES_OPS_DECODING_ATTENTION_H_

#include <cmath>

#include "baselines/ops/both.h"
#include "baselines/ops/support/operands.h"
#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/weight_errors.h"

namespace diopi::ops::both {

// A value that an implementation may keep in memory of a 16-bit type, or not: the noise of that rounding.
template <typename C>
DIOPI_HD C MayRound(const C& x, diopiDtype_t stored) {
  return Operands(stored).Rounded(x);
}

// Anything finite: what a function leaves where its sources define nothing.
template <typename C>
DIOPI_HD C Anything(const C& x) {
  if constexpr (kIsNoise<C>) {
    return C(x.v, 1e12);
  } else {
    return x;
  }
}

template <typename C, typename View>
DIOPI_HD C ScaledProduct(const View& view, int64_t j) {
  Sum<C> sum;
  for (int64_t d = 0; d < view.dim; ++d) sum += view.Query(d) * view.Key(j, d);
  return view.Kept(sum.total() * view.Scale());
}

// p[at + j] = exp(score - largest score) / (sum + epsilon), without the errors of the exp; 0 for keys that
// the query does not see. Gives what it divides by.
template <typename C, typename View>
DIOPI_HD C Weigh(const View& view, const Scratch<C>& p, int64_t at, WeightErrors<C>* errors) {
  using std::exp;
  C most = C(-INFINITY);
  for (int64_t j = 0; j < view.keys; ++j) {
    if (!view.Sees(j)) continue;
    p[at + j] = view.Score(j);
    if (p[at + j] > most) most = p[at + j];
  }
  Sum<C> sum;
  for (int64_t j = 0; j < view.keys; ++j) {
    p[at + j] = view.Sees(j) ? exp(p[at + j] - AsGiven(most)) : C(0);
    if (view.Sees(j)) sum += p[at + j];
    p[at + j] = errors->Take(p[at + j]);
  }
  const C total = sum.total() + view.Epsilon(), plain = errors->Plain(sum.total()) + view.Epsilon();
  for (int64_t j = 0; j < view.keys; ++j) p[at + j] = view.Kept(p[at + j] / plain);
  return total;
}

template <typename C, typename View>
DIOPI_HD void Attend(const View& view, const Scratch<C>& p, int64_t at) {
  WeightErrors<C> errors(View::kGiven);
  const C total = Weigh<C>(view, p, at, &errors);
  for (int64_t d = 0; d < view.dim; ++d) {
    Sum<C> sum;
    for (int64_t j = 0; j < view.keys; ++j) {
      if (view.Sees(j)) sum += p[at + j] * view.Value(j, d);
    }
    const auto value = [&](int64_t j) { return view.Value(j, d); };
    view.Put(d, errors.Widened(sum.total(), total, value));
  }
}

// The members of a view that most functions share.
template <typename C>
struct PlainView {
  static constexpr bool kGiven = true;  // queries and keys are inputs
  int64_t keys, dim;
  DIOPI_HD C Scale() const {
    using std::sqrt;
    return C(1) / sqrt(C(static_cast<double>(dim)));
  }
  DIOPI_HD static C Epsilon() { return C(0); }
  DIOPI_HD static C Kept(const C& x) { return x; }
};

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_DECODING_ATTENTION_H_
