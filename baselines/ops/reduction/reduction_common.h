// Reductions over dimensions, and the choice of an extreme element along one.
#ifndef BASELINES_OPS_REDUCTION_REDUCTION_COMMON_H_
#define BASELINES_OPS_REDUCTION_REDUCTION_COMMON_H_

#include <type_traits>
#include <vector>

#include "baselines/ops/reduction/extreme.h"
#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// The sum of one row, in the order of the input.
template <typename C>
C RowSum(const std::vector<C>& x, const Rows& rows, int64_t row) {
  const auto term = [&](int64_t offset) {
    return x[static_cast<size_t>(rows.base[static_cast<size_t>(row)] + offset)];
  };
  if constexpr (std::is_integral_v<C>) {
    C sum = Exact<C>(0);
    for (const int64_t offset : rows.offset) sum = WrapAdd(sum, term(offset));
    return sum;
  } else {
    Sum<C> sum;
    for (const int64_t offset : rows.offset) sum += term(offset);
    return sum.total();
  }
}

// `out` has the reduced shape with or without the reduced dimensions.
inline void CheckReduced(const Tensor& out, const Rows& rows) {
  if (out.shape() != rows.keepdim) CheckShape(out, rows.kept, "out");
}

// The position (0 to length-1) of the extreme element of one row.
template <typename C>
int64_t ExtremeOfRow(const std::vector<C>& x, const Rows& rows, int64_t row, bool greatest) {
  const int64_t base = rows.base[static_cast<size_t>(row)];
  int64_t best = 0;
  for (int64_t j = 1; j < rows.length(); ++j) {
    const C& candidate = x[static_cast<size_t>(base + rows.offset[static_cast<size_t>(j)])];
    const C& extreme = x[static_cast<size_t>(base + rows.offset[static_cast<size_t>(best)])];
    if (MoreExtreme(candidate, extreme, greatest)) best = j;
  }
  return best;
}

// Values and positions of the extremes over `dims`; either tensor may be absent.
inline void Extremes(const Tensor& values, const Tensor& indices, const Tensor& input, const Shape& dims,
                     bool greatest) {
  const Rows rows = RowsOver(input.shape(), WrapDims(dims, input.rank()));
  if (values) CheckReduced(values, rows);
  if (indices) CheckReduced(indices, rows);
  Check(rows.count() == 0 || rows.length() > 0, "cannot reduce an empty dimension: there is no identity");
  DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> extremes(static_cast<size_t>(rows.count()));
    std::vector<int64_t> positions(static_cast<size_t>(rows.count()));
    for (int64_t row = 0; row < rows.count(); ++row) {
      const int64_t best = ExtremeOfRow(x, rows, row, greatest);
      positions[static_cast<size_t>(row)] = best;
      extremes[static_cast<size_t>(row)] = x[static_cast<size_t>(rows.base[static_cast<size_t>(row)] +
                                                                 rows.offset[static_cast<size_t>(best)])];
    }
    if (values) Store(values, extremes);
    if (indices) Store(indices, positions);
  });
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_REDUCTION_REDUCTION_COMMON_H_
