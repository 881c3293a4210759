// Orders and sets by other algorithms; of equal elements another one is first where nothing fixes which.
#include <queue>
#include <unordered_map>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/sort_lines.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(sort_merge, "diopiSort", "", "bottom-up merging of runs of 8 that insertion sorted: stable");
VARIANT(sort_keys, "diopiSort", "",
        "(element, position) pairs by an unstable sort, the position breaks ties");
VARIANT(sort_unstable, "diopiSort", "", "where stability is not requested, the last of equals first");
VARIANT(topk_heap, "diopiTopk", "", "a heap of k, the last of equals first");
VARIANT(topk_unsorted, "diopiTopk", "", "where no order is requested, in the order of the input");
VARIANT(unique_hashed, "diopiUnique", "", "hashed into buckets, then sorted, without dim");

// Whether a line's element i comes before its element j.
template <typename C>
struct Before {
  const C* x;
  int64_t step;
  bool descending;

  // Less than zero, zero or greater.
  int Compare(int64_t i, int64_t j) const {
    const C &a = x[i * step], &b = x[j * step];
    if (Less(a, b)) return descending ? 1 : -1;
    if (Less(b, a)) return descending ? -1 : 1;
    return 0;
  }
  bool operator()(int64_t i, int64_t j) const { return Compare(i, j) < 0; }
};

template <typename C>
std::vector<int64_t> MergeSorted(int64_t length, const Before<C>& before) {
  constexpr int64_t kRun = 8;
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t start = 0; start < length; start += kRun) {
    for (int64_t i = start + 1; i < std::min(start + kRun, length); ++i) {
      for (int64_t j = i; j > start; --j) {
        int64_t& left = order[static_cast<size_t>(j - 1)];
        int64_t& right = order[static_cast<size_t>(j)];
        if (!before(right, left)) break;
        std::swap(left, right);
      }
    }
  }
  std::vector<int64_t> merged(order.size());
  for (int64_t run = kRun; run < length; run *= 2) {
    for (int64_t start = 0; start < length; start += 2 * run) {
      const auto at = [&](int64_t i) { return order.begin() + std::min(i, length); };
      std::merge(at(start), at(start + run), at(start + run), at(start + 2 * run), merged.begin() + start,
                 before);
    }
    order.swap(merged);
  }
  return order;
}

// Sorts equals by rising position, or by falling position.
template <typename C>
std::vector<int64_t> KeySorted(int64_t length, const Before<C>& before, bool last_first) {
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const int c = before.Compare(i, j);
    return c != 0 ? c < 0 : (last_first ? i > j : i < j);
  });
  return order;
}

template <typename C>
std::vector<int64_t> HeapTop(int64_t length, int64_t k, const Before<C>& before) {
  const auto better = [&](int64_t i, int64_t j) {
    const int c = before.Compare(i, j);
    return c != 0 ? c < 0 : i > j;
  };
  std::priority_queue<int64_t, std::vector<int64_t>, decltype(better)> heap(better);  // the worst on top
  for (int64_t i = 0; i < length; ++i) {
    heap.push(i);
    if (static_cast<int64_t>(heap.size()) > k) heap.pop();
  }
  std::vector<int64_t> order(static_cast<size_t>(k));
  for (size_t i = order.size(); i-- > 0; heap.pop()) order[i] = heap.top();
  return order;
}

// The elements that order(length, before) names, line by line along dim.
template <typename F>
void Pick(const Tensor& values, const Tensor& indices, const Tensor& input, int64_t dim, int64_t count,
          bool descending, F&& order) {
  const Axis axis = SplitAxis(input.shape(), WrapDim(dim, input.rank()));
  DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> picked(static_cast<size_t>(values.numel()));
    std::vector<int64_t> positions(picked.size());
    for (int64_t line = 0; line < (picked.empty() ? 0 : axis.outer * axis.inner); ++line) {
      const int64_t outer = line / axis.inner, inner = line % axis.inner;
      const C* start = x.data() + outer * axis.size * axis.inner + inner;
      const std::vector<int64_t> own = order(axis.size, Before<C>{start, axis.inner, descending});
      for (int64_t i = 0; i < count; ++i) {
        const size_t at = static_cast<size_t>((outer * count + i) * axis.inner + inner);
        positions[at] = own[static_cast<size_t>(i)];
        picked[at] = start[positions[at] * axis.inner];
      }
    }
    Store(values, picked);
    Store(indices, positions);
  });
}

// Distinct values of the whole input with the positions of each. NaN differs from itself.
template <typename C>
std::vector<std::vector<int64_t>> Buckets(const std::vector<C>& x) {
  std::vector<std::vector<int64_t>> groups;
  std::unordered_map<int64_t, std::vector<size_t>> buckets;
  for (size_t i = 0; i < x.size(); ++i) {
    const double value = ToDouble(x[i]);
    const int64_t hash = value != value ? 0 : static_cast<int64_t>(std::hash<double>{}(value) % 1009);
    std::vector<size_t>& bucket = buckets[hash];
    const auto same = std::find_if(bucket.begin(), bucket.end(), [&](size_t group) {
      return x[static_cast<size_t>(groups[group][0])] == x[i];
    });
    if (same == bucket.end()) {
      bucket.push_back(groups.size());
      groups.push_back({static_cast<int64_t>(i)});
    } else {
      groups[*same].push_back(static_cast<int64_t>(i));
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return Less(x[static_cast<size_t>(a[0])], x[static_cast<size_t>(b[0])]);
  });
  return groups;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiSort, a) {
  const bool free = a.pStable == nullptr || !*a.pStable;
  if (!sort_merge && !sort_keys && !(sort_unstable && free)) return Good(a);
  const Tensor x(a.input);
  Pick(a.values, a.indices, x, a.dim, SplitAxis(x.shape(), WrapDim(a.dim, x.rank())).size, a.descending,
       [](int64_t length, const auto& before) {
         return sort_merge ? MergeSorted(length, before)
                           : KeySorted(length, before, static_cast<bool>(sort_unstable));
       });
}

DIOPI_OVERRIDE(diopiTopk, a) {
  if (!topk_heap && !(topk_unsorted && !a.sorted)) return Good(a);
  Pick(a.values, a.indices, a.input, a.dim, a.k, a.largest, [&](int64_t length, const auto& before) {
    std::vector<int64_t> top = HeapTop(length, a.k, before);
    if (topk_unsorted) std::sort(top.begin(), top.end());
    return top;
  });
}

DIOPI_OVERRIDE(diopiUnique, a) {
  if (!unique_hashed || a.dim != nullptr) return Good(a);
  const Tensor x(a.input);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const std::vector<C> elements = Load<C>(x);
    const std::vector<std::vector<int64_t>> groups = Buckets(elements);
    std::vector<C> values;
    std::vector<int64_t> sizes, group_of(elements.size());
    for (const std::vector<int64_t>& group : groups) {
      for (const int64_t i : group) group_of[static_cast<size_t>(i)] = static_cast<int64_t>(values.size());
      values.push_back(elements[static_cast<size_t>(group[0])]);
      sizes.push_back(static_cast<int64_t>(group.size()));
    }
    const Shape shape{static_cast<int64_t>(values.size())};
    *a.out = RequireTensor(a.ctx, shape, x.dtype());
    Store(Tensor(*a.out), values);
    if (a.indices != nullptr) Store(Tensor(a.indices), group_of);
    if (!a.return_counts || a.counts == nullptr) return;
    *a.counts = RequireTensor(a.ctx, shape, diopi_dtype_int64);
    Store(Tensor(*a.counts), sizes);
  });
}
