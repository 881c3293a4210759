// Bugs injected in batch_norm, layer_norm and group_norm.
#include "baselines/bugs/support.h"
#include "baselines/ops/normalization/normalization_common.h"

namespace {

using diopi::bugs::DtypeOf;
using diopi::bugs::Load;
using diopi::bugs::NewTensor;
using diopi::bugs::Shape;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::bugs::ToHalf;
using diopi::ops::InverseStd;
using diopi::ops::LoadOr;
using diopi::ops::Moments;
using diopi::ops::MomentsOf;
using diopi::ops::Numel;
using diopi::ops::Sizes;
using diopi::ops::StoreIfGiven;

BUG(bn_eps_outside_root, 14, "diopiBatchNorm", "", "eps is added to the deviation, not to the variance");
BUG(bn_running_var_biased, 15, "diopiBatchNorm", "", "running_var takes the biased variance");
BUG(bn_one_pass_variance, 16, "diopiBatchNorm", "", "the variance is E[x^2] - E[x]^2");
BUG(bn_training_flag_ignored, 0, "diopiBatchNorm", "", "evaluation uses the batch's statistics");
BUG(bn_evaluation_writes_statistics_only, 0, "diopiBatchNorm", "", "evaluation leaves out as it is");
BUG(bn_momentum_reversed, 0, "diopiBatchNorm", "", "momentum weighs the old statistics, not the new ones");
BUG(norm_affine_needs_both, 0, "diopiBatchNorm diopiLayerNorm", "",
    "weight is ignored where bias is null, and bias where weight is");
BUG(bn_statistics_fp16, 0, "diopiBatchNorm", "", "the sums of the statistics are float16 in float16");
BUG(bn_backward_as_evaluation, 0, "diopiBatchNormBackward", "",
    "training's gradient takes the statistics for constants");
BUG(bn_dgamma_fp16_sum, 0, "diopiBatchNormBackward", "", "grad_weight is added up in float16 in float16");
BUG(ln_unbiased_variance_fp16, 17, "diopiLayerNorm", "", "the variance is unbiased in float16");
BUG(ln_statistics_fp16, 18, "diopiLayerNorm", "", "the sums of the statistics are float16 in float16");
BUG(ln_last_dim_only, 0, "diopiLayerNorm", "", "a normalized_shape of several dims normalizes the last one");
BUG(ln_eps_outside_root, 0, "diopiLayerNorm", "", "eps is added to the deviation, not to the variance");
BUG(ln_dgamma_fp16_atomics, 49, "diopiLayerNormBackward", "",
    "grad_weight is added up in float16 in float16");
BUG(ln_backward_without_mean_term, 0, "diopiLayerNormBackward", "",
    "grad_input lacks the mean of the scaled gradient");
BUG(ln_backward_drops_tail_rows, 0, "diopiLayerNormBackward", "",
    "grad_weight and grad_bias lack the rows after the last whole block of 64");
BUG(gn_channels_interleaved, 0, "diopiGroupNorm", "", "group g has every num_groups-th channel from g on");
BUG(gn_eps_built_in, 0, "diopiGroupNorm", "", "eps is always 1e-5");
BUG(gn_backward_other_group, 0, "diopiGroupNormBackward", "",
    "grad_input uses the mean of the first group of each sample");

// double for float64, float for the others, as the reference computes.
template <typename F>
void InFloats(diopiDtype_t dtype, F&& f) {
  if (dtype == diopi_dtype_float64) return f.template operator()<double>();
  f.template operator()<float>();
}

template <typename C>
C Half(const C& x) {
  return static_cast<C>(ToHalf(static_cast<double>(x)));
}

// Both passes add up in float16.
template <typename C, typename At>
Moments<C> HalfMoments(const std::vector<C>& x, int64_t count, At&& at) {
  Moments<C> m;
  m.count = count;
  C sum = 0;
  for (int64_t i = 0; i < count; ++i) sum = Half(sum + x[static_cast<size_t>(at(i))]);
  m.mean = Half(sum / static_cast<C>(count));
  for (int64_t i = 0; i < count; ++i) {
    const C distance = Half(x[static_cast<size_t>(at(i))] - m.mean);
    m.squares = Half(m.squares + Half(distance * distance));
  }
  return m;
}

template <typename C, typename At>
Moments<C> OnePassMoments(const std::vector<C>& x, int64_t count, At&& at) {
  C sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const C value = x[static_cast<size_t>(at(i))];
    sum += value;
    squares += value * value;
  }
  const C n = static_cast<C>(count), mean = sum / n;
  return {mean, std::max<C>(squares / n - mean * mean, 0) * n, count};
}

