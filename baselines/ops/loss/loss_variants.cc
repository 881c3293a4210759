// Losses over classes: logsumexp online and in blocks, reductions in other orders.
#include <limits>
#include <optional>

#include "baselines/injected/injected.h"
#include "baselines/ops/loss/loss_common.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kCross[] = "diopiCrossEntropyLoss diopiCrossEntropyLossBackward";
VARIANT(cross_entropy_online, kCross, "", "maximum and sum in one pass; rows summed from the last");
VARIANT(cross_entropy_exp2, kCross, "", "exp2 and log2 for exp and log; rows summed pairwise");
VARIANT(cross_entropy_split_smoothing, "diopiCrossEntropyLoss", "",
        "(1 - s) * own loss + s/classes * sum of all, each reduced by itself, as in PyTorch");
VARIANT(cross_entropy_double, kCross, "", "in the next wider type");
VARIANT(softmax_minus_onehot, "diopiCrossEntropyLossBackward", "",
        "(softmax - target) * scale with softmax as exp / sum");
constexpr char kNll[] = "diopiNLLLoss diopiNLLLossV2";
VARIANT(nll_reversed, kNll, "", "rows from the last");
VARIANT(nll_pairwise, kNll, "", "rows in halves");
VARIANT(nll_double, kNll, "", "the sums in double");

VARIANT(pair_loss_sequential, "diopiSmoothL1Loss diopiMSELoss", "", "one loss added after the other");

struct Options {
  diopiReduction_t reduction;
  int64_t ignore_index;
  double smoothing;
};

bool CrossChosen(bool backward) {
  return cross_entropy_online || cross_entropy_exp2 || cross_entropy_double ||
         (backward ? softmax_minus_onehot : cross_entropy_split_smoothing);
}

Order RowOrder() {
  return cross_entropy_online ? Order::kReversed : Order::kPairwise;
}

// The numbers of one call, in type W.
template <typename W>
struct CrossEntropy {
  ClassShape shape;
  Options options;
  std::vector<W> x, weights, probabilities;
  std::vector<int64_t> indices;

  template <typename C>
  static std::vector<W> Widened(const std::vector<C>& values) {
    return std::vector<W>(values.begin(), values.end());
  }

  template <typename C>
  static CrossEntropy Read(const Tensor& input, const Tensor& target, const Tensor& weight,
                           const Options& options) {
    const ClassShape shape(input.shape());
    CrossEntropy c{shape, options, Widened(Load<C>(input)), Widened(LoadWeights<C>(weight, shape)), {}, {}};
    if (IsFloating(target.dtype()))
      c.probabilities = Widened(Load<C>(target));
    else
      c.indices = LoadTargets(target, shape, options.ignore_index);
    return c;
  }

  bool Ignored(int64_t row) const {
    return probabilities.empty() && indices[static_cast<size_t>(row)] == options.ignore_index;
  }

  // What the mean divides by: the rows of probabilities, or the weights of the targets.
  W MeanBy() const {
    if (probabilities.empty() && !indices.empty()) {
      return SumIn<W>(RowOrder(), shape.count(), [&](int64_t row) {
        return Ignored(row) ? W(0) : weights[static_cast<size_t>(indices[static_cast<size_t>(row)])];
      });
    }
    return probabilities.empty() ? W(0) : W(shape.count());
  }

  // How much class c of a row weighs before smoothing.
  W Share(int64_t row, int64_t c) const {
    if (probabilities.empty()) return indices[static_cast<size_t>(row)] == c ? W(1) : W(0);
    return probabilities[static_cast<size_t>(shape.At(row, c))];
  }

  W Coefficient(int64_t row, int64_t c) const {
    W p = Share(row, c);
    if (options.smoothing != 0) {
      p = p * static_cast<W>(1.0 - options.smoothing) +
          static_cast<W>(options.smoothing / static_cast<double>(shape.classes));
    }
    return p * weights[static_cast<size_t>(c)];
  }

  W X(int64_t row, int64_t c) const { return x[static_cast<size_t>(shape.At(row, c))]; }

  struct Mass {
    W greatest, sum;
  };

