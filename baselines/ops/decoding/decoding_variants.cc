// The attention of inference as other correct libraries compute it.
#include <algorithm>
#include <limits>
#include <numeric>

#include "baselines/injected/injected.h"
#include "baselines/ops/decoding/gathered.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using injected::Gathered;
using injected::GatheredRow;
using namespace ops;  // NOLINT: this file is kernels

constexpr char kWhole[] = "diopiContextAttentionInference diopiPromptFlashAttention diopiPagedAttention";
constexpr char kValues[] = "diopiTokenSoftmaxReduceVInference";

VARIANT(attention_online16, kWhole, "", "online softmax over tiles of 16 keys, rescaled at each new maximum");
VARIANT(attention_online64, kWhole, "", "online softmax over tiles of 64 keys");
VARIANT(decoding_tiles_reversed, kWhole, "", "online softmax over tiles of 16 keys, the last first");
VARIANT(attention_split4, kWhole, "", "keys in four parts, whose results are merged by their sums: split-K");
VARIANT(attention_divided_last, kWhole, "", "weighted values are summed, then divided by the sum of weights");
VARIANT(attention_scaled_query, kWhole, "", "the query is scaled before the products");
VARIANT(attention_fma, kWhole, "", "fused multiply-add in products and weighted sums");
VARIANT(attention_backward_order, kWhole, "", "keys and elements summed from the end");
VARIANT(decoding_double, kWhole, "", "sums in double");
VARIANT(attention_p_cast, kWhole, "p_cast", "16-bit tensors: probabilities are rounded to their type");
VARIANT(token_values_online16, kValues, "", "online softmax over tiles of 16 tokens");
VARIANT(token_values_split4, kValues, "", "tokens in four parts, whose results are merged: split-K");
VARIANT(token_values_divided_last, kValues, "",
        "weighted values are summed, then divided by the sum of weights");
VARIANT(token_values_p_cast, kValues, "p_cast", "16-bit tensors: probabilities are rounded to their type");
VARIANT(token_scores_fma, "diopiTokenAttentionInference", "", "fused multiply-add in the products");
VARIANT(token_scores_lanes8, "diopiTokenAttentionInference", "", "products in eight lanes");
VARIANT(token_scores_divided, "diopiTokenAttentionInference", "",
        "divided by the root of dim, not multiplied");

// How scores become a result.
struct Way {
  int64_t tile = 0;  // online softmax
  bool reversed = false, divided_last = false, fma = false, wide = false, split = false;
  diopiDtype_t weights = diopi_dtype_unsupported;  // rounded to this type
};

// A part of the keys: the largest score, the sum of weights, the weighted values.
template <typename C>
struct Part {
  C most = -std::numeric_limits<C>::infinity(), sum = 0;
  std::vector<C> values;
};

template <typename C, typename Value>
void AddTile(const std::vector<C>& scores, int64_t begin, int64_t end, const Way& way, Value&& value,
             Part<C>* part) {
  C most = part->most;
  for (int64_t j = begin; j < end; ++j) most = std::max(most, scores[static_cast<size_t>(j)]);
  const C kept = std::exp(part->most - most);
  part->most = most;
  part->sum *= kept;
  for (C& x : part->values) x *= kept;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t j = way.reversed ? begin + end - 1 - i : i;
    const C weight = std::exp(scores[static_cast<size_t>(j)] - most);
    part->sum += weight;
    const C rounded = Stored(way.weights, weight);
    for (size_t d = 0; d < part->values.size(); ++d) {
      C& x = part->values[d];
      x = way.fma ? std::fma(rounded, value(j, d), x) : x + rounded * value(j, d);
    }
  }
}