template <typename C>
C EpsOutside(const C& variance, double eps) {
  return C(1) / (std::sqrt(variance) + static_cast<C>(eps));
}

template <typename C>
void UpdateRunning(const Tensor& running, double momentum, const std::vector<C>& now) {
  if (!running) return;
  const C share = static_cast<C>(momentum), rest = static_cast<C>(1 - momentum);
  std::vector<C> values = Load<C>(running);
  for (size_t i = 0; i < values.size(); ++i) values[i] = share * now[i] + rest * values[i];
  Store(running, values);
}

struct BatchNorm {
  Tensor out, save_mean, save_invstd, input, weight, bias, running_mean, running_var;
  double momentum, eps;
};

// Training, with the injected ways to take the statistics.
template <typename C>
void TrainBatchNorm(const BatchNorm& o) {
  const Shape& shape = o.input.shape();
  const int64_t channels = shape[1], area = Numel(Shape(shape.begin() + 2, shape.end()));
  const int64_t length = shape[0] * area;
  const std::vector<C> x = Load<C>(o.input);
  const std::vector<C> gamma = LoadOr<C>(o.weight, channels, 1), beta = LoadOr<C>(o.bias, channels, 0);
  std::vector<C> y(x.size()), mean, invstd, variance;
  for (int64_t c = 0; c < channels; ++c) {
    const auto at = [&](int64_t i) { return (i / area * channels + c) * area + i % area; };
    const bool narrow = bn_statistics_fp16 && o.input.dtype() == diopi_dtype_float16;
    const Moments<C> m = bn_one_pass_variance ? OnePassMoments(x, length, at)
                         : narrow             ? HalfMoments(x, length, at)
                                              : MomentsOf(x, length, at);
    mean.push_back(m.mean);
    invstd.push_back(bn_eps_outside_root ? EpsOutside(m.variance(), o.eps) : InverseStd(m.variance(), o.eps));
    variance.push_back(bn_running_var_biased ? m.variance() : m.squares / static_cast<C>(length - 1));
    const size_t k = static_cast<size_t>(c);
    for (int64_t i = 0; i < length; ++i) {
      const size_t e = static_cast<size_t>(at(i));
      y[e] = (x[e] - mean[k]) * invstd[k] * gamma[k] + beta[k];
    }
  }
  UpdateRunning(o.running_mean, o.momentum, mean);
  UpdateRunning(o.running_var, o.momentum, variance);
  Store(o.out, y);
  Store(o.save_mean, mean);
  Store(o.save_invstd, invstd);
}

// The gradients of training that differ from the good ones.
template <typename C>
void CorruptBatchNormGradients(const Tensor& dx, const Tensor& dw, const Tensor& grad, const Tensor& input,
                               const Tensor& weight, const Tensor& save_mean, const Tensor& save_invstd) {
  const Shape& shape = input.shape();
  const int64_t channels = shape[1], area = Numel(Shape(shape.begin() + 2, shape.end()));
  const std::vector<C> g = Load<C>(grad), x = Load<C>(input), gamma = LoadOr<C>(weight, channels, 1);
  const std::vector<C> mean = Load<C>(save_mean), invstd = Load<C>(save_invstd);
  std::vector<C> d(g.size()), sums(static_cast<size_t>(channels), 0);
  for (size_t i = 0; i < g.size(); ++i) {
    const size_t c = i / static_cast<size_t>(area) % static_cast<size_t>(channels);
    d[i] = g[i] * invstd[c] * gamma[c];
    sums[c] = Half(sums[c] + Half(g[i] * (x[i] - mean[c]) * invstd[c]));
  }
  if (bn_backward_as_evaluation) StoreIfGiven(dx, d);
  if (bn_dgamma_fp16_sum) StoreIfGiven(dw, sums);
}

struct LayerNorm {
  Tensor out, save_mean, save_invstd, input, weight, bias;
  int64_t rows, width, parts;  // `parts` of each row are normalized on their own
  double eps;
};

