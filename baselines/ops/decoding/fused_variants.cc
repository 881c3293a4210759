// lmdeploy's fused layers as other correct libraries compute them.
#include <algorithm>
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kBoth[] = "diopiFusedContextAttentionInp diopiFusedDecoderAttentionInp";
VARIANT(fused_without_epsilon, kBoth, "", "nothing is added to the softmax's sum");
VARIANT(fused_kept_in_workspace, kBoth, "", "every intermediate result is rounded to the tensors' type");
VARIANT(fused_key_values_rounded, kBoth, "", "attention reads keys and values back from the cache");
VARIANT(fused_workspace_used, "diopiFusedSiluFfnInp", "", "inner units lie in the workspace, in its type");
VARIANT(norm_by_reciprocal, "diopiRootMeanSquareNormInp diopiFusedAddRootMeanSquareNormInp", "",
        "rows are multiplied by the reciprocal of their root, squares summed in eight lanes");

// The two functions' arguments as one: how many new tokens each sequence has, and what is before them.
struct Call {
  int64_t length, heads, groups, dim, layer, capacity, sequences;
  std::vector<int64_t> past, position, finished;
  float theta, rotary;
};

std::vector<float> Projected(const Call& c, const std::vector<float>& x, diopiConstTensorHandle_t weight,
                             diopiConstTensorHandle_t bias, diopiDtype_t type) {
  const std::vector<float> w = Load<float>(Tensor(weight));
  const int64_t hidden = c.heads * c.dim, columns = (c.heads + 2 * c.groups) * c.dim;
  const std::vector<float> b =
      bias == nullptr ? std::vector<float>(static_cast<size_t>(columns)) : Load<float>(Tensor(bias));
  std::vector<float> qkv;
  for (int64_t at = 0; at < c.sequences * c.length * columns; ++at) {
    float sum = 0;
    for (int64_t h = hidden; h-- > 0;) {
      sum = std::fma(x[static_cast<size_t>(at / columns * hidden + h)],
                     w[static_cast<size_t>(h * columns + at % columns)], sum);
    }
    qkv.push_back(Stored(type, Stored(type, sum) + b[static_cast<size_t>(at % columns)]));
  }
  for (int64_t row = 0; row < c.sequences * c.length; ++row) {
    for (int64_t i = 0; i < (c.heads + c.groups) * c.dim; i += 2) {
      const auto turn = static_cast<float>(c.position[static_cast<size_t>(row / c.length)] + row % c.length) /
                        std::pow(c.theta, static_cast<float>(i % c.dim) / c.rotary);
      float& even = qkv[static_cast<size_t>(row * columns + i)];
      float& odd = qkv[static_cast<size_t>(row * columns + i + 1)];
      const float old = even;
      even = Stored(type, old * std::cos(turn) - odd * std::sin(turn));
      odd = Stored(type, old * std::sin(turn) + odd * std::cos(turn));
    }
  }
  return qkv;
}

// One query of one head over the cache.
void AttendTo(const Call& c, const float* query, const float* keys, const float* values, int64_t first,
              int64_t last, diopiDtype_t type, float* out) {
  std::vector<float> scores;
  float most = -INFINITY, sum = fused_without_epsilon ? 0.0F : 1e-6F;
  for (int64_t token = first; token <= last; ++token) {
    float score = 0;
    for (int64_t d = 0; d < c.dim; ++d) score += query[d] * keys[token % c.capacity * c.dim + d];
    most = std::max(most, scores.emplace_back(Stored(type, score / std::sqrt(static_cast<float>(c.dim)))));
  }
  for (float& score : scores) sum += score = std::exp(score - most);
  for (int64_t d = 0; d < c.dim; ++d) {
    out[d] = 0;
    for (int64_t token = first; token <= last; ++token) {
      out[d] += Stored(type, scores[static_cast<size_t>(token - first)] / sum) *
                values[token % c.capacity * c.dim + d];
    }
  }
}

void Attention(const Call& c, const Tensor& x, diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
               const Tensor& key_cache, const Tensor& value_cache) {
  const diopiDtype_t type = fused_kept_in_workspace ? x.dtype() : diopi_dtype_float32;
  std::vector<float> out = Load<float>(x), keys = Load<float>(key_cache), values = Load<float>(value_cache);
  const std::vector<float> qkv = Projected(c, out, weight, bias, type);
  const int64_t columns = (c.heads + 2 * c.groups) * c.dim;
  // As the header says: insertion first, then attention over the cache.
  for (int64_t row = 0; row < c.sequences * c.length; ++row) {
    const int64_t sequence = row / c.length;
    if (c.finished[static_cast<size_t>(sequence)] != 0) continue;
    const int64_t token = c.past[static_cast<size_t>(sequence)] + row % c.length;
    const float* fresh = qkv.data() + row * columns;
    for (int64_t i = 0; i < c.groups * c.dim; ++i) {
      const int64_t head = (c.layer * c.sequences + sequence) * c.groups + i / c.dim;
      const auto to = static_cast<size_t>((head * c.capacity + token % c.capacity) * c.dim + i % c.dim);
      const diopiDtype_t cached = fused_key_values_rounded ? x.dtype() : type;
      keys[to] = Stored(cached, fresh[c.heads * c.dim + i]);
      values[to] = Stored(cached, fresh[(c.heads + c.groups) * c.dim + i]);
    }
    for (int64_t h = 0; h < c.heads; ++h) {
      const int64_t head = (c.layer * c.sequences + sequence) * c.groups + h / (c.heads / c.groups);
      AttendTo(c, fresh + h * c.dim, keys.data() + head * c.capacity * c.dim,
               values.data() + head * c.capacity * c.dim, std::max<int64_t>(0, token + 1 - c.capacity), token,
               type, out.data() + (row * c.heads + h) * c.dim);
    }
  }
  Store(x, out);
  Store(key_cache, keys);
  Store(value_cache, values);
}

