// Attention: out = softmax(scale * q k^T + bias) v over the keys that a query may see, and its gradients. All
// functions of the family share these kernels; an entry point describes where its tensors' elements lie
// (Tokens), where its sequences begin (Starts), and what a query sees (Sight).
//
// The noise differs from that of the plain formula where the tensors have 16 bits, because every kernel on
// matrix units gives them 16-bit operands (docs/method.md, section 3.5): the weights before the product with
// v, the gradients of the scores before those with q and k, and a query head's share of a shared key head's
// gradient. The inputs' products are exact in float32 there, so the oracle passes them as they are.
#ifndef BASELINES_OPS_ATTENTION_ATTENTION_H_
#define BASELINES_OPS_ATTENTION_ATTENTION_H_

#include <algorithm>
#include <cmath>
#include <string>

#include "baselines/ops/both.h"
#include "baselines/ops/random/philox.h"
#include "baselines/ops/support/operands.h"
#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/weight_errors.h"

namespace diopi::ops::both {

// One tensor's batches, places in a sequence and heads, and the distances between their elements. The
// elements of a head lie side by side in every layout.
struct Tokens {
  int64_t batch = 1, places = 0, heads = 0, dim = 0;
  int64_t batch_step = 0, place_step = 0, head_step = 0;
};

// `layout`: BSND, BNSD, BSH, SBH, or TND for sequences that follow each other. `dim` is used by BSH and SBH.
inline Tokens TokensOf(const Tensor& x, const std::string& layout, int64_t dim) {
  Check(x.rank() == (layout.size() == 4 ? 4 : 3), "layout ", layout, " does not fit the shape ",
        ShapeText(x.shape()));
  const auto sized = [&](char axis) {
    const size_t at = layout.find(axis);
    return at == std::string::npos ? int64_t{1} : x.size(static_cast<int64_t>(at));
  };
  Tokens t;
  t.batch = sized('B');
  t.places = sized(layout[0] == 'T' ? 'T' : 'S');
  if (layout == "BSH" || layout == "SBH") {
    Check(dim > 0 && sized('H') % dim == 0, "a hidden size of ", sized('H'), " is no multiple of ", dim);
    t.dim = dim;
    t.heads = sized('H') / dim;
    t.head_step = dim;
    t.place_step = (layout == "SBH" ? t.batch : 1) * sized('H');
    t.batch_step = (layout == "SBH" ? 1 : t.places) * sized('H');
    return t;
  }
  Check(layout == "BSND" || layout == "BNSD" || layout == "TND", "unknown layout '", layout, "'");
  t.heads = sized('N');
  t.dim = sized('D');
  t.head_step = layout == "BNSD" ? t.places * t.dim : t.dim;
  t.place_step = layout == "BNSD" ? t.dim : t.heads * t.dim;
  t.batch_step = layout == "TND" ? 0 : t.places * t.heads * t.dim;
  return t;
}

// Where each sequence begins: nowhere but at 0 (each batch has its own rows), or at the running sums of the
// lengths, which a tensor on the device holds, or the host's array.
struct Starts {
  static constexpr int64_t kMost = 64;
  enum Kind { kBatches, kTensor, kHost } kind = kBatches;
  int64_t length = 0;  // of all sequences, kBatches
  In<int64_t> tensor;
  int64_t given[kMost + 1] = {};

  DIOPI_HD int64_t Begin(int64_t b) const {
    return kind == kBatches ? 0 : kind == kTensor ? tensor[b] : given[b];
  }
  DIOPI_HD int64_t Length(int64_t b) const { return kind == kBatches ? length : Begin(b + 1) - Begin(b); }
};

// What the query at a place of its sequence may see. Both sequences end at the same place.
template <typename C>
struct Sight {
  bool causal = false;
  int64_t left = -1, right = -1;  // the window; -1: no limit
  bool masked = false;            // true in `mask`: not seen
  int64_t mask_width = 0;
  In<int64_t> mask;
  bool biased = false;  // by -slopes[head] * distance
  In<C> slopes;

