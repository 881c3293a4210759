// unique: the distinct elements (dim null) or slices along dim, always sorted, even if not requested; where
// each input element went (indices) and how often each value occurs (counts).
#include <algorithm>
#include <numeric>

#include "baselines/ops/support/sort_lines.h"

namespace diopi::ops {
namespace {

// The input as rows that are compared whole: element j of row i is values[i * row_step + offsets[j]].
template <typename C>
struct Slices {
  std::vector<C> values;
  std::vector<int64_t> offsets;
  int64_t row_step = 1;
  int64_t count = 0;

  const C& At(int64_t row, size_t j) const {
    return values[static_cast<size_t>(row * row_step + offsets[j])];
  }
  bool LessThan(int64_t a, int64_t b) const {
    for (size_t j = 0; j < offsets.size(); ++j) {
      if (Less(At(a, j), At(b, j))) return true;
      if (Less(At(b, j), At(a, j))) return false;
    }
    return false;
  }
  // NaN differs from everything, itself included, as in PyTorch.
  bool Equal(int64_t a, int64_t b) const {
    for (size_t j = 0; j < offsets.size(); ++j) {
      if (!(At(a, j) == At(b, j))) return false;
    }
    return true;
  }
};

template <typename C>
Slices<C> SlicesOf(const Tensor& input, const int64_t* dim) {
  Slices<C> slices{Load<C>(input), {0}, 1, input.numel()};
  if (dim == nullptr) return slices;
  const Axis axis = SplitAxis(input.shape(), WrapDim(*dim, input.rank()));
  slices.row_step = axis.inner;
  slices.count = axis.size;
  slices.offsets.clear();
  for (int64_t o = 0; o < axis.outer; ++o) {
    for (int64_t k = 0; k < axis.inner; ++k) slices.offsets.push_back(o * axis.size * axis.inner + k);
  }
  return slices;
}

// For each distinct slice a representative row, how often it occurs, and the group of every row.
struct EqualSlices {
  std::vector<int64_t> representative;
  std::vector<int64_t> counts;
  std::vector<int64_t> group_of;
};

template <typename C>
EqualSlices Group(const Slices<C>& slices) {
  std::vector<int64_t> order(static_cast<size_t>(slices.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return slices.LessThan(a, b); });
  EqualSlices groups;
  groups.group_of.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !slices.Equal(order[i - 1], order[i])) {
      groups.representative.push_back(order[i]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.group_of[static_cast<size_t>(order[i])] = static_cast<int64_t>(groups.counts.size()) - 1;
  }
  return groups;
}

template <typename C>
void StoreSlices(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& input, const int64_t* dim,
                 const Slices<C>& slices, const EqualSlices& groups) {
  const int64_t count = static_cast<int64_t>(groups.counts.size());
  Shape shape{count};
  if (dim != nullptr) {
    shape = input.shape();
    shape[static_cast<size_t>(WrapDim(*dim, input.rank()))] = count;
  }
  std::vector<C> values(static_cast<size_t>(Numel(shape)));
  const int64_t inner = slices.row_step;
  for (size_t j = 0; j < slices.offsets.size(); ++j) {
    const int64_t at = static_cast<int64_t>(j);
    for (int64_t g = 0; g < count; ++g) {
      values[static_cast<size_t>((at / inner * count + g) * inner + at % inner)] =
          slices.At(groups.representative[static_cast<size_t>(g)], j);
    }
  }
  *out = RequireTensor(ctx, shape, input.dtype());
  Store(Tensor(*out), values);
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiUnique, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const Slices<C> slices = SlicesOf<C>(x, a.dim);
    const EqualSlices groups = Group(slices);
    StoreSlices(a.ctx, a.out, x, a.dim, slices, groups);
    if (a.indices != nullptr) {
      CheckShape(Tensor(a.indices), a.dim == nullptr ? x.shape() : Shape{slices.count}, "indices");
      Store(Tensor(a.indices), groups.group_of);
    }
    if (a.return_counts && a.counts != nullptr) {
      *a.counts = RequireTensor(a.ctx, Shape{static_cast<int64_t>(groups.counts.size())}, diopi_dtype_int64);
      Store(Tensor(*a.counts), groups.counts);
    }
  });
}
