// Attention as vendors write it, for the injected bugs and the correct variants: tiles of keys with an online
// softmax, parts of the keys that are merged, 16-bit operands. It shares addresses and masks with the
// references' kernels (attention.h), not their sums.
#ifndef BASELINES_OPS_ATTENTION_ATTENTION_VENDOR_H_
#define BASELINES_OPS_ATTENTION_ATTENTION_VENDOR_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "baselines/ops/attention/attention_call.h"
#include "baselines/ops/support/stored.h"

// The functions of the family, for BUG and VARIANT.
#define DIOPI_ATTENTION_FORWARD                                                  \
  "diopiFlashAttention diopiFlashAttentionVarLen diopiCustomizedFlashAttention " \
  "diopiCustomizedFlashAttentionVarLen diopiMultiHeadAttention diopiMultiHeadAttentionVarLen"
#define DIOPI_ATTENTION_BACKWARD                                                                         \
  "diopiFlashAttentionBackward diopiFlashAttentionVarLenBackward diopiCustomizedFlashAttentionBackward " \
  "diopiCustomizedFlashAttentionVarLenBackward diopiMultiHeadAttentionBackward "                         \
  "diopiMultiHeadAttentionVarLenBackward"

namespace diopi::ops::both {

inline constexpr char kForward[] = DIOPI_ATTENTION_FORWARD, kBackward[] = DIOPI_ATTENTION_BACKWARD,
                      kAll[] = DIOPI_ATTENTION_FORWARD " " DIOPI_ATTENTION_BACKWARD;

// One bug. The texts are at the switches (attention_bugs.cc).
enum class Fault {
  kNone,
  kOutputNotRescaled,
  kSumNotRescaled,
  kNoMaximum,
  kMaximumFromZero,
  kLostTail,
  kLostTile,
  kPaddedTail,
  kReadsOver,
  kLogSumWithoutMaximum,
  kLogSumBase2,
  kHeadModulo,
  kFirstBatchKeys,
  kNarrowOutput,
  kNarrowSum,
  kNarrowScores,
  kLostDims,
  kMeanForgotten,
  kMeanUnweighted,
  kQueryScaleForgotten,
  kKeyScaleForgotten,
  kLastHeadOnly,
  kFirstHeadOnly,
  kLostQueries,
  kBackwardUnmasked,
  kTransposedSlopes,
  kKeysUnwritten,
  kNarrowGradients,
  kLogSumOfFirstHead,
  kValueOfOutput,
};

struct How {
  int64_t tile = 1 << 20;  // keys between two looks at the maximum
  int64_t parts = 1;       // of the keys, each with its own maximum, merged in the end
  bool reversed = false;   // keys from the last to the first
  bool narrow = false;     // weights and their gradients rounded to the tensors' 16-bit type before products
  bool base2 = false;      // exp2 of scores that are scaled by log2 e
  bool reciprocal = false;
  bool mean_of_weights = false;  // sum of weight * gradient instead of the output's product
  Fault fault = Fault::kNone;
};

template <typename C>
class Vendor {
 public:
  Vendor(const AttentionCall& call, const How& how)
      : of_(call.Prepare<C>()), how_(how), dtype_(call.q.dtype()) {}

  void Forward(std::vector<C>& out, std::vector<C>* lse, std::vector<C>* greatest, std::vector<C>* sum,
               int64_t copies) const {
    ForEachRow([&](int64_t row, int64_t b, int64_t h, int64_t i) {
      const std::vector<int64_t> keys = Keys(b, i);
      const Part all = Whole(b, h, i, keys);
      const int64_t to = of_.OfQuery(b, h, i);
      for (int64_t d = 0; d < of_.at_q.dim; ++d) {
        C value = all.out[static_cast<size_t>(d)];
        value = all.sum == C(0) ? C(0) : how_.reciprocal ? value * (C(1) / all.sum) : value / all.sum;
        out[static_cast<size_t>(to + d)] = value;
      }
      const C log_sum = Is(Fault::kLogSumBase2) ? std::log2(all.sum) : std::log(all.sum);
      if (lse != nullptr) {
        (*lse)[static_cast<size_t>(row)] = Is(Fault::kLogSumWithoutMaximum) ? log_sum : all.most + log_sum;
      }
      for (int64_t copy = 0; copy < copies; ++copy) {
        const auto at = static_cast<size_t>(of_.Statistic(b, h, i) * copies + copy);
        (*greatest)[at] = all.most;
        (*sum)[at] = all.sum;
      }
    });
  }

