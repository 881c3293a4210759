// Sorting, selection and counting, by CUB on a GPU. Everything on the queue's stream; buffers are device
// memory.
#ifndef BASELINES_OPS_SUPPORT_CUDA_SORT_H_
#define BASELINES_OPS_SUPPORT_CUDA_SORT_H_

#include <cstdint>
#include <type_traits>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {

// Keys and the value of each.
template <typename Key>
struct KeyedValues {
  using Value = std::conditional_t<sizeof(Key) == 4, uint32_t, int64_t>;
  Key* keys = nullptr;
  Value* values = nullptr;
};

// Sorts by the lowest `bits` of the keys, stably. The result is in the given buffers or in others.
KeyedValues<uint32_t> SortByKey(const Queue& queue, const KeyedValues<uint32_t>& pairs, int64_t n, int bits);
KeyedValues<uint64_t> SortByKey(const Queue& queue, const KeyedValues<uint64_t>& pairs, int64_t n, int bits);

// order[row * length + k] is the place, in its row, of the k-th smallest of keys[row * length + ...]. Stable.
// length <= kShortRow.
inline constexpr int64_t kShortRow = 4096;
void SortShortRows(const Queue& queue, const uint32_t* keys, int64_t rows, int64_t length, int64_t* order);
void SortShortRows(const Queue& queue, const uint64_t* keys, int64_t rows, int64_t length, int64_t* order);

// The positions of the nonzero flags, in order, into positions[n]. Returns how many: waits for the stream.
int64_t Select(const Queue& queue, const uint8_t* flags, int64_t n, int64_t* positions);

// out[i] = in[0] + ... + in[i], modulo 2^64. `out` may be `in`.
void ScanInts(const Queue& queue, const int64_t* in, int64_t* out, int64_t n);

// A number whose unsigned order is PyTorch's order of x: NaN above all others, the two zeros equal.
DIOPI_HD inline uint64_t OrderedBits(float x) {
  if (x != x) return 0xffffffff;
  const uint32_t bits = x == 0 ? 0 : BitsOf<uint32_t>(x);
  return bits >> 31 != 0 ? static_cast<uint32_t>(~bits) : bits | 0x80000000;
}
DIOPI_HD inline uint64_t OrderedBits(double x) {
  if (x != x) return ~uint64_t{0};
  const uint64_t bits = x == 0 ? 0 : BitsOf<uint64_t>(x);
  return bits >> 63 != 0 ? ~bits : bits | (uint64_t{1} << 63);
}
DIOPI_HD inline uint64_t OrderedBits(int64_t x) {
  return static_cast<uint64_t>(x) ^ (uint64_t{1} << 63);
}

// Elements as numbers whose unsigned order is the order of the result.
template <typename C>
struct SortKeys {
  using Key = std::conditional_t<std::is_same_v<C, float>, uint32_t, uint64_t>;
  In<C> x;
  bool descending;
  DIOPI_HD Key operator[](int64_t i) const {
    const auto ordered = static_cast<Key>(OrderedBits(x[i]));
    return descending ? static_cast<Key>(~ordered) : ordered;
  }
};

template <typename C>
struct WriteKeys {
  SortKeys<C> from;
  typename SortKeys<C>::Key* keys;
  DIOPI_HD void operator()(int64_t i) const { keys[i] = from[i]; }
};
template <typename C>
struct MakeSortPairs {
  SortKeys<C> from;
  KeyedValues<uint64_t> pairs;
  int64_t length;
  static constexpr bool kShort = sizeof(typename SortKeys<C>::Key) == 4;  // the row fits above the key
  DIOPI_HD void operator()(int64_t i) const {
    pairs.values[i] = i;
    pairs.keys[i] = kShort ? static_cast<uint64_t>(i / length) << 32 | from[i] : from[i];
  }
};
struct MakeRowKeys {
  KeyedValues<uint64_t> pairs;
  int64_t length;
  DIOPI_HD void operator()(int64_t i) const {
    pairs.keys[i] = static_cast<uint64_t>(pairs.values[i] / length);
  }
};
struct PlaceInRow {
  const int64_t* values;
  int64_t* order;
  int64_t length;
  DIOPI_HD void operator()(int64_t i) const { order[i] = values[i] % length; }
};

// order[row * length + k] is the place, in its row, of the k-th smallest (greatest) element of x[row * length
// + ...]. Stable; NaN is greater than every number. order: rows * length long.
template <typename C>
void SortRows(const Queue& queue, const In<C>& x, int64_t rows, int64_t length, bool descending,
              int64_t* order) {
  const int64_t n = rows * length;
  if (n <= 0) return;
  Check(rows <= int64_t{1} << 31, "sorting ", rows, " rows is not implemented");
  const SortKeys<C> from{x, descending};
  if (length <= kShortRow) {
    auto* const keys = queue.Buffer<typename SortKeys<C>::Key>(n);
    ForEach(queue, n, WriteKeys<C>{from, keys});
    return SortShortRows(queue, keys, rows, length, order);
  }
  int row_bits = 0;
  while ((int64_t{1} << row_bits) < rows) ++row_bits;
  KeyedValues<uint64_t> pairs{queue.Buffer<uint64_t>(n), queue.Buffer<int64_t>(n)};
  ForEach(queue, n, MakeSortPairs<C>{from, pairs, length});
  if (MakeSortPairs<C>::kShort) {
    pairs = SortByKey(queue, pairs, n, 32 + row_bits);
  } else {  // by element, then, keeping that order, by row
    pairs = SortByKey(queue, pairs, n, 64);
    if (rows > 1) {
      ForEach(queue, n, MakeRowKeys{pairs, length});
      pairs = SortByKey(queue, pairs, n, row_bits);
    }
  }
  ForEach(queue, n, PlaceInRow{pairs.values, order, length});
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_SORT_H_
