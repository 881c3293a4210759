// Bugs injected into training attention.
#include <cmath>
#include <utility>

#include "baselines/bugs/support.h"
#include "baselines/ops/attention/attention_vendor.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using namespace diopi::ops::both;  // NOLINT: this file is kernels

constexpr char kWithLogSum[] = "diopiFlashAttention diopiMultiHeadAttention";
constexpr char kSequences[] =
    "diopiFlashAttentionVarLen diopiCustomizedFlashAttentionVarLen diopiMultiHeadAttentionVarLen "
    "diopiFlashAttentionVarLenBackward diopiCustomizedFlashAttentionVarLenBackward "
    "diopiMultiHeadAttentionVarLenBackward";
constexpr char kSequencesBackward[] =
    "diopiFlashAttentionVarLenBackward diopiCustomizedFlashAttentionVarLenBackward "
    "diopiMultiHeadAttentionVarLenBackward";
constexpr char kGrouped[] =
    "diopiFlashAttention diopiFlashAttentionVarLen diopiCustomizedFlashAttention "
    "diopiCustomizedFlashAttentionVarLen diopiFlashAttentionBackward diopiFlashAttentionVarLenBackward "
    "diopiCustomizedFlashAttentionBackward diopiCustomizedFlashAttentionVarLenBackward";
constexpr char kGroupedBackward[] =
    "diopiFlashAttentionBackward diopiFlashAttentionVarLenBackward diopiCustomizedFlashAttentionBackward "
    "diopiCustomizedFlashAttentionVarLenBackward";
constexpr char kCustomized[] = "diopiCustomizedFlashAttention diopiCustomizedFlashAttentionBackward";
BUG(attention_output_not_rescaled, 0, kForward, "",
    "the output is not rescaled when a tile raises the maximum");
BUG(attention_sum_not_rescaled, 0, kForward, "", "the sum is not rescaled when a tile raises the maximum");
BUG(attention_no_maximum, 0, kForward, "", "exp of the scores themselves overflows");
BUG(attention_maximum_from_zero, 0, kForward, "", "the maximum starts at 0: exp of low scores vanishes");
BUG(attention_lost_tail, 0, kAll, "", "keys after the last whole tile of 16 are left out");
BUG(attention_lost_tile, 0, kAll, "", "the second tile of 64 keys is left out");
BUG(attention_padded_tail, 0, kForward, "", "the zeros that fill up a tile of 8 keys count in the sum");
BUG(attention_reads_over, 0, kSequences, "", "a sequence reads the first key of the next one");
BUG(attention_lse_without_maximum, 0, kWithLogSum, "", "softmax_lse lacks the maximum");
BUG(attention_lse_base_2, 0, kWithLogSum, "", "softmax_lse takes the logarithm to base 2");
BUG(attention_heads_modulo, 0, kGrouped, "", "query heads use key head h % heads instead of h / group");
BUG(attention_first_batch_keys, 0, kAll, "", "all batches use the keys of the first one");
BUG(attention_narrow_output, 0, kForward, "", "the output is added up in 16 bits");
BUG(attention_narrow_sum, 0, kForward, "", "the sum is added up in 16 bits");
BUG(attention_overflowing_scores, 0, kAll, "", "scores are float16 before they are scaled: they overflow");
BUG(attention_lost_dims, 0, kAll, "",
    "dimensions of a head after the last whole 64 are left out of products");
BUG(attention_mean_forgotten, 0, kBackward, "", "the mean gradient of a row is not subtracted");
BUG(attention_mean_unweighted, 0, kBackward, "",
    "the mean gradient of a row is subtracted without the weight");
BUG(attention_query_scale_forgotten, 0, kBackward, "", "grad_q is not scaled");
BUG(attention_key_scale_forgotten, 0, kBackward, "", "grad_k is not scaled");
BUG(attention_last_head_only, 0, kGroupedBackward, "",
    "a shared key head gets the gradient of its last query head only");
BUG(attention_first_head_values, 0, kGroupedBackward, "",
    "a shared head of v gets the gradient of its first query head only");
BUG(attention_lost_queries, 0, kBackward, "", "queries after the first 128 add nothing to the gradients");
BUG(attention_backward_unmasked, 0, kBackward, "", "the backward sees all keys");
BUG(attention_transposed_slopes, 0, kBackward, "", "gradients of keys in reverse order");
BUG(attention_keys_unwritten, 0, kSequencesBackward, "",
    "gradients of keys are not written where there are more keys than queries");