  // `log_sums` by row.
  void Backward(const std::vector<C>& grad, const std::vector<C>& out, const std::vector<C>& log_sums,
                std::vector<C>& grad_q, std::vector<C>& grad_k, std::vector<C>& grad_v) const {
    ForEachRow([&](int64_t row, int64_t b, int64_t h, int64_t i) {
      const int64_t first = Is(Fault::kLogSumOfFirstHead) ? row - h * of_.most_q : row;
      const std::vector<int64_t> keys = Is(Fault::kBackwardUnmasked) ? AllKeys(b) : Keys(b, i);
      const int64_t at = of_.OfQuery(b, h, i);
      std::vector<C> weights, slopes;
      for (const int64_t j : keys) {
        weights.push_back(Exp(Score(b, h, i, j) - log_sums[static_cast<size_t>(first)]));
        const int64_t from = KeyAt(b, h, j);
        slopes.push_back(Product(of_.at_q.dim, [&](int64_t d) {
          return grad[static_cast<size_t>(at + d)] *
                 (Is(Fault::kValueOfOutput) ? out[static_cast<size_t>(at + d)] : of_.v[from + d]);
        }));
      }
      C mean = Product(of_.at_q.dim, [&](int64_t d) {
        return grad[static_cast<size_t>(at + d)] * out[static_cast<size_t>(at + d)];
      });
      if (how_.mean_of_weights) {
        mean = C(0);
        for (size_t j = 0; j < keys.size(); ++j) mean += weights[j] * slopes[j];
      }
      if (Is(Fault::kMeanForgotten)) mean = C(0);
      for (size_t j = 0; j < keys.size(); ++j) {
        slopes[j] =
            Is(Fault::kMeanUnweighted) ? weights[j] * slopes[j] - mean : weights[j] * (slopes[j] - mean);
      }
      AddRow(b, h, i, keys, weights, slopes, grad, grad_q, grad_k, grad_v);
    });
  }

 private:
  struct Part {
    C most = -std::numeric_limits<C>::infinity();
    C sum = C(0);
    std::vector<C> out;
  };

  bool Is(Fault fault) const { return how_.fault == fault; }
  C Exp(const C& x) const {
    return how_.base2 ? std::exp2(x * static_cast<C>(1.44269504088896340736L)) : std::exp(x);
  }
  C Narrow(const C& x, bool rounded) const { return rounded ? Stored(dtype_, x) : x; }
  int64_t KeyAt(int64_t b, int64_t h, int64_t j) const {
    const int64_t head = Is(Fault::kHeadModulo) ? h % of_.at_k.heads : h / of_.Group();
    return of_.OfKey(b, head, j) - (Is(Fault::kFirstBatchKeys) ? b * of_.at_k.batch_step : 0);
  }

  template <typename F>
  C Product(int64_t n, const F& term) const {
    const int64_t counted = Is(Fault::kLostDims) && n > 64 ? n / 64 * 64 : n;
    C sum = C(0);
    for (int64_t d = 0; d < counted; ++d) sum += term(how_.reversed ? counted - 1 - d : d);
    return sum;
  }

  C Score(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t x = of_.OfQuery(b, h, i), y = KeyAt(b, h, j);
    C score = Product(of_.at_q.dim, [&](int64_t d) { return of_.q[x + d] * of_.k[y + d]; });
    if (Is(Fault::kNarrowScores)) score = Stored(diopi_dtype_float16, score);
    score = score * of_.scale;
    if (!of_.sight.biased) return score;
    return score - of_.sight.slopes[h] * C(std::abs(i + of_.Shift(b) - j));
  }

  std::vector<int64_t> AllKeys(int64_t b) const {
    std::vector<int64_t> keys(static_cast<size_t>(of_.starts_k.Length(b)));
    for (size_t j = 0; j < keys.size(); ++j) keys[j] = static_cast<int64_t>(j);
    return keys;
  }
  std::vector<int64_t> Keys(int64_t b, int64_t i) const {
    std::vector<int64_t> keys;
    const int64_t length = of_.starts_k.Length(b);
    for (int64_t j = 0; j < length; ++j) {
      if (Is(Fault::kLostTail) && length > 16 && j >= length / 16 * 16) continue;
      if (Is(Fault::kLostTile) && j >= 64 && j < 128) continue;
      if (of_.sight.Sees(i, j, of_.Shift(b))) keys.push_back(j);
    }
    const bool more = of_.starts_k.kind != Starts::kBatches && b + 1 < of_.at_k.batch;
    if (Is(Fault::kReadsOver) && more && !of_.sight.causal) keys.push_back(length);
    if (how_.reversed) std::reverse(keys.begin(), keys.end());
    return keys;
  }

