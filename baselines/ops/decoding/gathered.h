// Attention with every query's keys and values listed, as the injected bugs and the correct variants of this
// family compute it: they change the list, or how it is summed.
#ifndef BASELINES_OPS_DECODING_GATHERED_H_
#define BASELINES_OPS_DECODING_GATHERED_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::injected {

// One query of one head: where its elements, its result's, and those of the keys and values that it sees lie.
struct GatheredRow {
  int64_t query = 0, out = 0;
  std::vector<int64_t> keys;
};

template <typename C>
struct Gathered {
  std::vector<C> q, k, v, out;
  int64_t dim = 0;
  C scale = C(0);
  std::vector<GatheredRow> rows;

  C Score(const GatheredRow& row, size_t j) const {
    C sum = C(0);
    for (int64_t d = 0; d < dim; ++d) sum += At(q, row.query + d) * At(k, row.keys[j] + d);
    return sum * scale;
  }
  static const C& At(const std::vector<C>& x, int64_t i) { return x[static_cast<size_t>(i)]; }
};

// What bugs change in the list.
struct Listing {
  bool sees_next = false;       // one key after the query's own
  bool misses_own = false;      // of several
  bool sees_before = false;     // the row before the sequence's first
  bool starts_summed = false;   // b_start_loc ignored
  bool left_aligned = false;    // b_loc read from column 0
  bool right_aligned = false;   // b_loc read up to its last column
  bool first_table = false;     // the first sequence's table for all
  bool extra_token = false;     // other_kv_index counts as a token
  bool heads_in_turns = false;  // head h uses kv head h % kv heads
  bool mask_ignored = false;
  bool first_mask = false;
  bool blocks_in_order = false;  // block_table ignored
  bool whole_blocks = false;     // rows after the last token
  bool last_block_lost = false;
  bool first_length = false;  // the first sequence's length for all
};

template <typename C>
Gathered<C> Load3(diopiConstTensorHandle_t q, diopiConstTensorHandle_t k, diopiConstTensorHandle_t v,
                  diopiConstTensorHandle_t out, int64_t dim) {
  Gathered<C> g{
      ops::Load<C>(q), ops::Load<C>(k), ops::Load<C>(v), {}, dim, C(1) / std::sqrt(static_cast<C>(dim)), {}};
  g.out.resize(static_cast<size_t>(ops::Tensor(out).numel()));
  return g;
}

template <typename C>
Gathered<C> Gather(const diopiContextAttentionInferenceArgs& a, const Listing& how = {}) {
  const ops::Shape shape = ops::Tensor(a.q).shape();
  const int64_t heads = shape[1], dim = shape[2];
  Gathered<C> g = Load3<C>(a.q, a.k, a.v, a.context_attention_out, dim);
  const std::vector<int64_t> starts = ops::Load<int64_t>(a.b_start_loc),
                             lengths = ops::Load<int64_t>(a.b_seq_len);
  int64_t sum = 0;
  for (size_t b = 0; b < lengths.size(); ++b) {
    const int64_t first = how.starts_summed ? sum : starts[b];
    sum += lengths[b];
    for (int64_t i = 0; i < lengths[b]; ++i) {
      for (int64_t h = 0; h < heads; ++h) {
        GatheredRow row{((first + i) * heads + h) * dim, ((first + i) * heads + h) * dim, {}};
        const int64_t begin = how.sees_before && first > 0 ? -1 : 0;
        int64_t end = how.misses_own && i > 0 ? i : i + 1;
        if (how.sees_next && end < lengths[b]) ++end;
        for (int64_t j = begin; j < end; ++j) row.keys.push_back(((first + j) * heads + h) * dim);
        g.rows.push_back(row);
      }
    }
  }
  return g;
}