BUG(attention_narrow_gradients, 0, kBackward, "", "gradients of keys and values are added up in 16 bits");
BUG(attention_lse_of_first_head, 0, kBackward, "", "all heads use softmax_lse of the first one");
BUG(attention_output_as_value, 0, kBackward, "",
    "the gradient of a weight from the output instead of from v");
BUG(attention_mask_one_later, 0, kAll, "", "a causal mask lets a query see the next key, too");
BUG(attention_causal_ignored, 0, kAll, "", "is_causal does nothing");
BUG(attention_scale_of_dim, 0, kAll, "", "the scale is 1/sqrt(size of the heads) instead of the argument");
BUG(attention_scale_twice, 0, kAll, "", "scores are scaled twice");
BUG(attention_window_exchanged, 0, kGrouped, "", "the window's sides are exchanged");
BUG(attention_window_exclusive, 0, kGrouped, "", "the first key of the window is left out");
BUG(attention_window_right_ignored, 0, kGrouped, "", "the window has no right side");
BUG(attention_alibi_ignored, 0, kGrouped, "", "alibi_slopes does nothing");
BUG(attention_mask_ignored, 0, kCustomized, "", "attention_mask is taken for the causal one");
BUG(attention_layout_sbh_as_bsh, 0, kCustomized, "", "SBH is read like BSH");

constexpr char kDropForward[] =
    "diopiFlashAttention diopiCustomizedFlashAttention diopiMultiHeadAttention diopiFlashAttentionVarLen "
    "diopiCustomizedFlashAttentionVarLen diopiMultiHeadAttentionVarLen";
constexpr char kDropBackward[] =
    "diopiFlashAttentionBackward diopiMultiHeadAttentionBackward diopiFlashAttentionVarLenBackward "
    "diopiMultiHeadAttentionVarLenBackward";
constexpr char kDropping[] =
    "diopiFlashAttention diopiCustomizedFlashAttention diopiMultiHeadAttention diopiFlashAttentionVarLen "
    "diopiCustomizedFlashAttentionVarLen diopiMultiHeadAttentionVarLen diopiFlashAttentionBackward "
    "diopiMultiHeadAttentionBackward diopiFlashAttentionVarLenBackward "
    "diopiMultiHeadAttentionVarLenBackward";
BUG(attention_dropout_ignored, 0, kDropping, "", "no weight is dropped");
BUG(attention_dropout_keeps_p, 0, kDropping, "", "a weight is kept with probability p");
BUG(attention_dropout_unscaled, 0, kDropForward, "", "kept weights are not multiplied by 1 / (1 - p)");
BUG(attention_dropout_gradient_unscaled, 0, kDropBackward, "",
    "the gradient of v has kept weights that are not multiplied by 1 / (1 - p)");
BUG(attention_dropout_heads_alike, 0, "diopiFlashAttention diopiCustomizedFlashAttention", "",
    "all heads drop the weights of the first one");
BUG(attention_dropout_batches_alike, 0, kDropForward, "",
    "all batches or sequences drop the weights of the first one");

Fault TheFault() {
  if (attention_output_not_rescaled) return Fault::kOutputNotRescaled;
  if (attention_sum_not_rescaled) return Fault::kSumNotRescaled;
  if (attention_no_maximum) return Fault::kNoMaximum;
  if (attention_maximum_from_zero) return Fault::kMaximumFromZero;
  if (attention_lost_tail) return Fault::kLostTail;
  if (attention_lost_tile) return Fault::kLostTile;
  if (attention_padded_tail) return Fault::kPaddedTail;
  if (attention_reads_over) return Fault::kReadsOver;
  if (attention_lse_without_maximum) return Fault::kLogSumWithoutMaximum;
  if (attention_lse_base_2) return Fault::kLogSumBase2;
  if (attention_heads_modulo) return Fault::kHeadModulo;
  if (attention_first_batch_keys) return Fault::kFirstBatchKeys;
  if (attention_narrow_output) return Fault::kNarrowOutput;
  if (attention_narrow_sum) return Fault::kNarrowSum;
  if (attention_overflowing_scores) return Fault::kNarrowScores;
  if (attention_lost_dims) return Fault::kLostDims;
  if (attention_mean_forgotten) return Fault::kMeanForgotten;
  if (attention_mean_unweighted) return Fault::kMeanUnweighted;
  if (attention_query_scale_forgotten) return Fault::kQueryScaleForgotten;
  if (attention_key_scale_forgotten) return Fault::kKeyScaleForgotten;
  if (attention_last_head_only) return Fault::kLastHeadOnly;
  if (attention_first_head_values) return Fault::kFirstHeadOnly;
  if (attention_lost_queries) return Fault::kLostQueries;
  if (attention_backward_unmasked) return Fault::kBackwardUnmasked;
  if (attention_transposed_slopes) return Fault::kTransposedSlopes;
  if (attention_keys_unwritten) return Fault::kKeysUnwritten;
  if (attention_narrow_gradients) return Fault::kNarrowGradients;
  if (attention_lse_of_first_head) return Fault::kLogSumOfFirstHead;
  if (attention_output_as_value) return Fault::kValueOfOutput;
  return Fault::kNone;
}

