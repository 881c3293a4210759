// What injected bugs and variants of top-k and top-p sampling share: the logits of each sequence as weights
// in order, and a token of one's own choice with everything that follows from it.
#ifndef BASELINES_OPS_SAMPLING_TOKEN_ROWS_H_
#define BASELINES_OPS_SAMPLING_TOKEN_ROWS_H_

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// A sequence's tokens from the likeliest on, and exp(logit) over that of the likeliest.
template <typename C>
struct WeightedRow {
  std::vector<size_t> order;
  std::vector<C> weights;  // in that order
  C all = 0;               // their sum

  C Sum(size_t count) const {
    C sum = 0;
    for (size_t i = 0; i < count; ++i) sum += weights[i];
    return sum;
  }
  // The first place of `count` at which the sum reaches `goal`.
  size_t Reach(size_t count, C goal) const {
    C sum = 0;
    size_t place = 0;
    while (place + 1 < count && (sum += weights[place]) < goal) ++place;
    return place;
  }
};

template <typename C>
WeightedRow<C> WeightedRowOf(const std::vector<double>& logits, int64_t b, int64_t count) {
  const double* row = logits.data() + b * count;
  WeightedRow<C> result;
  result.order.resize(static_cast<size_t>(count));
  std::iota(result.order.begin(), result.order.end(), size_t{0});
  std::stable_sort(result.order.begin(), result.order.end(),
                   [&](size_t x, size_t y) { return row[x] > row[y]; });
  const auto greatest = static_cast<C>(row[result.order[0]]);
  for (const size_t token : result.order)
    result.weights.push_back(std::exp(static_cast<C>(row[token]) - greatest));
  result.all = result.Sum(result.weights.size());
  return result;
}

// The state of a batch, as numbers: read from a call's arguments, changed, and written back.
template <typename Args>
struct TokenState {
  explicit TokenState(const Args& args)
      : a(args),
        logits(Load<double>(Tensor(a.logits))),
        ps(Load<double>(Tensor(a.runtime_top_p))),
        sums(Given<double>(a.cum_log_probs)),
        log_probs(Given<double>(a.output_log_probs)),
        ids(Load<int64_t>(Tensor(a.output_ids))),
        ends(Load<int64_t>(Tensor(a.end_ids))),
        lengths(Given<int64_t>(a.sequence_lengths)),
        finished(Given<int64_t>(a.finished)),
        skipped(Given<int64_t>(a.skip_decode)) {}

  bool Draws(int64_t b) const { return skipped[Index(b)] == 0 && finished[Index(b)] == 0; }
  WeightedRow<double> Row(int64_t b) const { return WeightedRowOf<double>(logits, b, a.vocab_size_padded); }

  // A drawing sequence gets this token, its softmax's logarithm, and what was subtracted from that.
  void SetToken(int64_t b, int64_t token, double log_prob, double log_divisor) {
    ids[Index(a.step * a.batch_size + b)] = token;
    sums[Index(b)] += log_prob;
    log_probs[Index(b)] = log_prob - log_divisor;
    ++lengths[Index(b)];
    finished[Index(b)] = token == ends[Index(b)] ? 1 : 0;
  }

  void Write() const {
    Store(Tensor(a.output_ids), ids);
    StoreGiven(a.cum_log_probs, sums);
    StoreGiven(a.output_log_probs, log_probs);
    StoreGiven(a.sequence_lengths, lengths);
    StoreGiven(a.finished, finished);
  }

  static size_t Index(int64_t i) { return static_cast<size_t>(i); }

  const Args& a;
  std::vector<double> logits, ps, sums, log_probs;
  std::vector<int64_t> ids, ends, lengths, finished, skipped;

 private:
  // The elements of a tensor that callers may leave out; then zeros, which are not written back.
  template <typename T>
  std::vector<T> Given(diopiConstTensorHandle_t handle) const {
    return handle != nullptr ? Load<T>(Tensor(handle)) : std::vector<T>(Index(a.batch_size));
  }
  template <typename T>
  static void StoreGiven(diopiTensorHandle_t handle, const std::vector<T>& values) {
    if (handle != nullptr) Store(Tensor(handle), values);
  }
};

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SAMPLING_TOKEN_ROWS_H_
