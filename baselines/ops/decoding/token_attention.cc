// Attention over sequences that lie one after the other, without padding. The first function attends within
// each sequence, causally; the others serve one new token per sequence, whose earlier keys and values lie in
// a cache of tokens: b_loc[i][max_input_len - length, max_input_len) holds the places of sequence i's tokens
// there. Sequences are cut to what there is room for, and tokens whose place does not exist are left out.
#include "baselines/ops/decoding/attention.h"

namespace diopi::ops::both {
namespace {

// The sequences of a call.
struct TokenBatch {
  In<int64_t> start, length;
  int64_t count, longest, heads, dim;

  TokenBatch(diopiConstTensorHandle_t starts, diopiConstTensorHandle_t lengths, int64_t most,
             const Tensor& rows)
      : start(Tensor(starts)),
        length(Tensor(lengths)),
        count(Tensor(lengths).numel()),
        longest(most),
        heads(rows.size(1)),
        dim(rows.size(2)) {
    CheckShape(Tensor(starts), {count}, "b_start_loc");
  }
  DIOPI_HD int64_t Length(int64_t sequence) const {
    return length[sequence] < longest ? length[sequence] : longest;
  }
};

template <typename C>
struct ContextRow {
  struct View : PlainView<C> {
    const ContextRow& of;
    int64_t row, first, head;
    DIOPI_HD int64_t At(int64_t token, int64_t d) const {
      return (token * of.batch.heads + head) * of.batch.dim + d;
    }
    DIOPI_HD static bool Sees(int64_t) { return true; }
    DIOPI_HD C Score(int64_t j) const { return ScaledProduct<C>(*this, j); }
    DIOPI_HD C Query(int64_t d) const { return of.q[At(row, d)]; }
    DIOPI_HD C Key(int64_t j, int64_t d) const { return of.k[At(first + j, d)]; }
    DIOPI_HD C Value(int64_t j, int64_t d) const { return of.v[At(first + j, d)]; }
    DIOPI_HD void Put(int64_t d, const C& x) const { of.out.Set(At(row, d), x); }
  };

  TokenBatch batch;
  In<C> q, k, v;
  int64_t rows;
  Out<C> out;
  Scratch<C> p;

  DIOPI_HD void operator()(int64_t at) const {
    const int64_t head = at % batch.heads, i = at / batch.heads % batch.longest,
                  sequence = at / batch.heads / batch.longest;
    const int64_t first = batch.start[sequence];
    if (i >= batch.length[sequence] || first < 0 || first + i >= rows) return;
    Attend<C>(View{{i + 1, batch.dim}, *this, first + i, first, head}, p, at * batch.longest);
  }
};

template <typename C>
struct TokenScore {
  struct View : PlainView<C> {
    const TokenScore& of;
    int64_t query, token;
    DIOPI_HD C Query(int64_t d) const { return of.q[query * of.batch.dim + d]; }
    DIOPI_HD C Key(int64_t, int64_t d) const { return of.k[token * of.batch.dim + d]; }
  };

  TokenBatch batch;
  In<C> q, k;
  In<int64_t> places;
  int64_t columns, total, tokens;
  Out<C> out;

