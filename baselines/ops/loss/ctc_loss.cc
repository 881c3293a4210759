// Connectionist temporal classification. The targets of a sample with blanks around them are its states;
// alpha and beta are the logarithms of the probabilities of all alignments up to a state at a step, and from
// it on, the step's own included in both. Steps run one after the other, samples beside each other.
#include <cmath>

#include "baselines/ops/loss/elementwise_loss.h"

namespace diopi::ops::both {
namespace {

template <typename C>
DIOPI_HD C LogOfZero() {
  return C(-INFINITY);
}

// log(exp(a) + exp(b) + exp(c)). The operands' noise comes from the same earlier steps, so here it adds up as
// deviations, not as variances.
template <typename C>
DIOPI_HD C LogSum(const C& a, const C& b, const C& c) {
  using std::exp;
  using std::log;
  C most = a > b ? a : b;
  if (c > most) most = c;
  if (most == LogOfZero<C>()) return most;
  if constexpr (kIsNoise<C>) {
    const C shift = AsGiven(most);
    const C parts[] = {exp(AsGiven(a) - shift), exp(AsGiven(b) - shift), exp(AsGiven(c) - shift)};
    const C sum = parts[0] + parts[1] + parts[2], result = log(sum) + shift;
    const auto deviation = parts[0].v / sum.v * std::sqrt(a.s2) + parts[1].v / sum.v * std::sqrt(b.s2) +
                           parts[2].v / sum.v * std::sqrt(c.s2);
    return C::Clean(result.v, result.s2 + deviation * deviation);
  } else {
    return log(exp(a - most) + exp(b - most) + exp(c - most)) + most;
  }
}
template <typename C>
DIOPI_HD C LogSum(const C& a, const C& b) {
  return LogSum(a, b, LogOfZero<C>());
}

struct Sizes3 {
  int64_t steps = 0, samples = 0, classes = 0, states = 0;  // states: of the longest targets
  int64_t row = 0;  // of a targets matrix; 0: one sample's after another's
  int64_t blank = 0;
  bool zero_infinity = false;
  int64_t labels = 0;  // of all samples
};

template <typename C>
struct Alignments {
  In<C> log_probs;
  In<int64_t> targets, input_lengths, target_lengths;
  Sizes3 of;

  // Lengths are cut to what there is room for; a label that is no class counts as a blank.
  DIOPI_HD static int64_t Cut(int64_t length, int64_t most) {
    return length < 0 ? 0 : length < most ? length : most;
  }
  DIOPI_HD int64_t Steps(int64_t n) const { return Cut(input_lengths[n], of.steps); }
  DIOPI_HD int64_t States(int64_t n) const { return 2 * Cut(target_lengths[n], (of.states - 1) / 2) + 1; }
  DIOPI_HD int64_t Label(int64_t n, int64_t state) const {
    if (state % 2 == 0) return of.blank;
    int64_t start = n * of.row;
    for (int64_t before = 0; of.row == 0 && before < n; ++before) start += target_lengths[before];
    const int64_t at = start + state / 2, label = at >= 0 && at < of.labels ? targets[at] : of.blank;
    return label >= 0 && label < of.classes ? label : of.blank;
  }
  // Whether the state after the next is reachable without the blank between.
  DIOPI_HD bool Skips(int64_t n, int64_t state) const {
    return state % 2 == 1 && state + 2 < States(n) && Label(n, state) != Label(n, state + 2);
  }
  DIOPI_HD C LogProb(int64_t step, int64_t n, int64_t label) const {
    return log_probs[(step * of.samples + n) * of.classes + label];
  }
  DIOPI_HD int64_t At(int64_t n, int64_t step, int64_t state) const {
    return (n * of.steps + step) * of.states + state;
  }
};

template <typename C>
struct Forward {
  Alignments<C> in;
  Out<C> log_alpha;
  Scratch<C> alpha;  // as log_alpha, unrounded
  Out<C> nll;
  Scratch<C> losses;

