// Attention with grouped queries: head h of the queries uses the keys and values of head h / (num_heads /
// num_kv_heads). The prompt's sequences all have max_input_len rows; each new token of the paged function has
// its earlier keys and values in blocks of block_size rows, of which block_table lists one sequence's in each
// row.
#include <algorithm>

#include "baselines/ops/decoding/attention.h"

namespace diopi::ops::both {
namespace {

struct HeadGroups {
  int64_t queries, keys, dim;
  HeadGroups(int64_t num_heads, int64_t num_kv_heads, int64_t head_dim)
      : queries(num_heads), keys(num_kv_heads), dim(head_dim) {
    Check(keys > 0 && queries % keys == 0, "num_heads is not a multiple of num_kv_heads");
  }
  DIOPI_HD int64_t QueryAt(int64_t row, int64_t head, int64_t d) const {
    return (row * queries + head) * dim + d;
  }
  DIOPI_HD int64_t KeyAt(int64_t row, int64_t head, int64_t d) const {
    return (row * keys + head / (queries / keys)) * dim + d;
  }
};

template <typename C>
struct PromptRow {
  struct View : PlainView<C> {
    const PromptRow& of;
    int64_t row, head, sequence;
    DIOPI_HD bool Sees(int64_t j) const { return of.mask[row * of.length + j] == 0; }
    DIOPI_HD C Score(int64_t j) const { return ScaledProduct<C>(*this, j); }
    DIOPI_HD C Query(int64_t d) const { return of.q[of.heads.QueryAt(row, head, d)]; }
    DIOPI_HD C Key(int64_t j, int64_t d) const {
      return of.k[of.heads.KeyAt(sequence * of.length + j, head, d)];
    }
    DIOPI_HD C Value(int64_t j, int64_t d) const {
      return of.v[of.heads.KeyAt(sequence * of.length + j, head, d)];
    }
    DIOPI_HD void Put(int64_t d, const C& x) const { of.out.Set(of.heads.QueryAt(row, head, d), x); }
  };

  HeadGroups heads;
  int64_t length;
  In<C> q, k, v;
  In<int64_t> mask;
  Out<C> out;
  Scratch<C> p;

  DIOPI_HD void operator()(int64_t at) const {
    const int64_t row = at / heads.queries, i = row % length;
    // Keys after the row's own are never seen.
    Attend<C>(View{{i + 1, heads.dim}, *this, row, at % heads.queries, row / length}, p, at * length);
  }
};

template <typename C>
struct PagedToken {
  struct View : PlainView<C> {
    const PagedToken& of;
    int64_t head;
    DIOPI_HD bool Sees(int64_t j) const {
      const int64_t at = At(j, 0);
      return at >= 0 && at < of.elements && (!of.masked || of.mask[of.sequence * of.columns + j] == 0);
    }
    DIOPI_HD C Score(int64_t j) const { return ScaledProduct<C>(*this, j); }
    DIOPI_HD C Query(int64_t d) const { return of.q[of.heads.QueryAt(of.sequence, head, d)]; }
    DIOPI_HD int64_t At(int64_t j, int64_t d) const {
      const int64_t block = of.blocks[of.sequence * of.most_blocks + j / of.block_size];
      return of.heads.KeyAt(block * of.block_size + j % of.block_size, head, d);
    }
    DIOPI_HD C Key(int64_t j, int64_t d) const { return of.k[At(j, d)]; }
    DIOPI_HD C Value(int64_t j, int64_t d) const { return of.v[At(j, d)]; }
    DIOPI_HD void Put(int64_t d, const C& x) const { of.out.Set(of.heads.QueryAt(of.sequence, head, d), x); }
  };

  HeadGroups heads;
  int64_t sequence, length, most_blocks, block_size, columns, elements;
  bool masked;
  In<C> q, k, v;
  In<int64_t> blocks, mask;
  Out<C> out;
  Scratch<C> p;