  Mass MassOf(int64_t row) const {
    W greatest = X(row, 0);
    for (int64_t c = 1; c < shape.classes; ++c) {
      const W value = X(row, c);
      if (value > greatest || value != value) greatest = value;
      if (greatest != greatest) break;
    }
    if (!cross_entropy_online || !std::isfinite(greatest)) {
      return {greatest, SumIn<W>(Order::kPairwise, shape.classes,
                                 [&](int64_t c) { return Exp(X(row, c) - greatest); })};
    }
    Mass mass{-std::numeric_limits<W>::infinity(), W(0)};
    for (int64_t c = 0; c < shape.classes; ++c) {
      const W value = X(row, c);
      if (value <= mass.greatest) {
        mass.sum += Exp(value - mass.greatest);
      } else {
        mass = {value, mass.sum * Exp(mass.greatest - value) + W(1)};
      }
    }
    return mass;
  }

  static W Exp(const W& t) {
    return cross_entropy_exp2 ? std::exp2(t * static_cast<W>(1.44269504088896340736L)) : std::exp(t);
  }
  static W Log(const W& t) {
    return cross_entropy_exp2 ? std::log2(t) * static_cast<W>(0.693147180559945309417L) : std::log(t);
  }

  // The losses of all rows with coefficient(row, c); classes without weight do not count.
  template <typename F>
  std::vector<W> Losses(F&& coefficient) const {
    std::vector<W> losses;
    for (int64_t row = 0; row < shape.count(); ++row) {
      W loss = W(0);
      const Mass mass = Ignored(row) ? Mass{W(0), W(1)} : MassOf(row);
      const W log_sum = Log(mass.sum);
      for (int64_t c = shape.classes; c-- > 0 && !Ignored(row);) {
        const W own = coefficient(row, c);
        if (own != W(0)) loss -= own * ((X(row, c) - mass.greatest) - log_sum);
      }
      losses.push_back(loss);
    }
    return losses;
  }

  W Reduced(const std::vector<W>& losses) const {
    const W sum =
        SumIn<W>(RowOrder(), shape.count(), [&](int64_t i) { return losses[static_cast<size_t>(i)]; });
    return options.reduction == ReductionMean ? sum / MeanBy() : sum;
  }

  template <typename F>
  std::vector<W> Result(F&& coefficient) const {
    std::vector<W> losses = Losses(coefficient);
    return options.reduction == ReductionNone ? losses : std::vector<W>{Reduced(losses)};
  }

  std::vector<W> Forward() const {
    if (!cross_entropy_split_smoothing || options.smoothing == 0)
      return Result([&](int64_t row, int64_t c) { return Coefficient(row, c); });
    std::vector<W> own =
        Result([&](int64_t row, int64_t c) { return Share(row, c) * weights[static_cast<size_t>(c)]; });
    const std::vector<W> all = Result([&](int64_t, int64_t c) { return weights[static_cast<size_t>(c)]; });
    const W keep = static_cast<W>(1.0 - options.smoothing);
    const W share = static_cast<W>(options.smoothing / static_cast<double>(shape.classes));
    for (size_t i = 0; i < own.size(); ++i) own[i] = own[i] * keep + all[i] * share;
    return own;
  }

  std::vector<W> Backward(const std::vector<W>& g) const {
    std::vector<W> gradient(x.size(), W(0));
    const W mean_by = MeanBy();
    for (int64_t row = 0; row < shape.count(); ++row) {
      if (Ignored(row)) continue;
      const W scale = RowGradient(g, row, mean_by, options.reduction);
      const Mass mass = MassOf(row);
      const W log_sum = Log(mass.sum);
      const W total =
          SumIn<W>(Order::kPairwise, shape.classes, [&](int64_t c) { return Coefficient(row, c); });
      for (int64_t c = 0; c < shape.classes; ++c) {
        const W t = X(row, c) - mass.greatest;
        const W softmax = softmax_minus_onehot ? Exp(t) / mass.sum : Exp(t - log_sum);
        gradient[static_cast<size_t>(shape.At(row, c))] =
            softmax * (total * scale) - Coefficient(row, c) * scale;
      }
    }
    return gradient;
  }
};

std::optional<Order> NllOrder() {
  if (nll_reversed) return Order::kReversed;
  if (nll_pairwise) return Order::kPairwise;
  if (nll_double) return Order::kDouble;
  return std::nullopt;
}

