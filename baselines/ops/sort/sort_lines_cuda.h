// Sorting along one dimension, shared by sort and topk.
#ifndef BASELINES_OPS_SORT_SORT_LINES_CUDA_H_
#define BASELINES_OPS_SORT_SORT_LINES_CUDA_H_

#include "baselines/ops/sort/select_rows_cuda.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {

// The first `count` of every sorted row, whose order lies `pitch` apart.
template <typename C>
struct TakeSorted {
  In<C> x;
  const int64_t* order;
  Out<C> values;
  Out<int64_t> indices;
  int64_t length, count, pitch;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / count;
    const int64_t from = order[row * pitch + i % count];
    values.Set(i, x[row * length + from]);
    indices.Set(i, from);
  }
};

// With fewer elements all are sorted, as selecting takes two dozen kernels (an H100 sorts 2^20 in 170 us, and
// selects from them in 330).
inline constexpr int64_t kLeastSelected = int64_t{1} << 22;

// The first `count` of each line along `dim` in sorted order, with their positions.
inline void SortLines(diopiContextHandle_t ctx, const Tensor& values, const Tensor& indices,
                      const Tensor& input, int64_t dim, int64_t count, bool descending) {
  Shape shape = input.shape();
  const int64_t axis = WrapDim(dim, input.rank());
  const RowView rows = RowsOf(input, Shape{dim});
  Check(count >= 0 && count <= rows.length, "k (", count, ") is out of range for a dimension of size ",
        rows.length);
  if (!shape.empty()) shape[static_cast<size_t>(axis)] = count;
  CheckShape(values, shape, "values");
  CheckShape(indices, shape, "indices");
  DispatchAny(input.dtype(), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> x(input, rows);
    const bool few = count > 0 && input.numel() >= kLeastSelected && count <= rows.length / 4;
    const int64_t pitch = few ? count : rows.length;
    int64_t* const order = queue.Buffer<int64_t>(rows.count * pitch);
    if (few) {
      SelectRows<C>(queue, x, rows.count, rows.length, count, descending, order);
    } else {
      SortRows<C>(queue, x, rows.count, rows.length, descending, order);
    }
    ForEach(queue, rows.count * count,
            TakeSorted<C>{x, order, Out<C>(values, RowsOf(values, Shape{dim})),
                          Out<int64_t>(indices, RowsOf(indices, Shape{dim})), rows.length, count, pitch});
  });
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SORT_SORT_LINES_CUDA_H_
