#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/sort.h"

#if defined(DIOPI_CUDA_EMULATED)

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace diopi::ops::cuda {

KeyedValues SortByKey(const Queue&, const KeyedValues& pairs, int64_t n, int bits) {
  const DeviceMemoryOpen open;
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<std::pair<uint64_t, int64_t>> sorted(static_cast<size_t>(n));
  for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = {pairs.keys[i], pairs.values[i]};
  std::stable_sort(sorted.begin(), sorted.end(),
                   [mask](const auto& a, const auto& b) { return (a.first & mask) < (b.first & mask); });
  for (size_t i = 0; i < sorted.size(); ++i) {
    pairs.keys[i] = sorted[i].first;
    pairs.values[i] = sorted[i].second;
  }
  return pairs;
}

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

}  // namespace

KeyedValues SortByKey(const Queue& queue, const KeyedValues& pairs, int64_t n, int bits) {
  if (n <= 1 || bits == 0) return pairs;
  cub::DoubleBuffer<uint64_t> keys(pairs.keys, queue.Buffer<uint64_t>(n));
  cub::DoubleBuffer<int64_t> values(pairs.values, queue.Buffer<int64_t>(n));
  WithScratch(queue, "sorting", [&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n, 0, bits, StreamOf(queue));
  });
  return {keys.Current(), values.Current()};
}

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
