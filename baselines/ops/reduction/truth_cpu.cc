// any and all along one dimension, or over everything when dim is null. Nonzero elements, NaN too, are true.
#include "baselines/ops/reduction/reduction_common.h"

namespace diopi::ops {
namespace {

// Whether an element of each row has the truth value `sought`: then that is the result.
void SeekTruth(const Tensor& result, const Tensor& x, const int64_t* dim, bool sought) {
  const Rows rows = RowsOver(x.shape(), WrapDims(dim == nullptr ? Shape{} : Shape{*dim}, x.rank()));
  CheckReduced(result, rows);
  const std::vector<uint8_t> truth = LoadBool(x, x.shape());
  std::vector<int64_t> results(static_cast<size_t>(rows.count()), sought ? 0 : 1);
  for (size_t row = 0; row < results.size(); ++row) {
    for (const int64_t offset : rows.offset) {
      if ((truth[static_cast<size_t>(rows.base[row] + offset)] != 0) == sought) results[row] = sought ? 1 : 0;
    }
  }
  Store(result, results);
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiAny, a) {
  using namespace diopi::ops;
  SeekTruth(a.out, a.input, a.dim, true);
}

DIOPI_KERNEL(diopiAll, a) {
  using namespace diopi::ops;
  SeekTruth(a.out, a.input, a.dim, false);
}