template <typename C>
void ForwardLayerNorm(const LayerNorm& o) {
  const std::vector<C> x = Load<C>(o.input);
  const std::vector<C> gamma = LoadOr<C>(o.weight, o.width, 1), beta = LoadOr<C>(o.bias, o.width, 0);
  std::vector<C> y(x.size()), mean, rstd;
  const int64_t length = o.width / o.parts;
  const bool half = o.input.dtype() == diopi_dtype_float16;
  for (int64_t start = 0; start < o.rows * o.width; start += length) {
    const auto at = [&](int64_t i) { return start + i; };
    const Moments<C> m = ln_statistics_fp16 && half ? HalfMoments(x, length, at) : MomentsOf(x, length, at);
    const bool unbiased = ln_unbiased_variance_fp16 && half && length > 1;
    const C variance = unbiased ? m.squares / static_cast<C>(length - 1) : m.variance();
    const C inverse = ln_eps_outside_root ? EpsOutside(variance, o.eps) : InverseStd(variance, o.eps);
    if (start % o.width == 0) {
      mean.push_back(m.mean);
      rstd.push_back(inverse);
    }
    for (int64_t i = 0; i < length; ++i) {
      const size_t e = static_cast<size_t>(start + i), k = static_cast<size_t>((start + i) % o.width);
      y[e] = gamma[k] * (inverse * (x[e] - m.mean)) + beta[k];
    }
  }
  Store(o.out, y);
  Store(o.save_mean, mean);
  Store(o.save_invstd, rstd);
}

struct LayerNormGradients {
  Tensor dx, dw, db, grad, input, weight, mean, rstd;
  int64_t width;
};

template <typename C>
void CorruptLayerNormGradients(const LayerNormGradients& o) {
  const std::vector<C> g = Load<C>(o.grad), x = Load<C>(o.input), gamma = LoadOr<C>(o.weight, o.width, 1);
  const std::vector<C> mean = Load<C>(o.mean), rstd = Load<C>(o.rstd);
  const size_t width = static_cast<size_t>(o.width), rows = rstd.size();
  const size_t counted = ln_backward_drops_tail_rows && rows >= 64 ? rows - rows % 64 : rows;
  const bool narrow = ln_dgamma_fp16_atomics && o.grad.dtype() == diopi_dtype_float16;
  std::vector<C> d(g.size()), d_gamma(width, 0), d_beta(width, 0);
  for (size_t row = 0; row < rows; ++row) {
    C projection = 0;
    for (size_t i = 0; i < width; ++i) {
      const size_t e = row * width + i;
      const C h = (x[e] - mean[row]) * rstd[row];
      projection += gamma[i] * g[e] * h;
      if (row >= counted) continue;
      d_gamma[i] = narrow ? Half(d_gamma[i] + Half(g[e] * h)) : d_gamma[i] + g[e] * h;
      d_beta[i] += g[e];
    }
    for (size_t i = 0; i < width; ++i) {
      const size_t e = row * width + i;
      const C h = (x[e] - mean[row]) * rstd[row];
      d[e] = (gamma[i] * g[e] - h * projection / static_cast<C>(width)) * rstd[row];
    }
  }
  if (ln_backward_without_mean_term) StoreIfGiven(o.dx, d);
  if (ln_backward_without_mean_term) return;
  StoreIfGiven(o.dw, d_gamma);
  if (ln_backward_drops_tail_rows) StoreIfGiven(o.db, d_beta);
}

struct GroupNorm {
  Tensor out, save_mean, save_invstd, input, weight, bias;
  int64_t groups;
  double eps;
};

template <typename C>
void InterleavedGroupNorm(const GroupNorm& o) {
  const Shape& shape = o.input.shape();
  const int64_t channels = shape[1], area = Numel(Shape(shape.begin() + 2, shape.end()));
  const int64_t length = channels / o.groups * area;
  const std::vector<C> x = Load<C>(o.input);
  const std::vector<C> gamma = LoadOr<C>(o.weight, channels, 1), beta = LoadOr<C>(o.bias, channels, 0);
  std::vector<C> y(x.size()), mean, rstd;
  for (int64_t group = 0; group < shape[0] * o.groups; ++group) {
    const auto channel = [&](int64_t i) { return i / area * o.groups + group % o.groups; };
    const auto at = [&](int64_t i) { return (group / o.groups * channels + channel(i)) * area + i % area; };
    const Moments<C> m = MomentsOf(x, length, at);
    mean.push_back(m.mean);
    rstd.push_back(InverseStd(m.variance(), o.eps));
    for (int64_t i = 0; i < length; ++i) {
      const size_t c = static_cast<size_t>(channel(i)), e = static_cast<size_t>(at(i));
      y[e] = (x[e] - m.mean) * rstd.back() * gamma[c] + beta[c];
    }
  }
  Store(o.out, y);
  Store(o.save_mean, mean);
  Store(o.save_invstd, rstd);
}

