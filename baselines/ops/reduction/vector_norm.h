// The p-norms of rows on the CPU, for norm, linalg_vec_norm and foreach_norm.
#ifndef BASELINES_OPS_REDUCTION_VECTOR_NORM_H_
#define BASELINES_OPS_REDUCTION_VECTOR_NORM_H_

#include <vector>

#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/reduction/reduction_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {

// The norm of one row. For an infinite p it is the magnitude of an element, NaN where there is one.
template <typename C>
C RowNorm(const std::vector<C>& x, const Rows& rows, size_t row, double p) {
  const auto at = [&](int64_t offset) -> const C& { return x[static_cast<size_t>(rows.base[row] + offset)]; };
  if (InfinitePower(p)) {
    C extreme = AsGiven(Magnitude(at(rows.offset[0])));
    for (const int64_t offset : rows.offset) {
      const C candidate = AsGiven(Magnitude(at(offset)));
      if (MoreExtreme(candidate, extreme, p > 0)) extreme = candidate;
    }
    return extreme;
  }
  if (p == 0) {
    int64_t count = 0;
    for (const int64_t offset : rows.offset) count += at(offset) != C(0) ? 1 : 0;
    return Exact<C>(count);
  }
  Sum<C> sum;
  for (const int64_t offset : rows.offset) sum += NormTerm(at(offset), p);
  return NormOfSum(sum.total(), p);
}

// out = the norms of x over `dims` (none: all).
inline void VectorNorm(const Tensor& out, const Tensor& x, const diopiScalar_t* ord, const Shape& dims) {
  const Rows rows = RowsOver(x.shape(), WrapDims(dims, x.rank()));
  CheckReduced(out, rows);
  const double p = ScalarAsDouble(ord);
  Check(rows.length() > 0 || rows.count() == 0 || (p >= 0 && !InfinitePower(p)), "cannot compute the ", p,
        " norm over an empty dimension: there is no identity");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> norms(static_cast<size_t>(rows.count()));
    for (size_t row = 0; row < norms.size(); ++row) norms[row] = RowNorm(values, rows, row, p);
    Store(out, norms);
  });
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_REDUCTION_VECTOR_NORM_H_