  template <typename F>
  void ForEachRow(const F& f) const {
    for (int64_t row = 0; row < of_.Rows(); ++row) {
      const auto [b, h, i] = of_.OfRow(row);
      if (i < of_.starts_q.Length(b)) f(row, b, h, i);
    }
  }

  // A part of the keys, tile by tile.
  Part Of(int64_t b, int64_t h, int64_t i, const int64_t* keys, int64_t count) const {
    Part part;
    part.out.assign(static_cast<size_t>(of_.at_q.dim), C(0));
    if (Is(Fault::kMaximumFromZero)) part.most = C(0);
    for (int64_t begin = 0; begin < count; begin += how_.tile) {
      const int64_t end = std::min(count, begin + how_.tile);
      std::vector<C> scores;
      for (int64_t j = begin; j < end; ++j) scores.push_back(Score(b, h, i, keys[j]));
      C most = std::max(part.most, *std::max_element(scores.begin(), scores.end()));
      if (Is(Fault::kNoMaximum)) most = C(0);
      const C scaled = begin == 0 ? C(0) : Exp(part.most - most);
      if (!Is(Fault::kSumNotRescaled)) part.sum *= scaled;
      for (C& value : part.out) value *= Is(Fault::kOutputNotRescaled) ? C(1) : scaled;
      part.most = most;
      for (int64_t j = begin; j < end; ++j)
        Add(b, h, keys[j], Exp(scores[static_cast<size_t>(j - begin)] - most), &part);
      const int64_t padding = (8 - (end - begin) % 8) % 8;
      if (Is(Fault::kPaddedTail)) part.sum += C(padding) * Exp(-most);
    }
    return part;
  }
  void Add(int64_t b, int64_t h, int64_t j, const C& weight, Part* part) const {
    part->sum = Narrow(part->sum + weight, Is(Fault::kNarrowSum));
    const C operand = Narrow(weight, how_.narrow);
    const int64_t from = KeyAt(b, h, j);
    for (int64_t d = 0; d < of_.at_q.dim; ++d) {
      C& value = part->out[static_cast<size_t>(d)];
      value = Narrow(value + operand * of_.v[from + d], Is(Fault::kNarrowOutput));
    }
  }
  Part Whole(int64_t b, int64_t h, int64_t i, const std::vector<int64_t>& keys) const {
    const auto count = static_cast<int64_t>(keys.size());
    const int64_t parts = std::max<int64_t>(1, std::min(how_.parts, count));
    Part all = Of(b, h, i, keys.data(), count / parts);
    for (int64_t p = 1; p < parts; ++p) {
      const int64_t begin = count * p / parts, end = count * (p + 1) / parts;
      const Part next = Of(b, h, i, keys.data() + begin, end - begin);
      const C most = std::max(all.most, next.most);
      const C mine = Exp(all.most - most), other = Exp(next.most - most);
      all.sum = all.sum * mine + next.sum * other;
      for (size_t d = 0; d < all.out.size(); ++d) all.out[d] = all.out[d] * mine + next.out[d] * other;
      all.most = most;
    }
    return all;
  }

  // What one query adds to all gradients. Each head's share of a shared key head is rounded at its end where
  // the operands are (flash-attention keeps these shares in 16 bits).
  void AddRow(int64_t b, int64_t h, int64_t i, const std::vector<int64_t>& keys,
              const std::vector<C>& weights, const std::vector<C>& slopes, const std::vector<C>& grad,
              std::vector<C>& grad_q, std::vector<C>& grad_k, std::vector<C>& grad_v) const {
    const int64_t at = of_.OfQuery(b, h, i);
    if (Is(Fault::kLostQueries) && i >= 128) return;
    AddQuery(at, b, h, keys, slopes, grad_q);
    if (Is(Fault::kLastHeadOnly) && h % of_.Group() != of_.Group() - 1) return;
    for (size_t n = 0; n < keys.size(); ++n) {
      const int64_t j = Is(Fault::kTransposedSlopes) && keys[n] < of_.starts_q.Length(b) &&
                                keys.size() == static_cast<size_t>(of_.starts_q.Length(b))
                            ? keys[keys.size() - 1 - n]
                            : keys[n];
      const int64_t to = KeyAt(b, h, j);
      const C weight = Narrow(weights[n], how_.narrow), slope = Narrow(slopes[n], how_.narrow);
      for (int64_t d = 0; d < of_.at_q.dim; ++d) {
        C& v = grad_v[static_cast<size_t>(to + d)];
        C& k = grad_k[static_cast<size_t>(to + d)];
        if (!Is(Fault::kFirstHeadOnly) || h % of_.Group() == 0)
          v = Narrow(v + weight * grad[static_cast<size_t>(at + d)], Is(Fault::kNarrowGradients));
        k = Narrow(k + slope * of_.q[at + d] * (Is(Fault::kKeyScaleForgotten) ? C(1) : of_.scale),
                   Is(Fault::kNarrowGradients));
      }
    }
  }
  void AddQuery(int64_t at, int64_t b, int64_t h, const std::vector<int64_t>& keys,
                const std::vector<C>& slopes, std::vector<C>& grad_q) const {
    for (int64_t d = 0; d < of_.at_q.dim; ++d) {
      C sum = C(0);
      for (size_t n = 0; n < keys.size(); ++n)
        sum += Narrow(slopes[n], how_.narrow) * of_.k[KeyAt(b, h, keys[n]) + d];
      grad_q[static_cast<size_t>(at + d)] = Is(Fault::kQueryScaleForgotten) ? sum : sum * of_.scale;
    }
  }