  DIOPI_HD bool Sees(int64_t i, int64_t j, int64_t shift) const {
    if (causal && j > i + shift) return false;
    if (left >= 0 && j < i + shift - left) return false;
    if (right >= 0 && j > i + shift + right) return false;
    return !masked || mask[i * mask_width + j] == 0;
  }
};

// How many neighbouring columns are summed at once. Their elements of a row are then read together, and the
// factor that they share once, not once for each column.
constexpr int64_t kLanes = 32;

// sums[lane] = a(0) b(0, lane) + ... + a(n - 1) b(n - 1, lane), for at most kLanes lanes. The noise is that
// of docs/method.md, 3.2, the operands' own included; where the operands have 16 bits, plus that of an
// accumulator that truncates (contract tc32).
template <int64_t kMost, typename C, typename A, typename B>
DIOPI_HD void Dots(int64_t n, int64_t lanes, const Operands& operands, const A& a, const B& b, C* sums) {
  if constexpr (kIsNoise<C>) {
    using V = decltype(C::v);
    V r[kMost] = {}, squares[kMost] = {}, variance[kMost] = {}, count[kMost] = {};
    V y[kMost] = {}, own[kMost] = {};  // lanes beyond the last are 0, so that the loop has a fixed length
    for (int64_t i = 0; i < n; ++i) {
      const C x = a(i);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const C other = b(i, lane);
        y[lane] = other.v;
        own[lane] = other.s2;
      }
      for (int64_t lane = 0; lane < kMost; ++lane) {
        const V term = x.v * y[lane];
        r[lane] += term;
        squares[lane] += term * term;
        variance[lane] += x.s2 * y[lane] * y[lane] + own[lane] * x.v * x.v;
        count[lane] += term == 0 ? V(0) : V(1);
      }
    }
    const V unit = C::kUnit;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      V noise = variance[lane];
      const V terms = count[lane], q2 = squares[lane], sum = r[lane];
      if (terms > 0) noise += unit * unit / 3 * ((terms - 1) * (q2 / 2 + sum * sum / 3) + q2);
      noise += terms * C::kHalfStep * C::kHalfStep / 3;
      if (operands.unit > 0) {
        const auto lost = V(0.72) * unit * terms / 4 * (0.53 * std::sqrt(q2) + 0.5 * std::fabs(sum));
        noise += lost * lost;
      }
      sums[lane] = C::Clean(sum, noise);
    }
  } else {
    Sum<C> totals[kMost];
    for (int64_t i = 0; i < n; ++i) {
      const C x = a(i);
      for (int64_t lane = 0; lane < lanes; ++lane) totals[lane] += x * b(i, lane);
    }
    for (int64_t lane = 0; lane < lanes; ++lane) sums[lane] = totals[lane].total();
  }
}

// a(0) b(0) + ... + a(n - 1) b(n - 1).
template <typename C, typename A, typename B>
DIOPI_HD C Dot(int64_t n, const Operands& operands, const A& a, const B& b) {
  C sum = C(0);
  Dots<1>(
      n, 1, operands, a, [&](int64_t i, int64_t) { return b(i); }, &sum);
  return sum;
}

// Calls use(first, count) for all columns, at most kLanes at once.
template <typename Use>
DIOPI_HD void ForLanes(int64_t columns, const Use& use) {
  for (int64_t first = 0; first < columns; first += kLanes)
    use(first, first + kLanes < columns ? kLanes : columns - first);
}

// Dropout: a weight is dropped with probability p, or multiplied by 1 / (1 - p). Each weight has a random
// word of its own, so that the backward finds what the forward dropped by the generator's seed and offset, or
// by the mask that the forward left.
struct Drops {
  double p = 0;
  uint64_t seed = 0, offset = 0;
  bool masked = false;
  In<int64_t> mask{};  // of each weight: not 0 where it is kept

  DIOPI_HD double Factor(int64_t weight) const {
    if (p == 0) return 1;
    if (masked) return mask[weight] == 0 ? 0 : 1 / (1 - p);
    const Words4 words = Philox({{static_cast<uint32_t>(weight), static_cast<uint32_t>(weight >> 32),
                                  static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)}},
                                seed);
    return (words.word[0] + 0.5) * 0x1p-32 < p ? 0 : 1 / (1 - p);
  }
  template <typename C>
  DIOPI_HD C Applied(const C& weight, int64_t at) const {
    return p == 0 ? weight : weight * C(Factor(at));
  }
};

// The mask that a forward leaves for its backward.
template <typename C>
struct KeptWeights {
  Drops drops;
  Out<C> mask;

  DIOPI_HD void operator()(int64_t weight) const { mask.Set(weight, C(drops.Factor(weight) > 0 ? 1 : 0)); }
};

// A row (a query of one head) or a column (a key of one head) by its sequence, its head and its place in the
// sequence.
struct Place {
  int64_t b, h, i;
};

