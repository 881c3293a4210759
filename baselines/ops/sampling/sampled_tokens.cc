// A token for each sequence, drawn from its logits: top_k_sampling, top_p_sampling. Computed in float64, as
// the distribution is judged, not its rounding. The softmax's denominator has lmdeploy's 1e-6.
#include "baselines/ops/sampling/draws.h"

namespace diopi::ops::both {
namespace {

inline constexpr double kSoftmaxEps = 1e-6;

// A tensor that callers may leave out.
template <typename Access>
struct Optional {
  bool given;
  Access at;
  template <typename Handle>  // const or not, as the access is
  explicit Optional(Handle handle) : given(handle != nullptr) {
    if (given) at = Access(Tensor(handle));
  }
  DIOPI_HD bool IsSet(int64_t b) const { return given && at[b] != 0; }
};

// What both functions have. `order` is scratch memory for the tokens of every sequence.
struct SampledBatch {
  In<double> logits;
  In<int64_t> end_ids;
  Optional<In<int64_t>> skip;
  Out<int64_t> ids;
  Optional<Out<int64_t>> finished, lengths;
  Optional<Out<double>> cum_log_probs, log_probs;
  Scratch<double> draws;
  Scratch<int64_t> order;
  int64_t batch, vocabulary, step;

  DIOPI_HD double Logit(int64_t b, int64_t place) const {
    return logits[b * vocabulary + order[b * vocabulary + place]];
  }
  // Whether the token at place x comes after that at place y: by a smaller logit, or an equal one and a
  // larger id.
  DIOPI_HD bool After(int64_t b, int64_t x, int64_t y) const {
    const double u = Logit(b, x), v = Logit(b, y);
    return u < v || (u == v && order[b * vocabulary + x] > order[b * vocabulary + y]);
  }
  DIOPI_HD void Swap(int64_t b, int64_t x, int64_t y) const {
    const int64_t token = order[b * vocabulary + x];
    order[b * vocabulary + x] = order[b * vocabulary + y];
    order[b * vocabulary + y] = token;
  }
  DIOPI_HD void SiftDown(int64_t b, int64_t root, int64_t end) const {
    for (int64_t child = 2 * root + 1; child < end; child = 2 * root + 1) {
      if (child + 1 < end && After(b, child + 1, child)) ++child;
      if (!After(b, child, root)) return;
      Swap(b, root, child);
      root = child;
    }
  }
  // Heap sort: the likeliest token first.
  DIOPI_HD void Sort(int64_t b) const {
    for (int64_t i = 0; i < vocabulary; ++i) order[b * vocabulary + i] = i;
    for (int64_t i = vocabulary / 2; i-- > 0;) SiftDown(b, i, vocabulary);
    for (int64_t end = vocabulary - 1; end > 0; --end) {
      Swap(b, 0, end);
      SiftDown(b, 0, end);
    }
  }

  // exp(logit) over that of the likeliest token, and its sum over the first `count` tokens.
  DIOPI_HD double Weight(int64_t b, int64_t place) const {
    using std::exp;
    return exp(Logit(b, place) - Logit(b, 0));
  }
  DIOPI_HD double Weights(int64_t b, int64_t count) const {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += Weight(b, i);
    return sum;
  }
  // The first place, of `count`, at which the sum of weights reaches `goal`.
  DIOPI_HD int64_t Reach(int64_t b, int64_t count, double goal) const {
    double sum = 0;
    int64_t last = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double weight = Weight(b, i);
      if (weight > 0) last = i;
      sum += weight;
      if (sum >= goal) break;
    }
    return last;
  }