  DIOPI_HD void operator()(int64_t n) const {
    for (int64_t i = in.At(n, 0, 0); i < in.At(n + 1, 0, 0); ++i) alpha[i] = LogOfZero<C>();
    const int64_t steps = in.Steps(n), states = in.States(n);
    for (int64_t step = 0; step < steps; ++step) {
      for (int64_t state = 0; state < states; ++state) {
        const C before = step == 0 ? (state < 2 ? C(0) : LogOfZero<C>()) : Before(n, step - 1, state);
        const bool reached = !(before == LogOfZero<C>());
        const C log_prob = in.LogProb(step, n, in.Label(n, state));
        alpha[in.At(n, step, state)] = step == 0 && reached ? log_prob : before + log_prob;
      }
    }
    for (int64_t i = in.At(n, 0, 0); i < in.At(n + 1, 0, 0); ++i) log_alpha.Set(i, alpha[i]);
    const C end = steps == 0 ? (states == 1 ? C(0) : LogOfZero<C>()) : End(n, steps - 1, states);
    nll.Set(n, -end);
    losses[n] = in.of.zero_infinity && -end == -LogOfZero<C>() ? C(0) : -end;
  }

 private:
  DIOPI_HD C Before(int64_t n, int64_t step, int64_t state) const {
    const int64_t at = in.At(n, step, state);
    const C none = LogOfZero<C>();
    return LogSum(alpha[at], state > 0 ? alpha[at - 1] : none,
                  state > 1 && in.Skips(n, state - 2) ? alpha[at - 2] : none);
  }
  DIOPI_HD C End(int64_t n, int64_t step, int64_t states) const {
    const int64_t at = in.At(n, step, states - 1);
    return LogSum(alpha[at], states > 1 ? alpha[at - 1] : LogOfZero<C>());
  }
};

// A sample's contribution to the result; the mean divides by the number of labels, too.
template <typename C>
struct LossOfSample {
  Scratch<C> losses;
  In<int64_t> target_lengths;
  bool mean;
  DIOPI_HD C operator()(int64_t n) const {
    const int64_t labels = target_lengths[n];
    return mean ? losses[n] / C(labels > 1 ? labels : 1) : losses[n];
  }
};

// grad_input = (exp(log_prob) - exp(alpha and beta of the class + nll - log_prob)) * grad.
template <typename C>
struct Gradient {
  Alignments<C> in;
  Out<C> out;
  In<C> log_alpha, nll, grad;
  bool mean;
  Scratch<C> beta, sums;  // of a sample: two steps of states; a sum for each class

  DIOPI_HD void operator()(int64_t n) const {
    const int64_t steps = in.Steps(n), states = in.States(n);
    const bool dropped = in.of.zero_infinity && nll[n] == -LogOfZero<C>();
    for (int64_t step = in.of.steps - 1; step >= 0; --step) {
      if (step >= steps || dropped) {
        for (int64_t label = 0; label < in.of.classes; ++label) Set(step, n, label, C(0));
        continue;
      }
      for (int64_t label = 0; label < in.of.classes; ++label) SumOf(n, label) = LogOfZero<C>();
      for (int64_t state = states - 1; state >= 0; --state) {
        const int64_t label = in.Label(n, state);
        const C log_prob = in.LogProb(step, n, label);
        C& here = BetaOf(n, step, state);
        here = step == steps - 1 ? (state >= states - 2 ? log_prob : LogOfZero<C>())
                                 : After(n, step + 1, state, states) + log_prob;
        SumOf(n, label) = LogSum(SumOf(n, label), log_alpha[in.At(n, step, state)] + here);
      }
      for (int64_t label = 0; label < in.of.classes; ++label) Set(step, n, label, Slope(step, n, label));
    }
  }