// A matrix (samples, groups) in which each row repeats its first element.
diopiTensorHandle_t FirstOfEachRow(diopiContextHandle_t ctx, const Tensor& matrix) {
  diopiTensorHandle_t copy = diopi::bugs::NewTensor(ctx, matrix.shape(), matrix.dtype());
  std::vector<double> values = Load<double>(matrix);
  const size_t groups = static_cast<size_t>(matrix.size(1));
  for (size_t i = 0; i < values.size(); ++i) values[i] = values[i - i % groups];
  Store(Tensor(copy), values);
  return copy;
}

}  // namespace

DIOPI_OVERRIDE(diopiBatchNorm, a) {
  if (norm_affine_needs_both && (a.weight == nullptr || a.bias == nullptr)) a.weight = a.bias = nullptr;
  if (bn_training_flag_ignored) a.training = true;
  if (bn_momentum_reversed) a.momentum = 1 - a.momentum;
  if (bn_evaluation_writes_statistics_only && !a.training) {
    const Tensor own(a.out);
    a.out = NewTensor(a.ctx, own.shape(), own.dtype());
  }
  const bool own = bn_eps_outside_root || bn_running_var_biased || bn_one_pass_variance || bn_statistics_fp16;
  if (!own || !a.training) {
    return Good(a);
  }
  const BatchNorm o{a.out,  a.save_mean,    a.save_invstd, a.input,    a.weight,
                    a.bias, a.running_mean, a.running_var, a.momentum, a.eps};
  InFloats(o.input.dtype(), [&]<typename C>() { TrainBatchNorm<C>(o); });
}

DIOPI_OVERRIDE(diopiBatchNormBackward, a) {
  Good(a);
  const bool half = DtypeOf(a.grad_output) == diopi_dtype_float16;
  const bool corrupted = bn_backward_as_evaluation || (bn_dgamma_fp16_sum && half);
  if (!a.training || !corrupted) return;
  InFloats(DtypeOf(a.grad_output), [&]<typename C>() {
    CorruptBatchNormGradients<C>(a.grad_input, a.grad_weight, a.grad_output, a.input, a.weight, a.save_mean,
                                 a.save_invstd);
  });
}

DIOPI_OVERRIDE(diopiLayerNorm, a) {
  if (norm_affine_needs_both && (a.weight == nullptr || a.bias == nullptr)) a.weight = a.bias = nullptr;
  const bool own = ln_unbiased_variance_fp16 || ln_statistics_fp16 || ln_last_dim_only || ln_eps_outside_root;
  const int64_t width = Numel(Sizes(a.normalized_shape)), elements = diopi::bugs::NumElements(a.input);
  if (!own || elements == 0) {
    return Good(a);
  }
  const int64_t last = a.normalized_shape.data[a.normalized_shape.len - 1];
  const LayerNorm o{a.out,
                    a.save_mean,
                    a.save_invstd,
                    a.input,
                    a.weight,
                    a.bias,
                    elements / width,
                    width,
                    ln_last_dim_only ? width / last : 1,
                    a.eps};
  InFloats(o.input.dtype(), [&]<typename C>() { ForwardLayerNorm<C>(o); });
}

DIOPI_OVERRIDE(diopiLayerNormBackward, a) {
  Good(a);
  const bool corrupted = ln_backward_without_mean_term || ln_backward_drops_tail_rows ||
                         (ln_dgamma_fp16_atomics && DtypeOf(a.grad_output) == diopi_dtype_float16);
  if (!corrupted) return;
  const LayerNormGradients o{a.grad_input,  a.grad_weight, a.grad_bias,
                             a.grad_output, a.input,       a.weight,
                             a.mean,        a.rstd,        Numel(Sizes(a.normalized_shape))};
  InFloats(o.grad.dtype(), [&]<typename C>() { CorruptLayerNormGradients<C>(o); });
}

DIOPI_OVERRIDE(diopiGroupNorm, a) {
  if (gn_eps_built_in) a.eps = 1e-5;
  if (!gn_channels_interleaved) {
    return Good(a);
  }
  const GroupNorm o{a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, a.num_groups, a.eps};
  InFloats(o.input.dtype(), [&]<typename C>() { InterleavedGroupNorm<C>(o); });
}

DIOPI_OVERRIDE(diopiGroupNormBackward, a) {
  if (gn_backward_other_group && diopi::bugs::NumElements(a.mean) > 0) {
    a.mean = FirstOfEachRow(a.ctx, Tensor(a.mean));
  }
  Good(a);
}
