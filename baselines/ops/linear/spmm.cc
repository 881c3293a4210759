// The product of a sparse matrix (CSR) and a dense one: spmm.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// An element of the result: the row's entries times their rows of the dense matrix, in their order. Entries
// and columns that there are not add nothing.
template <typename C>
struct SparseRow {
  In<int64_t> starts, columns;
  In<C> values, dense;
  Out<C> out;
  int64_t width, entries, rows;  // rows: of the dense matrix
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / width, column = i % width;
    Sum<C> sum;
    const int64_t first = starts[row] > 0 ? starts[row] : 0;
    for (int64_t e = first; e < starts[row + 1] && e < entries; ++e) {
      if (columns[e] >= 0 && columns[e] < rows) sum += values[e] * dense[columns[e] * width + column];
    }
    out.Set(i, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiSpMM, a) {
  bool sparse = false;
  diopiConstTensorHandle_t starts = nullptr, columns = nullptr, values = nullptr;
  diopiIsTensorSparse(a.input, &sparse);
  if (sparse) {
    diopiGetTensorCrowIndices(a.input, &starts);
    diopiGetTensorColIndices(a.input, &columns);
    diopiGetTensorValues(a.input, &values);
  }
  if (!sparse) FailWith(diopiNoImplement, "input is not sparse");
  const Tensor out(a.out), dense(a.mat2), entries(values);
  const int64_t rows = Tensor(starts).numel() - 1, width = dense.size(1);
  Check(dense.rank() == 2, "mat2 must have two dimensions");
  Check(Tensor(a.input).size(1) == dense.size(0), "input has ", Tensor(a.input).size(1), " columns, mat2 ",
        dense.size(0), " rows");
  CheckShape(out, Shape{rows, width}, "out");
  DispatchFloating(ResultType(out, {entries, dense}), [&]<typename C>() {
    ForEach(Queue(a.ctx), rows * width,
            SparseRow<C>{In<int64_t>(Tensor(starts)), In<int64_t>(Tensor(columns)), In<C>(entries),
                         In<C>(dense), Out<C>(out), width, entries.numel(), dense.size(0)});
  });
}

}  // namespace diopi::ops::both