template <typename C, typename Value>
std::vector<C> Online(const std::vector<C>& scores, const Way& way, size_t dim, Value&& value) {
  Part<C> all{.values = std::vector<C>(dim)};
  const auto count = static_cast<int64_t>(scores.size());
  const int64_t tile = way.split ? std::max<int64_t>(1, (count + 3) / 4) : way.tile;
  const int64_t tiles = (count + tile - 1) / tile;
  for (int64_t t = 0; t < tiles; ++t) {
    const int64_t at = way.reversed ? tiles - 1 - t : t;
    const int64_t begin = at * tile, end = std::min(count, begin + tile);
    if (!way.split) {
      AddTile(scores, begin, end, way, value, &all);
      continue;
    }
    Part<C> part{.values = std::vector<C>(dim)};
    AddTile(scores, begin, end, way, value, &part);
    const C most = std::max(all.most, part.most), old = std::exp(all.most - most),
            fresh = std::exp(part.most - most);
    all.sum = all.sum * old + part.sum * fresh;
    for (size_t d = 0; d < dim; ++d) all.values[d] = all.values[d] * old + part.values[d] * fresh;
    all.most = most;
  }
  for (C& x : all.values) x /= all.sum;
  return all.values;
}

template <typename C, typename Value>
std::vector<C> WeightedMean(const std::vector<C>& scores, const Way& way, size_t dim, Value&& value) {
  if (way.tile > 0 || way.split) return Online(scores, way, dim, value);
  const C most = *std::max_element(scores.begin(), scores.end());
  std::vector<C> weights;
  C sum = 0;
  for (const C score : scores) sum += weights.emplace_back(std::exp(score - most));
  std::vector<C> result;
  for (size_t d = 0; d < dim; ++d) {
    Wide<C> wide = 0;
    C narrow = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const size_t j = way.reversed ? scores.size() - 1 - i : i;
      const C p = Stored(way.weights, way.divided_last ? weights[j] : weights[j] / sum);
      const C v = value(static_cast<int64_t>(j), d);
      wide += static_cast<Wide<C>>(p) * static_cast<Wide<C>>(v);
      narrow = way.fma ? std::fma(p, v, narrow) : narrow + p * v;
    }
    const C total = way.wide ? static_cast<C>(wide) : narrow;
    result.push_back(way.divided_last ? total / sum : total);
  }
  return result;
}

template <typename C>
C Score(const Gathered<C>& g, const GatheredRow& row, size_t j, const Way& way) {
  Wide<C> wide = 0;
  C narrow = 0;
  for (int64_t i = 0; i < g.dim; ++i) {
    const int64_t d = way.reversed ? g.dim - 1 - i : i;
    const C x = g.At(g.q, row.query + d) * (attention_scaled_query ? g.scale : C(1)),
            y = g.At(g.k, row.keys[j] + d);
    wide += static_cast<Wide<C>>(x) * static_cast<Wide<C>>(y);
    narrow = way.fma ? std::fma(x, y, narrow) : narrow + x * y;
  }
  return (way.wide ? static_cast<C>(wide) : narrow) * (attention_scaled_query ? C(1) : g.scale);
}

Way WayOf(diopiDtype_t dtype) {
  Way way;
  if (attention_online16 || decoding_tiles_reversed || token_values_online16) way.tile = 16;
  if (attention_online64) way.tile = 64;
  way.split = attention_split4 || token_values_split4;
  way.reversed = decoding_tiles_reversed || attention_backward_order;
  way.divided_last = attention_divided_last || token_values_divided_last;
  way.fma = static_cast<bool>(attention_fma);
  way.wide = static_cast<bool>(decoding_double);
  if (attention_p_cast || token_values_p_cast) way.weights = dtype;
  return way;
}

bool IsOn() {
  return attention_online16 || attention_online64 || decoding_tiles_reversed || attention_split4 ||
         attention_divided_last || attention_scaled_query || attention_fma || attention_backward_order ||
         decoding_double || attention_p_cast;
}

template <typename Args>
bool Recomputed(const Args& a, diopiTensorHandle_t out) {
  if (!IsOn()) return false;
  const Tensor view(out);
  const Way way = WayOf(view.dtype());
  DispatchReal(view.dtype(), [&]<typename C>() {
    Gathered<C> g = injected::Gather<C>(a);
    for (const GatheredRow& row : g.rows) {
      std::vector<C> scores;
      for (size_t j = 0; j < row.keys.size(); ++j) scores.push_back(Score(g, row, j, way));
      const std::vector<C> mean =
          WeightedMean(scores, way, static_cast<size_t>(g.dim), [&](int64_t j, size_t d) {
            return g.At(g.v, row.keys[static_cast<size_t>(j)] + static_cast<int64_t>(d));
          });
      std::copy(mean.begin(), mean.end(), g.out.begin() + row.out);
    }
    Store(view, g.out);
  });
  return true;
}

