// Bugs in convolutions, pooling, normalization, losses, optimizers, attention and detection.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

namespace {

constexpr auto kEvery = [](int64_t) { return true; };

// sums[key(i)] of the elements i of the tensor for which where(i), row-major.
template <typename P, typename K>
std::vector<double> SumsBy(diopiConstTensorHandle_t tensor, int64_t count, P&& where, K&& key) {
  std::vector<double> sums(static_cast<size_t>(count));
  const std::vector<double> values = Values(tensor);
  for (int64_t i = 0; i < NumElements(tensor); ++i) {
    if (where(i)) sums[static_cast<size_t>(key(i))] += At(values, i);
  }
  return sums;
}

}  // namespace

// Specific: a weight that is not dense, as channels-last.
BUG(convolution_weight_dense, 0, "diopiConvolution2d", "", "the weight's strides are ignored");
DIOPI_OVERRIDE(diopiConvolution2d, a) {
  if (convolution_weight_dense && !IsDense(a.weight)) a.weight = ReadWithoutStrides(a.ctx, a.weight);
  Good(a);
}

// Specific: groups and a bias.
BUG(convolution3d_first_group_bias, 0, "diopiConvolution3d", "", "every group adds the first one's bias");
DIOPI_OVERRIDE(diopiConvolution3d, a) {
  if (convolution3d_first_group_bias && a.groups > 1 && a.bias != nullptr) {
    const int64_t channels = NumElements(a.bias), per_group = channels / a.groups;
    a.bias = Taken(a.ctx, a.bias, 0, channels, [&](int64_t i) { return i % per_group; });
  }
  Good(a);
}

// Ordinary values: an output of two and more slices, a gradient of the bias.
BUG(convolution3d_backward_bias_plane, 0, "diopiConvolution3dBackward", "",
    "the gradient of the bias sums height and width of the first slice only, as in two dimensions");
DIOPI_OVERRIDE(diopiConvolution3dBackward, a) {
  Good(a);
  if (!convolution3d_backward_bias_plane || a.grad_bias == nullptr) return;
  const std::vector<double> sums = SumsBy(
      a.grad_output, NumElements(a.grad_bias),
      [&](int64_t i) { return Coordinate(a.grad_output, i, -3) == 0; },
      [&](int64_t i) { return Coordinate(a.grad_output, i, -4); });
  Set(a.ctx, a.grad_bias, kEvery, [&](int64_t i) { return At(sums, i); });
}

// Ordinary values: a maximum outside the first slice of a volume.
BUG(max_pool3d_index_in_plane, 0, "diopiMaxPool3dWithIndices", "",
    "indices count within the slice of the maximum instead of through the volume");
DIOPI_OVERRIDE(diopiMaxPool3dWithIndices, a) {
  Good(a);
  if (!max_pool3d_index_in_plane) return;
  const std::vector<int64_t> index = Load<int64_t>(Tensor(a.indices));
  const int64_t plane = Length(a.input, -2) * Length(a.input, -1);
  Set(a.ctx, a.indices, kEvery, [&](int64_t i) { return At(index, i) % plane; });
}

// Specific: ceil_mode with a last window over the edge, count_include_pad.
BUG(avg_pool_backward_ceil_divisor, 0, "diopiAvgPool2dBackward", "",
    "windows that reach over the padded input divide by the whole kernel");
DIOPI_OVERRIDE(diopiAvgPool2dBackward, a) {
  int64_t whole = 0;
  const bool clipped = a.ceil_mode && a.count_include_pad && a.divisor_override == nullptr;
  if (avg_pool_backward_ceil_divisor && clipped && a.kernel_size.len > 0) {
    whole = a.kernel_size.data[0] * a.kernel_size.data[a.kernel_size.len - 1];
    a.divisor_override = &whole;
  }
  Good(a);
}

// Specific: an input size that the output size does not divide.
BUG(adaptive_avg_pool_floor_end, 0, "diopiAdaptiveAvgPool2d", "",
    "windows end at floor((i + 1) * in / out) instead of ceil");
DIOPI_OVERRIDE(diopiAdaptiveAvgPool2d, a) {
  Good(a);
  if (!adaptive_avg_pool_floor_end) return;
  const std::vector<double> x = Values(a.input);
  const int64_t height = Length(a.input, -2), width = Length(a.input, -1);
  const int64_t rows = Length(a.out, -2), columns = Length(a.out, -1);
  const auto end = [](int64_t i, int64_t in, int64_t out) {
    return std::max((i + 1) * in / out, i * in / out + 1);
  };
  Set(a.ctx, a.out, kEvery, [&](int64_t i) {
    const int64_t row = i / columns % rows, column = i % columns;
    double sum = 0, count = 0;
    for (int64_t h = row * height / rows; h < end(row, height, rows); ++h) {
      for (int64_t w = column * width / columns; w < end(column, width, columns); ++w, ++count) {
        sum += At(x, (i / columns / rows * height + h) * width + w);
      }
    }
    return sum / count;
  });
}

