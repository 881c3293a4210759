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
struct KeyedValues {
  uint64_t* keys = nullptr;
  int64_t* values = nullptr;
};

// Sorts by the lowest `bits` of the keys, stably. The result is in the given buffers or in others.
KeyedValues SortByKey(const Queue& queue, const KeyedValues& pairs, int64_t n, int bits);

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

template <typename C>
struct MakeSortKeys {
  In<C> x;
  KeyedValues pairs;
  int64_t length;
  bool descending;
  static constexpr bool kShort = std::is_same_v<C, float>;  // the row fits above the key
  DIOPI_HD void operator()(int64_t i) const {
    const uint64_t ordered = OrderedBits(x[i]);
    const uint64_t key = descending ? ~ordered : ordered;
    pairs.values[i] = i;
    pairs.keys[i] = kShort ? static_cast<uint64_t>(i / length) << 32 | (key & 0xffffffff) : key;
  }
};
struct MakeRowKeys {
  KeyedValues pairs;
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
  int row_bits = 0;
  while ((int64_t{1} << row_bits) < rows) ++row_bits;
  KeyedValues pairs{queue.Buffer<uint64_t>(n), queue.Buffer<int64_t>(n)};
  ForEach(queue, n, MakeSortKeys<C>{x, pairs, length, descending});
  if (MakeSortKeys<C>::kShort) {
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
