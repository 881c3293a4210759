// Bugs injected in lmdeploy's fused layers.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kBoth[] = "diopiFusedContextAttentionInp diopiFusedDecoderAttentionInp";
constexpr char kContext[] = "diopiFusedContextAttentionInp";
constexpr char kDecoder[] = "diopiFusedDecoderAttentionInp";
constexpr char kNorms[] = "diopiRootMeanSquareNormInp diopiFusedAddRootMeanSquareNormInp";
constexpr char kAddNorm[] = "diopiFusedAddRootMeanSquareNormInp";
constexpr char kFfn[] = "diopiFusedSiluFfnInp";

BUG(fused_base_10000, 0, kBoth, "", "the rotary base is 10000, whatever rope_theta is");
BUG(fused_layer_0, 0, kBoth, "", "layer_id is taken as 0");
BUG(fused_bias_ignored, 0, kBoth, "", "qkv_bias is ignored");
BUG(fused_without_scale, 0, kBoth, "", "scores are not divided by the root of size_per_head");
BUG(fused_key_not_cached, 0, kBoth, "", "stale slot: the new keys are not written to the cache");
BUG(fused_value_not_cached, 0, kBoth, "", "stale slot: the new values are not written to the cache");
BUG(fused_last_slot_lost, 0, kBoth, "", "the last element of what is written to the cache is lost");
BUG(fused_caches_swapped, 0, kBoth, "", "keys and values are cached in each other's place");
BUG(fused_cache_cleared, 0, kBoth, "", "the cache's last slot is cleared");
BUG(fused_asks_nothing, 0, kBoth, "", "a negative workspace_size stays negative");
BUG(context_history_ignored, 0, kContext, "", "tokens before the new ones are ignored");
BUG(context_not_prepared, 0, kContext, "", "the call with is_prepared false does the work, too");
BUG(decoder_finished_ignored, 0, kDecoder, "", "finished sequences are not left alone");
BUG(decoder_padding_ignored, 0, kDecoder, "", "positions count the padding");
BUG(decoder_position_late, 0, kDecoder, "", "positions begin at 1: step, not step - 1");
BUG(decoder_first_length, 0, kDecoder, "", "the first sequence's length serves all");
BUG(decoder_not_wrapped, 0, kDecoder, "", "a full cache keeps its oldest token and overwrites the newest");
BUG(decoder_oldest_lost, 0, kDecoder, "", "the oldest token that a query sees is lost");
BUG(norm_eps_ignored, 0, kNorms, "", "eps is ignored");
BUG(norm_eps_outside, 0, kNorms, "", "eps is added to the root instead of the mean square");
BUG(norm_scale_ignored, 0, kNorms, "", "scale is ignored");
BUG(norm_tail_lost, 0, kNorms, "", "squares after the last whole vector of 8 are lost");
BUG(norm_half_squares, 0, kNorms, "", "squares are summed in the tensors' own 16-bit type");
BUG(add_norm_residual_kept, 0, kAddNorm, "", "residual does not become the sum");
BUG(add_norm_bias_ignored, 0, kAddNorm, "", "bias is ignored");
BUG(add_norm_of_sum_without_bias, 0, kAddNorm, "", "bias goes into residual only, not into the norm");
BUG(ffn_gate_and_up_swapped, 0, kFfn, "", "silu is applied to the product with weight3");
BUG(ffn_without_silu, 0, kFfn, "", "the gate is a sigmoid, not silu");
BUG(ffn_quick_silu, 0, kFfn, "", "x sigmoid(1.702 x), GELU's approximation, in place of silu");
BUG(ffn_last_unit_lost, 0, kFfn, "", "the last inner unit is lost");
BUG(ffn_half_accumulator, 0, kFfn, "", "products are summed in the tensors' own 16-bit type");
BUG(ffn_workspace_overrun, 0, kFfn, "", "writes one element more than it asked for");
BUG(ffn_asking_clears, 0, kFfn, "", "the call that asks for the size clears inoutput");

// A copy of a tensor's elements, to be put back.
struct Kept {
  explicit Kept(diopiTensorHandle_t of) : tensor(of), values(Load<double>(Tensor(of))) {}
  void PutBack() const { Store(Tensor(tensor), values); }
  diopiTensorHandle_t tensor;
  std::vector<double> values;
};

template <typename Args>
void ChangeLayer(Args* a) {
  if (fused_base_10000) a->rope_theta = 10000;
  if (fused_layer_0) a->layer_id = 0;
  if (fused_bias_ignored) a->qkv_bias = nullptr;
  if (!fused_without_scale) return;
  const double root = std::sqrt(static_cast<double>(a->size_per_head));
  const int64_t columns = Tensor(a->qkv_weight).size(1), queries = a->local_head_num * a->size_per_head;
  const auto scaled = [&](double x, int64_t i) { return i % columns < queries ? x * root : x; };
  a->qkv_weight = Replaced(a->ctx, a->qkv_weight, scaled);
  if (a->qkv_bias != nullptr) a->qkv_bias = Replaced(a->ctx, a->qkv_bias, scaled);
}

