// Normalizations: other ways to the statistics, and to the line through them.
#include <optional>

#include "baselines/injected/injected.h"
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/variants/moments.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kForward[] = "diopiBatchNorm diopiLayerNorm diopiGroupNorm";
VARIANT(norm_welford, kForward, "", "mean and variance by Welford's updates");
VARIANT(norm_welford_merged, kForward, "", "eight Welford lanes, merged by Chan's formula");
VARIANT(norm_two_pass_blocks, kForward, "", "two passes, sums in runs of 32 and a tree");
VARIANT(norm_double, kForward, "", "statistics in double");
VARIANT(norm_newton_rsqrt, kForward, "", "1/sqrt by an estimate and Newton steps");
VARIANT(norm_fma, kForward, "", "the last multiplication and addition fused");
VARIANT(layer_norm_cpu_form, "diopiLayerNorm", "", "(x * rstd - mean * rstd) * weight + bias");
VARIANT(group_norm_not_folded, "diopiGroupNorm", "", "(x - mean) * rstd * weight + bias");
VARIANT(batch_norm_statistics_unwritten, "diopiBatchNorm", "",
        "evaluation leaves save_mean and save_invstd as they are, as PyTorch does");
constexpr char kBackward[] = "diopiBatchNormBackward diopiLayerNormBackward diopiGroupNormBackward";
VARIANT(norm_backward_reversed, kBackward, "", "sums from the end");
VARIANT(norm_backward_blocks, kBackward, "", "sums in runs of 32 and a tree");
VARIANT(norm_backward_double, kBackward, "", "sums in double");

bool ForwardChosen() {
  return norm_welford || norm_welford_merged || norm_two_pass_blocks || norm_double || norm_newton_rsqrt ||
         norm_fma;
}

Statistics ChosenStatistics() {
  if (norm_welford) return Statistics::kWelford;
  if (norm_welford_merged) return Statistics::kWelfordMerged;
  if (norm_two_pass_blocks) return Statistics::kTwoPassBlocks;
  return norm_double ? Statistics::kDouble : Statistics::kTwoPass;
}

std::optional<Order> BackwardOrder() {
  if (norm_backward_reversed) return Order::kReversed;
  if (norm_backward_blocks) return Order::kBlocks32;
  if (norm_backward_double) return Order::kDouble;
  return std::nullopt;
}

template <typename C, typename At>
MeanAndSquares<C> Moments(int64_t count, At&& at) {
  return MomentsBy<C>(ChosenStatistics(), count, at);
}

template <typename C>
C InverseStdOf(const C& variance, double eps) {
  return InverseStdBy(static_cast<bool>(norm_newton_rsqrt), variance, eps);
}

template <typename C>
C MulAdd(const C& a, const C& b, const C& c) {
  return norm_fma ? std::fma(a, b, c) : a * b + c;
}

// Element i of channel c of [batch, channels, area].
struct Layout {
  int64_t batch, channels, area;

  explicit Layout(const Shape& shape)
      : batch(shape[0]), channels(shape[1]), area(Numel(Shape(shape.begin() + 2, shape.end()))) {}
  int64_t length() const { return batch * area; }
  size_t At(int64_t c, int64_t i) const {
    return static_cast<size_t>((i / area * channels + c) * area + i % area);
  }
};

// A running statistic after one more batch.
template <typename C>
void Blend(const Tensor& running, double momentum, const std::vector<C>& now) {
  if (!running) return;
  std::vector<C> r = Load<C>(running);
  for (size_t i = 0; i < r.size(); ++i)
    r[i] = static_cast<C>(momentum) * now[i] + static_cast<C>(1 - momentum) * r[i];
  Store(running, r);
}

struct BatchNorm {
  Tensor out, save_mean, save_invstd, x, weight, bias, running_mean, running_var;
  bool training;
  double momentum, eps;

