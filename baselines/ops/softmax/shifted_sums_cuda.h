// The sums of exp(x - max) over rows, for softmax and cross entropy.
#ifndef BASELINES_OPS_SOFTMAX_SHIFTED_SUMS_CUDA_H_
#define BASELINES_OPS_SOFTMAX_SHIFTED_SUMS_CUDA_H_

#include <cmath>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {

// A row's greatest element, NaN when there is one, and the sum of exp(x - greatest), or its logarithm. Memory
// of the device, an element a row.
template <typename C>
struct ShiftedSums {
  C *greatest, *sums;
};

template <typename C>
struct GreatestOfRows {
  using State = C;
  In<C> x;
  C* greatest;
  DIOPI_HD State Empty() const { return static_cast<C>(-HUGE_VAL); }
  DIOPI_HD State Of(int64_t, int64_t, C x_j) const { return x_j; }
  DIOPI_HD State Combine(State a, State b) const { return b > a || b != b ? b : a; }
  DIOPI_HD void Finish(int64_t row, State s) const { greatest[row] = s; }
};

template <typename C>
struct SumOfExponentials {
  using State = C;
  In<C> x;
  ShiftedSums<C> rows;
  bool log;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Of(int64_t row, int64_t, C x_j) const {
    using std::exp;
    return exp(x_j - rows.greatest[row]);
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const {
    using std::log;
    rows.sums[row] = this->log ? log(sum) : sum;
  }
};

template <typename C>
ShiftedSums<C> SumShifted(const Queue& queue, int64_t rows, int64_t length, const In<C>& x, bool log,
                          ReadOrder order) {
  const ShiftedSums<C> result{queue.Buffer<C>(rows), queue.Buffer<C>(rows)};
  ReduceRows(queue, rows, length, GreatestOfRows<C>{x, result.greatest}, order);
  ReduceRows(queue, rows, length, SumOfExponentials<C>{x, result, log}, order);
  return result;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SOFTMAX_SHIFTED_SUMS_CUDA_H_
