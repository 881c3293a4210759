// Sums of rows, for operators that need them as intermediate results.
//
//   State* sums = RowSums(queue, rows, length, f);    sums[row] = f(row, 0) + ... + f(row, length - 1)
//
// `f` is a functor, `DIOPI_HD State operator()(int64_t row, int64_t j) const`, or has operands and Of as
// reduce.h has them; State is C or TwoSums<C>. The sums are in device memory, for functors of later calls on
// the queue; by reduce.h's tree.
#ifndef BASELINES_OPS_SUPPORT_CUDA_ROW_SUMS_H_
#define BASELINES_OPS_SUPPORT_CUDA_ROW_SUMS_H_

#include <cstdint>

#include "baselines/ops/support/cuda/queue.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {

// Two sums in one pass.
template <typename C>
struct TwoSums {
  C first;
  C second;
  DIOPI_HD TwoSums operator+(const TwoSums& other) const {
    return {first + other.first, second + other.second};
  }
};

template <typename S, typename F>
struct AddRows : F {
  using State = S;
  S* sums;
  DIOPI_HD State Empty() const { return State{}; }
  DIOPI_HD State Load(int64_t row, int64_t j) const requires(!HasOperands<F>) { return (*this)(row, j); }
  DIOPI_HD State Combine(const State& a, const State& b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, const State& sum) const { sums[row] = sum; }
};

template <typename F>
auto RowSums(const Queue& queue, int64_t rows, int64_t length, const F& f,
             ReadOrder order = ReadOrder::kAlongRows) {
  const auto term = [&f] {
    if constexpr (HasOperands<F>) {
      return StateOf(f, 0, 0, 0);
    } else {
      return f(0, 0);
    }
  };
  using State = decltype(term());
  State* sums = queue.Buffer<State>(rows);
  ReduceRows(queue, rows, length, AddRows<State, F>{{f}, sums}, order);
  return sums;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_ROW_SUMS_H_
