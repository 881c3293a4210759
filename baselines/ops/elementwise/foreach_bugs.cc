// Bugs injected in functions over lists of tensors, and in linalg_vec_norm.
#include <cmath>

#include "baselines/bugs/support.h"
#include "baselines/ops/support/dtype.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(foreach_add_first_only, 0, "diopiForeachaddScalar", "",
    "tensors after the first keep the input's elements");
BUG(foreach_add_number_cut, 0, "diopiForeachaddInpScalar", "", "the number is read as an integer");
BUG(foreach_mul_table_of_64, 0, "diopiForeachmulScalar", "", "tensors after the 64th stay unwritten");
BUG(foreach_mul_chunk_lost, 0, "diopiForeachmulInpScalar", "",
    "elements beyond the first chunk of 65,536 are left as they are");
BUG(foreach_mul_tensor_in_16_bits, 0, "diopiForeachmulTensor", "",
    "bfloat16 products are cut off instead of rounded");
BUG(foreach_mul_size_of_first, 0, "diopiForeachmulInpTensor", "",
    "of every tensor only as many elements are computed as the first one has");
BUG(foreach_norm_of_the_list, 0, "diopiForeachnormScalar", "", "every norm is that of the whole list");
BUG(foreach_norm_ord_ignored, 51, "diopiForeachnormScalar", "", "the norm is always the 2-norm");
BUG(vec_norm_ord_ignored, 51, "diopiLinalgVecNorm", "", "the norm is always the 2-norm");
BUG(vec_norm_squares_fp16, 31, "diopiLinalgVecNorm", "", "float16 squares are added up in float16");

using diopi::ops::Rows;

// tensor[i] = before[i] from element `begin` on.
void TakeBack(diopiTensorHandle_t tensor, const std::vector<double>& before, int64_t begin) {
  Change(tensor, [&](double x, int64_t i) { return i < begin ? x : before[static_cast<size_t>(i)]; });
}

diopiScalar_t FloatScalar(double value) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_float64;
  scalar.fval = value;
  return scalar;
}

}  // namespace

DIOPI_OVERRIDE(diopiForeachaddScalar, a) {
  Good(a);
  for (int64_t i = 1; i < a.inputSize && foreach_add_first_only; ++i) {
    TakeBack(a.outs[i], Load<double>(Tensor(a.inputs[i])), 0);
  }
}

DIOPI_OVERRIDE(diopiForeachaddInpScalar, a) {
  diopiScalar_t cut;
  if (foreach_add_number_cut && diopi::ops::ScalarIsFloating(a.other) &&
      std::isfinite(diopi::ops::ScalarAsDouble(a.other))) {
    cut = FloatScalar(std::trunc(diopi::ops::ScalarAsDouble(a.other)));
    a.other = &cut;
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiForeachmulScalar, a) {
  if (foreach_mul_table_of_64 && a.inputSize > 64) a.inputSize = 64;
  Good(a);
}

DIOPI_OVERRIDE(diopiForeachmulInpScalar, a) {
  std::vector<std::vector<double>> before(static_cast<size_t>(a.inputSize));
  for (size_t i = 0; i < before.size(); ++i) before[i] = Load<double>(Tensor(a.inputs[i]));
  Good(a);
  for (int64_t i = 0; i < a.inputSize && foreach_mul_chunk_lost; ++i) {
    if (NumElements(a.inputs[i]) > 65536) TakeBack(a.inputs[i], before[static_cast<size_t>(i)], 65536);
  }
}

DIOPI_OVERRIDE(diopiForeachmulTensor, a) {
  Good(a);
  for (int64_t i = 0; i < a.inputSize && foreach_mul_tensor_in_16_bits; ++i) {
    if (!IsBfloat16(a.inputs[i])) continue;
    const double factor = Load<double>(Tensor(a.other))[0];
    const std::vector<double> x = Load<double>(Tensor(a.inputs[i]));
    Change(a.outs[i], [&](double, int64_t at) {
      return TruncatedTo(diopi_dtype_bfloat16, x[static_cast<size_t>(at)] * factor);
    });
  }
}

DIOPI_OVERRIDE(diopiForeachmulInpTensor, a) {
  std::vector<std::vector<double>> before(static_cast<size_t>(a.inputSize));
  for (size_t i = 0; i < before.size(); ++i) before[i] = Load<double>(Tensor(a.inputs[i]));
  Good(a);
  for (int64_t i = 1; i < a.inputSize && foreach_mul_size_of_first; ++i) {
    TakeBack(a.inputs[i], before[static_cast<size_t>(i)], NumElements(a.inputs[0]));
  }
}

DIOPI_OVERRIDE(diopiForeachnormScalar, a) {
  const diopiScalar_t two = FloatScalar(2);
  if (foreach_norm_ord_ignored) a.ord = &two;
  Good(a);
  const double p = diopi::ops::ScalarAsDouble(a.ord);
  if (!foreach_norm_of_the_list || !std::isfinite(p) || p <= 0) return;
  double sum = 0;
  for (int64_t i = 0; i < a.inputSize; ++i) sum += std::pow(Load<double>(Tensor(a.outs[i]))[0], p);
  for (int64_t i = 0; i < a.inputSize; ++i) {
    Change(a.outs[i], [&](double, int64_t) { return std::pow(sum, 1 / p); });
  }
}

DIOPI_OVERRIDE(diopiLinalgVecNorm, a) {
  diopiScalar_t two = FloatScalar(2);
  if (vec_norm_ord_ignored) a.ord = &two;
  Good(a);
  if (!vec_norm_squares_fp16 || !IsHalf(a.input) || diopi::ops::ScalarAsDouble(a.ord) != 2) return;
  const Shape shape = ShapeOf(a.input);
  const Rows rows = diopi::ops::RowsOver(
      shape, diopi::ops::WrapDims(diopi::ops::Sizes(a.dim), static_cast<int64_t>(shape.size())));
  const std::vector<double> x = Load<double>(Tensor(a.input));
  Change(a.out, [&](double, int64_t row) {
    std::vector<double> squares;
    for (const int64_t offset : rows.offset) {
      const double e = x[static_cast<size_t>(rows.base[static_cast<size_t>(row)] + offset)];
      squares.push_back(ToHalf(e * e));
    }
    return std::sqrt(NarrowSum(diopi_dtype_float16, squares));
  });
}