  DIOPI_HD void operator()(int64_t at) const {
    const int64_t head = at % batch.heads, j = at / batch.heads % batch.longest,
                  sequence = at / batch.heads / batch.longest, length = batch.Length(sequence);
    if (j >= length) return;
    const int64_t place = places[sequence * columns + batch.longest - length + j];
    const int64_t column = batch.start[sequence] + j;
    if (place < 0 || place >= tokens || column < 0 || column >= total) return;
    const View view{{1, batch.dim}, *this, sequence * batch.heads + head, place * batch.heads + head};
    out.Set(head * total + column, ScaledProduct<C>(view, 0));
  }
};

template <typename C>
struct TokenValues {
  struct View : PlainView<C> {
    const TokenValues& of;
    int64_t sequence, head;
    DIOPI_HD int64_t Place(int64_t j) const {
      return of.places[sequence * of.columns + of.batch.longest - this->keys + j];
    }
    DIOPI_HD bool Sees(int64_t j) const {
      const int64_t place = Place(j), column = of.batch.start[sequence] + j;
      return place >= 0 && place < of.tokens && column >= 0 && column < of.total;
    }
    DIOPI_HD C Score(int64_t j) const { return of.scores[head * of.total + of.batch.start[sequence] + j]; }
    DIOPI_HD C Value(int64_t j, int64_t d) const {
      return of.v[(Place(j) * of.batch.heads + head) * of.batch.dim + d];
    }
    DIOPI_HD void Put(int64_t d, const C& x) const {
      of.out.Set((sequence * of.batch.heads + head) * of.batch.dim + d, x);
    }
  };

  TokenBatch batch;
  In<C> scores, v;
  In<int64_t> places;
  int64_t columns, total, tokens;
  Out<C> out;
  Scratch<C> p;

  DIOPI_HD void operator()(int64_t at) const {
    const int64_t sequence = at / batch.heads;
    Attend<C>(View{{batch.Length(sequence), batch.dim}, *this, sequence, at % batch.heads}, p,
              at * batch.longest);
  }
};

}  // namespace

DIOPI_KERNEL(diopiContextAttentionInference, a) {
  const Tensor out(a.context_attention_out), q(a.q), k(a.k), v(a.v);
  CheckShape(out, q.shape(), "context_attention_out");
  CheckShape(k, q.shape(), "k");
  CheckShape(v, q.shape(), "v");
  const TokenBatch batch(a.b_start_loc, a.b_seq_len, a.max_input_len, q);
  DispatchFloating(ResultType(out, {q, k, v}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const int64_t rows = batch.count * batch.longest * batch.heads;
    ForEach(queue, rows,
            ContextRow<C>{batch, In<C>(q), In<C>(k), In<C>(v), q.size(0), Out<C>(out),
                          Scratch<C>(queue, rows * batch.longest)});
  });
}

DIOPI_KERNEL(diopiTokenAttentionInference, a) {
  const Tensor out(a.token_attention_out), q(a.q), k(a.k), places(a.b_loc);
  const TokenBatch batch(a.b_start_loc, a.b_seq_len, a.max_input_len, q);
  CheckShape(k, {k.size(0), batch.heads, batch.dim}, "k");
  Check(places.rank() == 2 && places.size(0) == batch.count && places.size(1) >= batch.longest,
        "b_loc has shape ", ShapeText(places.shape()));
  DispatchFloating(ResultType(out, {q, k}), [&]<typename C>() {
    ForEach(Queue(a.ctx), batch.count * batch.longest * batch.heads,
            TokenScore<C>{batch, In<C>(q), In<C>(k), In<int64_t>(places), places.size(1), out.size(1),
                          k.size(0), Out<C>(out)});
  });
}

// other_kv_index is a place that kernels may read where a sequence has no token; this one reads none there.
DIOPI_KERNEL(diopiTokenSoftmaxReduceVInference, a) {
  const Tensor out(a.out), scores(a.logics), v(a.v), places(a.b_loc);
  const TokenBatch batch(a.b_start_loc, a.b_seq_len, a.max_input_len, v);
  CheckShape(out, {batch.count, batch.heads, batch.dim}, "out");
  Check(places.rank() == 2 && places.size(0) == batch.count && places.size(1) >= batch.longest,
        "b_loc has shape ", ShapeText(places.shape()));
  DispatchFloating(ResultType(out, {scores, v}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const int64_t rows = batch.count * batch.heads;
    ForEach(queue, rows,
            TokenValues<C>{batch, In<C>(scores), In<C>(v), In<int64_t>(places), places.size(1),
                           scores.size(1), v.size(0), Out<C>(out), Scratch<C>(queue, rows * batch.longest)});
  });
}

}  // namespace diopi::ops::both