 private:
  DIOPI_HD C& BetaOf(int64_t n, int64_t step, int64_t state) const {
    return beta[(n * 2 + step % 2) * in.of.states + state];
  }
  DIOPI_HD C& SumOf(int64_t n, int64_t label) const { return sums[n * in.of.classes + label]; }
  DIOPI_HD C After(int64_t n, int64_t step, int64_t state, int64_t states) const {
    const C none = LogOfZero<C>();
    return LogSum(BetaOf(n, step, state), state + 1 < states ? BetaOf(n, step, state + 1) : none,
                  in.Skips(n, state) ? BetaOf(n, step, state + 2) : none);
  }
  DIOPI_HD C Slope(int64_t step, int64_t n, int64_t label) const {
    using std::exp;
    const C log_prob = in.LogProb(step, n, label);
    C g = grad[n];
    if (mean) {
      const int64_t labels = in.target_lengths[n];
      g = g / C(labels > 1 ? labels : 1) / C(in.of.samples);
    }
    return (exp(log_prob) - exp(SumOf(n, label) + nll[n] - log_prob)) * g;
  }
  DIOPI_HD void Set(int64_t step, int64_t n, int64_t label, const C& value) const {
    out.Set((step * in.of.samples + n) * in.of.classes + label, value);
  }
};

Sizes3 PlanCtc(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
               const Tensor& target_lengths, const Tensor& log_alpha, int64_t blank, bool zero_infinity) {
  Check(log_probs.rank() == 3, "expected log_probs of 3 dimensions, got shape ",
        ShapeText(log_probs.shape()));
  Sizes3 of;
  of.steps = log_probs.size(0), of.samples = log_probs.size(1), of.classes = log_probs.size(2);
  CheckShape(input_lengths, {of.samples}, "input_lengths");
  CheckShape(target_lengths, {of.samples}, "target_lengths");
  Check(targets.rank() == 1 || (targets.rank() == 2 && targets.size(0) == of.samples),
        "expected targets of one dimension, or a row for each sample, got shape ",
        ShapeText(targets.shape()));
  Check(blank >= 0 && blank < of.classes, "blank ", blank, " is not a class");
  Check(log_alpha.rank() == 3 && log_alpha.size(0) == of.samples && log_alpha.size(1) == of.steps,
        "expected log_alpha of all samples and steps, got shape ", ShapeText(log_alpha.shape()));
  of.states = log_alpha.size(2);
  of.labels = targets.numel();
  of.row = targets.rank() == 2 ? targets.size(1) : 0;
  of.blank = blank;
  of.zero_infinity = zero_infinity;
  return of;
}

}  // namespace

DIOPI_KERNEL(diopiCTCLoss, a) {
  const Tensor out(a.out), nll(a.neg_log_likelihood), log_alpha(a.log_alpha), x(a.log_probs),
      targets(a.targets), steps(a.input_lengths), labels(a.target_lengths);
  const Sizes3 of = PlanCtc(x, targets, steps, labels, log_alpha, a.blank, a.zero_infinity);
  CheckShape(nll, {of.samples}, "neg_log_likelihood");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<int64_t> counts(labels);
    const Scratch<C> losses(queue, of.samples), alpha(queue, log_alpha.numel());
    const Alignments<C> in{In<C>(x), In<int64_t>(targets), In<int64_t>(steps), counts, of};
    ForEach(queue, of.samples, Forward<C>{in, Out<C>(log_alpha), alpha, Out<C>(nll), losses});
    ReduceLosses<C>(queue, out, {of.samples}, a.reduction,
                    LossOfSample<C>{losses, counts, a.reduction == ReductionMean});
  });
}

DIOPI_KERNEL(diopiCTCLossBackward, a) {
  const Tensor out(a.grad_input), g(a.grad_output), nll(a.neg_log_likelihood), log_alpha(a.log_alpha),
      x(a.log_probs), targets(a.targets), steps(a.input_lengths), labels(a.target_lengths);
  const Sizes3 of = PlanCtc(x, targets, steps, labels, log_alpha, a.blank, a.zero_infinity);
  CheckShape(nll, {of.samples}, "neg_log_likelihood");
  CheckShape(out, x.shape(), "grad_input");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Alignments<C> in{In<C>(x), In<int64_t>(targets), In<int64_t>(steps), In<int64_t>(labels), of};
    const Gradient<C> gradient{in,
                               Out<C>(out),
                               In<C>(log_alpha),
                               In<C>(nll),
                               LossGradients<C>(g, {of.samples}, a.reduction),
                               a.reduction == ReductionMean,
                               Scratch<C>(queue, of.samples * 2 * of.states),
                               Scratch<C>(queue, of.samples * of.classes)};
    ForEach(queue, of.samples, gradient);
  });
}

}  // namespace diopi::ops::both
