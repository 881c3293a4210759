// Running combinations of rows (cumsum and the like), in a fixed order: the same numbers on every device, in
// every run, and in the emulated library.
//
// ScanRows(queue, rows, length, op) calls op.Store(row, j, state) once for every element, with the
// combination of op.Load(row, 0) ... op.Load(row, j). `op` is a functor:
//   using State = ...;                                 trivially copyable
//   DIOPI_HD State Empty() const;                      neutral: Combine(Empty(), a) is a
//   DIOPI_HD State Load(int64_t row, int64_t j) const;
//   DIOPI_HD State Combine(State a, State b) const;    associative up to rounding; a comes before b
//   DIOPI_HD void Store(int64_t row, int64_t j, State s) const;
// Store may write the element that Load reads, but no other.
#ifndef BASELINES_OPS_SUPPORT_CUDA_SCAN_H_
#define BASELINES_OPS_SUPPORT_CUDA_SCAN_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {

// A row is cut into chunks. In a chunk every lane combines its own neighbouring elements, then the lanes'
// results are scanned by doubling distances; the chunks' results are scanned one after the other.
inline constexpr int kScanLanes = 256;
inline constexpr int kScanItems = 4;  // of a lane
inline constexpr int kScanChunk = kScanLanes * kScanItems;

template <typename State>
struct ScanLane {
  State items[kScanItems];  // running, within the lane
};

template <typename Op, typename State = typename Op::State>
DIOPI_HD ScanLane<State> LoadScanLane(const Op& op, int64_t row, int64_t length, int64_t begin) {
  ScanLane<State> lane;
  State running = op.Empty();
  for (int k = 0; k < kScanItems; ++k) {
    if (begin + k < length)
      running = k == 0 ? op.Load(row, begin) : op.Combine(running, op.Load(row, begin + k));
    lane.items[k] = running;
  }
  return lane;
}

template <typename Op, typename State = typename Op::State>
DIOPI_HD void StoreScanLane(const Op& op, int64_t row, int64_t length, int64_t begin,
                            const ScanLane<State>& lane, State before, bool first) {
  for (int k = 0; k < kScanItems && begin + k < length; ++k)
    op.Store(row, begin + k, first ? lane.items[k] : op.Combine(before, lane.items[k]));
}

// Turns the chunks' totals into the combination of everything before each chunk.
template <typename Op>
struct ScanTotals {
  using State = typename Op::State;
  Op op;
  State* totals;
  int64_t chunks;
  DIOPI_HD void operator()(int64_t row) const {
    State before = op.Empty();
    for (int64_t c = row * chunks; c < (row + 1) * chunks; ++c) {
      const State total = totals[c];
      totals[c] = before;
      before = op.Combine(before, total);
    }
  }
};

#if defined(DIOPI_CUDA_EMULATED)

// One pass: writes the chunks' totals, or where there are none the results, with what comes `before` a chunk.
template <typename Op, typename State = typename Op::State>
void ScanPass(const Queue&, int64_t rows, int64_t length, int64_t chunks, const Op& op, State* totals,
              const State* before) {
  const DeviceMemoryOpen open;
  std::vector<ScanLane<State>> lanes(kScanLanes);
  std::vector<State> sums(kScanLanes);
  for (int64_t item = 0; item < rows * chunks; ++item) {
    const int64_t row = item / chunks, chunk = item % chunks;
    const auto begin = [&](size_t t) { return chunk * kScanChunk + static_cast<int64_t>(t) * kScanItems; };
    for (size_t t = 0; t < kScanLanes; ++t) {
      lanes[t] = LoadScanLane(op, row, length, begin(t));
      sums[t] = lanes[t].items[kScanItems - 1];
    }
    for (size_t distance = 1; distance < kScanLanes; distance *= 2) {
      for (size_t t = kScanLanes; t-- > distance;) sums[t] = op.Combine(sums[t - distance], sums[t]);
    }
    if (totals != nullptr) {
      totals[item] = sums[kScanLanes - 1];
      continue;
    }
    for (size_t t = 0; t < kScanLanes; ++t) {
      State prefix = t > 0 ? sums[t - 1] : op.Empty();
      if (chunk > 0) prefix = t > 0 ? op.Combine(before[item], prefix) : before[item];
      StoreScanLane(op, row, length, begin(t), lanes[t], prefix, t == 0 && chunk == 0);
    }
  }
}

#else

template <typename Op, typename State = typename Op::State>
__global__ void __launch_bounds__(kScanLanes)
    ScanKernel(int64_t rows, int64_t length, int64_t chunks, Op op, State* totals, const State* before) {
  __shared__ alignas(State) unsigned char bytes[kScanLanes * sizeof(State)];
  State* sums = reinterpret_cast<State*>(bytes);
  const int t = static_cast<int>(threadIdx.x);
  for (int64_t item = blockIdx.x; item < rows * chunks; item += gridDim.x) {
    const int64_t row = item / chunks, chunk = item % chunks;
    const int64_t begin = chunk * kScanChunk + t * kScanItems;
    const ScanLane<State> lane = LoadScanLane(op, row, length, begin);
    State sum = lane.items[kScanItems - 1];
    for (int distance = 1; distance < kScanLanes; distance *= 2) {
      sums[t] = sum;
      __syncthreads();
      if (t >= distance) sum = op.Combine(sums[t - distance], sum);
      __syncthreads();
    }
    sums[t] = sum;
    __syncthreads();
    if (totals != nullptr) {
      if (t == kScanLanes - 1) totals[item] = sum;
    } else {
      State prefix = t > 0 ? sums[t - 1] : op.Empty();
      if (chunk > 0) prefix = t > 0 ? op.Combine(before[item], prefix) : before[item];
      StoreScanLane(op, row, length, begin, lane, prefix, t == 0 && chunk == 0);
    }
    __syncthreads();
  }
}

template <typename Op, typename State = typename Op::State>
void ScanPass(const Queue& queue, int64_t rows, int64_t length, int64_t chunks, const Op& op, State* totals,
              const State* before) {
  Launch(queue, Blocks(rows * chunks, 1), kScanLanes, ScanKernel<Op, State>, rows, length, chunks, op, totals,
         before);
}

#endif

template <typename Op>
void ScanRows(const Queue& queue, int64_t rows, int64_t length, const Op& op) {
  using State = typename Op::State;
  if (rows <= 0 || length <= 0) return;
  const int64_t chunks = (length + kScanChunk - 1) / kScanChunk;
  State* before = nullptr;
  if (chunks > 1) {
    before = queue.Buffer<State>(rows * chunks);
    ScanPass<Op, State>(queue, rows, length, chunks, op, before, nullptr);
    ForEach(queue, rows, ScanTotals<Op>{op, before, chunks});
  }
  ScanPass<Op, State>(queue, rows, length, chunks, op, nullptr, before);
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_SCAN_H_
