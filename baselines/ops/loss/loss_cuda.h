// Losses over classes on a GPU: rows of class scores, targets and weights as kernels read them, and the
// reduction of the rows' losses.
//
// A target outside [0, classes) that is not ignored gives NaN where the CPU reference fails, because the
// check would have to wait for the device.
#ifndef BASELINES_OPS_LOSS_LOSS_CUDA_H_
#define BASELINES_OPS_LOSS_LOSS_CUDA_H_

#include <cmath>
#include <cstdint>

#include "baselines/ops/loss/loss_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/row_sums.h"
#include "baselines/ops/support/cuda/scratch.h"

namespace diopi::ops::cuda {

// The input's scores as rows of classes, in the order of the targets.
inline RowView ClassRows(const Tensor& input) {
  return RowsOf(input, Shape{input.rank() == 1 ? 0 : 1});
}

// The weight of each class: 1 where no tensor is given.
template <typename C>
const C* ClassWeights(const Queue& queue, const Tensor& weight, const ClassShape& shape) {
  if (weight) CheckShape(weight, Shape{shape.classes}, "weight");
  C* const weights = queue.Buffer<C>(shape.classes);
  Copy(queue, shape.classes, ScratchOut(weights, Shape{shape.classes}),
       weight ? In<C>(weight) : In<C>::Constant(C(1)));
  return weights;
}

// Instead of a class, in a row of targets.
inline constexpr int64_t kIgnored = -1, kOutOfBounds = -2;

struct ReadTarget {
  In<int64_t> target;
  int64_t classes, ignore_index;
  int64_t* out;
  DIOPI_HD void operator()(int64_t row) const {
    const int64_t t = target[row];
    out[row] = t == ignore_index ? kIgnored : t >= 0 && t < classes ? t : kOutOfBounds;
  }
};
// One class per row.
inline const int64_t* ReadTargets(const Queue& queue, const Tensor& target, const ClassShape& shape,
                                  int64_t ignore_index) {
  CheckShape(target, shape.rows, "target");
  int64_t* const targets = queue.Buffer<int64_t>(shape.count());
  ForEach(queue, shape.count(), ReadTarget{In<int64_t>(target), shape.classes, ignore_index, targets});
  return targets;
}

template <typename C>
struct TargetWeight {
  const int64_t* targets;
  const C* weights;
  DIOPI_HD C operator()(int64_t, int64_t row) const {
    const int64_t t = targets[row];
    return t >= 0 ? weights[t] : t == kIgnored ? C(0) : C(NAN);
  }
};
// The sum of the weights of the rows' targets.
template <typename C>
In<C> SumTargetWeights(const Queue& queue, const int64_t* targets, const C* weights, int64_t rows) {
  return ScratchIn(RowSums(queue, 1, rows, TargetWeight<C>{targets, weights}));
}

// The sum of the rows' losses, divided.
template <typename C>
struct ReduceLosses {
  using State = C;
  const C* losses;
  In<C> divisor;
  Out<C> out;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t, int64_t row) const { return losses[row]; }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t, State sum) const { out.Set(0, sum / divisor[0]); }
};

inline void CheckLossShape(const Tensor& out, const ClassShape& shape, diopiReduction_t reduction) {
  if (reduction == ReductionNone) {
    CheckShape(out, shape.rows, "out");
  } else {
    Check(out.numel() == 1, "the output holds ", out.numel(), " elements, the result has 1");
  }
}

// Writes the rows' losses to `out`: as they are, summed up, or also divided by total_weight.
template <typename C>
void StoreLosses(const Queue& queue, const Tensor& out, const C* losses, const ClassShape& shape,
                 const In<C>& total_weight, diopiReduction_t reduction) {
  if (reduction == ReductionNone)
    return Copy(queue, shape.count(), Out<C>(out), ScratchIn(losses, Shape{shape.count()}));
  const In<C> divisor = reduction == ReductionMean ? total_weight : In<C>::Constant(C(1));
  ReduceRows(queue, 1, shape.count(), ReduceLosses<C>{losses, divisor, Out<C>(out)});
}

// The factors that the rows' gradients get from the reduction.
template <typename C>
struct RowFactor {
  In<C> grad_output;
  bool each;
  In<C> divisor;
  C* out;
  DIOPI_HD void operator()(int64_t row) const { out[row] = grad_output[each ? row : 0] / divisor[0]; }
};
template <typename C>
const C* RowFactors(const Queue& queue, const Tensor& grad_output, const ClassShape& shape,
                    const In<C>& total_weight, diopiReduction_t reduction) {
  CheckGradOutput(grad_output, shape.rows, reduction);
  C* const factors = queue.Buffer<C>(shape.count());
  const In<C> divisor = reduction == ReductionMean ? total_weight : In<C>::Constant(C(1));
  ForEach(queue, shape.count(),
          RowFactor<C>{In<C>(grad_output), reduction == ReductionNone, divisor, factors});
  return factors;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_LOSS_LOSS_CUDA_H_