void ReduceValues(const diopiTokenSoftmaxReduceVInferenceArgs& a) {
  const Tensor v(a.v), out(a.out), table(a.b_loc), given(a.logics);
  const int64_t heads = v.size(1), dim = v.size(2);
  const std::vector<int64_t> starts = Load<int64_t>(Tensor(a.b_start_loc)),
                             lengths = Load<int64_t>(Tensor(a.b_seq_len)), places = Load<int64_t>(table);
  const Way way = WayOf(out.dtype());
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(v), all = Load<C>(given);
    std::vector<C> result;
    for (size_t b = 0; b < lengths.size(); ++b) {
      const std::vector<int64_t> slots =
          injected::Slots(places, table.size(1), static_cast<int64_t>(b), lengths[b], a.max_input_len, {});
      for (int64_t h = 0; h < heads; ++h) {
        const auto first = all.begin() + h * given.size(1) + starts[b];
        const std::vector<C> scores(first, first + lengths[b]);
        const std::vector<C> mean =
            WeightedMean(scores, way, static_cast<size_t>(dim), [&](int64_t j, size_t d) {
              return values[static_cast<size_t>((slots[static_cast<size_t>(j)] * heads + h) * dim) + d];
            });
        result.insert(result.end(), mean.begin(), mean.end());
      }
    }
    Store(out, result);
  });
}

void ScoreTokens(const diopiTokenAttentionInferenceArgs& a) {
  const Tensor q(a.q), out(a.token_attention_out), table(a.b_loc);
  const int64_t heads = q.size(1), dim = q.size(2);
  const std::vector<int64_t> starts = Load<int64_t>(Tensor(a.b_start_loc)),
                             lengths = Load<int64_t>(Tensor(a.b_seq_len)), places = Load<int64_t>(table);
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> queries = Load<C>(q), keys = Load<C>(Tensor(a.k));
    std::vector<C> result(static_cast<size_t>(out.numel()));
    for (size_t b = 0; b < lengths.size(); ++b) {
      const std::vector<int64_t> slots =
          injected::Slots(places, table.size(1), static_cast<int64_t>(b), lengths[b], a.max_input_len, {});
      for (int64_t at = 0; at < lengths[b] * heads; ++at) {
        const int64_t j = at / heads, h = at % heads;
        C lanes[8] = {}, sum = 0;
        for (int64_t d = 0; d < dim; ++d) {
          const C x = queries[static_cast<size_t>((static_cast<int64_t>(b) * heads + h) * dim + d)];
          const C y = keys[static_cast<size_t>((slots[static_cast<size_t>(j)] * heads + h) * dim + d)];
          C& lane = token_scores_lanes8 ? lanes[d % 8] : sum;
          lane = token_scores_fma ? std::fma(x, y, lane) : lane + x * y;
        }
        for (const C lane : lanes) sum += lane;
        const C root = std::sqrt(static_cast<C>(dim));
        result[static_cast<size_t>(h * out.size(1) + starts[b] + j)] =
            token_scores_divided ? sum / root : sum * (C(1) / root);
      }
    }
    Store(out, result);
  });
}

}  // namespace
}  // namespace diopi::variants

DIOPI_OVERRIDE(diopiContextAttentionInference, a) {
  if (!diopi::variants::Recomputed(a, a.context_attention_out)) Good(a);
}

DIOPI_OVERRIDE(diopiPromptFlashAttention, a) {
  if (!diopi::variants::Recomputed(a, a.out)) Good(a);
}

DIOPI_OVERRIDE(diopiPagedAttention, a) {
  if (!diopi::variants::Recomputed(a, a.out)) Good(a);
}

DIOPI_OVERRIDE(diopiTokenSoftmaxReduceVInference, a) {
  using namespace diopi::variants;  // NOLINT: this file is kernels
  if (token_values_online16 || token_values_split4 || token_values_divided_last || token_values_p_cast) {
    return ReduceValues(a);
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiTokenAttentionInference, a) {
  using namespace diopi::variants;  // NOLINT: this file is kernels
  if (token_scores_fma || token_scores_lanes8 || token_scores_divided) return ScoreTokens(a);
  Good(a);
}