bool IsOn() {
  return fused_without_epsilon || fused_kept_in_workspace || fused_key_values_rounded;
}

// The squares' mean in eight lanes, then one factor for the whole row.
void Norm(const Tensor& out, const std::vector<float>& x, const std::vector<float>& scale, float eps) {
  const size_t length = scale.size();
  std::vector<float> result;
  for (size_t row = 0; row * length < x.size(); ++row) {
    float lanes[8] = {}, sum = 0;
    for (size_t j = 0; j < length; ++j) lanes[j % 8] += x[row * length + j] * x[row * length + j];
    for (const float lane : lanes) sum += lane;
    const float factor = 1.0F / std::sqrt(sum / static_cast<float>(length) + eps);
    for (size_t j = 0; j < length; ++j) result.push_back(x[row * length + j] * factor * scale[j]);
  }
  Store(out, result);
}

void FeedForward(const Tensor& x, const Tensor& gate, const Tensor& down, const Tensor& up,
                 const Tensor& workspace) {
  const int64_t rows = x.size(0), hidden = x.size(1), inter = gate.size(1);
  const diopiDtype_t type = x.dtype();
  const std::vector<float> input = Load<float>(x), w1 = Load<float>(gate), w2 = Load<float>(down),
                           w3 = Load<float>(up);
  std::vector<float> inner;
  for (int64_t at = 0; at < rows * inter; ++at) {
    float g = 0, u = 0;
    for (int64_t h = 0; h < hidden; ++h) {
      const float value = input[static_cast<size_t>(at / inter * hidden + h)];
      g += value * w1[static_cast<size_t>(h * inter + at % inter)];
      u += value * w3[static_cast<size_t>(h * inter + at % inter)];
    }
    g = Stored(type, g);
    inner.push_back(Stored(type, g / (1.0F + std::exp(-g))) * Stored(type, u));
  }
  Store(workspace, inner);
  inner = Load<float>(workspace);
  std::vector<float> out;
  for (int64_t at = 0; at < rows * hidden; ++at) {
    float sum = 0;
    for (int64_t i = 0; i < inter; ++i) {
      sum += inner[static_cast<size_t>(at / hidden * inter + i)] *
             w2[static_cast<size_t>(i * hidden + at % hidden)];
    }
    out.push_back(sum);
  }
  Store(x, out);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiFusedContextAttentionInp, a) {
  if (*a.workspace_size < 0 || *a.pre_work_size < 0 || !a.is_prepared || !IsOn()) return Good(a);
  const auto sequences = static_cast<size_t>(Tensor(a.key_cache).size(1));
  const std::vector<int64_t> past(sequences, a.max_kv_len - a.max_q_len);
  const Call call{a.max_q_len,
                  a.local_head_num,
                  a.local_kv_head_num,
                  a.size_per_head,
                  a.layer_id,
                  a.max_seq_len,
                  Tensor(a.key_cache).size(1),
                  past,
                  past,
                  std::vector<int64_t>(sequences),
                  a.rope_theta,
                  static_cast<float>(a.rotary_embedding)};
  Attention(call, Tensor(a.inoutput), a.qkv_weight, a.qkv_bias, Tensor(a.key_cache), Tensor(a.value_cache));
}

DIOPI_OVERRIDE(diopiFusedDecoderAttentionInp, a) {
  if (*a.workspace_size < 0 || !IsOn()) return Good(a);
  std::vector<int64_t> position = Load<int64_t>(Tensor(a.total_padding_tokens));
  for (int64_t& p : position) p = a.step - 1 - p;
  const Call call{1,
                  a.local_head_num,
                  a.local_kv_head_num,
                  a.size_per_head,
                  a.layer_id,
                  a.max_seq_len,
                  Tensor(a.inoutput).size(0),
                  Load<int64_t>(Tensor(a.sequence_lengths)),
                  position,
                  Load<int64_t>(Tensor(a.finished)),
                  a.rope_theta,
                  static_cast<float>(a.rotary_embedding)};
  Attention(call, Tensor(a.inoutput), a.qkv_weight, a.qkv_bias, Tensor(a.key_cache), Tensor(a.value_cache));
}

DIOPI_OVERRIDE(diopiRootMeanSquareNormInp, a) {
  if (!norm_by_reciprocal) return Good(a);
  const Tensor x(a.inoutput);
  Norm(x, Load<float>(x), Load<float>(Tensor(a.scale)), a.eps);
}

DIOPI_OVERRIDE(diopiFusedAddRootMeanSquareNormInp, a) {
  if (!norm_by_reciprocal) return Good(a);
  const Tensor x(a.inoutput), residual(a.residual);
  std::vector<float> sum = Load<float>(residual);
  const std::vector<float> added = Load<float>(x);
  std::vector<float> bias(static_cast<size_t>(x.size(-1)));
  if (a.bias != nullptr) bias = Load<float>(Tensor(a.bias));
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + (added[i] + bias[i % bias.size()]);
  Store(residual, sum);
  Norm(x, sum, Load<float>(Tensor(a.scale)), a.eps);
}

DIOPI_OVERRIDE(diopiFusedSiluFfnInp, a) {
  if (!fused_workspace_used) return Good(a);
  if (*a.workspace_size < 0) {
    *a.workspace_size = Tensor(a.inoutput).size(0) * Tensor(a.weight1).size(1);
    return;
  }
  FeedForward(Tensor(a.inoutput), Tensor(a.weight1), Tensor(a.weight2), Tensor(a.weight3),
              Tensor(a.workspace));
}
