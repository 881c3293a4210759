// Rotary embeddings as vendors write them: fused, wider, or as tensor operations whose results are stored.
#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kBoth[] = "diopiRotaryEmbedding diopiRotaryEmbeddingV2";
VARIANT(rotary_fma, kBoth, "", "one product fused with the sum");
VARIANT(rotary_fma_other, kBoth, "", "the other product fused with the sum");
VARIANT(rotary_double, kBoth, "", "in double, rounded once");
VARIANT(rotary_stored_products, kBoth, "", "each product in the tensors' type before the sum");

bool Chosen() {
  return rotary_fma || rotary_fma_other || rotary_double || rotary_stored_products;
}

// a b + c d, in a tensor of this dtype.
template <typename C>
C TwoProducts(diopiDtype_t dtype, C a, C b, C c, C d) {
  if (rotary_fma) return std::fma(a, b, c * d);
  if (rotary_fma_other) return std::fma(c, d, a * b);
  if (rotary_stored_products) return Stored(dtype, a * b) + Stored(dtype, c * d);
  using W = Wide<C>;
  return static_cast<C>(static_cast<W>(a) * static_cast<W>(b) + static_cast<W>(c) * static_cast<W>(d));
}

// cos and sin of each element of x, which lies in heads of `dim`.
template <typename C>
std::vector<C> Turned(const Tensor& x, const std::vector<C>& cos, const std::vector<C>& sin, int64_t dim,
                      bool conj, bool interleaved) {
  const std::vector<C> v = Load<C>(x);
  std::vector<C> y;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t j = i % dim, step = interleaved ? 1 : dim / 2;
    const bool first = interleaved ? j % 2 == 0 : j < dim / 2;
    const C other = v[static_cast<size_t>(first ? i + step : i - step)];
    const auto at = static_cast<size_t>(i);
    y.push_back(TwoProducts(x.dtype(), v[at], cos[at], first == conj ? other : -other, sin[at]));
  }
  return y;
}

// cos or sin for each element of heads: `pairs`, one for each pair, spread to both elements.
template <typename C>
std::vector<C> Spread(const std::vector<C>& pairs, int64_t half, bool interleaved) {
  std::vector<C> all;
  for (int64_t i = 0; i < 2 * static_cast<int64_t>(pairs.size()); ++i) {
    const int64_t head = i / (2 * half), j = i % (2 * half);
    all.push_back(pairs[static_cast<size_t>(head * half + (interleaved ? j / 2 : j % half))]);
  }
  return all;
}

// [tokens, dim] for each element of x, [tokens, heads * dim].
template <typename C>
std::vector<C> OfTokens(const std::vector<C>& values, const Tensor& x, int64_t dim) {
  std::vector<C> all;
  for (int64_t i = 0; i < x.numel(); ++i)
    all.push_back(values[static_cast<size_t>(i / x.size(1) * dim + i % dim)]);
  return all;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiRotaryEmbedding, a) {
  const Tensor out(a.out), x(a.x);
  if (!Chosen() || x.numel() == 0) return Good(a);
  Shape pairs = x.shape();
  pairs.back() /= 2;
  DispatchReal(x.dtype(), [&]<typename C>() {
    const auto spread = [&](const Tensor& t) {
      return Spread(LoadAs<C>(t, pairs), pairs.back(), a.interleaved);
    };
    Store(out, Turned(x, spread(a.cos), spread(a.sin), 2 * pairs.back(), a.conj, a.interleaved));
  });
}

DIOPI_OVERRIDE(diopiRotaryEmbeddingV2, a) {
  if (!Chosen() || Tensor(a.query).numel() == 0) return Good(a);
  for (const Tensor& x : {Tensor(a.query), Tensor(a.key)}) {
    DispatchReal(x.dtype(), [&]<typename C>() {
      const std::vector<C> cos = OfTokens(Load<C>(Tensor(a.cos)), x, a.dim),
                           sin = OfTokens(Load<C>(Tensor(a.sin)), x, a.dim);
      Store(x, Turned(x, cos, sin, a.dim, false, false));
    });
  }
}
