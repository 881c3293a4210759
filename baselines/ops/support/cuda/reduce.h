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
#ifndef BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_
#define BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/hd.h"

namespace diopi::ops::cuda {

// The tree. A row is cut into `chunks` of `chunk` elements; in a chunk, lane t of `lanes` takes elements t,
// t + lanes, ... one after the other, and lanes are combined by halves. The chunks' results are reduced the
// same way. The tree depends only on the sizes.
struct ReduceTree {
  int lanes = 1;
  int64_t chunk = 0;
  int64_t chunks = 1;
};
inline ReduceTree TreeFor(int64_t rows, int64_t length) {
  ReduceTree tree;
  tree.lanes = length <= 16 ? 1 : length <= 1024 ? 32 : 256;
  tree.chunk = length;
  if (length > 8192 && rows < 512) {  // too few rows to keep a GPU busy
    tree.chunk = std::max<int64_t>(4096, (length + 1023) / 1024);
    tree.chunks = (length + tree.chunk - 1) / tree.chunk;
  }
  return tree;
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
  const int per_block = kReduceThreads / tree.lanes;
  const int lane = static_cast<int>(threadIdx.x) % tree.lanes;
  const int64_t items = rows * tree.chunks;
  const int64_t step = static_cast<int64_t>(gridDim.x) * per_block;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * per_block; first < items; first += step) {
    const int64_t item = first + static_cast<int>(threadIdx.x) / tree.lanes;
    const int64_t row = item / tree.chunks, begin = item % tree.chunks * tree.chunk;
    const int64_t end = begin + tree.chunk < length ? begin + tree.chunk : length;
    State state = op.Empty();
    if (item < items) state = ReduceLane(op, from, row, length, begin + lane, end, tree.lanes);
    for (int half = tree.lanes / 2; half > 0; half /= 2) {
      states[threadIdx.x] = state;
      __syncthreads();
      if (lane < half) state = op.Combine(state, states[threadIdx.x + half]);
      __syncthreads();
    }
    if (lane != 0 || item >= items) continue;
    if (to != nullptr) {
      to[item] = state;
    } else {
      op.Finish(row, state);
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
void ReduceRows(const Queue& queue, int64_t rows, int64_t length, const Op& op) {
  using State = typename Op::State;
  if (rows <= 0) return;
  const State* from = nullptr;
  for (;;) {
    const ReduceTree tree = TreeFor(rows, length);
    if (tree.chunks == 1) return ReducePass<Op, State>(queue, rows, length, tree, op, from, nullptr);
    State* partial = queue.Buffer<State>(rows * tree.chunks);
    ReducePass<Op, State>(queue, rows, length, tree, op, from, partial);
    from = partial;
    length = tree.chunks;
  }
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_