  template <typename C>
  void Run() const {
    const Layout s(x.shape());
    const std::vector<C> values = Load<C>(x), gamma = LoadOr<C>(weight, s.channels, 1),
                         beta = LoadOr<C>(bias, s.channels, 0);
    std::vector<C> mean, invstd, unbiased;
    if (training) {
      for (int64_t c = 0; c < s.channels; ++c) {
        const auto m = Moments<C>(s.length(), [&](int64_t i) { return values[s.At(c, i)]; });
        mean.push_back(m.mean);
        unbiased.push_back(m.squares / C(s.length() - 1));
        invstd.push_back(InverseStdOf<C>(m.squares / C(s.length()), eps));
      }
      Blend(running_mean, momentum, mean);
      Blend(running_var, momentum, unbiased);
    } else {
      mean = Load<C>(running_mean);
      for (const C& v : Load<C>(running_var)) invstd.push_back(InverseStdOf<C>(v, eps));
    }
    std::vector<C> y(values.size());
    for (int64_t c = 0; c < s.channels; ++c) {
      const size_t k = static_cast<size_t>(c);
      for (int64_t i = 0; i < s.length(); ++i) {
        const size_t at = s.At(c, i);
        y[at] = MulAdd((values[at] - mean[k]) * invstd[k], gamma[k], beta[k]);
      }
    }
    Store(out, y);
    const auto save = [&](const Tensor& saved, const std::vector<C>& now) {
      if (training || (saved && saved.numel() == s.channels)) Store(saved, now);
    };
    save(save_mean, mean);
    save(save_invstd, invstd);
  }
};

struct LayerNorm {
  Tensor out, save_mean, save_rstd, x, weight, bias;
  int64_t width;
  double eps;

  template <typename C>
  void Run() const {
    const std::vector<C> values = Load<C>(x), gamma = LoadOr<C>(weight, width, 1),
                         beta = LoadOr<C>(bias, width, 0);
    std::vector<C> y, mean, rstd;
    for (size_t start = 0; start < values.size(); start += static_cast<size_t>(width)) {
      const auto m = Moments<C>(width, [&](int64_t i) { return values[start + static_cast<size_t>(i)]; });
      mean.push_back(m.mean);
      rstd.push_back(InverseStdOf<C>(m.squares / C(width), eps));
      const C scale = rstd.back(), shift = -m.mean * scale;
      for (size_t i = 0; i < gamma.size(); ++i) {
        const C h =
            layer_norm_cpu_form ? values[start + i] * scale + shift : (values[start + i] - m.mean) * scale;
        y.push_back(MulAdd(h, gamma[i], beta[i]));
      }
    }
    Store(out, y);
    Store(save_mean, mean);
    Store(save_rstd, rstd);
  }
};

struct GroupNorm {
  Tensor out, save_mean, save_rstd, x, weight, bias;
  int64_t groups;
  double eps;

  template <typename C>
  void Run() const {
    const Layout s(x.shape());
    const int64_t per_group = s.channels / groups, length = per_group * s.area;
    const std::vector<C> values = Load<C>(x), gamma = LoadOr<C>(weight, s.channels, 1),
                         beta = LoadOr<C>(bias, s.channels, 0);
    std::vector<C> y, mean, rstd;
    for (int64_t group = 0; group < s.batch * groups; ++group) {
      const C* x0 = values.data() + group * length;
      const auto m = Moments<C>(length, [&](int64_t i) { return x0[i]; });
      mean.push_back(m.mean);
      rstd.push_back(InverseStdOf<C>(m.squares / C(length), eps));
      for (int64_t i = 0; i < length; ++i) {
        const size_t channel = static_cast<size_t>(group % groups * per_group + i / s.area);
        const C scale = rstd.back() * gamma[channel];
        y.push_back(group_norm_not_folded
                        ? MulAdd((x0[i] - m.mean) * rstd.back(), gamma[channel], beta[channel])
                        : MulAdd(x0[i], scale, MulAdd(-scale, m.mean, beta[channel])));
      }
    }
    Store(out, y);
    Store(save_mean, mean);
    Store(save_rstd, rstd);
  }
};

struct BatchNormBackward {
  Tensor dx, dw, db, grad, x, weight, mean, var, save_mean, save_invstd;
  bool training;
  double eps;
  Order order;

