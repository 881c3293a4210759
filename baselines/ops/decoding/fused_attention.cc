// lmdeploy's attention layers: projection to queries, keys and values, rotary embedding, insertion into the
// cache of one layer, and attention over the cache. The context function has `length` new tokens for each
// sequence, the decoder one. Where the tensors are of a 16-bit type, implementations may keep every
// intermediate result in the workspace, and so in its type: the oracle allows for these roundings.
#include "baselines/ops/decoding/attention.h"

namespace diopi::ops::both {
namespace {

constexpr double kSoftmaxEpsilon = 1e-6;

// What a layer's tokens, heads and cache are.
struct FusedLayer {
  int64_t length;  // new tokens of each sequence
  int64_t sequences, queries, keys, dim, hidden;
  int64_t layer, capacity;  // of the cache, in tokens
  In<int64_t> past;         // tokens of each sequence before the new ones
  In<int64_t> finished;     // sequences that are left alone
  In<int64_t> padding;
  int64_t position;  // of a sequence's first new token, where it has no padding; -1: `past`
  double theta, rotary;
  diopiDtype_t stored;

  DIOPI_HD int64_t Tokens() const { return sequences * length; }
  DIOPI_HD int64_t Columns() const { return (queries + 2 * keys) * dim; }
  // The token's place in its sequence.
  DIOPI_HD int64_t Token(int64_t row) const { return past[row / length] + row % length; }
  DIOPI_HD int64_t Position(int64_t row) const {
    return position < 0 ? Token(row) : position - padding[row / length];
  }
  DIOPI_HD int64_t CacheAt(int64_t sequence, int64_t head, int64_t token) const {
    return (((layer * sequences + sequence) * keys + head) * capacity + token % capacity) * dim;
  }
  DIOPI_HD int64_t KeyColumn(int64_t head) const { return (queries + head) * dim; }
  DIOPI_HD int64_t ValueColumn(int64_t head) const { return (queries + keys + head) * dim; }
};

template <typename C>
struct ProjectTokens {
  FusedLayer of;
  Out<C> x;
  In<C> weight, bias;
  Scratch<C> qkv;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t row = at / of.Columns(), column = at % of.Columns();
    Sum<C> sum;
    for (int64_t h = 0; h < of.hidden; ++h) sum += x[row * of.hidden + h] * weight[h * of.Columns() + column];
    qkv[at] = MayRound(MayRound(sum.total(), of.stored) + bias[column], of.stored);
  }
};

// f(angle), where the angle's noise turns it by as much.
template <typename C>
DIOPI_HD C Turned(const C& f, const C& derivative, const C& angle) {
  if constexpr (kIsNoise<C>) {
    return C::Clean(f.v, f.s2 + derivative.v * derivative.v * angle.s2);
  } else {
    return f;
  }
}

// Neighbours 2 i and 2 i + 1 of a query or a key, turned by position / theta^(2 i / rotary).
template <typename C>
struct RotatePairs {
  FusedLayer of;
  Scratch<C> qkv;
  DIOPI_HD void operator()(int64_t at) const {
    using std::cos;
    using std::pow;
    using std::sin;
    const int64_t pairs = (of.queries + of.keys) * of.dim / 2, row = at / pairs, pair = at % pairs;
    const int64_t first = row * of.Columns() + 2 * pair, i = 2 * pair % of.dim;
    const C power = pow(Rounded<C>(of.theta), Rounded<C>(static_cast<double>(i) / of.rotary));
    const C angle = C(static_cast<double>(of.Position(row))) / power;
    const C c = Turned(cos(angle), sin(angle), angle), s = Turned(sin(angle), cos(angle), angle);
    const C x = qkv[first], y = qkv[first + 1];
    qkv[first] = MayRound(x * c - y * s, of.stored);
    qkv[first + 1] = MayRound(y * c + x * s, of.stored);
  }
};

template <typename C>
struct InsertTokens {
  FusedLayer of;
  Scratch<C> qkv;
  Out<C> key_cache, value_cache;
  DIOPI_HD void operator()(int64_t at) const {
    const int64_t d = at % of.dim, head = at / of.dim % of.keys, row = at / of.dim / of.keys;
    const int64_t sequence = row / of.length;
    if (of.finished[sequence] != 0) return;
    const int64_t to = of.CacheAt(sequence, head, of.Token(row)) + d;
    key_cache.Set(to, qkv[row * of.Columns() + of.KeyColumn(head) + d]);
    value_cache.Set(to, qkv[row * of.Columns() + of.ValueColumn(head) + d]);
  }
};

template <typename C>
struct LayerRow {
  struct View : PlainView<C> {
    static constexpr bool kGiven = false;
    const LayerRow& of;
    int64_t row, head, first;
    DIOPI_HD static bool Sees(int64_t) { return true; }
    DIOPI_HD C Score(int64_t j) const { return ScaledProduct<C>(*this, j); }
    DIOPI_HD C Kept(const C& x) const { return MayRound(x, of.of.stored); }
    DIOPI_HD static C Epsilon() {
      // Some libraries leave it out.
      if constexpr (kIsNoise<C>) return C(kSoftmaxEpsilon / 2, kSoftmaxEpsilon * kSoftmaxEpsilon / 4);
      return C(kSoftmaxEpsilon);
    }
    DIOPI_HD int64_t KeyHead() const { return head / (of.of.queries / of.of.keys); }
    // A token's key or value: of an old token from the cache, of a new one as it was inserted there.
    DIOPI_HD C Cached(const Out<C>& cache, int64_t column, int64_t j, int64_t d) const {
      const int64_t sequence = row / of.of.length, fresh = first + j - of.of.past[sequence];
      if (fresh < 0) return cache[of.of.CacheAt(sequence, KeyHead(), first + j) + d];
      return of.qkv[(sequence * of.of.length + fresh) * of.of.Columns() + column + d];
    }
    DIOPI_HD C Query(int64_t d) const { return of.qkv[row * of.of.Columns() + head * this->dim + d]; }
    DIOPI_HD C Key(int64_t j, int64_t d) const {
      return Cached(of.key_cache, of.of.KeyColumn(KeyHead()), j, d);
    }
    DIOPI_HD C Value(int64_t j, int64_t d) const {
      return Cached(of.value_cache, of.of.ValueColumn(KeyHead()), j, d);
    }
    DIOPI_HD void Put(int64_t d, const C& x) const {
      of.out.Set(row * of.of.hidden + head * this->dim + d, x);
    }
  };

