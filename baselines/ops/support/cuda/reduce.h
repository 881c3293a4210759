// Reductions of rows by a fixed tree: the same sums in the same order on every device and in every run, and
// in the emulated library.
//
// ReduceRows(queue, rows, length, op) calls, for every row, op.Finish(row, state) once, with the combination
// of op.Load(row, 0) ... op.Load(row, length - 1). `op` is a functor:
//   using State = ...;                                    trivially copyable
//   DIOPI_HD State Empty() const;                         the state of no element
//   DIOPI_HD State Load(int64_t row, int64_t j) const;
//   DIOPI_HD State Combine(State a, State b) const;       associative and commutative, up to rounding
//   DIOPI_HD void Finish(int64_t row, State s) const;
// Finish may write what Load reads of its own row (all its loads are done), but nothing of other rows.
//
// kAcrossRows is for rows that lie side by side, as the columns of a matrix do: neighbouring threads then
// read neighbouring rows, which a GPU reads at once, and not distant elements of one row.
#ifndef BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_
#define BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/hd.h"

namespace diopi::ops::cuda {

enum class ReadOrder { kAlongRows, kAcrossRows };

// The tree. A row is cut into `chunks` of `chunk` elements; in a chunk, lane t of `lanes` takes elements t,
// t + lanes, ... one after the other, and lanes are combined by halves. The chunks' results are reduced the
// same way. The tree depends only on the sizes and on the order.
struct ReduceTree {
  int lanes = 1;
  bool across = false;
  int64_t chunk = 0;
  int64_t chunks = 1;
};
inline ReduceTree TreeFor(int64_t rows, int64_t length, ReadOrder order = ReadOrder::kAlongRows) {
  ReduceTree tree;
  tree.across = order == ReadOrder::kAcrossRows && rows > 1;
  tree.lanes = length <= 16 ? 1 : tree.across ? 8 : length <= 1024 ? 32 : 256;
  tree.chunk = length;
  // Too few rows to keep a GPU busy.
  const int64_t few = tree.across ? 16384 : 512, least = tree.across ? 256 : 4096;
  if (length > 2 * least && rows < few) {
    tree.chunk = std::max<int64_t>(least, (length + 1023) / 1024);
    tree.chunks = (length + tree.chunk - 1) / tree.chunk;
  }
  return tree;
}

// What a thread of a block works at: a lane of one chunk of one row, or nothing where `row` is `rows` or
// more. `first` is the block's first item; an item is a chunk of a row.
struct ReducePlace {
  int64_t row, part;
  int lane, apart;  // threads from a lane to the next one of the same chunk
};
DIOPI_HD inline ReducePlace PlaceFor(const ReduceTree& tree, int64_t rows, int64_t first, int thread,
                                     int threads) {
  const int per_block = threads / tree.lanes;
  if (tree.across) {
    const int64_t item = first + thread % per_block;
    const int64_t part = item / rows;
    return {part < tree.chunks ? item % rows : rows, part, thread / per_block, per_block};
  }
  const int64_t item = first + thread / tree.lanes;
  return {item / tree.chunks, item % tree.chunks, thread % tree.lanes, 1};
}

// The part of a lane.
template <typename Op, typename State = typename Op::State>
DIOPI_HD State ReduceLane(const Op& op, const State* partial, int64_t row, int64_t length, int64_t begin,
                          int64_t end, int lanes) {
  State state = op.Empty();
  for (int64_t j = begin; j < end; j += lanes) {
    state = op.Combine(state, partial != nullptr ? partial[row * length + j] : op.Load(row, j));
  }
  return state;
}

#if defined(DIOPI_CUDA_EMULATED)

// One pass: `to` takes each chunk's state, or is null where the row ends with this pass.
template <typename Op, typename State = typename Op::State>
void ReducePass(const Queue&, int64_t rows, int64_t length, const ReduceTree& tree, const Op& op,
                const State* from, State* to) {
  const DeviceMemoryOpen open;
  const auto lanes = static_cast<size_t>(tree.lanes);
  std::vector<State> lane(lanes);
  for (int64_t item = 0; item < rows * tree.chunks; ++item) {
    const int64_t row = item / tree.chunks, begin = item % tree.chunks * tree.chunk;
    const int64_t end = std::min(begin + tree.chunk, length);
    for (size_t t = 0; t < lanes; ++t)
      lane[t] = ReduceLane(op, from, row, length, begin + static_cast<int64_t>(t), end, tree.lanes);
    for (size_t half = lanes / 2; half > 0; half /= 2) {
      for (size_t t = 0; t < half; ++t) lane[t] = op.Combine(lane[t], lane[t + half]);
    }
    if (to != nullptr) {
      to[item] = lane[0];
    } else {
      op.Finish(row, lane[0]);
    }
  }
}

#else

inline constexpr int kReduceThreads = 256;

template <typename Op, typename State = typename Op::State>
__global__ void __launch_bounds__(kReduceThreads)
    ReduceKernel(int64_t rows, int64_t length, ReduceTree tree, Op op, const State* from, State* to) {
  __shared__ alignas(State) unsigned char bytes[kReduceThreads * sizeof(State)];
  State* states = reinterpret_cast<State*>(bytes);
  const int per_block = kReduceThreads / tree.lanes, thread = static_cast<int>(threadIdx.x);
  const int64_t items = rows * tree.chunks;
  const int64_t step = static_cast<int64_t>(gridDim.x) * per_block;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * per_block; first < items; first += step) {
    const ReducePlace place = PlaceFor(tree, rows, first, thread, kReduceThreads);
    const int64_t begin = place.part * tree.chunk;
    const int64_t end = begin + tree.chunk < length ? begin + tree.chunk : length;
    State state = op.Empty();
    if (place.row < rows) {
      state = ReduceLane(op, from, place.row, length, begin + place.lane, end, tree.lanes);
    }
    for (int half = tree.lanes / 2; half > 0; half /= 2) {
      states[thread] = state;
      __syncthreads();
      if (place.lane < half) state = op.Combine(state, states[thread + half * place.apart]);
      __syncthreads();
    }
    if (place.lane != 0 || place.row >= rows) continue;
    if (to != nullptr) {
      to[place.row * tree.chunks + place.part] = state;
    } else {
      op.Finish(place.row, state);
    }
  }
}

template <typename Op, typename State = typename Op::State>
void ReducePass(const Queue& queue, int64_t rows, int64_t length, const ReduceTree& tree, const Op& op,
                const State* from, State* to) {
  const unsigned blocks = Blocks(rows * tree.chunks, kReduceThreads / tree.lanes);
  Launch(queue, blocks, kReduceThreads, ReduceKernel<Op, State>, rows, length, tree, op, from, to);
}

#endif

template <typename Op>
void ReduceRows(const Queue& queue, int64_t rows, int64_t length, const Op& op,
                ReadOrder order = ReadOrder::kAlongRows) {
  using State = typename Op::State;
  if (rows <= 0) return;
  const State* from = nullptr;
  for (;; order = ReadOrder::kAlongRows) {  // partial results lie by rows
    const ReduceTree tree = TreeFor(rows, length, order);
    if (tree.chunks == 1) return ReducePass<Op, State>(queue, rows, length, tree, op, from, nullptr);
    State* partial = queue.Buffer<State>(rows * tree.chunks);
    ReducePass<Op, State>(queue, rows, length, tree, op, from, partial);
    from = partial;
    length = tree.chunks;
  }
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_
