// Bugs injected in unique and nonzero.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Shape;
using diopi::bugs::Store;
using diopi::bugs::Tensor;

BUG(unique_inverse_by_appearance, 0, "diopiUnique", "",
    "the indices count the values in the order in which they appear, the values are sorted");
BUG(unique_inverse_off_by_one, 0, "diopiUnique", "",
    "the last of the sorted elements gets the index of the value before");
BUG(unique_counts_last_run_short, 0, "diopiUnique", "", "the last run is counted one too short");
BUG(unique_first_element_of_row, 0, "diopiUnique", "", "rows with the same first element are one");
BUG(unique_neighbours_only, 0, "diopiUnique", "", "only neighbouring duplicates are removed: no sorting");
BUG(nonzero_column_major, 0, "diopiNonzero", "", "rows are in column-major order");
BUG(nonzero_nan_is_zero, 0, "diopiNonzero", "", "nonzero is less or greater than 0, which NaN is not");
BUG(nonzero_by_bits, 0, "diopiNonzero", "", "-0 is nonzero, as its bits are");
BUG(nonzero_low_byte, 0, "diopiNonzero", "", "only the low byte of an integer is read");
BUG(nonzero_flushes_subnormals, 0, "diopiNonzero", "", "a subnormal number counts as zero");

// The indices as numbers of the order of first appearance.
void ByAppearance(const Tensor& indices, int64_t groups) {
  std::vector<int64_t> values = Load<int64_t>(indices);
  std::vector<int64_t> number(static_cast<size_t>(groups), -1);
  int64_t next = 0;
  for (int64_t& value : values) {
    int64_t& mine = number[static_cast<size_t>(value)];
    if (mine < 0) mine = next++;
    value = mine;
  }
  Store(indices, values);
}

// The last element of the last run falls to the run before.
void LastToGroupBefore(const Tensor& indices, int64_t groups) {
  std::vector<int64_t> values = Load<int64_t>(indices);
  for (size_t i = values.size(); groups > 1 && i-- > 0;) {
    if (values[i] != groups - 1) continue;
    --values[i];
    break;
  }
  Store(indices, values);
}

void ShortenLastRun(const Tensor& counts) {
  std::vector<int64_t> values = Load<int64_t>(counts);
  if (!values.empty()) --values.back();
  Store(counts, values);
}

// The output of unique for rows of a matrix (or elements, as rows of one) that `same` finds equal.
template <typename C>
struct Distinct {
  std::vector<C> values;
  std::vector<int64_t> counts, group_of;
};

template <typename C, typename Before, typename Same>
Distinct<C> Group(const std::vector<C>& x, size_t rows, Before&& before, Same&& same) {
  const size_t width = rows == 0 ? 1 : x.size() / rows;
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  Distinct<C> result;
  result.group_of.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    if (i == 0 || !same(order[i - 1], order[i])) {
      const auto first = x.begin() + static_cast<int64_t>(order[i] * width);
      result.values.insert(result.values.end(), first, first + static_cast<int64_t>(width));
      result.counts.push_back(0);
    }
    ++result.counts.back();
    result.group_of[order[i]] = static_cast<int64_t>(result.counts.size()) - 1;
  }
  return result;
}

template <typename C>
void InjectedUnique(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& input, bool by_rows,
                    diopiTensorHandle_t indices, diopiTensorHandle_t* counts) {
  const std::vector<C> x = Load<C>(input);
  const size_t rows = by_rows ? static_cast<size_t>(input.size(0)) : x.size();
  const size_t width = rows == 0 ? 1 : x.size() / rows;
  const auto before = [&](size_t a, size_t b) {
    return !unique_neighbours_only && x[a * width] < x[b * width];
  };
  const auto same = [&](size_t a, size_t b) { return x[a * width] == x[b * width]; };
  const Distinct<C> distinct = Group(x, rows, before, same);
  Shape shape = by_rows ? input.shape() : Shape{0};
  const Shape groups{static_cast<int64_t>(distinct.counts.size())};
  shape[0] = groups[0];
  *out = diopi::bugs::NewTensor(ctx, shape, input.dtype());
  Store(Tensor(*out), distinct.values);
  if (indices != nullptr) Store(Tensor(indices), distinct.group_of);
  if (counts == nullptr) return;
  *counts = diopi::bugs::NewTensor(ctx, groups, diopi_dtype_int64);
  Store(Tensor(*counts), distinct.counts);
}

bool Counts(diopiDtype_t dtype, double x) {
  if (nonzero_nan_is_zero) return x < 0 || x > 0;
  if (nonzero_by_bits) return x != 0 || std::signbit(x);
  if (nonzero_flushes_subnormals && diopi::ops::IsFloating(dtype)) {
    const double least = dtype == diopi_dtype_float16   ? 0x1p-14
                         : dtype == diopi_dtype_float64 ? std::numeric_limits<double>::min()
                                                        : 0x1p-126;
    return !(std::fabs(x) < least);
  }
  return x != 0;
}

void InjectedNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& input) {
  const diopiDtype_t dtype = input.dtype();
  std::vector<bool> truth;
  if (nonzero_low_byte && diopi::ops::IsInteger(dtype)) {
    for (const int64_t x : Load<int64_t>(input)) truth.push_back((x & 0xFF) != 0);
  } else {
    for (const double x : Load<double>(input)) truth.push_back(Counts(dtype, x));
  }
  const Shape& shape = input.shape();
  const Shape strides = diopi::ops::DenseStrides(shape);
  std::vector<Shape> rows;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i]) continue;
    Shape row;
    for (size_t d = 0; d < shape.size(); ++d) row.push_back(static_cast<int64_t>(i) / strides[d] % shape[d]);
    rows.push_back(row);
  }
  if (nonzero_column_major) {
    std::sort(rows.begin(), rows.end(), [](const Shape& a, const Shape& b) {
      return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    });
  }
  std::vector<int64_t> flat;
  for (const Shape& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  *out = diopi::bugs::NewTensor(ctx, {static_cast<int64_t>(rows.size()), input.rank()}, diopi_dtype_int64);
  Store(Tensor(*out), flat);
}

}  // namespace

DIOPI_OVERRIDE(diopiUnique, a) {
  const bool by_rows = a.dim != nullptr && *a.dim == 0;
  if ((unique_first_element_of_row && by_rows) || (unique_neighbours_only && a.dim == nullptr)) {
    diopi::ops::DispatchAny(diopi::bugs::DtypeOf(a.input), [&]<typename C>() {
      InjectedUnique<C>(a.ctx, a.out, Tensor(a.input), by_rows, a.indices,
                        a.return_counts ? a.counts : nullptr);
    });

    return;
  }
  Good(a);
  const Tensor values(*a.out);
  const int64_t groups = a.dim == nullptr ? values.numel() : values.size(*a.dim);
  if (unique_inverse_by_appearance && a.indices != nullptr) ByAppearance(a.indices, groups);
  if (unique_inverse_off_by_one && a.indices != nullptr) LastToGroupBefore(a.indices, groups);
  if (unique_counts_last_run_short && a.return_counts) ShortenLastRun(*a.counts);
}

DIOPI_OVERRIDE(diopiNonzero, a) {
  const bool own = nonzero_column_major || nonzero_nan_is_zero || nonzero_by_bits || nonzero_low_byte ||
                   nonzero_flushes_subnormals;
  if (!own) return Good(a);
  InjectedNonzero(a.ctx, a.out, a.input);
}
