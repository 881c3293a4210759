// std over dimensions (none given: all): the root of the squared distances from the mean over count minus
// correction (absent: 1); NaN or infinity where that is not positive.
#include <algorithm>

#include "baselines/ops/normalization/normalization_common.h"
#include "baselines/ops/reduction/reduction_common.h"

extern "C" diopiError_t diopiStd(diopiContextHandle_t, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiSize_t dim,
                                 const diopiScalar_t* correction) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input);
    const Rows rows = RowsOver(x.shape(), WrapDims(Sizes(dim), x.rank()));
    CheckReduced(result, rows);
    const double taken = correction == nullptr ? 1 : ScalarAsDouble(correction);
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
  });
}