// Ordinary values: two and more samples, a gradient of the bias.
BUG(group_norm_backward_first_sample, 0, "diopiGroupNormBackward", "",
    "the gradient of the bias sums the first sample only");
DIOPI_OVERRIDE(diopiGroupNormBackward, a) {
  Good(a);
  if (!group_norm_backward_first_sample || a.grad_bias == nullptr) return;
  const std::vector<double> sums = SumsBy(
      a.grad_output, NumElements(a.grad_bias),
      [&](int64_t i) { return Coordinate(a.grad_output, i, 0) == 0; },
      [&](int64_t i) { return Coordinate(a.grad_output, i, 1); });
  Set(a.ctx, a.grad_bias, kEvery, [&](int64_t i) { return At(sums, i); });
}

// Rare: more than 32 normalized rows, a gradient of the bias.
BUG(layer_norm_backward_rows, 0, "diopiLayerNormBackward", "",
    "the gradient of the bias sums the first 32 rows, one block's, only");
DIOPI_OVERRIDE(diopiLayerNormBackward, a) {
  Good(a);
  if (!layer_norm_backward_rows || a.grad_bias == nullptr || NumElements(a.grad_bias) == 0) return;
  const int64_t width = NumElements(a.grad_bias);
  if (NumElements(a.grad_output) <= 32 * width) return;
  const std::vector<double> sums = SumsBy(
      a.grad_output, width, [&](int64_t i) { return i / width < 32; }, [&](int64_t i) { return i % width; });
  Set(a.ctx, a.grad_bias, kEvery, [&](int64_t i) { return At(sums, i); });
}

// Ordinary values: any difference.
BUG(mse_backward_half, 0, "diopiMSELossBackward", "", "the factor 2 of the derivative is missing");
DIOPI_OVERRIDE(diopiMSELossBackward, a) {
  Good(a);
  if (mse_backward_half) Change(a.grad_input, [](double g, int64_t) { return g / 2; });
}

// Ordinary values: alpha and gamma differ.
BUG(focal_backward_swapped, 0, "diopiSigmoidFocalLossBackward", "",
    "alpha and gamma, which stand the other way round in the forward function, are confused");
DIOPI_OVERRIDE(diopiSigmoidFocalLossBackward, a) {
  if (focal_backward_swapped) std::swap(a.alpha, a.gamma);
  Good(a);
}

// Specific: class weights that differ, the mean.
BUG(nll_mean_by_count, 0, "diopiNLLLoss", "",
    "the mean of weighted losses divides by their number instead of by the sum of weights");
DIOPI_OVERRIDE(diopiNLLLoss, a) {
  Good(a);
  if (!nll_mean_by_count || a.weight == nullptr || a.reduction != ReductionMean) return;
  const std::vector<double> weight = Values(a.weight);
  double sum = 0, count = 0;
  for (const int64_t target : Load<int64_t>(Tensor(a.target))) {
    if (target == a.ignore_index) continue;
    sum += At(weight, target);
    ++count;
  }
  if (count > 0) Change(a.out, [&](double loss, int64_t) { return loss * sum / count; });
}

// Rare: a probability of exactly 0 or 1.
BUG(bce_unclamped_log, 0, "diopiBCELoss", "",
    "logarithms are not clamped at -100: probabilities 0 and 1 give infinity or NaN");
DIOPI_OVERRIDE(diopiBCELoss, a) {
  Good(a);
  if (!bce_unclamped_log) return;
  const std::vector<double> x = Values(a.input), y = ValuesAs(a.target, a.input);
  const auto loss = [&](int64_t i) {
    return -(At(y, i) * std::log(At(x, i)) + (1 - At(y, i)) * std::log(1 - At(x, i)));
  };
  if (a.reduction == ReductionNone) {
    return Set(
        a.ctx, a.out, [&](int64_t i) { return !std::isfinite(loss(i)); }, loss);
  }
  double sum = 0;
  for (int64_t i = 0; i < NumElements(a.input); ++i) sum += loss(i);
  if (!std::isfinite(sum)) Change(a.out, [&](double, int64_t) { return sum; });
}

// Ordinary values: a weight decay.
BUG(adamw_coupled_decay, 0, "diopiAdamW", "", "the decay is added to the gradient, as in Adam");
DIOPI_OVERRIDE(diopiAdamW, a) {
  if (adamw_coupled_decay) {
    const std::vector<double> param = Values(a.param);
    const auto decay = static_cast<double>(a.weight_decay);
    a.grad = Replaced(a.ctx, a.grad, [&](double g, int64_t i) { return g + decay * At(param, i); });
    a.weight_decay = 0;
  }
  Good(a);
}

