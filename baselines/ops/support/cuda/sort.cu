#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/sort.h"

#if defined(DIOPI_CUDA_EMULATED)

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace diopi::ops::cuda {

namespace {

template <typename Key>
KeyedValues<Key> SortPairs(const Queue&, const KeyedValues<Key>& pairs, int64_t n, int bits) {
  const DeviceMemoryOpen open;
  const Key mask = static_cast<Key>(bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
  std::vector<std::pair<Key, typename KeyedValues<Key>::Value>> sorted(static_cast<size_t>(n));
  for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = {pairs.keys[i], pairs.values[i]};
  std::stable_sort(sorted.begin(), sorted.end(),
                   [mask](const auto& a, const auto& b) { return (a.first & mask) < (b.first & mask); });
  for (size_t i = 0; i < sorted.size(); ++i) {
    pairs.keys[i] = sorted[i].first;
    pairs.values[i] = sorted[i].second;
  }
  return pairs;
}

template <typename Key>
void SortEachRow(const Queue&, const Key* keys, int64_t rows, int64_t length, int64_t* order) {
  const DeviceMemoryOpen open;
  for (int64_t row = 0; row < rows; ++row, keys += length, order += length) {
    std::iota(order, order + length, 0);
    std::stable_sort(order, order + length, [keys](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  }
}

}  // namespace

int64_t Select(const Queue&, const uint8_t* flags, int64_t n, int64_t* positions) {
  const DeviceMemoryOpen open;
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (flags[i] != 0) positions[count++] = i;
  }
  return count;
}

void ScanInts(const Queue&, const int64_t* in, int64_t* out, int64_t n) {
  const DeviceMemoryOpen open;
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(sum += static_cast<uint64_t>(in[i]));
}

}  // namespace diopi::ops::cuda

#else

#include <thrust/iterator/counting_iterator.h>

#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace diopi::ops::cuda {
namespace {

// CUB's way: the first call tells how many bytes the second one needs.
template <typename F>
void WithScratch(const Queue& queue, const char* what, const F& call) {
  size_t bytes = 0;
  CheckCuda(call(nullptr, bytes), what);
  void* scratch = queue.Buffer<char>(std::max<int64_t>(static_cast<int64_t>(bytes), 1));
  CheckCuda(call(scratch, bytes), what);
}

template <typename Key>
KeyedValues<Key> SortPairs(const Queue& queue, const KeyedValues<Key>& pairs, int64_t n, int bits) {
  using Value = typename KeyedValues<Key>::Value;
  if (n <= 1 || bits == 0) return pairs;
  cub::DoubleBuffer<Key> keys(pairs.keys, queue.Buffer<Key>(n));
  cub::DoubleBuffer<Value> values(pairs.values, queue.Buffer<Value>(n));
  WithScratch(queue, "sorting", [&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n, 0, bits, StreamOf(queue));
  });
  return {keys.Current(), values.Current()};
}

// A block per row, whose elements its threads hold: each of them `items` neighbouring ones. What is beyond
// the row has the greatest key, and stays behind all others because sorting is stable.
constexpr int kSortThreads = 256;

template <typename Key, int items>
__global__ void __launch_bounds__(kSortThreads)
    SortRowsKernel(const Key* keys, int64_t rows, int length, int64_t* order) {
  using Sort = cub::BlockRadixSort<Key, kSortThreads, items, uint16_t>;
  __shared__ typename Sort::TempStorage storage;
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const Key* const from = keys + row * length;
    int64_t* const to = order + row * length;
    Key key[items];
    uint16_t place[items];
    for (int i = 0; i < items; ++i) {
      const int at = thread * items + i;
      key[i] = at < length ? from[at] : static_cast<Key>(~Key{0});
      place[i] = static_cast<uint16_t>(at);
    }
    Sort(storage).SortBlockedToStriped(key, place);
    for (int i = 0; i < items; ++i) {
      const int at = i * kSortThreads + thread;
      if (at < length) to[at] = place[i];
    }
    __syncthreads();  // before the storage is used again
  }
}

template <typename Key>
void SortEachRow(const Queue& queue, const Key* keys, int64_t rows, int64_t length, int64_t* order) {
  const auto kernel = length <= kSortThreads       ? SortRowsKernel<Key, 1>
                      : length <= 4 * kSortThreads ? SortRowsKernel<Key, 4>
                                                   : SortRowsKernel<Key, 16>;
  static_assert(kShortRow == 16 * kSortThreads);
  Launch(queue, Blocks(rows, 1), kSortThreads, kernel, keys, rows, static_cast<int>(length), order);
}

}  // namespace

int64_t Select(const Queue& queue, const uint8_t* flags, int64_t n, int64_t* positions) {
  if (n <= 0) return 0;
  auto* count = queue.Buffer<int64_t>(1);
  WithScratch(queue, "selecting", [&](void* scratch, size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<int64_t>(0), flags, positions,
                                      count, n, StreamOf(queue));
  });
  int64_t selected = 0;
  queue.CopyToHost(&selected, count, sizeof(selected));
  return selected;
}

void ScanInts(const Queue& queue, const int64_t* in, int64_t* out, int64_t n) {
  if (n <= 0) return;
  WithScratch(queue, "summing", [&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, StreamOf(queue));
  });
}

}  // namespace diopi::ops::cuda

#endif

namespace diopi::ops::cuda {

KeyedValues<uint32_t> SortByKey(const Queue& queue, const KeyedValues<uint32_t>& pairs, int64_t n, int bits) {
  return SortPairs(queue, pairs, n, bits);
}
KeyedValues<uint64_t> SortByKey(const Queue& queue, const KeyedValues<uint64_t>& pairs, int64_t n, int bits) {
  return SortPairs(queue, pairs, n, bits);
}

void SortShortRows(const Queue& queue, const uint32_t* keys, int64_t rows, int64_t length, int64_t* order) {
  SortEachRow(queue, keys, rows, length, order);
}
void SortShortRows(const Queue& queue, const uint64_t* keys, int64_t rows, int64_t length, int64_t* order) {
  SortEachRow(queue, keys, rows, length, order);
}

}  // namespace diopi::ops::cuda
