// cross_entropy: see cross_entropy_cpu.cc. A row's log_softmax is stored as its greatest score and the
// logarithm of its sum.
#include "baselines/ops/loss/loss_cuda.h"
#include "baselines/ops/softmax/shifted_sums_cuda.h"
#include "baselines/ops/support/cuda/quotients.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {
namespace {

struct CrossEntropy {
  diopiReduction_t reduction;
  int64_t ignore_index;
  double label_smoothing;
};

// y[c] = log_softmax(x)[c] of every row; rows.sums are logarithms.
template <typename C>
struct LogSoftmax {
  In<C> x;
  int64_t classes;
  ShiftedSums<C> rows;
  DIOPI_HD C Of(int64_t row, C x_c) const { return x_c - rows.greatest[row] - rows.sums[row]; }
  DIOPI_HD C At(int64_t row, int64_t c) const { return Of(row, x[row * classes + c]); }
};

// How much each class of a row counts: the coefficients of -y[c] in the row's loss.
template <typename C>
struct Coefficients {
  const int64_t* targets = nullptr;
  In<C> probabilities;  // instead of the targets
  const C* weights = nullptr;
  int64_t classes = 0;
  bool smooth = false;
  C keep = C(1), share = C(0);

  // With targets and no smoothing all but one are 0: then only that one is read.
  DIOPI_HD bool One() const { return targets != nullptr && !smooth; }
  DIOPI_HD int64_t Class(int64_t row, int64_t j) const {
    return One() && targets[row] >= 0 ? targets[row] : j;
  }
  DIOPI_HD bool Ignored(int64_t row) const { return targets != nullptr && targets[row] == kIgnored; }
  DIOPI_HD C At(int64_t row, int64_t c) const {
    C p;
    if (targets == nullptr) {
      p = probabilities[row * classes + c];
    } else if (targets[row] == kOutOfBounds) {
      return C(NAN);
    } else {
      p = C(targets[row] == c ? 1 : 0);
    }
    if (smooth) p = p * keep + share;
    return p * weights[c];
  }
};

// The terms of a row's loss.
template <typename C>
struct LossTerm {
  LogSoftmax<C> y;
  Coefficients<C> coefficients;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    if (coefficients.Ignored(row)) return C(0);
    const int64_t c = coefficients.Class(row, j);
    const C coefficient = coefficients.At(row, c);
    return coefficient != C(0) ? -(coefficient * y.At(row, c)) : C(0);
  }
};

// The terms of a row's sum of coefficients, for the gradient.
template <typename C>
struct GradientTerm {
  Coefficients<C> coefficients;
  const C* factors;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    if (coefficients.Ignored(row)) return C(0);
    return factors[row] * coefficients.At(row, coefficients.Class(row, j));
  }
};

// d loss / d x[c] = softmax(x)[c] * sum(coefficients) - coefficients[c]
template <typename C>
struct Gradient {
  LogSoftmax<C> y;
  Coefficients<C> coefficients;
  const C *factors, *sums;
  Quotients by_classes;
  DIOPI_HD C operator()(int64_t i, C x) const {
    using std::exp;
    const int64_t row = by_classes.Of(i), c = i - row * y.classes;
    if (coefficients.Ignored(row)) return C(0);
    return exp(y.Of(row, x)) * sums[row] - factors[row] * coefficients.At(row, c);
  }
};

template <typename C>
LogSoftmax<C> ComputeLogSoftmax(const Queue& queue, const Tensor& input, const ClassShape& shape) {
  const RowView rows = ClassRows(input);
  const In<C> x(input, rows);
  return {x, shape.classes, SumShifted(queue, shape.count(), shape.classes, x, /*log=*/true, OrderOf(rows))};
}

template <typename C>
Coefficients<C> ReadCoefficients(const Queue& queue, const Tensor& target, const Tensor& weight,
                                 const ClassShape& shape, const Tensor& input, const CrossEntropy& options) {
  Coefficients<C> coefficients;
  coefficients.weights = ClassWeights<C>(queue, weight, shape);
  coefficients.classes = shape.classes;
  if (IsFloating(target.dtype())) {
    CheckShape(target, input.shape(), "target");
    coefficients.probabilities = In<C>(target, ClassRows(target));
  } else {
    coefficients.targets = ReadTargets(queue, target, shape, options.ignore_index);
  }
  coefficients.smooth = options.label_smoothing != 0;
  coefficients.keep = static_cast<C>(1.0 - options.label_smoothing);
  coefficients.share = static_cast<C>(options.label_smoothing / static_cast<double>(shape.classes));
  return coefficients;
}

// The mean's divisor: the weights of the targets that count, or the number of rows.
template <typename C>
In<C> MeanBy(const Queue& queue, const Coefficients<C>& coefficients, int64_t rows,
             diopiReduction_t reduction) {
  if (reduction != ReductionMean || coefficients.targets == nullptr)
    return In<C>::Constant(static_cast<C>(rows));
  return SumTargetWeights(queue, coefficients.targets, coefficients.weights, rows);
}

void Forward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, const Tensor& target,
             const Tensor& weight, const CrossEntropy& options) {
  const ClassShape shape(input.shape());
  const int64_t rows = shape.count();
  const Queue queue(ctx);
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    const Coefficients<C> coefficients = ReadCoefficients<C>(queue, target, weight, shape, input, options);
    CheckLossShape(out, shape, options.reduction);
    const LogSoftmax<C> y = ComputeLogSoftmax<C>(queue, input, shape);
    const int64_t terms = coefficients.One() ? 1 : shape.classes;
    const C* const losses = RowSums(queue, rows, terms, LossTerm<C>{y, coefficients});
    const In<C> mean_by = MeanBy(queue, coefficients, rows, options.reduction);
    StoreLosses(queue, out, losses, shape, mean_by, options.reduction);
  });
}

void Backward(diopiContextHandle_t ctx, const Tensor& grad_input, const Tensor& grad_output,
              const Tensor& input, const Tensor& target, const Tensor& weight, const CrossEntropy& options) {
  CheckShape(grad_input, input.shape(), "grad_input");
  const ClassShape shape(input.shape());
  const int64_t rows = shape.count();
  const Queue queue(ctx);
  DispatchFloating(ResultType(grad_input, {grad_output, input}), [&]<typename C>() {
    const Coefficients<C> coefficients = ReadCoefficients<C>(queue, target, weight, shape, input, options);
    const In<C> mean_by = MeanBy(queue, coefficients, rows, options.reduction);
    const C* const factors = RowFactors<C>(queue, grad_output, shape, mean_by, options.reduction);
    const LogSoftmax<C> y = ComputeLogSoftmax<C>(queue, input, shape);
    const int64_t terms = coefficients.One() ? 1 : shape.classes;
    const C* const sums = RowSums(queue, rows, terms, GradientTerm<C>{coefficients, factors});
    const Out<C> gradient(grad_input, ClassRows(grad_input));
    Map(queue, input.numel(), gradient,
        AtIndex{Gradient<C>{y, coefficients, factors, sums, Quotients(shape.classes)}}, y.x);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiCrossEntropyLoss, a) {
  using namespace diopi::ops;
  cuda::Forward(a.ctx, a.out, a.input, a.target, a.weight, {a.reduction, a.ignore_index, a.label_smoothing});
}

DIOPI_KERNEL(diopiCrossEntropyLossBackward, a) {
  using namespace diopi::ops;
  cuda::Backward(a.ctx, a.grad_input, a.grad_output, a.input, a.target, a.weight,
                 {a.reduction, a.ignore_index, a.label_smoothing});
}
