// Pooling and resizing: other orders, reciprocals instead of divisions, other associations of the weights.
#include <limits>
#include <optional>
#include <string_view>

#include "baselines/injected/injected.h"
#include "baselines/ops/pooling/pooling_common.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kAvg[] =
    "diopiAvgPool1d diopiAvgPool2d diopiAvgPool3d diopiAvgPool1dBackward diopiAvgPool2dBackward "
    "diopiAvgPool3dBackward";
VARIANT(avg_pool_reciprocal, kAvg, "", "the sum times 1/count");
VARIANT(avg_pool_reversed, kAvg, "", "windows from the last element; gradients gathered, last window first");
VARIANT(avg_pool_double, kAvg, "", "the sum in double");
constexpr char kAdaptive[] =
    "diopiAdaptiveAvgPool1d diopiAdaptiveAvgPool2d diopiAdaptiveAvgPool3d diopiAdaptiveAvgPool1dBackward "
    "diopiAdaptiveAvgPool2dBackward diopiAdaptiveAvgPool3dBackward";
VARIANT(adaptive_pool_one_division, kAdaptive, "", "the sum over rows * columns, gathered backwards");
VARIANT(adaptive_pool_reversed, kAdaptive, "", "windows from the last element");
VARIANT(adaptive_pool_pairwise, kAdaptive, "", "windows in halves, times the reciprocal of the count");
constexpr char kMax[] =
    "diopiMaxPool1d diopiMaxPool2d diopiMaxPool3d diopiMaxPool1dWithIndices diopiMaxPool2dWithIndices "
    "diopiMaxPool3dWithIndices diopiAdaptiveMaxPool1d diopiAdaptiveMaxPool2d diopiAdaptiveMaxPool3d "
    "diopiAdaptiveMaxPool1dWithIndices diopiAdaptiveMaxPool2dWithIndices diopiAdaptiveMaxPool3dWithIndices";
VARIANT(max_pool_from_end, kMax, "", "windows from the last element, replaced by equals");
VARIANT(max_pool_columns, kMax, "", "column after column, the lower index of equals");
VARIANT(max_pool_backward_gather,
        "diopiMaxPool1dBackward diopiMaxPool2dBackward diopiMaxPool3dBackward diopiAdaptiveMaxPool1dBackward "
        "diopiAdaptiveMaxPool2dBackward diopiAdaptiveMaxPool3dBackward",
        "", "every input asks all windows, last first");

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

// count(windows) elements make the divisor of a window.
template <typename Count>
void Averages(const Mean& how, const Tensor& out, const Tensor& input, const Pool& pool, Count&& count) {
  CheckShape(out, pool.out(), "out");
  DispatchReal(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> means(static_cast<size_t>(out.numel())), window;
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      window.clear();
      pool.ForEachInput(p, windows, [&](int64_t i) { window.push_back(x[static_cast<size_t>(i)]); });
      const C sum = SumIn<C>(how.order, static_cast<int64_t>(window.size()),
                             [&](int64_t i) { return window[static_cast<size_t>(i)]; });
      means[static_cast<size_t>(at)] = Over(how, sum, static_cast<C>(count(windows)));
    });
    Store(out, means);
  });
}

// Every input adds up the shares of the windows that it was in.
template <typename Count>
void AverageGradients(const Mean& how, const Tensor& dx, const Tensor& grad, const Pool& pool,
                      Count&& count) {
  CheckShape(grad, pool.out(), "grad_output");
  DispatchReal(grad.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<std::vector<C>> shares(static_cast<size_t>(dx.numel()));
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      const C share = Over(how, g[static_cast<size_t>(at)], static_cast<C>(count(windows)));
      pool.ForEachInput(p, windows, [&](int64_t i) { shares[static_cast<size_t>(i)].push_back(share); });
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

  int64_t operator()(const Windows& windows) const {
    if (divisor != nullptr) return *divisor;
    return include_pad ? windows.padded_size() : windows.size();
  }
};

constexpr auto kWindowSize = [](const Windows& windows) { return windows.size(); };

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

void MaxPool(const Tensor& out, const Tensor& indices, const Tensor& input, const Pool& pool) {
  CheckShape(out, pool.out(), "out");
  DispatchReal(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> greatest(static_cast<size_t>(out.numel()));
    std::vector<int64_t> index(greatest.size()), window;
    pool.ForEachOutput([&](int64_t p, int64_t at, const Windows& windows) {
      window.clear();
      pool.ForEachInput(p, windows, [&](int64_t i) { window.push_back(i); });
      const int64_t where =
          max_pool_from_end ? GreatestFromEnd(x, window) : GreatestByColumns(x, window, pool.width());
      greatest[static_cast<size_t>(at)] = x[static_cast<size_t>(where)];
      index[static_cast<size_t>(at)] = where - p * pool.plane();
    });
    Store(out, greatest);
    if (indices) Store(indices, index);
  });
}

void MaxGradients(const Tensor& dx, const Tensor& grad, const Tensor& indices, const Pool& pool) {
  DispatchReal(grad.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    const std::vector<int64_t> where = Load<int64_t>(indices);
    std::vector<C> d(static_cast<size_t>(dx.numel()), C(0));
    for (size_t i = g.size(); i-- > 0;) {
      const int64_t plane = static_cast<int64_t>(i) / pool.out_plane();
      d[static_cast<size_t>(plane * pool.plane() + where[i])] += g[i];
    }
    Store(dx, d);
  });
}