  Scores<C> of_;
  How how_;
  diopiDtype_t dtype_;
};

// The logarithms of the rows' sums, whichever form the forward's statistics have.
template <typename C>
std::vector<C> LogSums(const AttentionCall& call, const Statistics& saved) {
  if (saved.lse) return Load<C>(saved.lse);
  const Scores<C> of = call.Prepare<C>();
  const std::vector<C> greatest = Load<C>(saved.greatest), sum = Load<C>(saved.sum);
  std::vector<C> result(static_cast<size_t>(of.Rows()));
  for (int64_t row = 0; row < of.Rows(); ++row) {
    const auto [b, h, i] = of.OfRow(row);
    if (i >= of.starts_q.Length(b)) continue;
    const auto at = static_cast<size_t>(of.Statistic(b, h, i) * saved.sum.size(-1));
    result[static_cast<size_t>(row)] = greatest[at] + std::log(sum[at]);
  }
  return result;
}

// f.template operator()<C>() with the type in which a vendor computes: float for 16 bits; double where
// `wide`.
template <typename F>
void WithVendorType(diopiDtype_t dtype, bool wide, const F& f) {
  if (wide || dtype == diopi_dtype_float64) return f.template operator()<double>();
  f.template operator()<float>();
}

inline void VendorForward(const AttentionCall& call, const How& how, bool wide, const Tensor& out,
                          const Statistics& to) {
  WithVendorType(call.q.dtype(), wide, [&]<typename C>() {
    std::vector<C> values(static_cast<size_t>(out.numel()));
    std::vector<C> lse(static_cast<size_t>(to.lse ? to.lse.numel() : 0));
    std::vector<C> greatest(static_cast<size_t>(to.sum ? to.sum.numel() : 0)), sum(greatest.size());
    Vendor<C>(call, how).Forward(values, to.lse ? &lse : nullptr, &greatest, &sum,
                                 to.sum ? to.sum.size(-1) : 0);
    Store(out, values);
    if (to.lse) Store(to.lse, lse);
    if (to.sum) Store(to.greatest, greatest), Store(to.sum, sum);
  });
}

inline void VendorBackward(const AttentionCall& call, const How& how, bool wide, const Gradients& to,
                           const Tensor& grad, const Tensor& out, const Statistics& saved) {
  WithVendorType(call.q.dtype(), wide, [&]<typename C>() {
    std::vector<C> q(static_cast<size_t>(to.q.numel())), k(static_cast<size_t>(to.k.numel())), v(k.size());
    Vendor<C>(call, how).Backward(Load<C>(grad), Load<C>(out), LogSums<C>(call, saved), q, k, v);
    Store(to.q, q);
    if (how.fault == Fault::kKeysUnwritten && call.sequences && call.most_q < call.most_k) return;
    Store(to.k, k);
    Store(to.v, v);
  });
}

// The function whose arguments `a` are, as `how` computes it on `call`. A customized forward needs its
// statistics allocated before.
template <typename Args>
void RunVendor(const Args& a, const AttentionCall& call, const How& how, bool wide) {
  if constexpr (requires { a.grad_q; }) {
    VendorBackward(call, how, wide, {a.grad_q, a.grad_k, a.grad_v}, GradientOf(a), OutputOf(a),
                   StatisticsOf(a));
  } else {
    VendorForward(call, how, wide, OutputOf(a), StatisticsOf(a));
  }
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_ATTENTION_ATTENTION_VENDOR_H_
