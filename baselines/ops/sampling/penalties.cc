// Logits changed before sampling: temperature_penalty, repetition_penalty.
#include <limits>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct Temper {
  Out<C> logits;
  In<C> bias, temperatures;
  C epsilon, lowest;
  int64_t vocabulary, padded;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t b = i / padded, token = i % padded;
    if (token < vocabulary) {
      logits.Set(i, (logits[i] + bias[token]) * (C(1) / (temperatures[b] + epsilon)));
    } else {
      logits.Set(i, lowest);
    }
  }
};

// One call for each token of each sequence; of equal tokens only the first changes the logit.
template <typename C>
struct PenalizeRepetition {
  Out<C> logits;
  In<C> penalties;
  In<int64_t> ids, lengths;
  int64_t batch, vocabulary, longest, steps;
  bool multiplies;

  DIOPI_HD bool IsPadding(int64_t step, int64_t b) const { return step >= lengths[b] && step < longest; }
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t b = i / steps, step = i % steps, token = ids[step * batch + b];
    if (IsPadding(step, b) || token < 0 || token >= vocabulary) return;
    for (int64_t before = 0; before < step; ++before) {
      if (ids[before * batch + b] == token && !IsPadding(before, b)) return;
    }
    const int64_t at = b * vocabulary + token;
    const C logit = logits[at], penalty = penalties[b];
    if (!multiplies) {
      logits.Set(at, logit - penalty);
    } else {
      logits.Set(at, logit < C(0) ? logit * penalty : logit / penalty);
    }
  }
};

}  // namespace

DIOPI_KERNEL(diopiBatchApplyTemperaturePenaltyInp, a) {
  const Tensor logits(a.logits), bias(a.bias), temperatures(a.temperatures);
  CheckShape(logits, Shape{a.batch_size, a.vocab_size_padd}, "logits");
  CheckShape(temperatures, Shape{a.batch_size}, "temperatures");
  if (bias) CheckShape(bias, Shape{a.vocab_size_padd}, "bias");
  const bool narrow = logits.dtype() == diopi_dtype_float16;
  const double lowest = narrow ? -65504.0 : -static_cast<double>(std::numeric_limits<float>::max());
  DispatchFloating(ResultType(logits, {logits}), [&]<typename C>() {
    ForEach(Queue(a.ctx), logits.numel(),
            Temper<C>{Out<C>(logits), bias ? In<C>(bias) : In<C>::Constant(C(0)), In<C>(temperatures),
                      Rounded<C>(1e-6), C(lowest), a.vocab_size, a.vocab_size_padd});
  });
}

DIOPI_KERNEL(diopiBatchApplyRepetitionPenaltyInp, a) {
  const Tensor logits(a.logits), penalties(a.penalties), ids(a.output_ids), lengths(a.input_lengths);
  CheckShape(logits, Shape{a.batch_size, a.vocab_size}, "logits");
  CheckShape(penalties, Shape{a.batch_size}, "penalties");
  CheckShape(lengths, Shape{a.batch_size}, "input_lengths");
  Check(ids.rank() == 2 && ids.size(0) >= a.step && ids.size(1) == a.batch_size,
        "output_ids must be [step, batch_size], got shape ", ShapeText(ids.shape()));
  Check(a.penalty_type >= 0 && a.penalty_type <= 2, "unknown penalty_type ", a.penalty_type);
  if (a.penalty_type == 0) return;
  DispatchFloating(ResultType(logits, {logits}), [&]<typename C>() {
    ForEach(
        Queue(a.ctx), a.batch_size * a.step,
        PenalizeRepetition<C>{Out<C>(logits), In<C>(penalties), In<int64_t>(ids), In<int64_t>(lengths),
                              a.batch_size, a.vocab_size, a.max_input_length, a.step, a.penalty_type == 2});
  });
}

}  // namespace diopi::ops::both