// The overrides of one number of spatial dimensions.
template <int64_t kDims>
struct Overrides {
  template <typename Args>
  static AvgCount CountOf(const Args& a) {
    if constexpr (requires { a.divisor_override; })
      return {a.count_include_pad, a.divisor_override};
    else
      return {a.count_include_pad, nullptr};
  }
  template <typename Args>
  static void Avg(const Args& a) {
    const std::optional<Mean> how = AvgChosen();
    if (!how) return Good(a);
    Averages(*how, Tensor(a.out), Tensor(a.input), PlanPool<kDims>(a), CountOf(a));
  }
  template <typename Args>
  static void AvgBackward(const Args& a) {
    const std::optional<Mean> how = AvgChosen();
    if (!how) return Good(a);
    AverageGradients(*how, Tensor(a.grad_input), Tensor(a.grad_output), PlanPool<kDims>(a), CountOf(a));
  }
  template <typename Args>
  static void AdaptiveAvg(const Args& a) {
    const std::optional<Mean> how = AdaptiveChosen();
    if (!how) return Good(a);
    const Tensor x(a.input);
    Averages(*how, Tensor(a.out), x, PlanAdaptive<kDims>(x, a.output_size), kWindowSize);
  }
  template <typename Args>
  static void AdaptiveAvgBackward(const Args& a) {
    const std::optional<Mean> how = AdaptiveChosen();
    if (!how) return Good(a);
    const Tensor grad(a.grad_output);
    AverageGradients(*how, Tensor(a.grad_input), grad, PlanAdaptiveOf<kDims>(Tensor(a.input), grad),
                     kWindowSize);
  }
  template <typename Args>
  static void Max(const Args& a) {
    if (!MaxChosen()) return Good(a);
    MaxPool(Tensor(a.out), IndicesOf(a), Tensor(a.input), PlanPool<kDims>(a, a.dilation));
  }
  template <typename Args>
  static void MaxBackward(const Args& a) {
    if (!max_pool_backward_gather) return Good(a);
    MaxGradients(Tensor(a.grad_input), Tensor(a.grad_output), IndicesOf(a), PlanPool<kDims>(a, a.dilation));
  }
  template <typename Args>
  static void AdaptiveMax(const Args& a) {
    if (!MaxChosen()) return Good(a);
    const Tensor x(a.input);
    MaxPool(Tensor(a.out), IndicesOf(a), x, PlanAdaptive<kDims>(x, a.output_size));
  }
  template <typename Args>
  static void AdaptiveMaxBackward(const Args& a) {
    if (!max_pool_backward_gather) return Good(a);
    const Tensor grad(a.grad_output);
    MaxGradients(Tensor(a.grad_input), grad, IndicesOf(a), PlanAdaptiveOf<kDims>(Tensor(a.input), grad));
  }
};

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE_FORM(diopiAvgPool1d, Overrides<1>::Avg)
DIOPI_OVERRIDE_FORM(diopiAvgPool2d, Overrides<2>::Avg)
DIOPI_OVERRIDE_FORM(diopiAvgPool3d, Overrides<3>::Avg)
DIOPI_OVERRIDE_FORM(diopiAvgPool1dBackward, Overrides<1>::AvgBackward)
DIOPI_OVERRIDE_FORM(diopiAvgPool2dBackward, Overrides<2>::AvgBackward)
DIOPI_OVERRIDE_FORM(diopiAvgPool3dBackward, Overrides<3>::AvgBackward)
DIOPI_OVERRIDE_FORM(diopiAdaptiveAvgPool1d, Overrides<1>::AdaptiveAvg)
DIOPI_OVERRIDE_FORM(diopiAdaptiveAvgPool2d, Overrides<2>::AdaptiveAvg)
DIOPI_OVERRIDE_FORM(diopiAdaptiveAvgPool3d, Overrides<3>::AdaptiveAvg)
DIOPI_OVERRIDE_FORM(diopiAdaptiveAvgPool1dBackward, Overrides<1>::AdaptiveAvgBackward)
DIOPI_OVERRIDE_FORM(diopiAdaptiveAvgPool2dBackward, Overrides<2>::AdaptiveAvgBackward)
DIOPI_OVERRIDE_FORM(diopiAdaptiveAvgPool3dBackward, Overrides<3>::AdaptiveAvgBackward)
DIOPI_OVERRIDE_FORM(diopiMaxPool1d, Overrides<1>::Max)
DIOPI_OVERRIDE_FORM(diopiMaxPool1dWithIndices, Overrides<1>::Max)
DIOPI_OVERRIDE_FORM(diopiMaxPool2d, Overrides<2>::Max)
DIOPI_OVERRIDE_FORM(diopiMaxPool2dWithIndices, Overrides<2>::Max)
DIOPI_OVERRIDE_FORM(diopiMaxPool3d, Overrides<3>::Max)
DIOPI_OVERRIDE_FORM(diopiMaxPool3dWithIndices, Overrides<3>::Max)
DIOPI_OVERRIDE_FORM(diopiMaxPool1dBackward, Overrides<1>::MaxBackward)
DIOPI_OVERRIDE_FORM(diopiMaxPool2dBackward, Overrides<2>::MaxBackward)
DIOPI_OVERRIDE_FORM(diopiMaxPool3dBackward, Overrides<3>::MaxBackward)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool1d, Overrides<1>::AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool1dWithIndices, Overrides<1>::AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool2d, Overrides<2>::AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool2dWithIndices, Overrides<2>::AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool3d, Overrides<3>::AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool3dWithIndices, Overrides<3>::AdaptiveMax)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool1dBackward, Overrides<1>::AdaptiveMaxBackward)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool2dBackward, Overrides<2>::AdaptiveMaxBackward)
DIOPI_OVERRIDE_FORM(diopiAdaptiveMaxPool3dBackward, Overrides<3>::AdaptiveMaxBackward)