  FusedLayer of;
  Scratch<C> qkv;
  Out<C> key_cache, value_cache, out;
  Scratch<C> p;
  int64_t most_keys;

  DIOPI_HD void operator()(int64_t at) const {
    const int64_t row = at / of.queries, head = at % of.queries, token = of.Token(row);
    if (of.finished[row / of.length] != 0) {
      for (int64_t i = row * of.hidden + head * of.dim, end = i + of.dim; i < end; ++i)
        out.Set(i, Anything(out[i]));
      return;
    }
    const int64_t first = token + 1 > of.capacity ? token + 1 - of.capacity : 0;
    Attend<C>(View{{token + 1 - first, of.dim}, *this, row, head, first}, p, at * most_keys);
  }
};

void CheckLayer(const FusedLayer& of, const Tensor& weight, const Tensor& bias, const Tensor& key_cache,
                const Tensor& value_cache) {
  CheckShape(weight, {of.hidden, of.Columns()}, "qkv_weight");
  if (bias) Check(bias.numel() == of.Columns(), "qkv_bias has shape ", ShapeText(bias.shape()));
  Check(of.hidden == of.queries * of.dim, "the heads do not have as many elements as inoutput's rows");
  Check(of.keys > 0 && of.queries % of.keys == 0, of.queries, " heads cannot share ", of.keys, " key heads");
  Check(of.dim % 2 == 0, "the rotary embedding turns pairs: expected an even size_per_head, got ", of.dim);
  CheckShape(value_cache, key_cache.shape(), "value_cache");
  Check(key_cache.rank() == 5 && key_cache.size(1) >= of.sequences && key_cache.size(2) == of.keys &&
            key_cache.size(3) == of.capacity && key_cache.size(4) == of.dim,
        "key_cache has shape ", ShapeText(key_cache.shape()));
  Check(of.layer >= 0 && of.layer < key_cache.size(0), "the cache has no layer ", of.layer);
}

void RunLayer(diopiContextHandle_t ctx, const FusedLayer& of, const Tensor& x, const Tensor& weight,
              const Tensor& bias, const Tensor& key_cache, const Tensor& value_cache) {
  CheckLayer(of, weight, bias, key_cache, value_cache);
  DispatchFloating(ResultType(x, {x, weight}), [&]<typename C>() {
    const Queue queue(ctx);
    const Out<C> out(x), keys(key_cache), values(value_cache);
    const Scratch<C> qkv(queue, of.Tokens() * of.Columns());
    ForEach(queue, of.Tokens() * of.Columns(),
            ProjectTokens<C>{of, out, In<C>(weight), bias ? In<C>(bias) : In<C>::Constant(C(0)), qkv});
    ForEach(queue, of.Tokens() * (of.queries + of.keys) * of.dim / 2, RotatePairs<C>{of, qkv});
    const int64_t rows = of.Tokens() * of.queries;
    ForEach(queue, rows,
            LayerRow<C>{of, qkv, keys, values, out, Scratch<C>(queue, rows * of.capacity), of.capacity});
    ForEach(queue, of.Tokens() * of.keys * of.dim, InsertTokens<C>{of, qkv, keys, values});
  });
}

}  // namespace

