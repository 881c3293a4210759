// How a tensor's rows lie in memory (reduce.h).
#ifndef BASELINES_OPS_SUPPORT_CUDA_ROW_ORDER_H_
#define BASELINES_OPS_SUPPORT_CUDA_ROW_ORDER_H_

#include <cstdlib>
#include <limits>

#include "baselines/ops/support/cuda/layout.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {

// kAcrossRows where the next element in memory belongs to another row: a dimension that is kept has the least
// stride.
inline ReadOrder OrderOf(const RowView& rows) {
  int64_t least = std::numeric_limits<int64_t>::max();
  size_t at = rows.kept.size();
  for (size_t d = 0; d < rows.shape.size(); ++d) {
    const int64_t stride = std::abs(rows.strides[d]);
    if (rows.shape[d] > 1 && stride > 0 && stride < least) {
      least = stride;
      at = d;
    }
  }
  return at < rows.kept.size() ? ReadOrder::kAcrossRows : ReadOrder::kAlongRows;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_ROW_ORDER_H_