bool Chosen() {
  return TheFault() != Fault::kNone || attention_mask_one_later || attention_causal_ignored ||
         attention_scale_of_dim || attention_scale_twice || attention_window_exchanged ||
         attention_window_exclusive || attention_window_right_ignored || attention_alibi_ignored ||
         attention_mask_ignored || attention_layout_sbh_as_bsh;
}

void AsBatchFirst(Tokens* tokens) {
  tokens->batch_step = tokens->places * tokens->heads * tokens->dim;
  tokens->place_step = tokens->heads * tokens->dim;
}

template <typename Args>
AttentionCall Changed(const Args& a) {
  AttentionCall call = CallOf(a);
  if (attention_mask_one_later && call.causal) call.causal = false, call.right = 1, call.mask = Tensor();
  if (attention_causal_ignored && !call.mask) call.causal = false;
  if (attention_scale_of_dim) call.scale = 1 / std::sqrt(static_cast<double>(call.at_q.dim));
  if (attention_scale_twice) call.scale *= call.scale;
  if (attention_window_exchanged) std::swap(call.left, call.right);
  if (attention_window_exclusive && call.left > 0) --call.left;
  if (attention_window_right_ignored) call.right = -1;
  if (attention_alibi_ignored) call.slopes = Tensor();
  if (attention_mask_ignored) call.mask = Tensor();
  if (attention_layout_sbh_as_bsh && call.at_q.batch_step < call.at_q.place_step)
    AsBatchFirst(&call.at_q), AsBatchFirst(&call.at_k);
  return call;
}

How Wrong() {
  How how;
  how.tile = 16;
  how.fault = TheFault();
  return how;
}

template <typename Args>
auto& RateOf(Args& a) {
  if constexpr (requires { a.p_dropout; }) {
    return a.p_dropout;
  } else {
    return a.dropout_p;
  }
}

// Every `period` elements repeat their first `count`.
void Repeat(const Tensor& x, int64_t period, int64_t count) {
  std::vector<double> values = Load<double>(x);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t within = i % static_cast<size_t>(period);
    values[i] = values[i - within + within % static_cast<size_t>(count)];
  }
  Store(x, values);
}

void Scale(const Tensor& x, double factor) {
  std::vector<double> values = Load<double>(x);
  for (double& value : values) value *= factor;
  Store(x, values);
}

template <typename Args>
void DropWrongly(Args a) {
  const auto rate = RateOf(a);
  if (attention_dropout_ignored) RateOf(a) = 0;
  if (attention_dropout_keeps_p && rate > 0) RateOf(a) = 1 - rate;
  Good(a);
  if (rate == 0) return;
  if constexpr (requires { a.grad_v; }) {
    if (attention_dropout_gradient_unscaled) Scale(Tensor(a.grad_v), 1 - static_cast<double>(rate));
  } else {
    const Tensor out = OutputOf(a);
    if (attention_dropout_unscaled) Scale(out, 1 - static_cast<double>(rate));
    if (attention_dropout_heads_alike) Repeat(out, out.size(2) * out.size(3), out.size(3));
    const int64_t batches = out.rank() == 3 ? CallOf(a).at_q.batch : out.size(0);
    if (attention_dropout_batches_alike) Repeat(out, out.numel(), out.numel() / batches);
  }
}

template <typename Args>
void Buggy(const Args& a) {
  if (!Chosen() || CallOf(a).drops.p > 0) return DropWrongly(a);
  if constexpr (AllocatesStatistics<Args>) Good(a);
  RunVendor(a, Changed(a), Wrong(), false);
}

}  // namespace

DIOPI_OVERRIDE_FORM(diopiFlashAttention, Buggy)
DIOPI_OVERRIDE_FORM(diopiFlashAttentionVarLen, Buggy)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttention, Buggy)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttentionVarLen, Buggy)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttention, Buggy)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttentionVarLen, Buggy)
DIOPI_OVERRIDE_FORM(diopiFlashAttentionBackward, Buggy)
DIOPI_OVERRIDE_FORM(diopiFlashAttentionVarLenBackward, Buggy)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttentionBackward, Buggy)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttentionVarLenBackward, Buggy)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttentionBackward, Buggy)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttentionVarLenBackward, Buggy)