void NllForward(Order order, const Tensor& out, const Tensor& total_weight, const Tensor& input,
                const Tensor& target, const Tensor& weight, diopiReduction_t reduction,
                int64_t ignore_index) {
  const ClassShape shape(input.shape());
  const std::vector<int64_t> targets = LoadTargets(target, shape, ignore_index);
  DispatchReal(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input), weights = LoadWeights<C>(weight, shape);
    const auto weight_of = [&](int64_t row) {
      const int64_t t = targets[static_cast<size_t>(row)];
      return t == ignore_index ? C(0) : weights[static_cast<size_t>(t)];
    };
    const auto loss = [&](int64_t row) {
      const int64_t t = targets[static_cast<size_t>(row)];
      return t == ignore_index ? C(0) : -(x[static_cast<size_t>(shape.At(row, t))] * weight_of(row));
    };
    const C total = SumIn<C>(order, shape.count(), weight_of);
    std::vector<C> result;
    if (reduction == ReductionNone) {
      for (int64_t row = 0; row < shape.count(); ++row) result.push_back(loss(row));
    } else {
      const C sum = SumIn<C>(order, shape.count(), loss);
      result.push_back(reduction == ReductionMean ? sum / total : sum);
    }
    Store(out, result);
    if (total_weight) Store(total_weight, std::vector<C>{total});
  });
}

// f.template operator()<C, W>() with W the type that the chosen variant computes in.
template <typename F>
void DispatchWide(diopiDtype_t dtype, F&& f) {
  DispatchReal(dtype, [&]<typename C>() {
    if (cross_entropy_double) return f.template operator()<C, Wide<C>>();
    f.template operator()<C, C>();
  });
}

// The reduced losses of a pair of tensors, loss(x, y) each, in order.
template <typename Args, typename F>
bool AddedInOrder(const Args& a, F&& loss) {
  const Tensor out(a.out), input(a.input), target(a.target);
  if (!pair_loss_sequential || a.reduction == ReductionNone || input.numel() == 0) return false;
  DispatchReal(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input), y = Load<C>(target);
    const int64_t count = input.numel();
    const C sum = SumIn<C>(Order::kSequential, count, [&](int64_t i) {
      return loss(x[static_cast<size_t>(i)], y[static_cast<size_t>(i)]);
    });
    Store(out, std::vector<C>{a.reduction == ReductionMean ? sum / C(count) : sum});
  });
  return true;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiCrossEntropyLoss, a) {
  if (!CrossChosen(false) || Tensor(a.input).numel() == 0) {
    return Good(a);
  }
  DispatchWide(Tensor(a.input).dtype(), [&]<typename C, typename W>() {
    const auto loss = CrossEntropy<W>::template Read<C>(a.input, a.target, a.weight,
                                                        {a.reduction, a.ignore_index, a.label_smoothing});
    const std::vector<W> result = loss.Forward();
    Store(Tensor(a.out), std::vector<C>(result.begin(), result.end()));
  });
}

DIOPI_OVERRIDE(diopiCrossEntropyLossBackward, a) {
  if (!CrossChosen(true) || Tensor(a.input).numel() == 0) {
    return Good(a);
  }
  DispatchWide(Tensor(a.input).dtype(), [&]<typename C, typename W>() {
    const auto loss = CrossEntropy<W>::template Read<C>(a.input, a.target, a.weight,
                                                        {a.reduction, a.ignore_index, a.label_smoothing});
    const std::vector<W> d = loss.Backward(CrossEntropy<W>::Widened(Load<C>(a.grad_output)));
    Store(Tensor(a.grad_input), std::vector<C>(d.begin(), d.end()));
  });
}

DIOPI_OVERRIDE(diopiNLLLoss, a) {
  const std::optional<Order> order = NllOrder();
  if (!order) return Good(a);
  NllForward(*order, a.out, Tensor(), a.input, a.target, a.weight, a.reduction, a.ignore_index);
}

DIOPI_OVERRIDE(diopiNLLLossV2, a) {
  const std::optional<Order> order = NllOrder();
  if (!order) return Good(a);
  NllForward(*order, a.out, a.totalWeight, a.input, a.target, a.weight, a.reduction, a.ignore_index);
}

DIOPI_OVERRIDE(diopiSmoothL1Loss, a) {
  const bool added = AddedInOrder(a, [&]<typename C>(C x, C y) {
    const C beta = static_cast<C>(a.beta), distance = std::abs(x - y);
    return distance < beta ? C(0.5) * distance * distance / beta : distance - C(0.5) * beta;
  });
  if (!added) return Good(a);
}

DIOPI_OVERRIDE(diopiMSELoss, a) {
  if (!AddedInOrder(a, []<typename C>(C x, C y) { return (x - y) * (x - y); })) return Good(a);
}
