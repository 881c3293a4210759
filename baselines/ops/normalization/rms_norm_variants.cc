// rms_norm as vendors write it: orders of the sums, and of the factors.
#include "baselines/injected/injected.h"
#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kForward[] = "diopiRMSNorm";
VARIANT(rms_pairwise, kForward, "", "the squares in a tree");
VARIANT(rms_lanes8, kForward, "", "the squares in eight lanes");
VARIANT(rms_double, kForward, "", "the squares in double");
VARIANT(rms_two_pass, kForward, "", "scaled by the largest element first, as hypot is");
VARIANT(rms_weight_first, kForward, "", "input * (inv_rms * weight)");
VARIANT(rms_fma, kForward, "", "the weight and the bias fused");
VARIANT(rms_rounded_row, kForward, "", "the normalized row in the tensors' type before weight and bias");
constexpr char kBackward[] = "diopiRMSNormBackward";
VARIANT(rms_backward_reversed, kBackward, "", "sums from the end");
VARIANT(rms_backward_blocks, kBackward, "", "sums in runs of 32 and a tree");
VARIANT(rms_backward_double, kBackward, "", "sums in double");
VARIANT(rms_backward_mean_form, kBackward, "", "(d - h * mean(d * h)) * inv_rms");

template <typename C>
C InverseRms(const std::vector<C>& x, int64_t start, int64_t width, double eps) {
  const auto at = [&](int64_t i) { return x[static_cast<size_t>(start + i)]; };
  const Order order = rms_pairwise ? Order::kPairwise
                      : rms_lanes8 ? Order::kLanes8
                      : rms_double ? Order::kDouble
                                   : Order::kSequential;
  if (!rms_two_pass)
    return C(1) / std::sqrt(SumIn<C>(order, width, [&](int64_t i) { return at(i) * at(i); }) / C(width) +
                            static_cast<C>(eps));
  C greatest = 0;
  for (int64_t i = 0; i < width; ++i) greatest = std::fabs(at(i)) > greatest ? std::fabs(at(i)) : greatest;
  const C scale = greatest > 0 ? greatest : C(1);  // of zeros, and of NaN
  C sum = 0;
  for (int64_t i = 0; i < width; ++i) sum += at(i) / scale * (at(i) / scale);
  return C(1) / std::sqrt(sum / C(width) * scale * scale + static_cast<C>(eps));
}

struct Forward {
  Tensor out, inv_rms, x, weight, bias;
  int64_t width;
  double eps;

  template <typename C>
  void Run() const {
    const std::vector<C> values = Load<C>(x), gamma = LoadOr<C>(weight, width, 1),
                         beta = LoadOr<C>(bias, width, 0);
    std::vector<C> y, saved;
    for (int64_t start = 0; start < x.numel(); start += width) {
      const C inverse = saved.emplace_back(InverseRms(values, start, width, eps));
      for (int64_t j = 0; j < width; ++j) {
        const C v = values[static_cast<size_t>(start + j)], w = gamma[static_cast<size_t>(j)],
                b = beta[static_cast<size_t>(j)];
        if (rms_weight_first) {
          y.push_back(v * (inverse * w) + b);
        } else if (rms_fma) {
          y.push_back(std::fma(v * inverse, w, b));
        } else if (rms_rounded_row) {
          y.push_back(Stored(x.dtype(), Stored(x.dtype(), v * inverse) * w) + b);
        } else {
          y.push_back(v * inverse * w + b);
        }
      }
    }
    Store(out, y);
    Store(inv_rms, saved);
  }
};

struct Backward {
  Tensor dx, dw, db, grad, x, weight, inv_rms;
  int64_t rows, width;
  Order order;

  template <typename C>
  void Run() const {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x), gamma = LoadOr<C>(weight, width, 1),
                         inverse = Load<C>(inv_rms);
    const auto place = [&](int64_t row, int64_t j) { return static_cast<size_t>(row * width + j); };
    const auto h = [&](int64_t row, int64_t j) {
      return values[place(row, j)] * inverse[static_cast<size_t>(row)];
    };
    std::vector<C> d(g.size()), d_gamma, d_beta;
    for (int64_t row = 0; row < rows; ++row) {
      const auto scaled = [&](int64_t j) { return gamma[static_cast<size_t>(j)] * g[place(row, j)]; };
      const C sum = SumIn<C>(order, width, [&](int64_t j) { return scaled(j) * h(row, j); });
      const C inv = inverse[static_cast<size_t>(row)], mean = sum / C(width);
      for (int64_t j = 0; j < width; ++j) {
        d[place(row, j)] = rms_backward_mean_form
                               ? (scaled(j) - h(row, j) * mean) * inv
                               : (C(width) * scaled(j) - h(row, j) * sum) * (inv / C(width));
      }
    }
    for (int64_t j = 0; j < width; ++j) {
      d_gamma.push_back(SumIn<C>(order, rows, [&](int64_t row) { return g[place(row, j)] * h(row, j); }));
      d_beta.push_back(SumIn<C>(order, rows, [&](int64_t row) { return g[place(row, j)]; }));
    }
    StoreIfGiven(dx, d);
    StoreIfGiven(dw, d_gamma);
    StoreIfGiven(db, d_beta);
  }
};

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiRMSNorm, a) {
  const bool chosen = rms_pairwise || rms_lanes8 || rms_double || rms_two_pass || rms_weight_first ||
                      rms_fma || rms_rounded_row;
  if (!chosen || Tensor(a.input).numel() == 0) return Good(a);
  const Forward op{a.out, a.inv_rms, a.input, a.weight, a.bias, Numel(Sizes(a.normalized_shape)), a.eps};
  DispatchReal(op.x.dtype(), [&]<typename C>() { op.Run<C>(); });
}

DIOPI_OVERRIDE(diopiRMSNormBackward, a) {
  const bool chosen =
      rms_backward_reversed || rms_backward_blocks || rms_backward_double || rms_backward_mean_form;
  if (!chosen || Tensor(a.input).numel() == 0) return Good(a);
  const int64_t width = Numel(Sizes(a.normalized_shape));
  const Order order = rms_backward_reversed ? Order::kReversed
                      : rms_backward_blocks ? Order::kBlocks32
                      : rms_backward_double ? Order::kDouble
                                            : Order::kSequential;
  const Backward op{a.grad_input, a.grad_weight, a.grad_bias, a.grad_output,
                    a.input,      a.weight,      a.inv_rms,   Tensor(a.input).numel() / width,
                    width,        order};
  DispatchReal(op.x.dtype(), [&]<typename C>() { op.Run<C>(); });
}
