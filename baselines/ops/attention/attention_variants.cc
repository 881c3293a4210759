// Attention as flash kernels, split kernels and plain kernels compute it.
#include "baselines/injected/injected.h"
#include "baselines/ops/attention/attention_vendor.h"

namespace diopi::variants {
namespace {

using namespace ops::both;  // NOLINT: this file is kernels

VARIANT(attention_plain, kAll, "", "float32 throughout, all keys at once");
VARIANT(attention_online, kForward, "", "online softmax over single keys");
VARIANT(attention_tiles16, kForward, "", "online softmax over tiles of 16 keys");
VARIANT(attention_tiles64, kForward, "", "online softmax over tiles of 64 keys");
VARIANT(attention_tiles_reversed, kForward, "", "tiles of 32 keys from the last to the first");
VARIANT(attention_split, kForward, "", "three parts of the keys, merged in the end");
VARIANT(attention_split_online, kForward, "", "five parts of the keys in tiles of 8, merged in the end");
VARIANT(attention_flash, kForward, "",
        "as flash-attention: tiles of 64, exp2, weights rounded to 16 bits before the product with v");
VARIANT(attention_flash_small, kForward, "", "the same in tiles of 4 from the last to the first");
VARIANT(attention_narrow_weights, kForward, "", "weights rounded to 16 bits relative to the greatest of all");
VARIANT(attention_exp2, kAll, "", "exp2 of scores times log2 e");
VARIANT(attention_reciprocal, kForward, "", "times the reciprocal of the sum");
VARIANT(attention_double, kAll, "", "in the next wider type");
VARIANT(attention_backward_reversed, kBackward, "", "keys and products from the last to the first");
VARIANT(attention_backward_flash, kBackward, "",
        "as flash-attention: exp2, weights and their gradients rounded to 16 bits before products");
VARIANT(attention_backward_narrow, kBackward, "", "the same with exp, from the last key to the first");
VARIANT(attention_backward_own_mean, kBackward, "",
        "the mean gradient from the weights instead of from the output");
VARIANT(attention_backward_own_mean_narrow, kBackward, "", "the same, with operands of 16 bits");
VARIANT(attention_dropout_other_draws,
        "diopiFlashAttention diopiCustomizedFlashAttention diopiMultiHeadAttention diopiFlashAttentionVarLen "
        "diopiCustomizedFlashAttentionVarLen diopiMultiHeadAttentionVarLen",
        "", "dropout's random numbers come from another seed");

bool Chosen() {
  return attention_plain || attention_online || attention_tiles16 || attention_tiles64 ||
         attention_tiles_reversed || attention_split || attention_split_online || attention_flash ||
         attention_flash_small || attention_narrow_weights || attention_exp2 || attention_reciprocal ||
         attention_double || attention_backward_reversed || attention_backward_flash ||
         attention_backward_narrow || attention_backward_own_mean || attention_backward_own_mean_narrow;
}

How TheWay() {
  How how;
  if (attention_online) how.tile = 1;
  if (attention_tiles16) how.tile = 16;
  if (attention_tiles64 || attention_flash) how.tile = 64;
  if (attention_tiles_reversed) how.tile = 32;
  if (attention_split_online) how.tile = 8;
  if (attention_flash_small) how.tile = 4;
  if (attention_split) how.parts = 3;
  if (attention_split_online) how.parts = 5;
  how.reversed = attention_tiles_reversed || attention_flash_small || attention_backward_reversed ||
                 attention_backward_narrow;
  how.base2 = attention_flash || attention_flash_small || attention_exp2 || attention_backward_flash;
  how.narrow = attention_flash || attention_flash_small || attention_narrow_weights ||
               attention_backward_flash || attention_backward_narrow || attention_backward_own_mean_narrow;
  if (attention_reciprocal) how.reciprocal = true;
  how.mean_of_weights = attention_backward_own_mean || attention_backward_own_mean_narrow;
  return how;
}

template <typename Args>
void OtherDraws(const Args& a, const Drops& drops) {
  if constexpr (requires { a.gen; }) {
    diopiGeneratorSetSeedAndOffset(a.gen, drops.seed * 0x9E3779B97F4A7C15 + 1, drops.offset);
    Good(a);
    diopiGeneratorSetSeedAndOffset(a.gen, drops.seed, drops.offset + 1);
  }
}

template <typename Args>
void Variant(const Args& a) {
  const Drops drops = CallOf(a).drops;
  if (drops.p > 0 && attention_dropout_other_draws) return OtherDraws(a, drops);
  if (!Chosen() || drops.p > 0) return Good(a);
  if constexpr (AllocatesStatistics<Args>) Good(a);
  RunVendor(a, CallOf(a), TheWay(), static_cast<bool>(attention_double));
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: this file is kernels

DIOPI_OVERRIDE_FORM(diopiFlashAttention, Variant)
DIOPI_OVERRIDE_FORM(diopiFlashAttentionVarLen, Variant)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttention, Variant)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttentionVarLen, Variant)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttention, Variant)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttentionVarLen, Variant)
DIOPI_OVERRIDE_FORM(diopiFlashAttentionBackward, Variant)
DIOPI_OVERRIDE_FORM(diopiFlashAttentionVarLenBackward, Variant)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttentionBackward, Variant)
DIOPI_OVERRIDE_FORM(diopiCustomizedFlashAttentionVarLenBackward, Variant)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttentionBackward, Variant)
DIOPI_OVERRIDE_FORM(diopiMultiHeadAttentionVarLenBackward, Variant)
