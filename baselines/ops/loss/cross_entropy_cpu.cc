// cross_entropy: nll_loss of log_softmax over the classes, with label smoothing s:
//   row loss = (1 - s) * -w[t] * y[t] + s / classes * sum_c(-w[c] * y[c]),   y = log_softmax(x)
// The mean divides by the weights of the targets that are not ignored. A floating target of the input's shape
// holds class probabilities; the mean then divides by the number of rows.
#include "baselines/ops/loss/loss_common.h"
#include "baselines/ops/softmax/softmax_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

struct CrossEntropy {
  diopiReduction_t reduction;
  int64_t ignore_index;
  double label_smoothing;
};

// log_softmax over the classes of one row.
template <typename C>
std::vector<C> LogSoftmaxRow(const std::vector<C>& x, const ClassShape& shape, int64_t row) {
  using std::exp;
  using std::log;
  std::vector<C> y(static_cast<size_t>(shape.classes));
  const C greatest = LineMax(x, shape.At(row, 0), shape.inner, shape.classes);
  Sum<C> sum;
  for (int64_t c = 0; c < shape.classes; ++c) {
    y[static_cast<size_t>(c)] = x[static_cast<size_t>(shape.At(row, c))] - greatest;
    sum += exp(y[static_cast<size_t>(c)]);
  }
  const C log_sum = log(sum.total());
  for (C& value : y) value = value - log_sum;
  return y;
}

// How much each class of a row counts: the coefficients of -y[c] in the row's loss. Empty for ignored rows.
template <typename C>
class Targets {
 public:
  Targets(const Tensor& target, const Tensor& weight, const ClassShape& shape, const Shape& input_shape,
          const CrossEntropy& options)
      : shape_(shape),
        options_(options),
        has_probabilities_(IsFloating(target.dtype())),
        weights_(LoadWeights<C>(weight, shape)) {
    if (has_probabilities_) {
      CheckShape(target, input_shape, "target");
      probabilities_ = Load<C>(target);
      mean_by_ = Exact<C>(shape.count());
      return;
    }
    indices_ = LoadTargets(target, shape, options.ignore_index);
    Sum<C> counted;
    int64_t count = 0;
    for (const int64_t t : indices_) {
      if (t == options.ignore_index) continue;
      if (weight) counted += weights_[static_cast<size_t>(t)];
      ++count;
    }
    mean_by_ = weight ? counted.total() : Exact<C>(count);
  }

  const C& mean_by() const { return mean_by_; }

  std::vector<C> Row(int64_t row) const {
    const int64_t index = has_probabilities_ ? -1 : indices_[static_cast<size_t>(row)];
    if (!has_probabilities_ && index == options_.ignore_index) return {};
    const C keep = Rounded<C>(1.0 - options_.label_smoothing);
    const C share = Rounded<C>(options_.label_smoothing / static_cast<double>(shape_.classes));
    std::vector<C> coefficients(static_cast<size_t>(shape_.classes), Exact<C>(0));
    for (int64_t c = 0; c < shape_.classes; ++c) {
      const size_t at = static_cast<size_t>(c);
      C p = has_probabilities_ ? probabilities_[static_cast<size_t>(shape_.At(row, c))]
                               : Exact<C>(c == index ? 1 : 0);
      if (options_.label_smoothing != 0) p = p * keep + share;
      coefficients[at] = p * weights_[at];
    }
    return coefficients;
  }

 private:
  const ClassShape& shape_;
  const CrossEntropy& options_;
  const bool has_probabilities_;  // which may be none: an input without classes
  std::vector<C> weights_;
  std::vector<C> probabilities_;
  std::vector<int64_t> indices_;
  C mean_by_ = C(0);
};

template <typename C>
void Forward(const Tensor& out, const Tensor& input, const Targets<C>& targets, const ClassShape& shape,
             const CrossEntropy& options) {
  const std::vector<C> x = Load<C>(input);
  std::vector<C> losses(static_cast<size_t>(shape.count()), Exact<C>(0));
  for (int64_t row = 0; row < shape.count(); ++row) {
    const std::vector<C> coefficients = targets.Row(row);
    if (coefficients.empty()) continue;
    const std::vector<C> y = LogSoftmaxRow(x, shape, row);
    Sum<C> loss;
    for (size_t c = 0; c < y.size(); ++c) {
      if (ToDouble(coefficients[c]) != 0) loss += -(coefficients[c] * y[c]);
    }
    losses[static_cast<size_t>(row)] = loss.total();
  }
  StoreReduced(out, losses, targets.mean_by(), options.reduction, shape.rows);
}

// d loss / d x[c] = softmax(x)[c] * sum(coefficients) - coefficients[c]
template <typename C>
void Backward(const Tensor& grad_input, const Tensor& grad_output, const Tensor& input,
              const Targets<C>& targets, const ClassShape& shape, const CrossEntropy& options) {
  using std::exp;
  const std::vector<C> x = Load<C>(input);
  const std::vector<C> g = Load<C>(grad_output);
  std::vector<C> gradient(x.size(), Exact<C>(0));
  for (int64_t row = 0; row < shape.count(); ++row) {
    const std::vector<C> coefficients = targets.Row(row);
    if (coefficients.empty()) continue;
    const C factor = RowGradient(g, row, targets.mean_by(), options.reduction);
    const std::vector<C> y = LogSoftmaxRow(x, shape, row);
    Sum<C> terms;
    for (const C& coefficient : coefficients) terms += factor * coefficient;
    const C sum = terms.total();
    for (int64_t c = 0; c < shape.classes; ++c) {
      const size_t at = static_cast<size_t>(c);
      gradient[static_cast<size_t>(shape.At(row, c))] = exp(y[at]) * sum - factor * coefficients[at];
    }
  }
  Store(grad_input, gradient);
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiCrossEntropyLoss, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const ClassShape shape(x.shape());
  const CrossEntropy options{a.reduction, a.ignore_index, a.label_smoothing};
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    Forward<C>(result, x, Targets<C>(a.target, a.weight, shape, x.shape(), options), shape, options);
  });
}

DIOPI_KERNEL(diopiCrossEntropyLossBackward, a) {
  using namespace diopi::ops;
  const Tensor result(a.grad_input), g(a.grad_output), x(a.input);
  CheckShape(result, x.shape(), "grad_input");
  const ClassShape shape(x.shape());
  CheckGradOutput(g, shape.rows, a.reduction);
  const CrossEntropy options{a.reduction, a.ignore_index, a.label_smoothing};
  DispatchFloating(ResultType(result, {g, x}), [&]<typename C>() {
    Backward<C>(result, g, x, Targets<C>(a.target, a.weight, shape, x.shape(), options), shape, options);
  });
}
