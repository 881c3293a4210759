// Bugs injected in rotary embeddings.
#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs

constexpr char kFirst[] = "diopiRotaryEmbedding";
constexpr char kSecond[] = "diopiRotaryEmbeddingV2";
BUG(rotary_conj_ignored, 0, kFirst, "", "conj is taken as false");
BUG(rotary_conj_negates, 0, kFirst, "", "with conj the result is negated");
BUG(rotary_interleaved_ignored, 0, kFirst, "", "halves are paired although neighbours should be");
BUG(rotary_turns_the_other_way, 0, kFirst, "", "sin has the wrong sign");
BUG(rotary_second_half_copied, 0, kFirst, "", "only the first elements of the pairs are computed");
BUG(rotary_next_position, 0, kFirst, "", "cos and sin are those of the next element of their tensors");
BUG(rotary_tail_left, 0, kFirst, "", "elements after the last whole vector of 8 are copied");
BUG(rotary_x_without_strides, 0, kFirst, "", "strides of x are ignored");
BUG(rotary_cos_bfloat16, 0, kFirst, "", "cos and sin are rounded to bfloat16 in float32");
BUG(rotary_v2_key_left, 0, kSecond, "", "only the query is turned");
BUG(rotary_v2_first_half_of_sin, 0, kSecond, "", "the first half of cos and sin serves both halves");
BUG(rotary_v2_neighbours, 0, kSecond, "", "neighbours are paired instead of halves");
BUG(rotary_v2_key_heads_of_query, 0, kSecond, "", "the query's number of heads finds the key's tokens, too");

template <typename F>
diopiConstTensorHandle_t ByIndex(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, F&& from) {
  const std::vector<double> values = Load<double>(Tensor(tensor));
  return Replaced(ctx, tensor, [&](double, int64_t i) { return values[static_cast<size_t>(from(i))]; });
}

// (x cos + rotate(x) sin) of heads of `dim`, where head h of `heads` belongs to token h / heads.
void TurnWrongly(diopiTensorHandle_t tensor, const diopiRotaryEmbeddingV2Args& a, int64_t heads) {
  const Tensor view(tensor);
  const std::vector<double> x = Load<double>(view), cos = Load<double>(Tensor(a.cos)),
                            sin = Load<double>(Tensor(a.sin));
  std::vector<double> y(x.size());
  const int64_t half = a.dim / 2;
  for (int64_t i = 0; i < view.numel(); ++i) {
    const int64_t head = i / a.dim, j = i % a.dim;
    const auto c = static_cast<size_t>((head / heads * a.dim + j) % static_cast<int64_t>(cos.size()));
    const bool first = rotary_v2_neighbours ? j % 2 == 0 : j < half;
    const int64_t step = rotary_v2_neighbours ? 1 : half;
    const double other = x[static_cast<size_t>(first ? i + step : i - step)];
    y[static_cast<size_t>(i)] = x[static_cast<size_t>(i)] * cos[c] + (first ? -other : other) * sin[c];
  }
  Store(view, y);
}

}  // namespace

DIOPI_OVERRIDE(diopiRotaryEmbedding, a) {
  const bool interleaved = a.interleaved && !rotary_interleaved_ignored;
  const bool conj = a.conj && !rotary_conj_ignored && !rotary_conj_negates;
  if (rotary_x_without_strides) a.x = ReadWithoutStrides(a.ctx, a.x);
  if (rotary_next_position) {
    const auto next = [&](diopiConstTensorHandle_t t) {
      const int64_t count = NumElements(t);
      return ByIndex(a.ctx, t, [count](int64_t i) { return (i + 1) % count; });
    };
    a.cos = next(a.cos);
    a.sin = next(a.sin);
  }
  if (rotary_cos_bfloat16 && IsFloat32(a.x)) {
    a.cos = Replaced(a.ctx, a.cos, [](double c, int64_t) { return ToBfloat16(c); });
    a.sin = Replaced(a.ctx, a.sin, [](double s, int64_t) { return ToBfloat16(s); });
  }
  Good({a.ctx, a.out, a.x, a.cos, a.sin, conj != static_cast<bool>(rotary_turns_the_other_way), interleaved});
  const std::vector<double> x = Load<double>(Tensor(a.x));
  const int64_t width = x.empty() ? 1 : ShapeOf(a.x).back();
  if (rotary_conj_negates && a.conj) Change(a.out, [](double y, int64_t) { return -y; });
  if (rotary_tail_left) {
    const int64_t whole = NumElements(a.out) / 8 * 8;
    Change(a.out, [&](double y, int64_t i) { return i < whole ? y : x[static_cast<size_t>(i)]; });
  }
  if (rotary_second_half_copied) {
    Change(a.out, [&](double y, int64_t i) {
      const bool second = a.interleaved ? i % 2 == 1 : i % width >= width / 2;
      return second ? x[static_cast<size_t>(i)] : y;
    });
  }
}

DIOPI_OVERRIDE(diopiRotaryEmbeddingV2, a) {
  if (NumElements(a.query) == 0) return Good(a);
  if (rotary_v2_first_half_of_sin) {
    const int64_t dim = a.dim;
    const auto first = [dim](int64_t i) { return i / dim * dim + i % dim % (dim / 2); };
    a.cos = ByIndex(a.ctx, a.cos, first);
    a.sin = ByIndex(a.ctx, a.sin, first);
  }
  if (rotary_v2_key_left) {
    a.key = Replaced(a.ctx, a.key, [](double x, int64_t) { return x; });
  }
  if (!rotary_v2_neighbours && !rotary_v2_key_heads_of_query) return Good(a);
  const int64_t heads = ShapeOf(a.query)[1] / a.dim, own = ShapeOf(a.key)[1] / a.dim;
  TurnWrongly(a.query, a, heads);
  TurnWrongly(a.key, a, rotary_v2_key_heads_of_query ? heads : own);
}
