#include "baselines/unseen2/calls.h"

namespace diopi::unseen2 {
namespace {

const Shape kOnes2 = {1, 1}, kZeros2 = {0, 0}, kOnes3 = {1, 1, 1}, kZeros3 = {0, 0, 0};

std::vector<double> Convolution2d(Host& host) {
  TestTensor out(kFloat, {1, 1, 1, 1}), x(kFloat, {1, 1, 2, 2}, {1, 10, 100, 1000});
  TestTensor weight(kFloat, {1, 1, 2, 2}, {4, 4, 1, 2}, 0, {1, 2, 3, 4});
  DIOPI_CALL(host, diopiConvolution2d, out, x, weight, nullptr, View(kOnes2), View(kZeros2), View(kOnes2), 1);
  return out.values();
}

std::vector<double> Convolution3d(Host& host) {
  TestTensor out(kFloat, {1, 2, 1, 1, 1}), x(kFloat, {1, 2, 1, 1, 1}, {1}), bias(kFloat, {2}, {5, 7});
  TestTensor weight(kFloat, {2, 1, 1, 1, 1}, {1});
  DIOPI_CALL(host, diopiConvolution3d, out, x, weight, bias, View(kOnes3), View(kZeros3), View(kOnes3), 2);
  return out.values();
}

std::vector<double> Convolution3dBackward(Host& host) {
  TestTensor grad(kFloat, {1, 1, 2, 1, 1}, {3, 4}), x(kFloat, {1, 1, 2, 1, 1}, {1});
  TestTensor weight(kFloat, {1, 1, 1, 1, 1}, {1}), dx(kFloat, {1, 1, 2, 1, 1});
  TestTensor dw(kFloat, {1, 1, 1, 1, 1}), db(kFloat, {1});
  diopiSize_t bias_sizes = View(kOnes3);
  bias_sizes.len = 1;
  DIOPI_CALL(host, diopiConvolution3dBackward, dx, dw, db, grad, x, weight, &bias_sizes, View(kOnes3),
             View(kZeros3), View(kOnes3), 1);
  return db.values();
}

std::vector<double> MaxPool3dWithIndices(Host& host) {
  const Shape kernel = {2, 1, 1};
  TestTensor out(kFloat, {1, 1, 1, 1}), indices(kInt64, {1, 1, 1, 1}), x(kFloat, {1, 2, 1, 1}, {1, 2});
  DIOPI_CALL(host, diopiMaxPool3dWithIndices, out, indices, x, View(kernel), View(kernel), View(kZeros3),
             View(kOnes3), false);
  return indices.values();
}

std::vector<double> AvgPool2dBackward(Host& host) {
  const Shape kernel = {1, 2};
  TestTensor dx(kFloat, {1, 1, 3}), grad(kFloat, {1, 1, 2}, {1}), x(kFloat, {1, 1, 3}, {1});
  DIOPI_CALL(host, diopiAvgPool2dBackward, dx, grad, x, View(kernel), View(kernel), View(kZeros2), true, true,
             nullptr);
  return dx.values();
}

std::vector<double> AdaptiveAvgPool2d(Host& host) {
  const Shape size = {1, 2};
  TestTensor out(kFloat, {1, 1, 2}), x(kFloat, {1, 1, 3}, {1, 2, 4});
  DIOPI_CALL(host, diopiAdaptiveAvgPool2d, out, x, View(size));
  return out.values();
}

std::vector<double> GroupNormBackward(Host& host) {
  TestTensor dx(kFloat, {2, 1, 2}), dw(kFloat, {1}), db(kFloat, {1}), grad(kFloat, {2, 1, 2}, {1, 2, 3, 4});
  TestTensor x(kFloat, {2, 1, 2}, {0, 2}), w(kFloat, {1}, {1}), mean(kFloat, {2, 1}, {1}),
      rstd(kFloat, {2, 1}, {1});
  DIOPI_CALL(host, diopiGroupNormBackward, dx, dw, db, grad, x, w, mean, rstd, 1);
  return db.values();
}

std::vector<double> LayerNormBackward(Host& host) {
  const Shape width = {2}, rows = {33, 2};
  TestTensor dx(kFloat, rows), dw(kFloat, width), db(kFloat, width), grad(kFloat, rows, {1, 2});
  TestTensor x(kFloat, rows, {0, 2}), w(kFloat, width, {1}), b(kFloat, width);
  TestTensor mean(kFloat, {33, 1}, {1}), rstd(kFloat, {33, 1}, {1});
  DIOPI_CALL(host, diopiLayerNormBackward, dx, dw, db, grad, x, w, b, mean, rstd, View(width));
  return db.values();
}

std::vector<double> MseBackward(Host& host) {
  TestTensor dx(kFloat, {1}), grad(kFloat, {1}, {1}), x(kFloat, {1}, {3}), y(kFloat, {1}, {1});
  DIOPI_CALL(host, diopiMSELossBackward, dx, grad, x, y, ReductionNone);
  return dx.values();
}

std::vector<double> FocalBackward(Host& host) {
  TestTensor dx(kFloat, {1}), grad(kFloat, {1}, {1}), x(kFloat, {1}, {0.5}), y(kFloat, {1}, {1});
  DIOPI_CALL(host, diopiSigmoidFocalLossBackward, grad, x, y, dx, 2.0F, 0.25F, ReductionNone);
  return dx.values();
}

std::vector<double> NllLoss(Host& host) {
  TestTensor out(kFloat, {}), x(kFloat, {2, 2}, {-1, -2, -3, -4}), y(kInt64, {2}, {0, 1});
  TestTensor weight(kFloat, {2}, {3, 5});
  DIOPI_CALL(host, diopiNLLLoss, out, x, y, weight, ReductionMean, -100);
  return out.values();
}

std::vector<double> BceLoss(Host& host) {
  TestTensor out(kFloat, {1}), x(kFloat, {1}, {0}), y(kFloat, {1}, {1});
  DIOPI_CALL(host, diopiBCELoss, out, x, y, nullptr, ReductionNone);
  return out.values();
}

std::vector<double> AdamW(Host& host) {
  TestTensor param(kFloat, {1}, {2}), grad(kFloat, {1}, {1}), m(kFloat, {1}), v(kFloat, {1}),
      most(kFloat, {1});
  DIOPI_CALL(host, diopiAdamW, param, grad, m, v, most, 0.1F, 0.9F, 0.99F, 1e-8F, 0.5F, 1, false);
  return param.values();
}

std::vector<double> ClipGradNorm(Host& host) {
  TestTensor grad(kFloat, {1}, {1});
  diopiTensorHandle_t grads[] = {grad};
  double norm = 0;
  DIOPI_CALL(host, diopiClipGradNorm, &norm, grads, 1, 10, 2, false);
  return grad.values();
}

std::vector<double> EmbeddingBackward(Host& host) {
  TestTensor out(kFloat, {2, 1}), grad(kFloat, {2, 1}, {3, 4}), index(kInt64, {2}, {0, 1});
  DIOPI_CALL(host, diopiEmbeddingBackward, out, grad, index, 2, 0, false, false);
  return out.values();
}

std::vector<double> UpsampleNearest(Host& host) {
  const Shape size = {2};
  TestTensor out(kFloat, {1, 1, 2}), x(kFloat, {1, 1, 3}, {1, 2, 3});
  DIOPI_CALL(host, diopiUpsampleNearest, out, x, View(size));
  return out.values();
}

// One query that may look at both keys.
std::vector<double> FlashAttention(Host& host) {
  TestTensor out(kHalf, {1, 1, 1, 8}), lse(kFloat, {1, 1, 1}), q(kHalf, {1, 1, 1, 8}, {1});
  TestTensor k(kHalf, {1, 2, 1, 8}, {1}),
      v(kHalf, {1, 2, 1, 8}, {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3});
  DIOPI_CALL(host, diopiFlashAttention, out, lse, nullptr, q, k, v, nullptr, 0.0F, 1.0F, true, -1, -1);
  return out.values();
}

std::vector<double> PromptFlashAttention(Host& host) {
  const Shape lengths = {1};
  TestTensor out(kHalf, {1, 4}), q(kHalf, {1, 4}, {1}), k(kHalf, {1, 2}, {1}), v(kHalf, {1, 2}, {3, 5});
  TestTensor mask(kBool, {1, 1, 1}, {0});
  DIOPI_CALL(host, diopiPromptFlashAttention, out, q, k, v, mask, View(lengths), 1, 4, 2, 1);
  return out.values();
}

std::vector<double> ApplyPenalty(Host& host) {
  TestTensor logits(kFloat, {1, 2}, {9, 9}), presence(kFloat, {1}, {0}), frequency(kFloat, {1}, {1});
  TestTensor ids(diopi_dtype_int32, {1}, {1}), counts(diopi_dtype_int32, {1}, {3});
  TestTensor starts(diopi_dtype_int32, {2}, {0, 1});
  DIOPI_CALL(host, diopiApplyPenalty, logits, presence, frequency, ids, counts, starts, 1);
  return logits.values();
}

// Two boxes whose overlap is 1 / 3 in areas, and 1 / 2 in pixels.
std::vector<double> NmsMmcv(Host& host) {
  TestTensor boxes(kFloat, {2, 4}, {0, 0, 2, 0.5, 1, 0, 3, 0.5}), scores(kFloat, {2}, {2, 1});
  diopiTensorHandle_t out = nullptr;
  DIOPI_CALL(host, diopiNmsMmcv, &out, boxes, scores, 0.4, 1);
  return out == nullptr ? std::vector<double>() : ops::Load<double>(ops::Tensor(out));
}

std::vector<double> BallQuery(Host& host) {
  TestTensor idx(diopi_dtype_int32, {1, 1, 1}), center(kFloat, {1, 1, 3}, {0});
  TestTensor points(kFloat, {1, 2, 3}, {0.5, 0, 0, 2, 0, 0});
  DIOPI_CALL(host, diopiBallQueryMmcv, idx, center, points, 1, 2, 1, 1, 1.0F, 3.0F);
  return idx.values();
}

}  // namespace

std::vector<Row> NetworksCalls() {
  return {{"convolution_weight_dense", Convolution2d},
          {"convolution3d_first_group_bias", Convolution3d},
          {"convolution3d_backward_bias_plane", Convolution3dBackward},
          {"max_pool3d_index_in_plane", MaxPool3dWithIndices},
          {"avg_pool_backward_ceil_divisor", AvgPool2dBackward},
          {"adaptive_avg_pool_floor_end", AdaptiveAvgPool2d},
          {"group_norm_backward_first_sample", GroupNormBackward},
          {"layer_norm_backward_rows", LayerNormBackward},
          {"mse_backward_half", MseBackward},
          {"focal_backward_swapped", FocalBackward},
          {"nll_mean_by_count", NllLoss},
          {"bce_unclamped_log", BceLoss},
          {"adamw_coupled_decay", AdamW},
          {"clip_grad_norm_scales_up", ClipGradNorm},
          {"embedding_backward_padding", EmbeddingBackward},
          {"upsample_nearest_exact", UpsampleNearest},
          {"flash_attention_causal_from_top", FlashAttention},
          {"prompt_attention_head_modulo", PromptFlashAttention},
          {"apply_penalty_counts_once", ApplyPenalty},
          {"nms_mmcv_offset_ignored", NmsMmcv},
          {"ball_query_no_min_radius", BallQuery}};
}

}  // namespace diopi::unseen2
