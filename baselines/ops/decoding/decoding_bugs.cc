// Bugs injected in the attention of inference.
#include <algorithm>
#include <limits>

#include "baselines/bugs/support.h"
#include "baselines/ops/decoding/gathered.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else
using diopi::injected::Gather;
using diopi::injected::Gathered;
using diopi::injected::GatheredRow;
using diopi::injected::Listing;

namespace {

constexpr char kContext[] = "diopiContextAttentionInference";
constexpr char kPrompt[] = "diopiPromptFlashAttention";
constexpr char kPaged[] = "diopiPagedAttention";
constexpr char kGrouped[] = "diopiPromptFlashAttention diopiPagedAttention";
constexpr char kScores[] = "diopiTokenAttentionInference";
constexpr char kValues[] = "diopiTokenSoftmaxReduceVInference";
constexpr char kTables[] = "diopiTokenAttentionInference diopiTokenSoftmaxReduceVInference";
constexpr char kWhole[] = "diopiContextAttentionInference diopiPromptFlashAttention diopiPagedAttention";

BUG(attention_sees_next, 0, "diopiContextAttentionInference diopiPromptFlashAttention", "",
    "the mask is off by one: a query sees the key after its own");
BUG(attention_misses_own, 0, kContext, "", "the mask is off by one: a query does not see its own key");
BUG(attention_sees_sequence_before, 0, kContext, "", "the last row of the sequence before takes part");
BUG(attention_starts_summed, 0, kContext, "", "a sequence's rows follow those of the sequence before");
BUG(attention_without_scale, 0, kWhole, "", "scores are not divided by the root of dim");
BUG(attention_scale_linear, 0, kWhole, "", "scores are divided by dim");
BUG(attention_without_max, 0, kWhole, "", "the largest score is not subtracted: exp overflows");
BUG(attention_not_rescaled, 0, kWhole, "",
    "online softmax does not rescale for the maximum of a later block of 16");
BUG(attention_tail_lost, 0, kWhole, "", "keys after the last whole block of 32 are lost");
BUG(attention_half_accumulator, 0, kWhole, "", "results are summed in the tensors' own 16-bit type");
BUG(attention_half_scores, 0, kWhole, "", "scores are summed in the tensors' own 16-bit type");
BUG(attention_dim_tail_lost, 0, kWhole, "",
    "elements of a head after whole vectors of 8 do not count for scores");
BUG(attention_last_block_twice, 0, kWhole, "", "the last key of more than 8 counts twice");
BUG(attention_heads_in_turns, 0, kGrouped, "", "heads share keys in turns, not in groups");
BUG(decoding_mask_ignored, 0, kGrouped, "", "the mask is ignored");
BUG(attention_first_mask, 0, kPrompt, "", "the first sequence's mask serves all");
BUG(paged_blocks_in_order, 0, kPaged, "", "block_table is ignored: blocks are taken in order");
BUG(paged_first_table, 0, kPaged, "", "the first sequence's blocks serve all");
BUG(paged_last_block_lost, 0, kPaged, "", "the last of several blocks is lost");
BUG(paged_whole_blocks, 0, kPaged, "", "rows after a sequence's last token take part, up to the block's end");
BUG(paged_first_length, 0, kPaged, "", "the first sequence's length serves all");
BUG(token_left_aligned, 0, kTables, "", "b_loc is read from its first column on");
BUG(token_right_aligned, 0, kTables, "", "b_loc is read up to its last column");
BUG(token_first_table, 0, kTables, "", "the first sequence's slots serve all");
BUG(token_starts_summed, 0, kTables, "",
    "b_start_loc is ignored: columns follow those of the sequence before");
BUG(token_without_scale, 0, kScores, "", "scores are not divided by the root of dim");
BUG(token_half_scores, 0, kScores, "", "scores are summed in the tensors' own 16-bit type");
BUG(token_last_unwritten, 0, kScores, "", "the last score of each sequence is not written");
BUG(token_extra_token, 0, kValues, "", "other_kv_index counts as one more token, with a score of 0");
BUG(token_without_max, 0, kValues, "", "the largest score is not subtracted: exp overflows");
BUG(token_tail_lost, 0, kValues, "", "tokens after the last whole block of 32 are lost");
BUG(token_half_accumulator, 0, kValues, "", "values are summed in the tensors' own 16-bit type");
BUG(token_stale_slot, 0, kValues, "", "the value of a sequence's newest token is the one before's");

// What is summed, and in which type.
struct Summing {
  diopiDtype_t scores = diopi_dtype_float64, values = diopi_dtype_float64;
  bool without_max = false, not_rescaled = false, tail_lost = false;
};

double Most(const std::vector<double>& scores, const Summing& how) {
  if (how.without_max) return 0;
  double most = -std::numeric_limits<double>::infinity();
  for (const double score : scores) most = std::max(most, score);
  return most;
}

// Weights that are not divided by their sum yet.
std::vector<double> Weights(const std::vector<double>& scores, const Summing& how) {
  std::vector<double> weights;
  double most = Most(scores, how);
  for (size_t j = 0; j < scores.size(); ++j) {
    // Without the rescaling, each block's weights are relative to the maximum that was known then.
    if (how.not_rescaled && j % 16 == 0) {
      most = Most({scores.begin(), scores.begin() + static_cast<long>(std::min(j + 16, scores.size()))}, how);
    }
    weights.push_back(static_cast<double>(std::exp(static_cast<float>(scores[j] - most))));
  }
  return weights;
}

// The weighted mean of values, value(j) for each element.
template <typename Value>
double Mean(const std::vector<double>& weights, const Summing& how, Value&& value) {
  double sum = 0, total = 0;
  for (size_t j = 0; j < weights.size(); ++j) total += weights[j];
  for (size_t j = 0; j < weights.size(); ++j)
    sum = RoundedTo(how.values, sum + weights[j] / total * value(j));
  return sum;
}

void DropTail(std::vector<int64_t>* keys) {
  if (keys->size() > 32) keys->resize(keys->size() / 32 * 32);
}

void Solve(Gathered<double>* g, const Summing& how) {
  if (attention_without_scale) g->scale = 1;
  if (attention_scale_linear) g->scale = 1 / static_cast<double>(g->dim);
  for (GatheredRow& row : g->rows) {
    if (attention_tail_lost) DropTail(&row.keys);
    if (attention_last_block_twice && row.keys.size() > 8) row.keys.push_back(row.keys.back());
    std::vector<double> scores;
    for (size_t j = 0; j < row.keys.size(); ++j) {
      double sum = 0;
      for (int64_t d = 0; d < (attention_dim_tail_lost && g->dim > 8 ? g->dim / 8 * 8 : g->dim); ++d) {
        sum = RoundedTo(how.scores, sum + g->At(g->q, row.query + d) * g->At(g->k, row.keys[j] + d));
      }
      scores.push_back(sum * g->scale);
    }
    const std::vector<double> weights = Weights(scores, how);
    for (int64_t d = 0; d < g->dim; ++d) {
      g->out[static_cast<size_t>(row.out + d)] =
          Mean(weights, how, [&](size_t j) { return g->At(g->v, row.keys[j] + d); });
    }
  }
}

bool Whole() {
  return attention_without_scale || attention_scale_linear || attention_without_max ||
         attention_not_rescaled || attention_tail_lost || attention_half_accumulator ||
         attention_half_scores || attention_dim_tail_lost || attention_last_block_twice;
}

// Computes the function again, if one of its bugs is on.
template <typename Args>
bool Recomputed(const Args& a, diopiTensorHandle_t out, const Listing& list, bool on) {
  if (!on && !Whole()) return false;
  Summing how;
  if (attention_half_scores) how.scores = DtypeOf(out);
  if (attention_half_accumulator) how.values = DtypeOf(out);
  how.without_max = static_cast<bool>(attention_without_max);
  how.not_rescaled = static_cast<bool>(attention_not_rescaled);
  Gathered<double> g = Gather<double>(a, list);
  Solve(&g, how);
  Store(Tensor(out), g.out);
  return true;
}

Listing TableListing() {
  Listing list;
  list.left_aligned = static_cast<bool>(token_left_aligned);
  list.right_aligned = static_cast<bool>(token_right_aligned);
  list.first_table = static_cast<bool>(token_first_table);
  return list;
}

// A b_loc with the slots that a bug reads where the good function reads.
diopiConstTensorHandle_t WrongTable(diopiContextHandle_t ctx, diopiConstTensorHandle_t b_loc,
                                    diopiConstTensorHandle_t b_seq_len, int64_t longest) {
  const Tensor view(b_loc);
  const std::vector<int64_t> lengths = Load<int64_t>(Tensor(b_seq_len)), table = Load<int64_t>(view);
  std::vector<int64_t> wrong = table;
  for (size_t b = 0; b < lengths.size(); ++b) {
    const std::vector<int64_t> slots = diopi::injected::Slots(table, view.size(1), static_cast<int64_t>(b),
                                                              lengths[b], longest, TableListing());
    std::copy(slots.begin(), slots.end(),
              wrong.begin() + static_cast<int64_t>(b) * view.size(1) + longest - lengths[b]);
  }
  diopiTensorHandle_t copy = NewTensor(ctx, view.shape(), view.dtype());
  Store(Tensor(copy), wrong);
  return copy;
}

diopiConstTensorHandle_t SummedStarts(diopiContextHandle_t ctx, diopiConstTensorHandle_t b_seq_len) {
  int64_t sum = 0;
  std::vector<int64_t> starts;
  for (const int64_t length : Load<int64_t>(Tensor(b_seq_len))) {
    starts.push_back(sum);
    sum += length;
  }
  diopiTensorHandle_t copy = NewTensor(ctx, ShapeOf(b_seq_len), DtypeOf(b_seq_len));
  Store(Tensor(copy), starts);
  return copy;
}

template <typename Args>
void ChangeTables(Args* a) {
  if (token_left_aligned || token_right_aligned || token_first_table) {
    a->b_loc = WrongTable(a->ctx, a->b_loc, a->b_seq_len, a->max_input_len);
  }
  if (token_starts_summed) a->b_start_loc = SummedStarts(a->ctx, a->b_seq_len);
}

// Scores with their own bugs.
void ScoreTokens(const diopiTokenAttentionInferenceArgs& a) {
  const Tensor q(a.q), out(a.token_attention_out), table(a.b_loc);
  const int64_t heads = q.size(1), dim = q.size(2);
  const std::vector<int64_t> starts = Load<int64_t>(Tensor(a.b_start_loc)),
                             lengths = Load<int64_t>(Tensor(a.b_seq_len)), places = Load<int64_t>(table);
  const std::vector<double> queries = Load<double>(q), keys = Load<double>(Tensor(a.k));
  const diopiDtype_t type = token_half_scores ? q.dtype() : diopi_dtype_float64;
  const double scale = token_without_scale ? 1 : 1 / std::sqrt(static_cast<double>(dim));
  std::vector<double> result(static_cast<size_t>(out.numel()));
  for (size_t b = 0; b < lengths.size(); ++b) {
    const std::vector<int64_t> slots = diopi::injected::Slots(places, table.size(1), static_cast<int64_t>(b),
                                                              lengths[b], a.max_input_len, {});
    for (size_t j = 0; j < slots.size(); ++j) {
      for (int64_t h = 0; h < heads; ++h) {
        double sum = 0;
        for (int64_t d = 0; d < dim; ++d) {
          sum = RoundedTo(
              type, sum + queries[static_cast<size_t>((static_cast<int64_t>(b) * heads + h) * dim + d)] *
                              keys[static_cast<size_t>((slots[j] * heads + h) * dim + d)]);
        }
        result[static_cast<size_t>(h * out.size(1) + starts[b] + static_cast<int64_t>(j))] = sum * scale;
      }
    }
  }
  Store(out, result);
}

// softmax(scores) v with its own bugs, in double.
void ReduceValues(const diopiTokenSoftmaxReduceVInferenceArgs& a) {
  const Tensor v(a.v), out(a.out), table(a.b_loc), given(a.logics);
  const int64_t heads = v.size(1), dim = v.size(2);
  const std::vector<int64_t> starts = Load<int64_t>(Tensor(a.b_start_loc)),
                             lengths = Load<int64_t>(Tensor(a.b_seq_len)), places = Load<int64_t>(table);
  const std::vector<double> values = Load<double>(v), all = Load<double>(given);
  std::vector<double> result;
  Summing how;
  how.without_max = static_cast<bool>(token_without_max);
  if (token_half_accumulator) how.values = out.dtype();
  for (size_t b = 0; b < lengths.size(); ++b) {
    std::vector<int64_t> slots = diopi::injected::Slots(places, table.size(1), static_cast<int64_t>(b),
                                                        lengths[b], a.max_input_len, {});
    if (token_tail_lost) DropTail(&slots);
    if (token_stale_slot && slots.size() > 1) slots.back() = slots[slots.size() - 2];
    for (int64_t h = 0; h < heads; ++h) {
      const auto first = all.begin() + h * given.size(1) + starts[b];
      std::vector<double> scores(first, first + static_cast<long>(slots.size()));
      std::vector<int64_t> with = slots;
      if (token_extra_token) {
        scores.push_back(0);
        with.push_back(a.other_kv_index);
      }
      const std::vector<double> weights = Weights(scores, how);
      for (int64_t d = 0; d < dim; ++d) {
        result.push_back(Mean(weights, how, [&](size_t j) {
          return values[static_cast<size_t>((with[j] * heads + h) * dim + d)];
        }));
      }
    }
  }
  Store(out, result);
}

}  // namespace

