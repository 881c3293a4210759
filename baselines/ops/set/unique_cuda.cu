// unique: the distinct elements (dim null) or slices along dim, always sorted, even if not requested; where
// each input element went (indices) and how often each value occurs (counts).
#include <utility>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/scan.h"
#include "baselines/ops/support/cuda/sort.h"
#include "baselines/ops/support/less.h"

namespace diopi::ops::cuda {
namespace {

// The input as rows that are compared whole.
template <typename C>
struct Slices {
  In<C> x;
  int64_t length;

  DIOPI_HD bool LessThan(int64_t a, int64_t b) const {
    for (int64_t j = 0; j < length; ++j) {
      const C u = x[a * length + j], v = x[b * length + j];
      if (Less(u, v)) return true;
      if (Less(v, u)) return false;
    }
    return false;
  }
  // NaN differs from everything, itself included, as in PyTorch.
  DIOPI_HD bool Equal(int64_t a, int64_t b) const {
    for (int64_t j = 0; j < length; ++j) {
      if (!(x[a * length + j] == x[b * length + j])) return false;
    }
    return true;
  }
};

// One round of a stable merge sort of slices: runs of `width` become runs of twice that. Element i finds its
// place among the run beside its own.
template <typename C>
struct MergeRuns {
  Slices<C> slices;
  const int64_t* from;
  int64_t* to;
  int64_t width, count;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t run = i / width;
    const bool left = run % 2 == 0;
    const int64_t pair = run / 2 * 2 * width;
    const int64_t beside = left ? pair + width : pair;
    int64_t low = beside < count ? beside : count;
    int64_t high = beside + width < count ? beside + width : count;
    const int64_t start = low, mine = from[i];
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const int64_t other = from[middle];
      const bool before = left ? slices.LessThan(other, mine) : !slices.LessThan(mine, other);
      if (before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    to[pair + i % width + (low - start)] = mine;
  }
};

struct Number {
  int64_t* out;
  DIOPI_HD void operator()(int64_t i) const { out[i] = i; }
};

// The slices in sorted order.
template <typename C>
const int64_t* SortSlices(const Queue& queue, const Slices<C>& slices, int64_t count) {
  int64_t* order = queue.Buffer<int64_t>(count);
  if (slices.length == 1) {
    SortRows<C>(queue, slices.x, 1, count, false, order);
    return order;
  }
  int64_t* merged = queue.Buffer<int64_t>(count);
  ForEach(queue, count, Number{order});
  for (int64_t width = 1; width < count; width *= 2) {
    ForEach(queue, count, MergeRuns<C>{slices, order, merged, width, count});
    std::swap(order, merged);
  }
  return order;
}

// Whether the i-th slice in order is the first of its group; as a flag and as a number to add up.
template <typename C>
struct FlagFirst {
  Slices<C> slices;
  const int64_t* order;
  uint8_t* flags;
  int64_t* ordinals;
  DIOPI_HD void operator()(int64_t i) const {
    const bool first = i == 0 || !slices.Equal(order[i - 1], order[i]);
    flags[i] = first ? 1 : 0;
    ordinals[i] = first ? 1 : 0;
  }
};

template <typename C>
struct TakeFirst {
  Slices<C> slices;
  const int64_t* order;
  const int64_t* firsts;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t group = i / slices.length;
    out.Set(i, slices.x[order[firsts[group]] * slices.length + i % slices.length]);
  }
};

struct GroupOf {
  const int64_t* order;
  const int64_t* ordinals;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(order[i], ordinals[i] - 1); }
};

struct SizeOf {
  const int64_t* firsts;
  int64_t groups, count;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t g) const {
    out.Set(g, (g + 1 < groups ? firsts[g + 1] : count) - firsts[g]);
  }
};

// Slices along `dim` as rows: every other dimension is part of the slice. Null: elements.
RowView SliceRows(const Tensor& tensor, const int64_t* dim) {
  RowView rows;
  if (dim == nullptr || tensor.rank() <= 1) {
    rows.count = tensor.numel();
    rows.length = 1;
    rows.shape = tensor.shape();
    rows.strides = tensor.strides();
    return rows;
  }
  Shape others;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    if (d != WrapDim(*dim, tensor.rank())) others.push_back(d);
  }
  return RowsOf(tensor, others);
}

// What unique returns; counts and indices may be absent.
struct Results {
  diopiTensorHandle_t* out;
  diopiTensorHandle_t* counts;
  Tensor indices;
};

template <typename C>
void Unique(diopiContextHandle_t ctx, const Results& results, const Tensor& x, const int64_t* dim) {
  const Queue queue(ctx);
  const RowView rows = SliceRows(x, dim);
  const int64_t count = rows.count;
  const Slices<C> slices{In<C>(x, rows), rows.length};
  const int64_t* const order = SortSlices(queue, slices, count);
  uint8_t* const flags = queue.Buffer<uint8_t>(count);
  int64_t* const ordinals = queue.Buffer<int64_t>(count);
  int64_t* const firsts = queue.Buffer<int64_t>(count);
  ForEach(queue, count, FlagFirst<C>{slices, order, flags, ordinals});
  const int64_t groups = Select(queue, flags, count, firsts);

  Shape shape{groups};
  if (dim != nullptr && x.rank() > 0) {
    shape = x.shape();
    shape[static_cast<size_t>(WrapDim(*dim, x.rank()))] = groups;
  }
  *results.out = RequireTensor(ctx, shape, x.dtype());
  const Tensor out(*results.out);
  ForEach(queue, out.numel(), TakeFirst<C>{slices, order, firsts, Out<C>(out, SliceRows(out, dim))});
  if (results.indices) {
    CheckShape(results.indices, dim == nullptr ? x.shape() : Shape{count}, "indices");
    ScanInts(queue, ordinals, ordinals, count);
    ForEach(queue, count, GroupOf{order, ordinals, Out<int64_t>(results.indices)});
  }
  if (results.counts != nullptr) {
    *results.counts = RequireTensor(ctx, Shape{groups}, diopi_dtype_int64);
    ForEach(queue, groups, SizeOf{firsts, groups, count, Out<int64_t>(Tensor(*results.counts))});
  }
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiUnique, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  const cuda::Results results{a.out, a.return_counts ? a.counts : nullptr,
                              a.indices != nullptr ? Tensor(a.indices) : Tensor()};
  cuda::DispatchAny(x.dtype(), [&]<typename C>() { cuda::Unique<C>(a.ctx, results, x, a.dim); });
}