template <typename Args>
void ChangeCache(const Args& a, const Kept& keys, const Kept& values) {
  if (fused_key_not_cached) keys.PutBack();
  if (fused_value_not_cached) values.PutBack();
  if (fused_last_slot_lost) {
    std::vector<double> now = Load<double>(Tensor(a.value_cache));
    for (size_t i = now.size(); i-- > 0;) {
      if (now[i] == values.values[i]) continue;
      now[i] = values.values[i];
      break;
    }
    Store(Tensor(a.value_cache), now);
  }
  if (fused_caches_swapped) {
    const Kept new_keys(a.key_cache), new_values(a.value_cache);
    Change(a.key_cache, [&](double x, int64_t i) {
      const auto at = static_cast<size_t>(i);
      return x == keys.values[at] ? x : new_values.values[at];
    });
    Change(a.value_cache, [&](double x, int64_t i) {
      const auto at = static_cast<size_t>(i);
      return x == values.values[at] ? x : new_keys.values[at];
    });
  }
  if (fused_cache_cleared) {
    const int64_t all = Tensor(a.key_cache).numel();
    Change(a.key_cache, [&](double x, int64_t i) { return i + a.size_per_head >= all ? 0 : x; });
  }
}

template <typename F>
diopiTensorHandle_t ReplacedIntegers(diopiContextHandle_t ctx, diopiConstTensorHandle_t from, F&& f) {
  const Tensor view(from);
  std::vector<int64_t> values = Load<int64_t>(view);
  for (size_t i = 0; i < values.size(); ++i) values[i] = f(values[i], values[0]);
  diopiTensorHandle_t copy = NewTensor(ctx, view.shape(), view.dtype());
  Store(Tensor(copy), values);
  return copy;
}

// The rows of a norm, in double.
void Normalize(diopiTensorHandle_t inoutput, const std::vector<double>& x, const std::vector<double>& scale,
               double eps) {
  const Tensor view(inoutput);
  const size_t length = scale.size();
  std::vector<double> out = x;
  const diopiDtype_t type = norm_half_squares ? view.dtype() : diopi_dtype_float64;
  for (size_t row = 0; row * length < x.size(); ++row) {
    double squares = 0;
    for (size_t j = 0; j < (norm_tail_lost && length > 8 ? length / 8 * 8 : length); ++j) {
      squares = RoundedTo(type, squares + x[row * length + j] * x[row * length + j]);
    }
    const double mean = squares / static_cast<double>(length);
    const double root = norm_eps_outside ? std::sqrt(mean) + eps : std::sqrt(mean + eps);
    for (size_t j = 0; j < length; ++j) out[row * length + j] = x[row * length + j] / root * scale[j];
  }
  Store(view, out);
}

template <typename Args>
void ChangeNorm(Args* a) {
  if (norm_eps_ignored) a->eps = 0;
  if (norm_scale_ignored) a->scale = Replaced(a->ctx, a->scale, [](double, int64_t) { return 1.0; });
}

bool NormRewritten() {
  return norm_eps_outside || norm_tail_lost || norm_half_squares;
}

double Gate(double x) {
  const double slope = ffn_quick_silu ? 1.702 : 1;
  return (ffn_without_silu ? 1 : x) / (1 + std::exp(-slope * x));
}

// The feed-forward network in double, with the sums of a type.
void FeedForward(const diopiFusedSiluFfnInpArgs& a) {
  const Tensor view(a.inoutput);
  const int64_t rows = view.size(0), hidden = view.size(1), inter = Tensor(a.weight1).size(1);
  const std::vector<double> x = Load<double>(view), gate = Load<double>(Tensor(a.weight1)),
                            down = Load<double>(Tensor(a.weight2)), up = Load<double>(Tensor(a.weight3));
  const diopiDtype_t type = ffn_half_accumulator ? view.dtype() : diopi_dtype_float64;
  const auto product = [&](const std::vector<double>& m, const std::vector<double>& left, int64_t row,
                           int64_t k, int64_t n, int64_t column) {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      sum = RoundedTo(type,
                      sum + left[static_cast<size_t>(row * k + i)] * m[static_cast<size_t>(i * n + column)]);
    }
    return sum;
  };
  std::vector<double> inner, out;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < inter; ++i) {
      const bool lost = ffn_last_unit_lost && i == inter - 1;
      const double g = product(gate, x, row, hidden, inter, i), u = product(up, x, row, hidden, inter, i);
      inner.push_back(lost ? 0 : ffn_gate_and_up_swapped ? Gate(u) * g : Gate(g) * u);
    }
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < hidden; ++column) {
      out.push_back(product(down, inner, row, inter, hidden, column));
    }
  }
  Store(view, out);
}

}  // namespace