// Every sequence has max_q_len new tokens and max_kv_len in all.
DIOPI_KERNEL(diopiFusedContextAttentionInp, a) {
  if (*a.workspace_size < 0 || *a.pre_work_size < 0) {
    *a.workspace_size = *a.pre_work_size = 0;
    return;
  }
  if (!a.is_prepared) return;
  const Tensor x(a.inoutput), keys(a.key_cache);
  const int64_t sequences = keys.size(1);
  CheckShape(x, {sequences * a.max_q_len, x.size(1)}, "inoutput");
  Check(a.max_q_len >= 0 && a.max_kv_len >= a.max_q_len, "expected max_kv_len of at least max_q_len, got ",
        a.max_kv_len, " and ", a.max_q_len);
  Check(a.max_kv_len <= keys.size(3), "expected a key_cache for ", a.max_kv_len, " tokens, got shape ",
        ShapeText(keys.shape()));
  const FusedLayer of{a.max_q_len,
                      sequences,
                      a.local_head_num,
                      a.local_kv_head_num,
                      a.size_per_head,
                      x.size(1),
                      a.layer_id,
                      a.max_seq_len,
                      In<int64_t>::Constant(a.max_kv_len - a.max_q_len),
                      In<int64_t>::Constant(0),
                      In<int64_t>::Constant(0),
                      -1,
                      a.rope_theta,
                      static_cast<double>(a.rotary_embedding),
                      Tensor(a.workspace).dtype()};
  RunLayer(a.ctx, of, x, Tensor(a.qkv_weight), Tensor(a.qkv_bias), keys, Tensor(a.value_cache));
}

DIOPI_KERNEL(diopiFusedDecoderAttentionInp, a) {
  if (*a.workspace_size < 0) {
    *a.workspace_size = 0;
    return;
  }
  const Tensor x(a.inoutput);
  const int64_t sequences = x.size(0);
  CheckShape(Tensor(a.sequence_lengths), {sequences}, "sequence_lengths");
  CheckShape(Tensor(a.finished), {sequences}, "finished");
  CheckShape(Tensor(a.total_padding_tokens), {sequences}, "total_padding_tokens");
  const FusedLayer of{1,
                      sequences,
                      a.local_head_num,
                      a.local_kv_head_num,
                      a.size_per_head,
                      x.size(1),
                      a.layer_id,
                      a.max_seq_len,
                      In<int64_t>(Tensor(a.sequence_lengths)),
                      In<int64_t>(Tensor(a.finished)),
                      In<int64_t>(Tensor(a.total_padding_tokens)),
                      a.step - 1,
                      a.rope_theta,
                      static_cast<double>(a.rotary_embedding),
                      Tensor(a.workspace).dtype()};
  RunLayer(a.ctx, of, x, Tensor(a.qkv_weight), Tensor(a.qkv_bias), Tensor(a.key_cache),
           Tensor(a.value_cache));
}

}  // namespace diopi::ops::both
