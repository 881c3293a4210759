// mean over dimensions (none given: all): the sum divided by the count; NaN over no elements.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiMean, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Rows rows = RowsOver(x.shape(), WrapDims(Sizes(a.dim), x.rank()));
  CheckReduced(result, rows);
  DispatchFloating(FloatResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> means(static_cast<size_t>(rows.count()));
    for (int64_t row = 0; row < rows.count(); ++row) {
      means[static_cast<size_t>(row)] = RowSum(values, rows, row) / Exact<C>(rows.length());
    }
    Store(result, means);
  });
}