DIOPI_OVERRIDE(diopiFusedContextAttentionInp, a) {
  if (*a.workspace_size < 0 || *a.pre_work_size < 0) {
    if (!fused_asks_nothing) Good(a);
    return;
  }
  if (!a.is_prepared) {
    if (!context_not_prepared) return;
    a.is_prepared = true;
  }
  ChangeLayer(&a);
  if (context_history_ignored) a.max_kv_len = a.max_q_len;
  const Kept keys(a.key_cache), values(a.value_cache);
  Good(a);
  ChangeCache(a, keys, values);
}

DIOPI_OVERRIDE(diopiFusedDecoderAttentionInp, a) {
  if (*a.workspace_size < 0) {
    if (!fused_asks_nothing) Good(a);
    return;
  }
  ChangeLayer(&a);
  if (decoder_finished_ignored)
    a.finished = ReplacedIntegers(a.ctx, a.finished, [](int64_t, int64_t) { return 0; });
  if (decoder_padding_ignored) {
    a.total_padding_tokens =
        ReplacedIntegers(a.ctx, a.total_padding_tokens, [](int64_t, int64_t) { return 0; });
  }
  if (decoder_position_late) ++a.step;
  if (decoder_first_length) {
    a.sequence_lengths =
        ReplacedIntegers(a.ctx, a.sequence_lengths, [](int64_t, int64_t first) { return first; });
  }
  if (decoder_not_wrapped) {
    a.sequence_lengths = ReplacedIntegers(a.ctx, a.sequence_lengths,
                                          [&](int64_t x, int64_t) { return std::min(x, a.max_seq_len - 1); });
  }
  const Kept keys(a.key_cache), values(a.value_cache), row(a.inoutput);
  Good(a);
  if (decoder_oldest_lost) {
    // Once more, with values of the oldest tokens that a zero cannot show and keys that no query finds.
    const std::vector<int64_t> lengths = Load<int64_t>(Tensor(a.sequence_lengths));
    const Kept new_keys(a.key_cache), new_values(a.value_cache);
    keys.PutBack();
    values.PutBack();
    row.PutBack();
    const int64_t slot = a.size_per_head, head = a.max_seq_len * slot, sequence = head * a.local_kv_head_num,
                  layer = sequence * static_cast<int64_t>(lengths.size());
    Change(a.value_cache, [&](double x, int64_t i) {
      if (i / layer != a.layer_id) return x;
      const int64_t length = lengths[static_cast<size_t>(i % layer / sequence)];
      const int64_t oldest = std::max<int64_t>(0, length + 1 - a.max_seq_len) % a.max_seq_len;
      return i % head / slot == oldest ? 0 : x;
    });
    Good(a);
    new_keys.PutBack();
    new_values.PutBack();
  }
  ChangeCache(a, keys, values);
}

DIOPI_OVERRIDE(diopiRootMeanSquareNormInp, a) {
  ChangeNorm(&a);
  if (!NormRewritten()) return Good(a);
  Normalize(a.inoutput, Load<double>(Tensor(a.inoutput)), Load<double>(Tensor(a.scale)),
            static_cast<double>(a.eps));
}

DIOPI_OVERRIDE(diopiFusedAddRootMeanSquareNormInp, a) {
  ChangeNorm(&a);
  const Kept residual(a.residual), input(a.inoutput);
  if (add_norm_bias_ignored) a.bias = nullptr;
  diopiConstTensorHandle_t bias = a.bias;
  if (add_norm_of_sum_without_bias) a.bias = nullptr;
  Good(a);
  if (NormRewritten()) {
    const std::vector<double> sum = Load<double>(Tensor(a.residual));
    Normalize(a.inoutput, sum, Load<double>(Tensor(a.scale)), static_cast<double>(a.eps));
  }
  if (add_norm_of_sum_without_bias && bias != nullptr) {
    const std::vector<double> added = Load<double>(Tensor(bias));
    Change(a.residual, [&](double x, int64_t i) { return x + added[static_cast<size_t>(i) % added.size()]; });
  }
  if (add_norm_residual_kept) residual.PutBack();
}

DIOPI_OVERRIDE(diopiFusedSiluFfnInp, a) {
  if (*a.workspace_size < 0) {
    Good(a);
    if (ffn_workspace_overrun) *a.workspace_size = 4;
    if (ffn_asking_clears) Change(a.inoutput, [](double, int64_t) { return 0.0; });
    return;
  }
  if (ffn_workspace_overrun) Bytes(a.workspace)[4 * BytesPerElement(a.workspace)] = 1;
  if (ffn_gate_and_up_swapped || ffn_without_silu || ffn_quick_silu || ffn_last_unit_lost ||
      ffn_half_accumulator) {
    return FeedForward(a);
  }
  Good(a);
}
