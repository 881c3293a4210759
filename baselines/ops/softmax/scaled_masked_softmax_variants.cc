// The softmax of attention scores with other fills of the masked ones, online, and with stored steps.
#include <limits>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kForward[] = "diopiScaledMaskedSoftmax";
VARIANT(masked_softmax_infinity, kForward, "", "masked scores are -inf");
VARIANT(masked_softmax_added, kForward, "", "-10000 added to masked scores");
VARIANT(masked_softmax_skipped, kForward, "", "masked scores left out, their results 0");
VARIANT(masked_softmax_online, kForward, "", "maximum and sum in one pass");
VARIANT(masked_softmax_stored_scores, kForward, "", "scaled scores in the tensors' type");
VARIANT(masked_softmax_reciprocal, kForward, "", "exp2, and times 1/sum");
constexpr char kBackward[] = "diopiScaledMaskedSoftmaxBackward";
VARIANT(masked_softmax_backward_split, kBackward, "", "y*g - y*sum, fused, the sum in eight lanes");
VARIANT(masked_softmax_backward_stored, kBackward, "",
        "the gradient in the tensors' type before it is scaled");

template <typename C>
C Filled(const C& score) {
  if (masked_softmax_added) return score + C(-10000);
  return masked_softmax_infinity || masked_softmax_skipped ? -std::numeric_limits<C>::infinity() : C(-10000);
}

template <typename C>
void SoftmaxOf(std::vector<C>& row) {
  C greatest = -std::numeric_limits<C>::infinity(), sum = 0;
  if (masked_softmax_online) {
    for (const C& s : row) {
      const C next = s > greatest || s != s ? s : greatest;
      sum = sum * (greatest == next ? C(1) : std::exp(greatest - next)) + std::exp(s - next);
      greatest = next;
    }
  } else {
    for (const C& s : row) greatest = s > greatest || s != s ? s : greatest;
    for (const C& s : row) sum += masked_softmax_skipped && std::isinf(s) ? C(0) : std::exp(s - greatest);
  }
  for (C& s : row) {
    if (masked_softmax_reciprocal) {
      s = std::exp2((s - greatest) * static_cast<C>(1.44269504088896340736L)) * (C(1) / sum);
    } else {
      s = std::exp(s - greatest) / sum;
    }
  }
}

struct Forward {
  Tensor out, x, mask;
  double scale;
  bool triangle;

  template <typename C>
  void Run() const {
    const std::vector<C> values = Load<C>(x);
    const std::vector<uint8_t> masked = LoadBool(mask, x.shape());
    const int64_t width = x.size(-1), rows = x.size(-2);
    std::vector<C> y;
    for (int64_t row = 0; row < x.numel() / width; ++row) {
      std::vector<C> scores;
      for (int64_t j = 0; j < width; ++j) {
        const auto at = static_cast<size_t>(row * width + j);
        C score = static_cast<C>(scale) * values[at];
        if (masked_softmax_stored_scores) score = Stored(x.dtype(), score);
        const bool left_out = triangle ? j > row % rows : masked[at] != 0;
        scores.push_back(left_out ? Filled(score) : score);
      }
      SoftmaxOf(scores);
      y.insert(y.end(), scores.begin(), scores.end());
    }
    Store(out, y);
  }
};

struct Backward {
  Tensor dx, grad, y;
  double scale;

  template <typename C>
  void Run() const {
    const std::vector<C> g = Load<C>(grad), p = Load<C>(y);
    const int64_t width = y.size(-1);
    std::vector<C> d;
    for (int64_t start = 0; start < y.numel(); start += width) {
      const Order order = masked_softmax_backward_split ? Order::kLanes8 : Order::kSequential;
      const C sum = SumIn<C>(order, width, [&](int64_t j) {
        return g[static_cast<size_t>(start + j)] * p[static_cast<size_t>(start + j)];
      });
      for (auto i = static_cast<size_t>(start); i < static_cast<size_t>(start + width); ++i) {
        const C own = masked_softmax_backward_split ? std::fma(-p[i], sum, p[i] * g[i]) : p[i] * (g[i] - sum);
        d.push_back((masked_softmax_backward_stored ? Stored(y.dtype(), own) : own) * static_cast<C>(scale));
      }
    }
    Store(dx, d);
  }
};

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiScaledMaskedSoftmax, a) {
  const bool chosen = masked_softmax_infinity || masked_softmax_added || masked_softmax_skipped ||
                      masked_softmax_online || masked_softmax_stored_scores || masked_softmax_reciprocal;
  const Forward op{a.output, a.input, a.mask, a.scale, a.fixed_triu_mask};
  if (!chosen || op.x.numel() == 0) return Good(a);
  DispatchReal(op.x.dtype(), [&]<typename C>() { op.Run<C>(); });
}

DIOPI_OVERRIDE(diopiScaledMaskedSoftmaxBackward, a) {
  const Backward op{a.grad_input, a.grad_output, a.output, a.scale};
  if (!(masked_softmax_backward_split || masked_softmax_backward_stored) || op.y.numel() == 0) return Good(a);
  DispatchReal(op.y.dtype(), [&]<typename C>() { op.Run<C>(); });
}
