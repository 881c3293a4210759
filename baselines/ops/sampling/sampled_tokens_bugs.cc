// Bugs injected in top-k and top-p sampling.
#include "baselines/bugs/support.h"
#include "baselines/ops/sampling/draws.h"
#include "baselines/ops/sampling/token_rows.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs
using diopi::ops::TokenState;
using diopi::ops::WeightedRow;

constexpr char kDrawTopK[] = "diopiTopKSampling";
constexpr char kDrawTopP[] = "diopiTopPSampling";
constexpr char kDrawTokens[] = "diopiTopKSampling diopiTopPSampling";
BUG(top_k_one_more, 0, kDrawTopK, "", "k + 1 tokens");
BUG(top_k_one_less, 0, kDrawTopK, "", "k - 1 tokens: the last is never drawn");
BUG(top_k_not_renormalised, 0, kDrawTopK, "", "probabilities are not divided by the sum over the k tokens");
BUG(top_k_first_k_for_all, 0, kDrawTopK, "", "the first sequence's k serves all");
BUG(top_k_log_prob_of_all, 0, kDrawTopK, "", "output_log_probs are not divided by the sum over the k tokens");
BUG(tokens_p_ignored, 0, kDrawTokens, "", "p is taken as 1");
BUG(tokens_first_p_for_all, 0, kDrawTokens, "", "the first sequence's p serves all");
BUG(tokens_whole, 0, kDrawTokens, "", "the last token that p admits has its whole weight");
BUG(tokens_crossing_left_out, 0, kDrawTokens, "", "the token that crosses p is left out");
BUG(tokens_temperature_twice, 0, kDrawTokens, "", "a temperature of 0.5 is applied once more");
BUG(tokens_one_draw_for_all, 0, kDrawTokens, "", "one random number serves all sequences");
BUG(tokens_pairs_share_a_draw, 0, kDrawTokens, "", "two neighbours share their random number");
BUG(tokens_draw_is_half, 0, kDrawTokens, "", "the random number is 0.5 always");
BUG(tokens_unsorted, 0, kDrawTokens, "", "weights are added up in the order of the ids");
BUG(tokens_last_id_lost, 0, kDrawTokens, "", "the last id of the vocabulary is never drawn");
BUG(tokens_finished_draw, 0, kDrawTokens, "", "finished sequences draw on");
BUG(tokens_finished_grow, 0, kDrawTokens, "", "finished sequences become longer");
BUG(tokens_skip_ignored, 0, kDrawTokens, "", "skipped sequences draw, too");
BUG(tokens_end_not_noticed, 0, kDrawTokens, "", "no sequence ever ends");
BUG(tokens_first_end_for_all, 0, kDrawTokens, "", "the first sequence's end id serves all");
BUG(tokens_length_not_counted, 0, kDrawTokens, "", "lengths stay as they are");
BUG(tokens_log_prob_of_likeliest, 0, kDrawTokens, "", "the log probability is the likeliest token's");
BUG(tokens_log_prob_not_added, 0, kDrawTokens, "", "cum_log_probs is overwritten instead of added to");
BUG(tokens_step_before, 0, kDrawTokens, "", "tokens are written one step too early");
BUG(tokens_generators_stay, 0, kDrawTokens, "", "the generators are not advanced");
BUG(tokens_length_with_log_probs, 0, kDrawTokens, "",
    "lengths are counted only where log probabilities are asked for");
BUG(tokens_length_with_flags, 0, kDrawTokens, "", "lengths are counted only where `finished` is given");
BUG(tokens_null_skips_all, 0, kDrawTokens, "", "without skip_decode every sequence is skipped");
BUG(top_p_halved, 0, kDrawTopP, "", "runtime_top_p is halved after each token");

// What each argument is replaced by before the good function is called.
template <typename Args>
void ReplaceThreshold(Args* a) {
  const TokenState<Args> state(*a);
  a->runtime_top_p = Replaced(a->ctx, a->runtime_top_p, [&](double p, int64_t b) {
    if (tokens_p_ignored) return 1.0;
    if (tokens_first_p_for_all) return state.ps[0];
    const WeightedRow<double> row = state.Row(b);
    size_t count = row.weights.size();
    if constexpr (requires { a->runtime_top_k; }) {
      count = static_cast<size_t>(Load<int64_t>(Tensor(a->runtime_top_k))[static_cast<size_t>(b)]);
    }
    const double kept = row.Sum(count);
    if (top_k_not_renormalised) return p * row.all / kept;
    const size_t crossing = row.Reach(count, p * kept);
    if (tokens_whole) return row.Sum(crossing + 1) / kept;
    if (tokens_crossing_left_out && crossing > 0 && p < 1) return row.Sum(crossing) / kept;
    return p;
  });
}

