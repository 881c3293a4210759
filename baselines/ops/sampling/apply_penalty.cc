// Penalties on the logits of tokens that a sequence has produced before.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct PenalizeToken {
  Out<C> logits;
  In<C> presence, frequency;
  In<int64_t> ids, counts, starts;
  int64_t batch, vocabulary;
  DIOPI_HD void operator()(int64_t i) const {
    int64_t row = 0;
    while (row < batch && i >= starts[row + 1]) ++row;
    const int64_t id = ids[i];
    if (row == batch || id < 0 || id >= vocabulary) return;
    const int64_t at = row * vocabulary + id;
    logits.Set(at, logits[at] - C(counts[i]) * frequency[row] - presence[row]);
  }
};

template <typename C>
struct PenalizeFlat {
  Out<C> logits;
  In<C> presence, frequency, repetition;
  In<int64_t> ids, counts;
  int64_t numel;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t at = ids[i];
    if (at < 0 || at >= numel) return;
    const C x = logits[at], repeated = x > C(0) ? x / repetition[i] : x * repetition[i];
    logits.Set(at, repeated - C(counts[i]) * frequency[i] - presence[i]);
  }
};

}  // namespace

DIOPI_KERNEL(diopiApplyPenalty, a) {
  const Tensor logits(a.logits), presence(a.presence_penalty), frequency(a.frequency_penalty),
      ids(a.p_token_ids), counts(a.p_token_counts), starts(a.p_cumsum_seq_len);
  Check(logits.rank() == 2, "expected logits of 2 dimensions, got shape ", ShapeText(logits.shape()));
  const int64_t batch = logits.size(0);
  CheckShape(presence, {batch}, "presence_penalty");
  CheckShape(frequency, {batch}, "frequency_penalty");
  CheckShape(counts, ids.shape(), "p_token_counts");
  CheckShape(starts, {batch + 1}, "p_cumsum_seq_len");
  DispatchFloating(ResultType(logits, {logits}), [&]<typename C>() {
    ForEach(Queue(a.ctx), ids.numel(),
            PenalizeToken<C>{Out<C>(logits), In<C>(presence), In<C>(frequency), In<int64_t>(ids),
                             In<int64_t>(counts), In<int64_t>(starts), batch, logits.size(1)});
  });
}

DIOPI_KERNEL(diopiApplyPenaltyV2, a) {
  const Tensor logits(a.logits), presence(a.presence_penalty), frequency(a.frequency_penalty),
      repetition(a.repetition_penalty), ids(a.p_token_ids), counts(a.p_token_counts);
  for (const Tensor& each : {presence, frequency, repetition, counts})
    CheckShape(each, ids.shape(), "a penalty, or p_token_counts");
  DispatchFloating(ResultType(logits, {logits}), [&]<typename C>() {
    ForEach(Queue(a.ctx), ids.numel(),
            PenalizeFlat<C>{Out<C>(logits), In<C>(presence), In<C>(frequency), In<C>(repetition),
                            In<int64_t>(ids), In<int64_t>(counts), logits.numel()});
  });
}

}  // namespace diopi::ops::both
