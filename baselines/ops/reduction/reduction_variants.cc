// Other correct ways to reduce: sums and means in other orders, scans in blocks, the extreme by a tree.
#include <optional>

#include "baselines/injected/injected.h"
#include "baselines/ops/reduction/reduction_common.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kSum[] = "diopiSum diopiMean";
VARIANT(sum_from_first, kSum, "", "in order, starting from the first element and not from +0");
VARIANT(sum_reversed, kSum, "", "the last element first");
VARIANT(sum_pairwise, kSum, "", "halves, down to four elements");
VARIANT(sum_lanes8, kSum, "", "eight partial sums, then a tree");
VARIANT(sum_blocks32, kSum, "", "runs of 32, then a tree");
VARIANT(sum_kahan, kSum, "", "compensated");
VARIANT(sum_shuffled, kSum, "", "in a pseudo-random order");
VARIANT(sum_double, kSum, "", "a double accumulator");
VARIANT(mean_scaled_sum, "diopiMean", "", "the sum times 1/n");
VARIANT(mean_prescaled, "diopiMean", "", "every element divided by n, then the sum in eight lanes");
VARIANT(mean_welford, "diopiMean", "", "a running mean");
constexpr char kCumsum[] = "diopiCumsum diopiCumsumBackward";
VARIANT(cumsum_hillis_steele, kCumsum, "", "log2(n) passes, each adds the element 2^k before");
VARIANT(cumsum_two_levels, kCumsum, "", "blocks of 16, their totals scanned and added");
VARIANT(cumsum_double, kCumsum, "", "a double accumulator");
VARIANT(extreme_by_tree, "diopiMax diopiMaxAll diopiArgmax", "",
        "a tree of pairs; of equals the lower index");

std::optional<Order> ChosenOrder() {
  if (sum_from_first) return Order::kSequential;
  if (sum_reversed) return Order::kReversed;
  if (sum_pairwise) return Order::kPairwise;
  if (sum_lanes8) return Order::kLanes8;
  if (sum_blocks32) return Order::kBlocks32;
  if (sum_kahan) return Order::kKahan;
  if (sum_shuffled) return Order::kShuffled;
  if (sum_double) return Order::kDouble;
  return std::nullopt;
}

// out = reduce(length, at) of every row.
template <typename F>
void ReduceRows(const Tensor& out, const Tensor& input, const Shape& dims, diopiDtype_t dtype, F&& reduce) {
  const Rows rows = RowsOver(input.shape(), WrapDims(dims, input.rank()));
  CheckReduced(out, rows);
  DispatchReal(dtype, [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> results(rows.base.size());
    for (size_t row = 0; row < results.size(); ++row) {
      results[row] = reduce.template operator()<C>(rows.length(), [&](int64_t i) {
        return x[static_cast<size_t>(rows.base[row] + rows.offset[static_cast<size_t>(i)])];
      });
    }
    Store(out, results);
  });
}

template <typename C, typename At>
C WelfordMean(int64_t count, At&& at) {
  if (count == 0) return C(0) / C(0);
  C mean = at(0);
  for (int64_t i = 1; i < count; ++i) {
    const C distance = at(i) - mean;
    mean = std::isfinite(distance) ? mean + distance / C(i + 1) : mean + at(i);
  }
  return mean;
}

template <typename C, typename At>
C Mean(int64_t count, At&& at) {
  if (mean_welford) return WelfordMean<C>(count, at);
  if (mean_scaled_sum) return SumIn<C>(Order::kLanes8, count, at) * (C(1) / C(count));
  if (mean_prescaled && count > 0)
    return SumIn<C>(Order::kLanes8, count, [&](int64_t i) { return at(i) / C(count); });
  return SumIn<C>(ChosenOrder().value_or(Order::kSequential), count, at) / C(count);
}

template <typename C>
void HillisSteele(std::vector<C>& line) {
  for (size_t step = 1; step < line.size(); step *= 2) {
    for (size_t i = line.size(); i-- > step;) line[i] += line[i - step];
  }
}

template <typename C>
void TwoLevels(std::vector<C>& line) {
  constexpr size_t kBlock = 16;
  std::vector<C> totals;
  for (size_t i = 0; i < line.size(); ++i) {
    if (i % kBlock != 0) line[i] += line[i - 1];
    if (i % kBlock == kBlock - 1 || i + 1 == line.size()) totals.push_back(line[i]);
  }
  for (size_t b = 1; b < totals.size(); ++b) totals[b] += totals[b - 1];
  for (size_t i = kBlock; i < line.size(); ++i) line[i] += totals[i / kBlock - 1];
}