// What forward and backward share: the tensors, and the score of a query and a key.
template <typename C>
struct Scores {
  Tokens at_q, at_k;  // at_k: of keys and values
  Starts starts_q, starts_k;
  int64_t most_q = 0, most_k = 0;  // lengths of the longest sequences
  C scale = C(1);
  Operands operands{diopi_dtype_float32};
  Sight<C> sight;
  Drops drops;
  In<C> q, k, v;

  DIOPI_HD int64_t Rows() const { return at_q.batch * at_q.heads * most_q; }
  DIOPI_HD int64_t Columns() const { return at_k.batch * at_k.heads * most_k; }
  DIOPI_HD Place OfRow(int64_t row) const {
    return {row / most_q / at_q.heads, row / most_q % at_q.heads, row % most_q};
  }
  DIOPI_HD Place OfColumn(int64_t column) const {
    return {column / most_k / at_k.heads, column / most_k % at_k.heads, column % most_k};
  }
  DIOPI_HD int64_t Group() const { return at_q.heads / at_k.heads; }
  // The first element of the token at place i of sequence b.
  DIOPI_HD int64_t OfQuery(int64_t b, int64_t h, int64_t i) const {
    return b * at_q.batch_step + (starts_q.Begin(b) + i) * at_q.place_step + h * at_q.head_step;
  }
  DIOPI_HD int64_t OfKey(int64_t b, int64_t h, int64_t j) const {
    return b * at_k.batch_step + (starts_k.Begin(b) + j) * at_k.place_step + h * at_k.head_step;
  }
  // Where the greatest score and the sum of a row lie: (batch, head, place), or (token, head).
  DIOPI_HD int64_t Statistic(int64_t b, int64_t h, int64_t i) const {
    return starts_q.kind == Starts::kBatches ? (b * at_q.heads + h) * most_q + i
                                             : (starts_q.Begin(b) + i) * at_q.heads + h;
  }
  DIOPI_HD int64_t Shift(int64_t b) const { return starts_k.Length(b) - starts_q.Length(b); }
  // The sums over a row's keys of factor(key) times `count` elements of each key in `x`, keys or values;
  // `from`: the first element of the first one.
  template <typename Factor>
  DIOPI_HD void SumKeys(int64_t keys, const Factor& factor, const In<C>& x, int64_t from, int64_t count,
                        C* sums) const {
    const auto element = [&](int64_t j, int64_t lane) { return x[from + j * at_k.place_step + lane]; };
    Dots<kLanes>(keys, count, operands, factor, element, sums);
  }
  DIOPI_HD C Score(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t x = OfQuery(b, h, i), y = OfKey(b, h / Group(), j);
    const auto query = [&](int64_t d) { return q[x + d]; };
    const auto key = [&](int64_t d) { return k[y + d]; };
    C score = Dot<C>(at_q.dim, operands, query, key) * scale;
    if (!sight.biased) return score;
    const int64_t distance = i + Shift(b) - j;
    return score - sight.slopes[h] * C(distance < 0 ? -distance : distance);
  }
};

// A row is a query of one head. Its largest score, the sum of exp(score - largest), and log of the sum of
// exp(score): an entry point has outputs for some of them.
template <typename C>
struct AttentionForward {
  Scores<C> of;
  Out<C> out;
  Scratch<C> weights;
  bool has_lse = false;
  Out<C> lse{};
  int64_t copies = 0;  // of greatest and sum
  Out<C> greatest{}, sum{};

  DIOPI_HD void operator()(int64_t row) const {
    using std::log;
    const auto [b, h, i] = of.OfRow(row);
    if (i >= of.starts_q.Length(b)) {
      if (has_lse) lse.Set(row, C(0));
      return;
    }
    const int64_t keys = of.starts_k.Length(b), shift = of.Shift(b), base = row * of.most_k;
    C most = C(-INFINITY);
    bool any = false;
    for (int64_t j = 0; j < keys; ++j) {
      if (!of.sight.Sees(i, j, shift)) continue;
      const C score = of.Score(b, h, i, j);
      weights[base + j] = score;
      if (!any || score > most || score != score) most = AsGiven(score);
      any = true;
    }
    WeightErrors<C> errors(true);
    const C total = Weigh(i, keys, shift, base, most, &errors), plain = errors.Plain(total);
    const int64_t to = of.OfQuery(b, h, i), from = of.OfKey(b, h / of.Group(), 0);
    const auto weight = [&](int64_t j) { return weights[base + j]; };
    ForLanes(of.at_q.dim, [&](int64_t first, int64_t count) {
      C sums[kLanes];
      of.SumKeys(keys, weight, of.v, from + first, count, sums);
      for (int64_t lane = 0; lane < count; ++lane) {
        const auto value = [&](int64_t j) {
          return of.drops.Applied(of.v[from + first + lane + j * of.at_k.place_step], base + j);
        };
        out.Set(to + first + lane, any ? errors.Widened(sums[lane] / plain, total, value) : C(0));
      }
    });
    if (has_lse) lse.Set(row, any ? most + log(total) : C(INFINITY));
    for (int64_t copy = 0; copy < copies; ++copy) {
      greatest.Set(of.Statistic(b, h, i) * copies + copy, most);
      sum.Set(of.Statistic(b, h, i) * copies + copy, total);
    }
  }

