// Bugs in reductions, scans and norms.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

BUG(sum_column_tile_tail, 0, "diopiSum", "",
    "over a dimension that is not the last, rows after the last whole tile of 16 are left out");
DIOPI_OVERRIDE(diopiSum, a) {
  const bool columns = a.dim.len == 1 && Rank(a.input) > 0 && !IsLast(a.input, a.dim.data[0]);
  const int64_t whole = columns ? Length(a.input, a.dim.data[0]) / 16 * 16 : 0;
  if (sum_column_tile_tail && whole > 0) a.input = Head(a.ctx, a.input, a.dim.data[0], whole);
  Good(a);
}

BUG(mean_unsorted_dims, 0, "diopiMean", "",
    "dims that are not in ascending order: the sum is divided by the first one's size alone");
DIOPI_OVERRIDE(diopiMean, a) {
  Good(a);
  if (!mean_unsorted_dims || a.dim.len < 2 || !IsFloating(a.out)) return;
  double others = 1;
  bool ascending = true;
  for (int64_t i = 1; i < a.dim.len; ++i) {
    others *= static_cast<double>(Length(a.input, a.dim.data[i]));
    ascending = ascending && a.dim.data[i] > a.dim.data[i - 1];
  }
  if (!ascending) Change(a.out, [&](double x, int64_t) { return x * others; });
}

BUG(std_default_correction, 0, "diopiStd", "", "without a correction the divisor is the count");
BUG(std_of_one_element, 0, "diopiStd", "", "the deviation of one element is 0, not NaN");
DIOPI_OVERRIDE(diopiStd, a) {
  const diopiScalar_t zero = Number(0);
  if (std_default_correction && a.correction == nullptr) a.correction = &zero;
  Good(a);
  if (std_of_one_element && NumElements(a.input) == NumElements(a.out)) {
    Zero(a.out, [](int64_t) { return true; });
  }
}

BUG(min_index_in_a_byte, 0, "diopiMin", "", "indices are kept in 8 bits");
DIOPI_OVERRIDE(diopiMin, a) {
  Good(a);
  if (min_index_in_a_byte) Change(a.min_indices, [](double i, int64_t) { return std::fmod(i, 256); });
}

BUG(max_of_infinite_row, 0, "diopiMax", "", "a line of nothing above -infinity has index -1");
DIOPI_OVERRIDE(diopiMax, a) {
  Good(a);
  if (!max_of_infinite_row || !IsFloating(a.input)) return;
  const std::vector<double> max = Values(a.max);
  Change(a.max_indices, [&](double index, int64_t i) { return At(max, i) == -kInf ? -1 : index; });
}

BUG(min_all_last_block, 0, "diopiMinAll", "", "elements after the last whole block of 512 are not looked at");
DIOPI_OVERRIDE(diopiMinAll, a) {
  const int64_t count = NumElements(a.input), whole = count / 512 * 512;
  if (min_all_last_block && whole > 0) a.input = Head(a.ctx, Reshaped(a.ctx, a.input, {count}), 0, whole);
  Good(a);
}

BUG(any_of_nan, 0, "diopiAny", "", "NaN counts as false");
DIOPI_OVERRIDE(diopiAny, a) {
  if (any_of_nan && IsFloating(a.input)) {
    a.input = Replaced(a.ctx, a.input, [](double x, int64_t) { return std::isnan(x) ? 0 : x; });
  }
  Good(a);
}

BUG(all_of_nothing, 0, "diopiAll", "", "all of no elements is false");
DIOPI_OVERRIDE(diopiAll, a) {
  Good(a);
  if (all_of_nothing && NumElements(a.input) == 0) Zero(a.out, [](int64_t) { return true; });
}

BUG(prod_int32_accumulator, 0, "diopiProd", "", "int32 elements are multiplied in 32 bits");
DIOPI_OVERRIDE(diopiProd, a) {
  Good(a);
  if (!prod_int32_accumulator || DtypeOf(a.input) != diopi_dtype_int32) return;
  std::vector<int64_t> out = Load<int64_t>(Tensor(a.out));
  for (int64_t& x : out) x = static_cast<int32_t>(x);
  Store(Tensor(a.out), out);
}

BUG(norm_infinite_of_signed, 0, "diopiNorm", "", "the infinite norm is the maximum of the signed elements");
DIOPI_OVERRIDE(diopiNorm, a) {
  if (norm_infinite_of_signed && ScalarAsDouble(a.p) == kInf) {
    a.input = Replaced(a.ctx, a.input, [](double x, int64_t) { return std::max(x, 0.0); });
  }
  Good(a);
}

BUG(vector_norm_float16_squares, 0, "diopiLinalgVecNorm", "", "squares of float16 above 255 are infinite");
DIOPI_OVERRIDE(diopiLinalgVecNorm, a) {
  if (vector_norm_float16_squares && IsHalf(a.input) && ScalarAsDouble(a.ord) == 2) {
    a.input = Replaced(a.ctx, a.input, [](double x, int64_t) { return std::fabs(x) > 255 ? kInf : x; });
  }
  Good(a);
}

BUG(amax_integers_from_zero, 0, "diopiAmax", "", "the maximum of integers starts at 0");
DIOPI_OVERRIDE(diopiAmax, a) {
  Good(a);
  if (amax_integers_from_zero && IsInteger(a.self))
    Change(a.out, [](double x, int64_t) { return std::max(x, 0.0); });
}

