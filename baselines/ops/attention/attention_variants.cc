// Attention as flash kernels, split kernels and plain kernels compute it.
#include "baselines/injected/injected.h"
#include "baselines/ops/attention/attention_vendor.h"

namespace diopi::variants {
namespace {

using namespace ops::both;  // NOLINT: this file is kernels

INJECT(attention_plain, 0, kAll, "", "float32 throughout, all keys at once");
INJECT(attention_online, 0, kForward, "", "online softmax over single keys");
INJECT(attention_tiles16, 0, kForward, "", "online softmax over tiles of 16 keys");
INJECT(attention_tiles64, 0, kForward, "", "online softmax over tiles of 64 keys");
INJECT(attention_tiles_reversed, 0, kForward, "", "tiles of 32 keys from the last to the first");
INJECT(attention_split, 0, kForward, "", "three parts of the keys, merged in the end");
INJECT(attention_split_online, 0, kForward, "", "five parts of the keys in tiles of 8, merged in the end");
INJECT(attention_flash, 0, kForward, "",
       "as flash-attention: tiles of 64, exp2, weights rounded to 16 bits before the product with v");
INJECT(attention_flash_small, 0, kForward, "", "the same in tiles of 4 from the last to the first");
INJECT(attention_narrow_weights, 0, kForward, "",
       "weights rounded to 16 bits relative to the greatest of all");
INJECT(attention_exp2, 0, kAll, "", "exp2 of scores times log2 e");
INJECT(attention_reciprocal, 0, kForward, "", "times the reciprocal of the sum");
INJECT(attention_double, 0, kAll, "", "in the next wider type");
INJECT(attention_backward_reversed, 0, kBackward, "", "keys and products from the last to the first");
INJECT(attention_backward_flash, 0, kBackward, "",
       "as flash-attention: exp2, weights and their gradients rounded to 16 bits before products");
INJECT(attention_backward_narrow, 0, kBackward, "", "the same with exp, from the last key to the first");
INJECT(attention_backward_own_mean, 0, kBackward, "",
       "the mean gradient from the weights instead of from the output");
INJECT(attention_backward_own_mean_narrow, 0, kBackward, "", "the same, with operands of 16 bits");
INJECT(attention_dropout_other_draws, 0,
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