  DIOPI_HD void SetToken(int64_t b, int64_t token) const { ids.Set(step * batch + b, token); }
  // What follows from the token of a sequence that was not finished.
  DIOPI_HD void Continue(int64_t b, int64_t token) const {
    SetToken(b, token);
    if (lengths.given) lengths.at.Set(b, lengths.at[b] + 1);
    if (finished.given) finished.at.Set(b, token == end_ids[b] ? 1 : 0);
  }
  DIOPI_HD void AddLogProb(int64_t b, double log_prob, double log_divisor) const {
    if (cum_log_probs.given) cum_log_probs.at.Set(b, cum_log_probs.at[b] + log_prob);
    if (log_probs.given) log_probs.at.Set(b, log_prob - log_divisor);
  }
};

struct DrawTopK {
  SampledBatch tokens;
  In<int64_t> ks;
  In<double> ps;
  DIOPI_HD void operator()(int64_t b) const {
    using std::log;
    if (tokens.skip.IsSet(b)) return;
    if (tokens.finished.IsSet(b)) return tokens.SetToken(b, tokens.end_ids[b]);
    tokens.Sort(b);
    const int64_t k = ks[b] < tokens.vocabulary ? ks[b] : tokens.vocabulary;
    const double all = tokens.Weights(b, tokens.vocabulary) + kSoftmaxEps, kept = tokens.Weights(b, k);
    const int64_t place = tokens.Reach(b, k, tokens.draws[b] * ps[b] * kept);
    tokens.AddLogProb(b, log(tokens.Weight(b, place) / all), log(kept / all));
    tokens.Continue(b, tokens.order[b * tokens.vocabulary + place]);
  }
};

struct DrawTopP {
  SampledBatch tokens;
  In<double> ps;
  DIOPI_HD void operator()(int64_t b) const {
    using std::log;
    if (tokens.skip.IsSet(b)) return;
    if (tokens.finished.IsSet(b)) {  // all logits but that of the end are masked
      tokens.AddLogProb(b, log(1 / (1 + kSoftmaxEps)), 0);
      return tokens.SetToken(b, tokens.end_ids[b]);
    }
    tokens.Sort(b);
    const double all = tokens.Weights(b, tokens.vocabulary) + kSoftmaxEps;
    const int64_t place = tokens.Reach(b, tokens.vocabulary, tokens.draws[b] * ps[b] * all);
    tokens.AddLogProb(b, log(tokens.Weight(b, place) / all), 0);
    tokens.Continue(b, tokens.order[b * tokens.vocabulary + place]);
  }
};

template <typename Args>
SampledBatch SampledBatchOf(const Queue& queue, const Args& a) {
  const Tensor ids(a.output_ids), logits(a.logits);
  const Shape batch{a.batch_size};
  CheckShape(logits, Shape{a.batch_size, a.vocab_size_padded}, "logits");
  CheckShape(a.end_ids, batch, "end_ids");
  CheckShape(a.runtime_top_p, batch, "runtime_top_p");
  for (const auto& [handle, name] : std::initializer_list<std::pair<diopiConstTensorHandle_t, const char*>>{
           {a.finished, "finished"},
           {a.sequence_lengths, "sequence_lengths"},
           {a.skip_decode, "skip_decode"},
           {a.cum_log_probs, "cum_log_probs"},
           {a.output_log_probs, "output_log_probs"}}) {
    if (handle != nullptr) CheckShape(Tensor(handle), batch, name);
  }
  Check(a.step >= 0 && (a.step + 1) * a.batch_size <= ids.numel(), "step ", a.step,
        " lies outside output_ids");
  return {In<double>(logits),
          In<int64_t>(a.end_ids),
          Optional<In<int64_t>>(a.skip_decode),
          Out<int64_t>(ids),
          Optional<Out<int64_t>>(a.finished),
          Optional<Out<int64_t>>(a.sequence_lengths),
          Optional<Out<double>>(a.cum_log_probs),
          Optional<Out<double>>(a.output_log_probs),
          TakeDraws(queue, a.generators, a.batch_size),
          Scratch<int64_t>(queue, a.batch_size * a.vocab_size_padded),
          a.batch_size,
          a.vocab_size_padded,
          a.step};
}

}  // namespace

DIOPI_KERNEL(diopiTopKSampling, a) {
  if (*a.workspace_size < 0) {
    *a.workspace_size = 0;
    return;
  }
  CheckShape(a.runtime_top_k, Shape{a.batch_size}, "runtime_top_k");
  const Queue queue(a.ctx);
  ForEach(queue, a.batch_size,
          DrawTopK{SampledBatchOf(queue, a), In<int64_t>(a.runtime_top_k), In<double>(a.runtime_top_p)});
}

DIOPI_KERNEL(diopiTopPSampling, a) {
  if (*a.workspace_size < 0 || *a.persistent_workspace_size < 0) {
    *a.workspace_size = *a.persistent_workspace_size = 0;
    return;
  }
  const Queue queue(a.ctx);
  ForEach(queue, a.batch_size, DrawTopP{SampledBatchOf(queue, a), In<double>(a.runtime_top_p)});
}

}  // namespace diopi::ops::both