template <typename C>
void ScanInWide(std::vector<C>& line) {
  Wide<C> sum = line.empty() ? Wide<C>(0) : Wide<C>(line[0]);
  for (size_t i = 1; i < line.size(); ++i) {
    sum += static_cast<Wide<C>>(line[i]);
    line[i] = static_cast<C>(sum);
  }
}

void Scan(diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim, bool from_end) {
  const Tensor result(out), x(input);
  CheckShape(result, x.shape(), "out");
  const Axis axis = SplitAxis(x.shape(), WrapDim(dim, x.rank()));
  DispatchReal(x.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(x), line(static_cast<size_t>(axis.size));
    for (int64_t at = 0; at < (values.empty() ? 0 : axis.outer * axis.inner); ++at) {
      const int64_t start = at / axis.inner * axis.size * axis.inner + at % axis.inner;
      const auto place = [&](size_t i) {
        const int64_t j = static_cast<int64_t>(i);
        return static_cast<size_t>(start + (from_end ? axis.size - 1 - j : j) * axis.inner);
      };
      for (size_t i = 0; i < line.size(); ++i) line[i] = values[place(i)];
      if (cumsum_hillis_steele) HillisSteele(line);
      if (cumsum_two_levels) TwoLevels(line);
      if (cumsum_double) ScanInWide(line);
      for (size_t i = 0; i < line.size(); ++i) values[place(i)] = line[i];
    }
    Store(result, values);
  });
}

bool ScanChosen(diopiConstTensorHandle_t input) {
  return (cumsum_hillis_steele || cumsum_two_levels || cumsum_double) && IsFloating(Tensor(input).dtype());
}

// The position of the extreme of [begin, end).
template <typename C, typename At>
int64_t TreeArgmax(int64_t begin, int64_t end, At&& at) {
  if (end - begin == 1) return begin;
  const int64_t middle = begin + (end - begin + 1) / 2;
  const int64_t left = TreeArgmax<C>(begin, middle, at), right = TreeArgmax<C>(middle, end, at);
  return MoreExtreme<C>(at(right), at(left), true) ? right : left;
}

void TreeExtremes(const Tensor& values, const Tensor& indices, const Tensor& input, const Shape& dims) {
  const Rows rows = RowsOver(input.shape(), WrapDims(dims, input.rank()));
  if (values) CheckReduced(values, rows);
  if (indices) CheckReduced(indices, rows);
  Check(rows.count() == 0 || rows.length() > 0, "cannot reduce an empty dimension");
  DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> extremes;
    std::vector<int64_t> positions;
    for (const int64_t base : rows.base) {
      const auto at = [&](int64_t i) {
        return x[static_cast<size_t>(base + rows.offset[static_cast<size_t>(i)])];
      };
      positions.push_back(TreeArgmax<C>(0, rows.length(), at));
      extremes.push_back(at(positions.back()));
    }
    if (values) Store(values, extremes);
    if (indices) Store(indices, positions);
  });
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiSum, a) {
  const std::optional<Order> order = ChosenOrder();
  if (!order || !IsFloating(Tensor(a.input).dtype())) return Good(a);
  ReduceRows(a.out, a.input, Sizes(a.dim), Tensor(a.input).dtype(),
             [&]<typename C>(int64_t count, auto&& at) { return SumIn<C>(*order, count, at); });
}

// Integers become floating numbers in the reference.
DIOPI_OVERRIDE(diopiMean, a) {
  const bool chosen = ChosenOrder() || mean_welford || mean_scaled_sum || mean_prescaled;
  if (!chosen || !IsFloating(Tensor(a.input).dtype())) return Good(a);
  ReduceRows(a.out, a.input, Sizes(a.dim), Tensor(a.input).dtype(),
             [&]<typename C>(int64_t count, auto&& at) { return Mean<C>(count, at); });
}

DIOPI_OVERRIDE(diopiCumsum, a) {
  if (!ScanChosen(a.input)) return Good(a);
  return Scan(a.out, a.input, a.dim, false);
}

DIOPI_OVERRIDE(diopiCumsumBackward, a) {
  if (!ScanChosen(a.grad_output)) return Good(a);
  return Scan(a.grad_input, a.grad_output, a.dim, true);
}

DIOPI_OVERRIDE(diopiMax, a) {
  if (!extreme_by_tree) return Good(a);
  TreeExtremes(a.max, a.max_indices, a.input, Shape{a.dim});
}

DIOPI_OVERRIDE(diopiMaxAll, a) {
  if (!extreme_by_tree) return Good(a);
  TreeExtremes(a.max, Tensor(), a.input, Shape{});
}

DIOPI_OVERRIDE(diopiArgmax, a) {
  if (!extreme_by_tree || (a.dim == nullptr && Tensor(a.input).numel() == 0)) return Good(a);
  TreeExtremes(Tensor(), a.out, a.input, a.dim == nullptr ? Shape{} : Shape{*a.dim});
}
