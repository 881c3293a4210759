// Pooling and resizing: other orders, reciprocals instead of divisions, other associations of the weights.
#include <limits>
#include <optional>
#include <string_view>

#include "baselines/ops/pooling/pooling_common.h"
#include "baselines/planted/planted.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kAvg[] = "diopiAvgPool2d diopiAvgPool2dBackward";
PLANT(avg_pool_reciprocal, 0, kAvg, "", "the sum times 1/count");
PLANT(avg_pool_reversed, 0, kAvg, "", "windows from the last element; gradients gathered, last window first");
PLANT(avg_pool_double, 0, kAvg, "", "the sum in double");
constexpr char kAdaptive[] = "diopiAdaptiveAvgPool2d diopiAdaptiveAvgPool2dBackward";
PLANT(adaptive_pool_one_division, 0, kAdaptive, "", "the sum over rows * columns, gathered backwards");
PLANT(adaptive_pool_reversed, 0, kAdaptive, "", "windows from the last element");
PLANT(adaptive_pool_pairwise, 0, kAdaptive, "", "windows in halves, times the reciprocal of the count");
constexpr char kMax[] = "diopiMaxPool2d diopiMaxPool2dWithIndices";
PLANT(max_pool_from_end, 0, kMax, "", "windows from the last element, replaced by equals");
PLANT(max_pool_columns, 0, kMax, "", "column after column, the lower index of equals");
PLANT(max_pool_backward_gather, 0, "diopiMaxPool2dBackward", "", "every input asks all windows, last first");

// How a window's mean is made.
struct Mean {
  Order order = Order::kSequential;
  bool reciprocal = false;
};

std::optional<Mean> AvgChosen() {
  if (avg_pool_reciprocal) return Mean{Order::kSequential, true};
  if (avg_pool_reversed) return Mean{Order::kReversed, false};
  if (avg_pool_double) return Mean{Order::kDouble, false};
  return std::nullopt;
}

std::optional<Mean> AdaptiveChosen() {
  if (adaptive_pool_one_division) return Mean{Order::kSequential, false};
  if (adaptive_pool_reversed) return Mean{Order::kReversed, false};
  if (adaptive_pool_pairwise) return Mean{Order::kPairwise, true};
  return std::nullopt;
}

template <typename C>
C Over(const Mean& how, const C& sum, const C& count) {
  return how.reciprocal ? sum * (C(1) / count) : sum / count;
}

// count(row, column) elements make the divisor of a window.
template <typename Count>
void Averages(const Mean& how, const Tensor& out, const Tensor& input, const Pool2d& pool, Count&& count) {
  CheckShape(out, pool.out(), "out");
  DispatchReal(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> means(static_cast<size_t>(out.numel())), window;
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      window.clear();
      pool.ForEachInput(p, row, column, [&](int64_t i) { window.push_back(x[static_cast<size_t>(i)]); });
      const C sum = SumIn<C>(how.order, static_cast<int64_t>(window.size()),
                             [&](int64_t i) { return window[static_cast<size_t>(i)]; });
      means[static_cast<size_t>(at)] = Over(how, sum, static_cast<C>(count(row, column)));
    });
    Store(out, means);
  });
}

// Every input adds up the shares of the windows that it was in.
template <typename Count>
void AverageGradients(const Mean& how, const Tensor& dx, const Tensor& grad, const Pool2d& pool,
                      Count&& count) {
  CheckShape(grad, pool.out(), "grad_output");
  DispatchReal(grad.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<std::vector<C>> shares(static_cast<size_t>(dx.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      const C share = Over(how, g[static_cast<size_t>(at)], static_cast<C>(count(row, column)));
      pool.ForEachInput(p, row, column, [&](int64_t i) { shares[static_cast<size_t>(i)].push_back(share); });
    });
    std::vector<C> d;
    d.reserve(shares.size());
    for (const std::vector<C>& own : shares) {
      d.push_back(SumIn<C>(how.order, static_cast<int64_t>(own.size()),
                           [&](int64_t i) { return own[static_cast<size_t>(i)]; }));
    }
    Store(dx, d);
  });
}

struct AvgCount {
  bool include_pad;
  const int64_t* divisor;

  int64_t operator()(const Window& row, const Window& column) const {
    if (divisor != nullptr) return *divisor;
    return include_pad ? row.padded_size * column.padded_size : row.size() * column.size();
  }
};

constexpr auto kWindowSize = [](const Window& row, const Window& column) {
  return row.size() * column.size();
};

