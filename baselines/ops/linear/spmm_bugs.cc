// Bugs injected in the product of a sparse matrix and a dense one. The sparse matrix is passed to the good
// function as it is: the bugs change the dense one or the result.
#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is bugs

constexpr char kSpmm[] = "diopiSpMM";
BUG(spmm_last_entry_lost, 0, kSpmm, "", "the last entry of each row is left out");
BUG(spmm_empty_row_of_neighbour, 0, kSpmm, "", "a row without entries repeats the row before it");
BUG(spmm_empty_row_unwritten, 0, kSpmm, "", "rows without entries are not written");
BUG(spmm_values_ignored, 0, kSpmm, "", "all entries count as 1");
BUG(spmm_first_256_columns, 0, kSpmm, "", "only 256 columns of the result are written, the others are 0");
BUG(spmm_mat2_without_strides, 0, kSpmm, "", "strides of mat2 are ignored");
BUG(spmm_dense_product, 0, kSpmm, "", "entries that are not stored are multiplied, too");
BUG(spmm_float16_sums, 0, kSpmm, "", "sums are rounded to float16 after each addition");
BUG(spmm_no_stored_zeros, 0, kSpmm, "", "stored zeros are left out");

struct SpmmParts {
  explicit SpmmParts(diopiConstTensorHandle_t sparse) {
    diopiConstTensorHandle_t part = nullptr;
    diopiGetTensorCrowIndices(sparse, &part);
    starts = Load<int64_t>(Tensor(part));
    diopiGetTensorColIndices(sparse, &part);
    columns = Load<int64_t>(Tensor(part));
    diopiGetTensorValues(sparse, &part);
    values = Load<double>(Tensor(part));
  }
  std::vector<int64_t> starts, columns;
  std::vector<double> values;
};

// An element of the result.
double SpmmElement(const SpmmParts& left, const std::vector<double>& right, int64_t width, int64_t row,
                   int64_t column) {
  const auto at = [](int64_t i) { return static_cast<size_t>(i); };
  const auto rows_of_right = static_cast<int64_t>(right.size()) / width;
  int64_t end = left.starts[at(row + 1)];
  if (spmm_last_entry_lost) end = std::max(left.starts[at(row)], end - 1);
  double sum = 0;
  std::vector<bool> stored(at(rows_of_right), false);
  for (int64_t e = left.starts[at(row)]; e < end; ++e) {
    const double value = spmm_values_ignored ? 1 : left.values[at(e)];
    if (spmm_no_stored_zeros && value == 0) continue;
    stored[at(left.columns[at(e)])] = true;
    sum += value * right[at(left.columns[at(e)] * width + column)];
    sum = spmm_float16_sums ? ToHalf(sum) : static_cast<double>(static_cast<float>(sum));
  }
  for (int64_t k = 0; spmm_dense_product && k < rows_of_right; ++k) {
    if (!stored[at(k)]) sum += 0 * right[at(k * width + column)];
  }
  return sum;
}

}  // namespace

DIOPI_OVERRIDE(diopiSpMM, a) {
  if (spmm_mat2_without_strides) a.mat2 = ReadWithoutStrides(a.ctx, a.mat2);
  const std::vector<double> before = Load<double>(Tensor(a.out));
  Good(a);
  const SpmmParts left(a.input);
  const std::vector<double> right = Load<double>(Tensor(a.mat2));
  const int64_t width = ShapeOf(a.mat2)[1];
  const std::vector<double> good = Load<double>(Tensor(a.out));
  const bool recomputed = spmm_last_entry_lost || spmm_values_ignored || spmm_dense_product ||
                          spmm_float16_sums || spmm_no_stored_zeros;
  Change(a.out, [&](double y, int64_t i) {
    const int64_t row = i / width, column = i % width;
    const bool empty = left.starts[static_cast<size_t>(row)] == left.starts[static_cast<size_t>(row + 1)];
    if (empty && spmm_empty_row_of_neighbour && row > 0) return good[static_cast<size_t>(i - width)];
    if (empty && spmm_empty_row_unwritten) return before[static_cast<size_t>(i)];
    if (spmm_first_256_columns && column >= 256) return 0.0;
    return recomputed ? SpmmElement(left, right, width, row, column) : y;
  });
}