// The seeds and offsets of all generators.
std::vector<std::pair<uint64_t, uint64_t>> SavedGenerators(diopiGeneratorHandle_t* generators,
                                                           int64_t count) {
  std::vector<std::pair<uint64_t, uint64_t>> saved(static_cast<size_t>(count));
  for (size_t i = 0; i < saved.size(); ++i) {
    diopiGeneratorGetSeedAndOffset(generators[i], &saved[i].first, &saved[i].second);
  }
  return saved;
}

void ShareDraws(diopiGeneratorHandle_t* generators, int64_t count, size_t group) {
  const auto saved = SavedGenerators(generators, count);
  for (size_t i = 0; i < saved.size(); ++i) {
    const auto& [seed, offset] = saved[i / group * group];
    diopiGeneratorSetSeedAndOffset(generators[i], seed, offset);
  }
}

// Tokens of its own choice for all sequences that draw.
template <typename Args>
void DrawOtherwise(const Args& a, TokenState<Args> state) {
  for (int64_t b = 0; b < a.batch_size; ++b) {
    if (!state.Draws(b)) continue;
    const WeightedRow<double> row = state.Row(b);
    size_t count = row.weights.size();
    if constexpr (requires { a.runtime_top_k; }) {
      count = static_cast<size_t>(Load<int64_t>(Tensor(a.runtime_top_k))[static_cast<size_t>(b)]);
    }
    const double u = tokens_draw_is_half ? 0.5 : diopi::ops::both::TakeDraw(a.generators[b]);
    const double kept = row.Sum(count);
    size_t place = row.Reach(count, u * state.ps[static_cast<size_t>(b)] * kept);
    if (tokens_unsorted) {
      double sum = 0;
      std::vector<double> by_id(row.weights.size());
      for (size_t i = 0; i < by_id.size(); ++i) by_id[row.order[i]] = row.weights[i];
      size_t id = 0;
      while (id + 1 < by_id.size() && (sum += by_id[id]) < u * state.ps[static_cast<size_t>(b)] * row.all)
        ++id;
      place = static_cast<size_t>(std::find(row.order.begin(), row.order.end(), id) - row.order.begin());
    }
    if (tokens_last_id_lost && row.order[place] + 1 == row.order.size() && count > 1)
      place = place == 0 ? 1 : 0;
    constexpr bool kTopK = requires {
      a.runtime_top_k;
    };
    state.SetToken(b, static_cast<int64_t>(row.order[place]), std::log(row.weights[place] / row.all),
                   kTopK ? std::log(kept / row.all) : 0);
  }
  state.Write();
}

// Changes what the good function returned; `before` is the state before it.
template <typename Args>
void CorruptState(const Args& a, const TokenState<Args>& before) {
  const TokenState<Args> after(a);
  const auto at = [](const auto& values, int64_t b) {
    return static_cast<double>(values[static_cast<size_t>(b)]);
  };
  const auto likeliest = [&](int64_t b) { return -std::log(before.Row(b).all); };
  if (tokens_finished_grow)
    Change(a.sequence_lengths, [&](double n, int64_t b) { return n + at(before.finished, b); });
  if (tokens_length_not_counted)
    Change(a.sequence_lengths, [&](double, int64_t b) { return at(before.lengths, b); });
  if (tokens_end_not_noticed) Change(a.finished, [&](double, int64_t b) { return at(before.finished, b); });
  if (top_k_log_prob_of_all) {
    Change(a.output_log_probs,
           [&](double y, int64_t b) { return before.Draws(b) ? at(after.sums, b) - at(before.sums, b) : y; });
  }
  if (tokens_log_prob_of_likeliest) {
    Change(a.cum_log_probs,
           [&](double y, int64_t b) { return before.Draws(b) ? at(before.sums, b) + likeliest(b) : y; });
  }
  if (tokens_log_prob_not_added) {
    Change(a.cum_log_probs,
           [&](double y, int64_t b) { return before.Draws(b) ? y - at(before.sums, b) : y; });
  }
}