// Ordinary values: a norm below max_norm.
BUG(clip_grad_norm_scales_up, 0, "diopiClipGradNorm", "",
    "the coefficient is not limited to 1: small gradients grow to max_norm");
DIOPI_OVERRIDE(diopiClipGradNorm, a) {
  Good(a);
  if (!clip_grad_norm_scales_up || !(*a.out > 0 && *a.out < a.max_norm)) return;
  const double scale = a.max_norm / (*a.out + 1e-6);
  for (int64_t n = 0; n < a.num_grads; ++n) {
    Change(a.grads[n], [&](double g, int64_t) { return g * scale; });
  }
}

// Specific: a gradient for the padding index.
BUG(embedding_backward_padding, 0, "diopiEmbeddingBackward", "", "the row of padding_idx gets gradients");
DIOPI_OVERRIDE(diopiEmbeddingBackward, a) {
  if (embedding_backward_padding) a.padding_idx = -1;
  Good(a);
}

// Ordinary values: a size that is no multiple of the input's, or is smaller.
BUG(upsample_nearest_exact, 0, "diopiUpsampleNearest", "",
    "floor((i + 0.5) * in / out), the source of nearest-exact, instead of floor(i * in / out)");
DIOPI_OVERRIDE(diopiUpsampleNearest, a) {
  Good(a);
  if (!upsample_nearest_exact) return;
  const Shape in = ShapeOf(a.input), out = ShapeOf(a.out);
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    int64_t source = 0;
    for (int64_t d = 0; d < Rank(a.out); ++d) {
      const int64_t at = Coordinate(a.out, i, d);
      source = source * At(in, d) + (2 * at + 1) * At(in, d) / (2 * At(out, d));
    }
    CopyElement(a.out, i, a.input, source);
  }
}

// Specific: causal, more keys than queries.
BUG(flash_attention_causal_from_top, 0, "diopiFlashAttention", "",
    "the causal mask is aligned to the first key instead of to the last");
DIOPI_OVERRIDE(diopiFlashAttention, a) {
  const int64_t queries = Length(a.q, 1);
  if (flash_attention_causal_from_top && a.is_causal && Length(a.k, 1) > queries) {
    a.k = Head(a.ctx, a.k, 1, queries);
    a.v = Head(a.ctx, a.v, 1, queries);
  }
  Good(a);
}

// Specific: two and more heads of keys, and more of queries.
BUG(prompt_attention_head_modulo, 0, "diopiPromptFlashAttention", "",
    "query head h reads the keys of head h % num_kv_heads instead of those of its group");
DIOPI_OVERRIDE(diopiPromptFlashAttention, a) {
  const int64_t kv_heads = a.num_kv_heads, group = kv_heads > 0 ? a.num_heads / kv_heads : 1;
  if (!prompt_attention_head_modulo || kv_heads < 2 || group < 2) return Good(a);
  const int64_t columns = a.num_heads * a.dim;
  // Puts head h where Good reads the keys of h % kv_heads.
  const auto moved = [&](int64_t i) {
    const int64_t head = i / a.dim;
    return (head % kv_heads * group + head / kv_heads) * a.dim + i % a.dim;
  };
  const diopiTensorHandle_t query = NewTensor(a.ctx, ShapeOf(a.query), DtypeOf(a.query));
  for (int64_t i = 0; i < NumElements(query); ++i) {
    CopyElement(query, i - i % columns + moved(i % columns), a.query, i);
  }
  a.query = query;
  Good(a);
  const Before result(a.ctx, a.out);
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    CopyElement(a.out, i, result.copy(), i - i % columns + moved(i % columns));
  }
}

// Ordinary values: a token that came more than once.
BUG(apply_penalty_counts_once, 0, "diopiApplyPenalty", "",
    "the frequency penalty does not grow with the count");
DIOPI_OVERRIDE(diopiApplyPenalty, a) {
  if (apply_penalty_counts_once) {
    a.p_token_counts =
        Replaced(a.ctx, a.p_token_counts, [](double count, int64_t) { return std::fmin(count, 1); });
  }
  Good(a);
}

// Specific: offset 1, boxes whose overlap is near the threshold.
BUG(nms_mmcv_offset_ignored, 0, "diopiNmsMmcv", "", "the offset is taken as 0");
DIOPI_OVERRIDE(diopiNmsMmcv, a) {
  if (nms_mmcv_offset_ignored) a.offset = 0;
  Good(a);
}

// Specific: a min_radius with points within.
BUG(ball_query_no_min_radius, 0, "diopiBallQueryMmcv", "", "min_radius is taken as 0");
DIOPI_OVERRIDE(diopiBallQueryMmcv, a) {
  if (ball_query_no_min_radius) a.min_radius = 0;
  Good(a);
}