  template <typename C>
  void Run() const {
    const Layout s(x.shape());
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(weight, s.channels, 1);
    const std::vector<C> mu = Load<C>(training ? save_mean : mean);
    std::vector<C> invstd = Load<C>(training ? save_invstd : var), d(g.size()), d_gamma, d_beta;
    for (C& v : invstd) v = training ? v : C(1) / std::sqrt(v + static_cast<C>(eps));
    for (int64_t c = 0; c < s.channels; ++c) {
      const size_t k = static_cast<size_t>(c);
      const C sum = SumIn<C>(order, s.length(), [&](int64_t i) { return g[s.At(c, i)]; });
      const C projection = SumIn<C>(order, s.length(),
                                    [&](int64_t i) { return g[s.At(c, i)] * (values[s.At(c, i)] - mu[k]); });
      d_gamma.push_back(projection * invstd[k]);
      d_beta.push_back(sum);
      const C share = C(1) / C(s.length());
      const C mean_grad = sum * share, slope = projection * share * invstd[k] * invstd[k];
      for (int64_t i = 0; i < s.length(); ++i) {
        const size_t at = s.At(c, i);
        const C centred = training ? g[at] - (values[at] - mu[k]) * slope - mean_grad : g[at];
        d[at] = centred * (invstd[k] * gamma[k]);
      }
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, d_gamma);
    StoreIfGiven(db, d_beta);
  }
};

struct LayerNormBackward {
  Tensor dx, dw, db, grad, x, weight, mean, rstd;
  int64_t width;
  Order order;

  template <typename C>
  void Run() const {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(weight, width, 1);
    const std::vector<C> mu = Load<C>(mean), rs = Load<C>(rstd);
    const int64_t rows = static_cast<int64_t>(mu.size());
    const auto place = [&](int64_t row, int64_t i) { return static_cast<size_t>(row * width + i); };
    const auto h = [&](int64_t row, int64_t i) {
      return (values[place(row, i)] - mu[static_cast<size_t>(row)]) * rs[static_cast<size_t>(row)];
    };
    std::vector<C> d(g.size()), d_gamma, d_beta;
    for (int64_t row = 0; row < rows; ++row) {
      const auto scaled = [&](int64_t i) { return gamma[static_cast<size_t>(i)] * g[place(row, i)]; };
      const C sum = SumIn<C>(order, width, scaled);
      const C projection = SumIn<C>(order, width, [&](int64_t i) { return scaled(i) * h(row, i); });
      const C factor = rs[static_cast<size_t>(row)] * (C(1) / C(width));
      for (int64_t i = 0; i < width; ++i)
        d[place(row, i)] = factor * (C(width) * scaled(i) - sum - h(row, i) * projection);
    }
    for (int64_t i = 0; i < width; ++i) {
      d_gamma.push_back(SumIn<C>(order, rows, [&](int64_t row) { return g[place(row, i)] * h(row, i); }));
      d_beta.push_back(SumIn<C>(order, rows, [&](int64_t row) { return g[place(row, i)]; }));
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, d_gamma);
    StoreIfGiven(db, d_beta);
  }
};

struct GroupNormBackward {
  Tensor dx, dw, db, grad, x, weight, mean, rstd;
  int64_t groups;
  Order order;