 private:
  // Scores become weights, without the errors that are in their sum, too; gives the sum before they are
  // dropped and rounded.
  DIOPI_HD C Weigh(int64_t i, int64_t keys, int64_t shift, int64_t base, const C& most,
                   WeightErrors<C>* errors) const {
    using std::exp;
    Sum<C> total;
    [[maybe_unused]] C shared = C(0);
    for (int64_t j = 0; j < keys; ++j) {
      const bool seen = of.sight.Sees(i, j, shift);
      if constexpr (kIsNoise<C>) {
        if (seen) AddTie(weights[base + j], most, &shared);
      }
      const C weight = seen ? exp(weights[base + j] - most) : C(0);
      if (seen) total += weight;
      weights[base + j] = of.operands.Rounded(of.drops.Applied(errors->Take(weight), base + j));
    }
    if constexpr (kIsNoise<C>) {
      const C weighed = total.total();
      return C::Clean(weighed.v, weighed.s2 + shared.v * shared.v - shared.s2);
    } else {
      return total.total();
    }
  }
  // Keys that are equal have scores with one error, which adds up in their weights: where it counts most, of
  // the greatest score, whose weights are 1. `ties`: the sum of its deviations, and of their squares.
  static void AddTie(const C& score, const C& most, C* ties) {
    if (score.v != most.v) return;
    *ties = C::Clean(ties->v + std::sqrt(score.s2), ties->s2 + score.s2);
  }
};

// What the backward needs of the forward: log of the sum, or the greatest score and the sum.
template <typename C>
struct Saved {
  bool has_lse = false;
  In<C> lse, greatest, sum;
  int64_t copies = 1;

  DIOPI_HD C LogSum(int64_t row, int64_t statistic) const {
    using std::log;
    return has_lse ? lse[row] : greatest[statistic * copies] + log(sum[statistic * copies]);
  }
};

// A query's gradient; leaves the weights and the gradients of the scores to ColumnGradients.
template <typename C>
struct RowGradients {
  Scores<C> of;
  Saved<C> saved;
  In<C> grad, out;
  Out<C> grad_q;
  Scratch<C> weights, slopes;

  DIOPI_HD void operator()(int64_t row) const {
    const auto [b, h, i] = of.OfRow(row);
    const int64_t keys = of.starts_k.Length(b), base = row * of.most_k;
    for (int64_t j = 0; j < keys; ++j) weights[base + j] = slopes[base + j] = C(0);
    if (i >= of.starts_q.Length(b)) return;
    const int64_t at = of.OfQuery(b, h, i), from = of.OfKey(b, h / of.Group(), 0);
    const auto g = [&](int64_t d) { return grad[at + d]; };
    // The output is given rounded; who computes the sum from the weights has it unrounded.
    const auto o = [&](int64_t d) { return of.operands.Rounded(out[at + d]); };
    C mean = Dot<C>(of.at_q.dim, of.operands, g, o);
    const C log_sum = saved.LogSum(row, of.Statistic(b, h, i));
    C own = C(0);  // the mean as a kernel gets it from its own weights instead of from the output
    for (int64_t j = 0; j < keys; ++j) own += Slope(b, h, i, j, base, log_sum, mean);
    if constexpr (kIsNoise<C>) {  // an error of log_sum is the same in all weights
      mean = C::Clean(mean.v, std::max(mean.s2, own.s2 + mean.v * mean.v * LogError(log_sum)));
    }
    SetQuery(keys, base, from, at, mean, log_sum);
    if constexpr (kIsNoise<C>) {
      for (int64_t j = base; j < base + keys; ++j) {
        const C p = weights[j], s = slopes[j];
        weights[j] = C::Clean(p.v, p.s2 + p.v * p.v * LogError(log_sum));
        slopes[j] = C::Clean(s.v, s.s2 + s.v * s.v * LogError(log_sum) + p.v * p.v * mean.s2);
      }
    }
  }