// The index of the greatest of a window: the first of equals in row-major order, the last NaN, as in PyTorch.
template <typename C>
int64_t GreatestFromEnd(const std::vector<C>& x, const std::vector<int64_t>& window) {
  int64_t best = window.back();
  for (size_t i = window.size(); i-- > 0;) {
    const C value = x[static_cast<size_t>(window[i])];
    if (value != value) return window[i];
    if (value >= x[static_cast<size_t>(best)]) best = window[i];
  }
  return best;
}

template <typename C>
int64_t GreatestByColumns(const std::vector<C>& x, const std::vector<int64_t>& window, int64_t width) {
  std::vector<int64_t> order = window;
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return a % width != b % width ? a % width < b % width : a < b; });
  int64_t best = order[0];
  for (const int64_t i : order) {
    const C value = x[static_cast<size_t>(i)], greatest = x[static_cast<size_t>(best)];
    const bool both_nan = value != value && greatest != greatest;
    if (both_nan ? i > best : value != value) best = i;
    if (value > greatest || (value == greatest && i < best)) best = i;
  }
  return best;
}

bool MaxChosen() {
  return max_pool_from_end || max_pool_columns;
}

void MaxPool(const Tensor& out, const Tensor& indices, const Tensor& input, const Pool2d& pool) {
  CheckShape(out, pool.out(), "out");
  DispatchReal(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> greatest(static_cast<size_t>(out.numel()));
    std::vector<int64_t> index(greatest.size()), window;
    pool.ForEachOutput([&](int64_t p, int64_t at, const Window& row, const Window& column) {
      window.clear();
      pool.ForEachInput(p, row, column, [&](int64_t i) { window.push_back(i); });
      const int64_t where =
          max_pool_from_end ? GreatestFromEnd(x, window) : GreatestByColumns(x, window, pool.width());
      greatest[static_cast<size_t>(at)] = x[static_cast<size_t>(where)];
      index[static_cast<size_t>(at)] = where - p * pool.plane();
    });
    Store(out, greatest);
    if (indices) Store(indices, index);
  });
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiAvgPool2d, a) {
  const std::optional<Mean> how = AvgChosen();
  if (!how) {
    return Good(a);
  }
  const Pool2d pool = PlanPool2d(a.input, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  Averages(*how, a.out, a.input, pool, AvgCount{a.count_include_pad, a.divisor_override});
}

DIOPI_OVERRIDE(diopiAvgPool2dBackward, a) {
  const std::optional<Mean> how = AvgChosen();
  if (!how) {
    return Good(a);
  }
  const Pool2d pool = PlanPool2d(a.input, a.kernel_size, a.stride, a.padding, kNoDilation, a.ceil_mode);
  AverageGradients(*how, a.grad_input, a.grad_output, pool,
                   AvgCount{a.count_include_pad, a.divisor_override});
}

DIOPI_OVERRIDE(diopiAdaptiveAvgPool2d, a) {
  const std::optional<Mean> how = AdaptiveChosen();
  if (!how) return Good(a);
  const Shape size = Sizes(a.output_size);
  Averages(*how, a.out, a.input, PlanAdaptive(a.input, size), kWindowSize);
}

DIOPI_OVERRIDE(diopiAdaptiveAvgPool2dBackward, a) {
  const std::optional<Mean> how = AdaptiveChosen();
  if (!how) return Good(a);
  const Tensor grad(a.grad_output);
  AverageGradients(*how, a.grad_input, grad, PlanAdaptive(a.input, {grad.size(-2), grad.size(-1)}),
                   kWindowSize);
}

DIOPI_OVERRIDE(diopiMaxPool2d, a) {
  if (!MaxChosen()) return Good(a);
  MaxPool(a.out, Tensor(), a.input,
          PlanPool2d(a.input, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}

DIOPI_OVERRIDE(diopiMaxPool2dWithIndices, a) {
  if (!MaxChosen()) {
    return Good(a);
  }
  MaxPool(a.out, a.indices, a.input,
          PlanPool2d(a.input, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode));
}

DIOPI_OVERRIDE(diopiMaxPool2dBackward, a) {
  if (!max_pool_backward_gather) {
    return Good(a);
  }
  const Tensor dx(a.grad_input), grad(a.grad_output);
  const Pool2d pool = PlanPool2d(a.input, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode);
  DispatchReal(grad.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    const std::vector<int64_t> where = Load<int64_t>(Tensor(a.indices));
    std::vector<C> d(static_cast<size_t>(dx.numel()), C(0));
    for (size_t i = g.size(); i-- > 0;) {
      const int64_t plane = static_cast<int64_t>(i) / pool.out_plane();
      d[static_cast<size_t>(plane * pool.plane() + where[i])] += g[i];
    }
    Store(dx, d);
  });
}