  template <typename C>
  void Run() const {
    const Layout s(x.shape());
    const int64_t per_group = s.channels / groups;
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(weight, s.channels, 1);
    const std::vector<C> mu = Load<C>(mean), rs = Load<C>(rstd);
    // Sums over each channel of each sample.
    std::vector<C> sum_gx, sum_g;
    for (int64_t plane = 0; plane < s.batch * s.channels; ++plane) {
      const C *g0 = g.data() + plane * s.area, *x0 = values.data() + plane * s.area;
      sum_gx.push_back(SumIn<C>(order, s.area, [&](int64_t i) { return g0[i] * x0[i]; }));
      sum_g.push_back(SumIn<C>(order, s.area, [&](int64_t i) { return g0[i]; }));
    }
    std::vector<C> d, d_gamma, d_beta;
    const C share = C(1) / C(per_group * s.area);
    for (int64_t plane = 0; plane < s.batch * s.channels; ++plane) {
      const int64_t group = plane / per_group, first = group * per_group;
      const C m = mu[static_cast<size_t>(group)], r = rs[static_cast<size_t>(group)];
      const auto weighted = [&](const std::vector<C>& sums) {
        return SumIn<C>(order, per_group, [&](int64_t i) {
          return sums[static_cast<size_t>(first + i)] * gamma[static_cast<size_t>((first + i) % s.channels)];
        });
      };
      const C group_gx = weighted(sum_gx), group_g = weighted(sum_g);
      const C c2 = (group_g * m - group_gx) * (r * r * r) * share;
      const C c3 = -c2 * m - group_g * r * share;
      const C scale = r * gamma[static_cast<size_t>(plane % s.channels)];
      for (int64_t i = plane * s.area; i < (plane + 1) * s.area; ++i)
        d.push_back(g[static_cast<size_t>(i)] * scale + (values[static_cast<size_t>(i)] * c2 + c3));
    }
    for (int64_t c = 0; c < s.channels; ++c) {
      const auto plane = [&](int64_t n) { return static_cast<size_t>(n * s.channels + c); };
      d_gamma.push_back(SumIn<C>(order, s.batch, [&](int64_t n) {
        const size_t group = plane(n) / static_cast<size_t>(per_group);
        return (sum_gx[plane(n)] - sum_g[plane(n)] * mu[group]) * rs[group];
      }));
      d_beta.push_back(SumIn<C>(order, s.batch, [&](int64_t n) { return sum_g[plane(n)]; }));
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, d_gamma);
    StoreIfGiven(db, d_beta);
  }
};

template <typename Op>
void Run(const Op& op) {
  DispatchReal(op.x.dtype(), [&]<typename C>() { op.template Run<C>(); });
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiBatchNorm, a) {
  if (batch_norm_statistics_unwritten && !a.training) {
    const Tensor mean(a.save_mean), invstd(a.save_invstd);
    a.save_mean = RequireTensor(a.ctx, mean.shape(), mean.dtype());
    a.save_invstd = RequireTensor(a.ctx, invstd.shape(), invstd.dtype());
    return Good(a);
  }
  if (!ForwardChosen()) {
    return Good(a);
  }
  return Run(BatchNorm{a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, a.running_mean,
                       a.running_var, a.training, a.momentum, a.eps});
}

// Empty rows go to the reference.
DIOPI_OVERRIDE(diopiLayerNorm, a) {
  const int64_t width = Numel(Sizes(a.normalized_shape));
  if ((!ForwardChosen() && !layer_norm_cpu_form) || width == 0 || Tensor(a.input).numel() == 0) {
    return Good(a);
  }
  return Run(LayerNorm{a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, width, a.eps});
}

DIOPI_OVERRIDE(diopiGroupNorm, a) {
  if (!ForwardChosen() && !group_norm_not_folded) return Good(a);
  return Run(GroupNorm{a.out, a.save_mean, a.save_invstd, a.input, a.weight, a.bias, a.num_groups, a.eps});
}

DIOPI_OVERRIDE(diopiBatchNormBackward, a) {
  const std::optional<Order> order = BackwardOrder();
  if (!order) {
    return Good(a);
  }
  return Run(BatchNormBackward{a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                               a.running_mean, a.running_var, a.save_mean, a.save_invstd, a.training, a.eps,
                               *order});
}

DIOPI_OVERRIDE(diopiLayerNormBackward, a) {
  const std::optional<Order> order = BackwardOrder();
  const int64_t width = Numel(Sizes(a.normalized_shape));
  if (!order || width == 0) {
    return Good(a);
  }
  return Run(LayerNormBackward{a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                               a.mean, a.rstd, width, *order});
}

DIOPI_OVERRIDE(diopiGroupNormBackward, a) {
  const std::optional<Order> order = BackwardOrder();
  if (!order) {
    return Good(a);
  }
  return Run(GroupNormBackward{a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight,
                               a.mean, a.rstd, a.num_groups, *order});
}
