// What the variants share: the orders in which honest libraries add up, and kernels on float and double only
// (a device has no wider numbers).
#ifndef BASELINES_VARIANTS_ORDERS_H_
#define BASELINES_VARIANTS_ORDERS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::variants {

// f.template operator()<float>() for float16, bfloat16 and float32, <double>() for float64.
template <typename F>
void DispatchReal(diopiDtype_t dtype, F&& f) {
  if (dtype == diopi_dtype_float64) return f.template operator()<double>();
  ops::Check(ops::IsFloating(dtype), "not implemented for '", ops::DtypeName(dtype), "'");
  f.template operator()<float>();
}

inline bool IsHalf(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16;
}

// The next wider type: what a double accumulator is to float.
template <typename C>
using Wide = std::conditional_t<std::is_same_v<C, float>, double, long double>;

enum class Order {
  kSequential,
  kReversed,
  kPairwise,  // halves, down to four elements
  kLanes8,    // eight partial sums, element i into lane i % 8, then a tree: SIMD
  kBlocks32,  // runs of 32 in order, their sums in a tree: a GPU's warps
  kKahan,     // compensated
  kShuffled,  // a fixed pseudo-random order: atomics
  kDouble,    // in the next wider type, rounded once
};

// at(begin) + ... + at(end - 1), begin < end.
template <typename C, typename At>
C PairwiseSum(int64_t begin, int64_t end, At&& at) {
  if (end - begin <= 4) {
    C sum = at(begin);
    for (int64_t i = begin + 1; i < end; ++i) sum += at(i);
    return sum;
  }
  const int64_t middle = begin + (end - begin) / 2;
  return PairwiseSum<C>(begin, middle, at) + PairwiseSum<C>(middle, end, at);
}

template <typename C, typename At>
C KahanSum(int64_t count, At&& at) {
  C sum = at(0), lost = C(0);
  for (int64_t i = 1; i < count; ++i) {
    const C term = at(i) - lost;
    const C next = sum + term;
    lost = std::isfinite(next) ? (next - sum) - term : C(0);
    sum = next;
  }
  return sum;
}

// A permutation of 0 .. count-1 by an affine step that shares no factor with `count`.
inline int64_t Shuffled(int64_t i, int64_t count) {
  constexpr int64_t kPrime = 1000003;  // larger than any count of a case
  return (i * (kPrime % count) + count / 3) % count;
}

// at(0) + ... + at(count - 1); 0 of nothing. at gives a C.
template <typename C, typename At>
C SumIn(Order order, int64_t count, At&& at) {
  if (count == 0) return C(0);
  switch (order) {
    case Order::kSequential:
      break;
    case Order::kReversed: {
      C sum = at(count - 1);
      for (int64_t i = count - 1; i-- > 0;) sum += at(i);
      return sum;
    }
    case Order::kPairwise:
      return PairwiseSum<C>(0, count, at);
    case Order::kLanes8: {
      std::array<C, 8> lanes{};
      for (int64_t i = 0; i < count; ++i) lanes[static_cast<size_t>(i % 8)] += at(i);
      return PairwiseSum<C>(0, 8, [&](int64_t i) { return lanes[static_cast<size_t>(i)]; });
    }
    case Order::kBlocks32: {
      std::vector<C> blocks(static_cast<size_t>((count + 31) / 32), C(0));
      for (int64_t i = 0; i < count; ++i) blocks[static_cast<size_t>(i / 32)] += at(i);
      return PairwiseSum<C>(0, static_cast<int64_t>(blocks.size()),
                            [&](int64_t i) { return blocks[static_cast<size_t>(i)]; });
    }
    case Order::kKahan:
      return KahanSum<C>(count, at);
    case Order::kShuffled: {
      C sum = at(Shuffled(0, count));
      for (int64_t i = 1; i < count; ++i) sum += at(Shuffled(i, count));
      return sum;
    }
    case Order::kDouble: {
      Wide<C> sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += static_cast<Wide<C>>(at(i));
      return static_cast<C>(sum);
    }
  }
  C sum = at(0);
  for (int64_t i = 1; i < count; ++i) sum += at(i);
  return sum;
}

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_ORDERS_H_
