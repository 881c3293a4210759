// std over dimensions (none given: all): the root of the squared distances from the mean over count minus
// correction (absent: 1); NaN or infinity where that is not positive. In two passes, like the oracle.
#include <algorithm>
#include <cmath>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct RowMeans {
  using State = C;
  In<C> x;
  C* means;
  int64_t length;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Of(int64_t, int64_t, C x_j) const { return x_j; }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { means[row] = sum / Exact<C>(length); }
};

template <typename C>
struct RowDeviations {
  using State = C;
  In<C> x;
  const C* means;
  Out<C> out;
  C divisor;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Of(int64_t row, int64_t, C x_j) const {
    const C distance = x_j - means[row];
    return distance * distance;
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State squares) const {
    using std::sqrt;
    out.Set(row, sqrt(squares / divisor));
  }
};

void Std(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Shape& dims,
         const diopiScalar_t* correction) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  const double taken = correction == nullptr ? 1 : ScalarAsDouble(correction);
  const double divisor = std::max(0.0, static_cast<double>(rows.length) - taken);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> in(x, rows);
    C* const means = queue.Buffer<C>(rows.count);
    const ReadOrder order = OrderOf(rows);
    ReduceRows(queue, rows.count, rows.length, RowMeans<C>{in, means, rows.length}, order);
    ReduceRows(queue, rows.count, rows.length, RowDeviations<C>{in, means, Out<C>(out), Rounded<C>(divisor)},
               order);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiStd, a) {
  using namespace diopi::ops;
  cuda::Std(a.ctx, a.out, a.input, Sizes(a.dim), a.correction);
}