  DIOPI_HD void operator()(int64_t head) const {
    Attend<C>(View{{length, heads.dim}, *this, head}, p, head * length);
  }
};

// The reference of a device does not read the table, which is in its memory.
void CheckPlaces([[maybe_unused]] const In<int64_t>& table, [[maybe_unused]] int64_t sequence, int64_t most,
                 int64_t length, int64_t size, [[maybe_unused]] int64_t rows) {
  Check(length >= 0 && length <= most * size, length, " tokens do not fit ", most, " blocks of ", size);
#if !defined(__CUDACC__) && !defined(DIOPI_CUDA_EMULATED)
  for (int64_t j = 0; j < length; j += size) {
    const int64_t block = table[sequence * most + j / size];
    const int64_t last = block * size + std::min(size, length - j) - 1;
    Check(block >= 0 && last < rows, "block ", block, " of ", size, " rows is not among ", rows);
  }
#endif
}

}  // namespace

DIOPI_KERNEL(diopiPromptFlashAttention, a) {
  const Tensor out(a.out), q(a.query), k(a.key), v(a.value), mask(a.atten_mask);
  const HeadGroups heads(a.num_heads, a.num_kv_heads, a.dim);
  const int64_t count = a.actual_seq_lengths.len, length = a.max_input_len, rows = count * length;
  Check(static_cast<bool>(mask), "not implemented without atten_mask");
  CheckShape(q, {rows, heads.queries * heads.dim}, "query");
  CheckShape(k, {rows, heads.keys * heads.dim}, "key");
  CheckShape(v, k.shape(), "value");
  CheckShape(out, q.shape(), "out");
  DispatchFloating(ResultType(out, {q, k, v}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const int64_t queries = rows * heads.queries;
    ForEach(queue, queries,
            PromptRow<C>{heads, length, In<C>(q), In<C>(k), In<C>(v),
                         In<int64_t>(mask, Shape{count, length, length}), Out<C>(out),
                         Scratch<C>(queue, queries * length)});
  });
}

DIOPI_KERNEL(diopiPagedAttention, a) {
  const Tensor out(a.out), q(a.q), k(a.k), v(a.v), mask(a.attenMask), blocks(a.block_table);
  const HeadGroups heads(a.num_heads, a.num_kv_heads, a.dim);
  const Shape lengths = Sizes(a.actual_seq_lengths);
  const auto count = static_cast<int64_t>(lengths.size());
  Check(static_cast<bool>(blocks), "not implemented without block_table");
  CheckShape(q, {count, heads.queries * heads.dim}, "q");
  CheckShape(k, {k.size(0), heads.keys * heads.dim}, "k");
  CheckShape(v, k.shape(), "v");
  CheckShape(out, q.shape(), "out");
  Check(a.block_size > 0 && blocks.rank() == 2 && blocks.size(0) == count, "block_table has shape ",
        ShapeText(blocks.shape()), " for ", count, " sequences in blocks of ", a.block_size);
  const int64_t columns = mask ? mask.size(-1) : 0;
  const bool stacked = mask && mask.rank() == 3;  // [sequences, 1, longest]
  const Shape visible = stacked ? Shape{count, 1, columns} : Shape{count, columns};
  DispatchFloating(ResultType(out, {q, k, v}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> queries(q), keys(k), values(v);
    const Out<C> result(out);
    const In<int64_t> table(blocks), hidden = mask ? In<int64_t>(mask, visible) : In<int64_t>::Constant(0);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t length = lengths[static_cast<size_t>(i)];
      CheckPlaces(table, i, blocks.size(1), length, a.block_size, k.size(0));
      Check(!mask || length <= columns, "the mask has ", columns, " columns for ", length, " tokens");
      ForEach(queue, heads.queries,
              PagedToken<C>{heads, i, length, blocks.size(1), a.block_size, columns, k.numel(),
                            static_cast<bool>(mask), queries, keys, values, table, hidden, result,
                            Scratch<C>(queue, heads.queries * length)});
    }
  });
}

}  // namespace diopi::ops::both