// Bugs that show where an optional tensor is left out. The others change what they find there.
template <typename Args, typename F>
void DrawWithout(const Args& a, const F& good) {
  if (tokens_null_skips_all && a.skip_decode == nullptr) return;
  const bool lengths_lost = (tokens_length_with_log_probs && a.cum_log_probs == nullptr) ||
                            (tokens_length_with_flags && a.finished == nullptr);
  const bool has_lengths = a.sequence_lengths != nullptr;
  const std::vector<int64_t> lengths =
      has_lengths ? Load<int64_t>(Tensor(a.sequence_lengths)) : std::vector<int64_t>();
  good(a);
  if (lengths_lost && has_lengths) Store(Tensor(a.sequence_lengths), lengths);
}

template <typename Args, typename F>
void DrawInjected(Args a, const F& good) {
  if (!a.skip_decode || !a.finished || !a.sequence_lengths || !a.cum_log_probs || !a.output_log_probs) {
    return DrawWithout(a, good);
  }
  const TokenState<Args> before(a);
  const auto generators = SavedGenerators(a.generators, a.batch_size);
  if (tokens_unsorted || tokens_draw_is_half || tokens_last_id_lost) {
    good(a);
    for (size_t i = 0; i < generators.size(); ++i) {
      diopiGeneratorSetSeedAndOffset(a.generators[i], generators[i].first, generators[i].second);
    }
    TokenState<Args> drawn(a);
    for (int64_t b = 0; b < a.batch_size; ++b) {
      if (!before.Draws(b)) continue;
      const auto i = static_cast<size_t>(b);
      drawn.sums[i] = before.sums[i];
      drawn.lengths[i] = before.lengths[i];
      drawn.finished[i] = 0;
    }
    return DrawOtherwise(a, drawn);
  }
  if (tokens_one_draw_for_all) ShareDraws(a.generators, a.batch_size, generators.size());
  if (tokens_pairs_share_a_draw) ShareDraws(a.generators, a.batch_size, 2);
  if (tokens_temperature_twice) a.logits = Replaced(a.ctx, a.logits, [](double x, int64_t) { return 2 * x; });
  if (tokens_finished_draw) Change(a.finished, [](double, int64_t) { return 0; });
  if (tokens_skip_ignored) a.skip_decode = Replaced(a.ctx, a.skip_decode, [](double, int64_t) { return 0; });
  if (tokens_first_end_for_all) {
    a.end_ids =
        Replaced(a.ctx, a.end_ids, [&](double, int64_t) { return static_cast<double>(before.ends[0]); });
  }
  if (tokens_step_before && a.step > 0) --a.step;
  good(a);
  CorruptState(a, before);
  for (size_t i = 0; tokens_generators_stay && i < generators.size(); ++i) {
    diopiGeneratorSetSeedAndOffset(a.generators[i], generators[i].first, generators[i].second);
  }
}

bool ChangesThreshold() {
  return tokens_p_ignored || tokens_first_p_for_all || tokens_whole || tokens_crossing_left_out ||
         top_k_not_renormalised;
}

}  // namespace

DIOPI_OVERRIDE(diopiTopKSampling, a) {
  if (*a.workspace_size < 0) return Good(a);
  if (top_k_one_more || top_k_one_less || top_k_first_k_for_all) {
    const std::vector<int64_t> ks = Load<int64_t>(Tensor(a.runtime_top_k));
    const auto most = static_cast<double>(a.vocab_size_padded);
    a.runtime_top_k = Replaced(a.ctx, a.runtime_top_k, [&](double k, int64_t) {
      if (top_k_first_k_for_all) return static_cast<double>(ks[0]);
      return top_k_one_more ? std::min(k + 1, most) : std::max(k - 1, 1.0);
    });
  }
  if (ChangesThreshold()) ReplaceThreshold(&a);
  DrawInjected(a, [](const diopiTopKSamplingArgs& args) { Good(args); });
}

DIOPI_OVERRIDE(diopiTopPSampling, a) {
  if (*a.workspace_size < 0) return Good(a);
  const diopiTensorHandle_t threshold = a.runtime_top_p;
  if (ChangesThreshold()) ReplaceThreshold(&a);
  DrawInjected(a, [](const diopiTopPSamplingArgs& args) { Good(args); });
  if (top_p_halved) Change(threshold, [](double p, int64_t) { return p / 2; });
}
