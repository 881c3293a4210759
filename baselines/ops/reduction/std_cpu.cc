// std over dimensions (none given: all): the root of the squared distances from the mean over count minus
// correction (absent: 1); NaN or infinity where that is not positive.
#include <algorithm>

#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiStd, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  const Rows rows = RowsOver(x.shape(), WrapDims(Sizes(a.dim), x.rank()));
  CheckReduced(result, rows);
  const double taken = a.correction == nullptr ? 1 : ScalarAsDouble(a.correction);
  const double divisor = std::max(0.0, static_cast<double>(rows.length()) - taken);
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    using std::sqrt;
    const std::vector<C> values = Load<C>(x);
    std::vector<C> deviations(static_cast<size_t>(rows.count()));
    for (size_t row = 0; row < deviations.size(); ++row) {
      const Moments<C> moments = MomentsOf(values, rows.length(), [&](int64_t i) {
        return static_cast<size_t>(rows.base[row] + rows.offset[static_cast<size_t>(i)]);
      });
      deviations[row] = sqrt(moments.squares / Rounded<C>(divisor));
    }
    Store(result, deviations);
  });
}
