// sum over dimensions (none given: all). Integers and bool add up modulo 2^64 into an integer output.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiSum, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Rows rows = RowsOver(x.shape(), WrapDims(Sizes(a.dim), x.rank()));
  CheckReduced(result, rows);
  DispatchAny(IsFloating(x.dtype()) ? x.dtype() : result.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> sums(static_cast<size_t>(rows.count()));
    for (int64_t row = 0; row < rows.count(); ++row)
      sums[static_cast<size_t>(row)] = RowSum(values, rows, row);
    Store(result, sums);
  });
}
