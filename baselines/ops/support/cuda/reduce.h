// Reductions of rows by a fixed tree: the same sums in the same order on every device and in every run, and
// in the emulated library.
//
// ReduceRows(queue, rows, length, op) calls, for every row, op.Finish(row, state) once, with the combination
// of the states of its elements 0 ... length - 1. `op` is a functor:
//   using State = ...;                                    trivially copyable
//   DIOPI_HD State Empty() const;                         the state of no element
//   DIOPI_HD State Load(int64_t row, int64_t j) const;    of element j
//   DIOPI_HD State Combine(State a, State b) const;       associative and commutative, up to rounding
//   DIOPI_HD void Finish(int64_t row, State s) const;
// Instead of Load it may have In<C> x, perhaps In<C> y, and
//   DIOPI_HD State Of(int64_t row, int64_t j, C x, C y) const;
// which gets elements row * length + j of them; they are then read four at a time where they can be.
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
// t + lanes, ... one after the other (or fours of elements), and lanes are combined by halves. The chunks'
// results are reduced the same way. The tree depends only on the sizes, the order, and whether memory can be
// read by fours.
struct ReduceTree {
  int lanes = 1;
  bool across = false;
  bool fours = false;  // lanes take four elements at a time
  int64_t chunk = 0;
  int64_t chunks = 1;
};
inline ReduceTree TreeFor(int64_t rows, int64_t length, ReadOrder order = ReadOrder::kAlongRows,
                          bool fours = false) {
  ReduceTree tree;
  tree.across = order == ReadOrder::kAcrossRows && rows > 1;
  tree.fours = fours && !tree.across && length % 4 == 0;
  const bool few_lanes = length <= 128 || (length <= 1024 && rows > 2048);
  tree.lanes = length <= 16 ? 1 : tree.across ? 8 : few_lanes ? 32 : 256;
  tree.chunk = length;
  // Too few rows to keep a GPU busy.
  const int64_t few = tree.across ? 16384 : 512, least = tree.across ? 256 : 4096;
  if (length > 2 * least && rows < few) {
    tree.chunk = std::max<int64_t>(least, (length + 4095) / 4096 * 4);
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

template <typename Op>
concept HasOperands = requires(const Op& op) {
  op.x.QuadAt(int64_t{0});
  &Op::Of;
};
template <typename Op>
concept HasTwoOperands = HasOperands<Op> && requires(const Op& op) {
  op.y.QuadAt(int64_t{0});
};

// Whether four elements can be read at a time, in rows of a multiple of 4.
template <typename Op>
bool ReadsFours(const Op& op) {
  if constexpr (HasTwoOperands<Op>) return op.x.Quads() && op.y.Quads();
  if constexpr (HasOperands<Op>) return op.x.Quads();
  return false;
}

template <typename Op>
DIOPI_HD auto StateOf(const Op& op, int64_t row, int64_t length, int64_t j) {
  if constexpr (HasTwoOperands<Op>) {
    return op.Of(row, j, op.x[row * length + j], op.y[row * length + j]);
  } else if constexpr (HasOperands<Op>) {
    return op.Of(row, j, op.x[row * length + j]);
  } else {
    return op.Load(row, j);
  }
}
template <typename Op>
DIOPI_HD auto StateOfFour(const Op& op, int64_t row, int64_t length, int64_t j) {
  const int64_t quad = (row * length + j) / 4;
  if constexpr (HasTwoOperands<Op>) {
    const auto a = op.x.QuadAt(quad);
    const auto b = op.y.QuadAt(quad);
    return op.Combine(op.Combine(op.Of(row, j, a.at[0], b.at[0]), op.Of(row, j + 1, a.at[1], b.at[1])),
                      op.Combine(op.Of(row, j + 2, a.at[2], b.at[2]), op.Of(row, j + 3, a.at[3], b.at[3])));
  } else if constexpr (HasOperands<Op>) {
    const auto a = op.x.QuadAt(quad);
    return op.Combine(op.Combine(op.Of(row, j, a.at[0]), op.Of(row, j + 1, a.at[1])),
                      op.Combine(op.Of(row, j + 2, a.at[2]), op.Of(row, j + 3, a.at[3])));
  } else {
    return op.Load(row, j);  // not reached
  }
}

// The part of a lane: `at(j)` from `begin`, its first, to `end` in steps.
template <typename Op, typename At, typename State = typename Op::State>
DIOPI_HD State ReduceSteps(const Op& op, int64_t begin, int64_t end, int64_t step, const At& at) {
  State state = op.Empty();
  int64_t j = begin;
  for (; j + 3 * step < end; j += 4 * step) {  // four loads under way at a time
    const State a = at(j), b = at(j + step), c = at(j + 2 * step), d = at(j + 3 * step);
    state = op.Combine(op.Combine(op.Combine(op.Combine(state, a), b), c), d);
  }
  for (; j < end; j += step) state = op.Combine(state, at(j));
  return state;
}
template <typename Op, typename State = typename Op::State>
DIOPI_HD State ReduceLane(const Op& op, const State* partial, int64_t row, int64_t length, int64_t begin,
                          int64_t end, int lane, const ReduceTree& tree) {
  if (partial != nullptr) {
    return ReduceSteps(op, begin + lane, end, tree.lanes,
                       [&](int64_t j) { return partial[row * length + j]; });
  }
  if (tree.fours) {
    return ReduceSteps(op, begin + int64_t{4} * lane, end, int64_t{4} * tree.lanes,
                       [&](int64_t j) { return StateOfFour(op, row, length, j); });
  }
  return ReduceSteps(op, begin + lane, end, tree.lanes,
                     [&](int64_t j) { return StateOf(op, row, length, j); });
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
      lane[t] = ReduceLane(op, from, row, length, begin, end, static_cast<int>(t), tree);
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
      state = ReduceLane(op, from, place.row, length, begin, end, place.lane, tree);
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
    const ReduceTree tree = TreeFor(rows, length, order, from == nullptr && ReadsFours(op));
    if (tree.chunks == 1) return ReducePass<Op, State>(queue, rows, length, tree, op, from, nullptr);
    State* partial = queue.Buffer<State>(rows * tree.chunks);
    ReducePass<Op, State>(queue, rows, length, tree, op, from, partial);
    from = partial;
    length = tree.chunks;
  }
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_REDUCE_H_