// The tables of the token functions: slots of sequence b's tokens.
inline std::vector<int64_t> Slots(const std::vector<int64_t>& table, int64_t columns, int64_t b,
                                  int64_t length, int64_t longest, const Listing& how) {
  std::vector<int64_t> slots;
  const int64_t row = how.first_table ? 0 : b;
  const int64_t first = how.left_aligned ? 0 : (how.right_aligned ? columns : longest) - length;
  for (int64_t j = 0; j < length; ++j) slots.push_back(table[static_cast<size_t>(row * columns + first + j)]);
  return slots;
}

template <typename C>
Gathered<C> Gather(const diopiPromptFlashAttentionArgs& a, const Listing& how = {}) {
  Gathered<C> g = Load3<C>(a.query, a.key, a.value, a.out, a.dim);
  const int64_t n = a.max_input_len, group = a.num_heads / a.num_kv_heads;
  const std::vector<uint8_t> mask = ops::LoadBool(a.atten_mask, {a.actual_seq_lengths.len, n, n});
  for (int64_t row = 0; row < a.actual_seq_lengths.len * n; ++row) {
    for (int64_t h = 0; h < a.num_heads; ++h) {
      const int64_t at = (row * a.num_heads + h) * a.dim, b = row / n, i = row % n;
      GatheredRow r{at, at, {}};
      for (int64_t j = 0; j <= (how.sees_next && i + 1 < n ? i + 1 : i); ++j) {
        const int64_t masked = ((how.first_mask ? 0 : b) * n + i) * n + j;
        const bool hidden = !how.mask_ignored && j <= i && mask[static_cast<size_t>(masked)] != 0;
        const int64_t head = how.heads_in_turns ? h % a.num_kv_heads : h / group;
        if (!hidden) r.keys.push_back(((b * n + j) * a.num_kv_heads + head) * a.dim);
      }
      g.rows.push_back(r);
    }
  }
  return g;
}

template <typename C>
Gathered<C> Gather(const diopiPagedAttentionArgs& a, const Listing& how = {}) {
  Gathered<C> g = Load3<C>(a.q, a.k, a.v, a.out, a.dim);
  const ops::Tensor blocks(a.block_table), mask(a.attenMask);
  const std::vector<int64_t> table = ops::Load<int64_t>(blocks);
  std::vector<uint8_t> hidden;
  const int64_t sequences = a.actual_seq_lengths.len;
  if (mask) {
    hidden = ops::LoadBool(mask, mask.rank() == 3 ? ops::Shape{sequences, 1, mask.size(-1)}
                                                  : ops::Shape{sequences, mask.size(-1)});
  }
  for (int64_t b = 0; b < a.actual_seq_lengths.len; ++b) {
    int64_t length = a.actual_seq_lengths.data[how.first_length ? 0 : b];
    if (how.whole_blocks) length = (length + a.block_size - 1) / a.block_size * a.block_size;
    if (how.last_block_lost && length > a.block_size) length = (length - 1) / a.block_size * a.block_size;
    for (int64_t h = 0; h < a.num_heads; ++h) {
      const int64_t at = (b * a.num_heads + h) * a.dim;
      const int64_t head = how.heads_in_turns ? h % a.num_kv_heads : h / (a.num_heads / a.num_kv_heads);
      GatheredRow row{at, at, {}};
      for (int64_t j = 0; j < length; ++j) {
        if (mask && !how.mask_ignored && j < mask.size(-1) &&
            hidden[static_cast<size_t>(b * mask.size(-1) + j)] != 0)
          continue;
        const int64_t column = std::min(j / a.block_size, blocks.size(1) - 1);
        const int64_t block =
            how.blocks_in_order
                ? column
                : table[static_cast<size_t>((how.first_table ? 0 : b) * blocks.size(1) + column)];
        row.keys.push_back(((block * a.block_size + j % a.block_size) * a.num_kv_heads + head) * a.dim);
      }
      g.rows.push_back(row);
    }
  }
  return g;
}

}  // namespace diopi::injected

#endif  // BASELINES_OPS_DECODING_GATHERED_H_