DIOPI_OVERRIDE(diopiContextAttentionInference, a) {
  Listing list;
  list.sees_next = static_cast<bool>(attention_sees_next);
  list.misses_own = static_cast<bool>(attention_misses_own);
  list.sees_before = static_cast<bool>(attention_sees_sequence_before);
  list.starts_summed = static_cast<bool>(attention_starts_summed);
  const bool on = list.sees_next || list.misses_own || list.sees_before || list.starts_summed;
  if (!Recomputed(a, a.context_attention_out, list, on)) Good(a);
}

DIOPI_OVERRIDE(diopiPromptFlashAttention, a) {
  Listing list;
  list.sees_next = static_cast<bool>(attention_sees_next);
  list.heads_in_turns = static_cast<bool>(attention_heads_in_turns);
  list.mask_ignored = static_cast<bool>(decoding_mask_ignored);
  list.first_mask = static_cast<bool>(attention_first_mask);
  const bool on = list.sees_next || list.heads_in_turns || list.mask_ignored || list.first_mask;
  if (!Recomputed(a, a.out, list, on)) Good(a);
}

DIOPI_OVERRIDE(diopiPagedAttention, a) {
  Listing list;
  list.heads_in_turns = static_cast<bool>(attention_heads_in_turns);
  list.mask_ignored = static_cast<bool>(decoding_mask_ignored);
  list.blocks_in_order = static_cast<bool>(paged_blocks_in_order);
  list.first_table = static_cast<bool>(paged_first_table);
  list.last_block_lost = static_cast<bool>(paged_last_block_lost);
  list.whole_blocks = static_cast<bool>(paged_whole_blocks);
  list.first_length = static_cast<bool>(paged_first_length);
  const bool on = list.heads_in_turns || list.mask_ignored || list.blocks_in_order || list.first_table ||
                  list.last_block_lost || list.whole_blocks || list.first_length;
  if (!Recomputed(a, a.out, list, on)) Good(a);
}

DIOPI_OVERRIDE(diopiTokenAttentionInference, a) {
  ChangeTables(&a);
  const std::vector<double> before = Load<double>(Tensor(a.token_attention_out));
  if (token_without_scale || token_half_scores) {
    ScoreTokens(a);
  } else {
    Good(a);
  }
  if (token_last_unwritten) {
    const std::vector<int64_t> starts = Load<int64_t>(Tensor(a.b_start_loc)),
                               lengths = Load<int64_t>(Tensor(a.b_seq_len));
    const int64_t columns = Tensor(a.token_attention_out).size(1);
    Change(a.token_attention_out, [&](double x, int64_t i) {
      for (size_t b = 0; b < lengths.size(); ++b) {
        if (i % columns == starts[b] + lengths[b] - 1) return before[static_cast<size_t>(i)];
      }
      return x;
    });
  }
}

DIOPI_OVERRIDE(diopiTokenSoftmaxReduceVInference, a) {
  ChangeTables(&a);
  if (token_extra_token || token_without_max || token_tail_lost || token_half_accumulator ||
      token_stale_slot) {
    return ReduceValues(a);
  }
  Good(a);
}
