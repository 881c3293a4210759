// Rotary position embedding: pairs of elements turn by an angle whose cosine and sine are given.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct Turn {
  Out<C> out;
  In<C> x, cos, sin;  // cos and sin: one element for each pair
  int64_t half;
  bool conj, interleaved;
  DIOPI_HD void operator()(int64_t pair) const {
    const int64_t head = pair / half * 2 * half, j = pair % half;
    const int64_t first = interleaved ? head + 2 * j : head + j, second = first + (interleaved ? 1 : half);
    const C a = x[first], b = x[second], c = cos[pair], s = conj ? -sin[pair] : sin[pair];
    out.Set(first, a * c - b * s);
    out.Set(second, a * s + b * c);
  }
};

// Heads of `dim` elements of [tokens, heads * dim]; cos and sin are [tokens, dim].
template <typename C>
struct TurnHeads {
  Out<C> x;
  In<C> cos, sin;
  int64_t heads, dim;
  DIOPI_HD void operator()(int64_t pair) const {
    const int64_t half = dim / 2, head = pair / half, j = pair % half, token = head / heads;
    const int64_t first = head * dim + j, second = first + half, c = token * dim + j;
    const C a = x[first], b = x[second];
    x.Set(first, a * cos[c] - b * sin[c]);
    x.Set(second, b * cos[c + half] + a * sin[c + half]);
  }
};

void TurnTensor(diopiContextHandle_t ctx, const Tensor& x, const Tensor& cos, const Tensor& sin,
                int64_t dim) {
  Check(x.rank() == 2 && dim > 0 && dim % 2 == 0 && x.size(1) % dim == 0, "heads of ", dim,
        " elements do not fit shape ", ShapeText(x.shape()));
  const int64_t tokens = x.size(0);
  CheckShape(cos, {tokens, 1, dim}, "cos");
  CheckShape(sin, {tokens, 1, dim}, "sin");
  DispatchFloating(ResultType(x, {x, cos, sin}), [&]<typename C>() {
    ForEach(Queue(ctx), x.numel() / 2, TurnHeads<C>{Out<C>(x), In<C>(cos), In<C>(sin), x.size(1) / dim, dim});
  });
}

}  // namespace

DIOPI_KERNEL(diopiRotaryEmbedding, a) {
  const Tensor out(a.out), x(a.x), cos(a.cos), sin(a.sin);
  CheckShape(out, x.shape(), "out");
  Check(x.rank() >= 1 && x.size(-1) % 2 == 0, "the last dimension of ", ShapeText(x.shape()),
        " has no pairs");
  Shape pairs = x.shape();
  pairs.back() /= 2;
  DispatchFloating(ResultType(out, {x, cos, sin}), [&]<typename C>() {
    ForEach(Queue(a.ctx), Numel(pairs),
            Turn<C>{Out<C>(out), In<C>(x), In<C>(cos, pairs), In<C>(sin, pairs), pairs.back(), a.conj,
                    a.interleaved});
  });
}

DIOPI_KERNEL(diopiRotaryEmbeddingV2, a) {
  TurnTensor(a.ctx, a.query, a.cos, a.sin, a.dim);
  TurnTensor(a.ctx, a.key, a.cos, a.sin, a.dim);
}

}  // namespace diopi::ops::both