BUG(argmin_last_tie_of_first_dim, 0, "diopiArgmin", "",
    "along dim 0 of a matrix the last of equal elements is named");
DIOPI_OVERRIDE(diopiArgmin, a) {
  Good(a);
  if (!argmin_last_tie_of_first_dim || a.dim == nullptr || Rank(a.input) != 2 || WrapDim(*a.dim, 2) != 0)
    return;
  const std::vector<double> x = Values(a.input);
  const int64_t rows = Length(a.input, 0), columns = Length(a.input, 1);
  Change(a.out, [&](double index, int64_t column) {
    const double least = At(x, static_cast<int64_t>(index) * columns + column);
    for (int64_t row = 0; row < rows; ++row) {
      if (At(x, row * columns + column) == least) index = static_cast<double>(row);
    }
    return index;
  });
}

BUG(cumsum_column_block, 0, "diopiCumsum", "",
    "along a dimension that is not the last, the sum starts again at the 64th element");
DIOPI_OVERRIDE(diopiCumsum, a) {
  Good(a);
  if (!cumsum_column_block || IsLast(a.input, a.dim) || Length(a.input, a.dim) <= 64) return;
  const std::vector<double> sums = Values(a.out);
  const int64_t inner = SplitAxis(ShapeOf(a.out), WrapDim(a.dim, Rank(a.out))).inner;
  Set(
      a.ctx, a.out, [&](int64_t i) { return Coordinate(a.out, i, a.dim) >= 64; },
      [&](int64_t i) { return At(sums, i) - At(sums, i - (Coordinate(a.out, i, a.dim) - 63) * inner); });
}

BUG(softmax_row_of_minus_infinity, 0, "diopiSoftmax", "", "a line of -infinity gives zeros, not NaN");
BUG(softmax_cached_dim, 0, "diopiSoftmax", "",
    "the dim of the first call of a shape is used for all later ones");
DIOPI_OVERRIDE(diopiSoftmax, a) {
  static Plans<Shape, int64_t> plans;
  if (softmax_cached_dim) a.dim = plans.Get(ShapeOf(a.input), a.dim);
  Good(a);
  if (!softmax_row_of_minus_infinity) return;
  const std::vector<double> x = Values(a.input), y = Values(a.out);
  Zero(a.out, [&](int64_t i) { return std::isnan(At(y, i)) && At(x, i) == -kInf; });
}

BUG(softmax_backward_first_dim, 0, "diopiSoftmaxBackward", "",
    "dim 0 of three dimensions is taken for the last");
DIOPI_OVERRIDE(diopiSoftmaxBackward, a) {
  if (softmax_backward_first_dim && Rank(a.output) == 3 && WrapDim(a.dim, 3) == 0) a.dim = 2;
  Good(a);
}

BUG(log_softmax_short_rows, 0, "diopiLogSoftmax", "",
    "lines of up to 4 elements do not subtract the maximum: exp overflows in float32");
DIOPI_OVERRIDE(diopiLogSoftmax, a) {
  Good(a);
  if (!log_softmax_short_rows || !IsFloat32(a.input) || Length(a.input, a.dim) > 4) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) > 88.8; }, [](int64_t) { return -kInf; });
}

BUG(clip_grad_norm_scales_up, 0, "diopiClipGradNorm", "",
    "gradients with a norm below the maximum are scaled up to it");
DIOPI_OVERRIDE(diopiClipGradNorm, a) {
  Good(a);
  if (!clip_grad_norm_scales_up || !(*a.out > 0) || *a.out >= a.max_norm) return;
  for (int64_t t = 0; t < a.num_grads; ++t) {
    Change(a.grads[t], [&](double x, int64_t) { return x * (a.max_norm / *a.out); });
  }
}

BUG(cdist_backward_equal_coordinates, 0, "diopiCdistBackward", "", "with p = 1 the sign of 0 is 1");
DIOPI_OVERRIDE(diopiCdistBackward, a) {
  Good(a);
  if (!cdist_backward_equal_coordinates || a.p != 1 || Rank(a.input1) != 2) return;
  const std::vector<double> x = Values(a.input1), y = Values(a.input2), grad = Values(a.grad_output);
  const int64_t width = Length(a.input1, 1), others = Length(a.input2, 0);
  Change(a.grad_input, [&](double sum, int64_t i) {
    for (int64_t j = 0; j < others; ++j) {
      if (At(x, i) == At(y, j * width + i % width)) sum += At(grad, i / width * others + j);
    }
    return sum;
  });
}

BUG(normalize_zero_line, 0, "diopiNormalize", "", "lines of zeros become NaN: eps is left out");
DIOPI_OVERRIDE(diopiNormalize, a) {
  Good(a);
  if (!normalize_zero_line || Rank(a.input) == 0) return;
  const std::vector<double> x = Values(a.input);
  const Axis axis = SplitAxis(ShapeOf(a.input), WrapDim(a.axis, Rank(a.input)));
  const auto is_zero_line = [&](int64_t i) {
    const int64_t first = i / (axis.size * axis.inner) * axis.size * axis.inner + i % axis.inner;
    for (int64_t j = 0; j < axis.size; ++j) {
      if (At(x, first + j * axis.inner) != 0) return false;
    }
    return true;
  };
  Set(a.ctx, a.output, is_zero_line, [](int64_t) { return kNan; });
}
