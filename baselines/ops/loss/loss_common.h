// Losses over classes: input (N, C) or (N, C, d1, ...) or (C), target (N), (N, d1, ...) or ().
#ifndef BASELINES_OPS_LOSS_LOSS_COMMON_H_
#define BASELINES_OPS_LOSS_LOSS_COMMON_H_

#include <vector>

#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// The place of the score of class c for row (n, k): ((n * classes) + c) * inner + k.
struct ClassShape {
  int64_t batch = 1;
  int64_t classes = 1;
  int64_t inner = 1;
  Shape rows;  // the shape of the target, and of the unreduced loss

  explicit ClassShape(const Shape& input) {
    Check(!input.empty(), "expected an input with a class dimension, got a 0-d tensor");
    const size_t class_dim = input.size() == 1 ? 0 : 1;
    classes = input[class_dim];
    for (size_t d = 0; d < input.size(); ++d) {
      if (d == class_dim) continue;
      rows.push_back(input[d]);
      (d < class_dim ? batch : inner) *= input[d];
    }
  }

  int64_t count() const { return batch * inner; }
  // `row` counts the target's elements in row-major order.
  int64_t At(int64_t row, int64_t c) const { return (row / inner * classes + c) * inner + row % inner; }
};

// One class index per row; Fail for one outside [0, classes) that is not ignored.
inline std::vector<int64_t> LoadTargets(const Tensor& target, const ClassShape& shape, int64_t ignore_index) {
  CheckShape(target, shape.rows, "target");
  std::vector<int64_t> targets = Load<int64_t>(target);
  for (const int64_t t : targets) {
    Check(t == ignore_index || (t >= 0 && t < shape.classes), "target ", t, " is out of bounds for ",
          shape.classes, " classes");
  }
  return targets;
}

// The weight of each class: 1 where no tensor is given.
template <typename C>
std::vector<C> LoadWeights(const Tensor& weight, const ClassShape& shape) {
  if (!weight) return std::vector<C>(static_cast<size_t>(shape.classes), Exact<C>(1));
  CheckShape(weight, Shape{shape.classes}, "weight");
  return Load<C>(weight);
}

// Stores the rows' losses: as they are, their sum, or the sum over `total_weight`.
template <typename C>
void StoreReduced(const Tensor& out, const std::vector<C>& losses, const C& total_weight,
                  diopiReduction_t reduction, const Shape& rows) {
  if (reduction == ReductionNone) {
    CheckShape(out, rows, "out");
    Store(out, losses);
    return;
  }
  Sum<C> terms;
  for (const C& loss : losses) terms += loss;
  const C sum = terms.total();
  Store(out, std::vector<C>{reduction == ReductionMean ? sum / total_weight : sum});
}

// The gradient of the loss has its shape: the rows', or one element.
inline void CheckGradOutput(const Tensor& grad_output, const Shape& rows, diopiReduction_t reduction) {
  if (reduction == ReductionNone) {
    CheckShape(grad_output, rows, "grad_output");
  } else {
    Check(grad_output.numel() == 1, "expected a grad_output of one element for a reduced loss");
  }
}

// The factor that a row's gradient gets from the reduction.
template <typename C>
C RowGradient(const std::vector<C>& grad_output, int64_t row, const C& total_weight,
              diopiReduction_t reduction) {
  if (reduction == ReductionNone) return grad_output[static_cast<size_t>(row)];
  return reduction == ReductionMean ? grad_output[0] / total_weight : grad_output[0];
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_LOSS_LOSS_COMMON_H_