 private:
  // Gives the key's part of the row's mean gradient.
  DIOPI_HD C Slope(int64_t b, int64_t h, int64_t i, int64_t j, int64_t base, const C& log_sum,
                   const C& mean) const {
    using std::exp;
    if (!of.sight.Sees(i, j, of.Shift(b))) return C(0);
    const int64_t at = of.OfQuery(b, h, i), from = of.OfKey(b, h / of.Group(), j);
    const auto g = [&](int64_t d) { return grad[at + d]; };
    const auto value = [&](int64_t d) { return of.v[from + d]; };
    const C weight = exp(of.Score(b, h, i, j) - AsGiven(log_sum));
    const C product = of.drops.Applied(Dot<C>(of.at_q.dim, of.operands, g, value), base + j);
    weights[base + j] = of.operands.Rounded(of.drops.Applied(weight, base + j));
    slopes[base + j] = of.operands.Rounded(weight * (product - AsGiven(mean)));
    return of.operands.Rounded(weight) * product;
  }
  DIOPI_HD void SetQuery(int64_t keys, int64_t base, int64_t from, int64_t to, const C& mean,
                         const C& log_sum) const {
    const auto slope = [&](int64_t j) { return slopes[base + j]; };
    ForLanes(of.at_q.dim, [&](int64_t first, int64_t count) {
      C results[kLanes];
      of.SumKeys(keys, slope, of.k, from + first, count, results);
      for (int64_t lane = 0; lane < count; ++lane) results[lane] = results[lane] * of.scale;
      if constexpr (kIsNoise<C>) {  // errors of the row's sums are the same for all keys
        const auto weight = [&](int64_t j) { return weights[base + j]; };
        C means[kLanes];
        of.SumKeys(keys, weight, of.k, from + first, count, means);
        for (int64_t lane = 0; lane < count; ++lane) {
          const C result = results[lane];
          const auto mean_error = (of.scale * means[lane]).v;
          results[lane] = C::Clean(result.v, result.s2 + result.v * result.v * LogError(log_sum) +
                                                 mean_error * mean_error * mean.s2);
        }
      }
      for (int64_t lane = 0; lane < count; ++lane) grad_q.Set(to + first + lane, results[lane]);
    });
  }
  // The relative variance of a weight that comes from log_sum: its own, and a rounding of its multiple by
  // log2 e, for exp2.
  template <typename N>
  static auto LogError(const N& log_sum) {
    const auto rounding = log_sum.v * N::kUnit;
    return log_sum.s2 + rounding * rounding / 3;
  }
};

// The gradients of a key and its value.
template <typename C>
struct ColumnGradients {
  Scores<C> of;
  In<C> grad;
  Out<C> grad_k, grad_v;
  Scratch<C> weights, slopes;

  DIOPI_HD void operator()(int64_t column) const {
    const Place key = of.OfColumn(column);
    if (key.i >= of.starts_k.Length(key.b)) return;
    const int64_t to = of.OfKey(key.b, key.h, key.i);
    ForLanes(of.at_k.dim, [&](int64_t first, int64_t count) {
      C values[kLanes] = {}, keys[kLanes] = {};
      AddOver(weights, grad, key, first, count, values);
      AddOver(slopes, of.q, key, first, count, keys);
      for (int64_t lane = 0; lane < count; ++lane) {
        grad_v.Set(to + first + lane, values[lane]);
        grad_k.Set(to + first + lane, keys[lane] * of.scale);
      }
    });
  }

 private:
  // Adds the sums over the queries of all heads that share this key head, of `count` elements from `first`
  // on.
  DIOPI_HD void AddOver(const Scratch<C>& factors, const In<C>& x, const Place& key, int64_t first,
                        int64_t count, C* sums) const {
    for (int64_t shared = 0; shared < of.Group(); ++shared) {
      const int64_t head = key.h * of.Group() + shared, from = of.OfQuery(key.b, head, 0) + first;
      const int64_t base = (key.b * of.at_q.heads + head) * of.most_q * of.most_k + key.i;
      const auto factor = [&](int64_t i) { return factors[base + i * of.most_k]; };
      const auto other = [&](int64_t i, int64_t lane) { return x[from + i * of.at_q.place_step + lane]; };
      C parts[kLanes];
      Dots<kLanes>(of.starts_q.Length(key.b), count, of.operands, factor, other, parts);
      for (int64_t lane = 0; lane < count; ++lane)
        sums[lane] = of.Group() == 1 ? parts[lane] : sums[lane] + of.operands.Rounded(parts[lane]);
    }
  }
};

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_ATTENTION_ATTENTION_H_
