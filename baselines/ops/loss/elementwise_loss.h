// Losses of two tensors of one shape, element by element, as they are or reduced to one number. For kernels
// of both references (both.h), which add up in different orders. A loss or a gradient is a functor,
// `DIOPI_HD C operator()(int64_t i) const`, that holds its operands.
#ifndef BASELINES_OPS_LOSS_ELEMENTWISE_LOSS_H_
#define BASELINES_OPS_LOSS_ELEMENTWISE_LOSS_H_

#include <algorithm>
#include <type_traits>
#include <vector>

#include "baselines/ops/both.h"
#include "baselines/ops/loss/loss_common.h"

#if defined(__CUDACC__) || defined(DIOPI_CUDA_EMULATED)
#include "baselines/ops/support/cuda/reduce.h"
#endif

namespace diopi::ops::both {

#if defined(__CUDACC__) || defined(DIOPI_CUDA_EMULATED)

template <typename C, typename F>
struct SumOfLosses {
  using State = C;
  F f;
  C divisor;
  Out<C> out;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t, int64_t i) const { return f(i); }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t, State sum) const { out.Set(0, sum / divisor); }
};

// out = f(0) + ... + f(n - 1), divided by n for the mean.
template <typename C, typename F>
void AddUp(const Queue& queue, const Tensor& out, int64_t n, bool mean, const F& f) {
  const C divisor = mean ? static_cast<C>(n) : C(1);
  cuda::ReduceRows(queue, 1, n, SumOfLosses<C, F>{f, divisor, Out<C>(out)});
}

#else

// In blocks, because losses below half a last place of a long sum would all be lost, and most losses are near
// zero. The oracle's noise is that of one sum.
template <typename C, typename F>
void AddUp(const Queue&, const Tensor& out, int64_t n, bool mean, const F& f) {
  const int64_t block = std::is_floating_point_v<C> ? 1024 : std::max<int64_t>(n, 1);
  Sum<C> sum;
  for (int64_t first = 0; first < n; first += block) {
    Sum<C> part;
    for (int64_t i = first; i < std::min(n, first + block); ++i) part += f(i);
    if constexpr (std::is_floating_point_v<C>) {
      sum += part.total();
    } else {
      sum = part;
    }
  }
  Store(out, std::vector<C>{mean ? sum.total() / Exact<C>(n) : sum.total()});
}

#endif

template <typename C, typename F>
struct StoreEach {
  F f;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, f(i)); }
};

// The losses f(i) of tensors of this shape: each, their sum or their mean.
template <typename C, typename F>
void ReduceLosses(const Queue& queue, const Tensor& out, const Shape& shape, diopiReduction_t reduction,
                  const F& f) {
  if (reduction == ReductionNone) {
    CheckShape(out, shape, "out");
    return ForEach(queue, Numel(shape), StoreEach<C, F>{f, Out<C>(out)});
  }
  Check(out.numel() == 1, "the output holds ", out.numel(), " elements, the result has 1");
  AddUp<C>(queue, out, Numel(shape), reduction == ReductionMean, f);
}

// grad_input[i] = f(i).
template <typename C, typename F>
void StoreGradient(const Queue& queue, const Tensor& grad_input, const Shape& shape, const F& f) {
  CheckShape(grad_input, shape, "grad_input");
  ForEach(queue, Numel(shape), StoreEach<C, F>{f, Out<C>(grad_input)});
}

// The gradient of each element's loss: a reduced loss has one for all.
template <typename C>
In<C> LossGradients(const Tensor& grad_output, const Shape& shape, diopiReduction_t reduction) {
  CheckGradOutput(grad_output, shape, reduction);
  return reduction == ReductionNone ? In<C>(grad_output) : In<C>(grad_output, shape);
}

// The factor by which a mean multiplies each element's gradient.
inline double MeanFactor(const Shape& shape, diopiReduction_t reduction) {
  return reduction == ReductionMean ? 1.0 / static_cast<double>(Numel(shape)) : 1.0;
}

// Operands of binary cross entropy; absent weights read as 1.
template <typename C>
struct LabelledPairs {
  In<C> x, target, weight, pos_weight;
  bool weighted, balanced;

  LabelledPairs(const Tensor& input, const Tensor& labels, const Tensor& weights,
                const Tensor& positive = Tensor())
      : x(input),
        target(labels),
        weight(OptionalAt(weights, input.shape())),
        pos_weight(OptionalAt(positive, input.shape())),
        weighted(static_cast<bool>(weights)),
        balanced(static_cast<bool>(positive)) {
    CheckShape(labels, input.shape(), "target");
  }

  static In<C> OptionalAt(const Tensor& tensor, const Shape& shape) {
    return tensor ? In<C>(tensor, shape) : In<C>::Constant(C(1));
  }
};

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_LOSS_ELEMENTWISE_LOSS_H_
