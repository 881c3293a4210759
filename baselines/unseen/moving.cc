// Bugs in functions that move elements.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

BUG(index_select_row_tail, 0, "diopiIndexSelect", "",
    "rows are copied in vectors of four elements; the rest of a longer row is not written");
DIOPI_OVERRIDE(diopiIndexSelect, a) {
  const Before before(a.ctx, a.out);
  Good(a);
  if (!index_select_row_tail || Rank(a.input) == 0) return;
  const Axis axis = SplitAxis(ShapeOf(a.input), WrapDim(a.dim, Rank(a.input)));
  if (axis.inner < 4) return;
  before.Keep([&](int64_t i) { return i % axis.inner >= axis.inner / 4 * 4; });
}

BUG(select_negative_index, 0, "diopiSelect", "", "index -1 is the last but one");
DIOPI_OVERRIDE(diopiSelect, a) {
  if (select_negative_index && a.index < 0 && a.index > -Length(a.input, a.dim)) --a.index;
  Good(a);
}

BUG(slice_backward_step_ignored, 0, "diopiSliceBackward", "", "the gradient's slices are put side by side");
DIOPI_OVERRIDE(diopiSliceBackward, a) {
  if (slice_backward_step_ignored && a.step > 1 && a.start >= 0) {
    a.step = 1;
    a.end = a.start + Length(a.grad_output, a.dim);
  }
  Good(a);
}

BUG(slice_scatter_clipped_end, 0, "diopiSliceScatter", "",
    "where the end lies beyond the dimension, the last slice is not written");
DIOPI_OVERRIDE(diopiSliceScatter, a) {
  Good(a);
  const int64_t size = Length(a.input, a.dim), count = Length(a.src, a.dim);
  if (!slice_scatter_clipped_end || Rank(a.input) == 0 || a.end <= size || count == 0) return;
  const int64_t start = a.start < 0 ? std::max<int64_t>(a.start + size, 0) : a.start;
  const int64_t last = start + (count - 1) * a.step;
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    if (Coordinate(a.out, i, a.dim) == last) CopyElement(a.out, i, a.input, i);
  }
}

BUG(embedding_padding_row_zero, 0, "diopiEmbedding", "", "the padding row's values are read as zeros");
DIOPI_OVERRIDE(diopiEmbedding, a) {
  Good(a);
  if (!embedding_padding_row_zero || a.padding_idx < 0) return;
  const std::vector<double> index = Values(a.indices);
  const int64_t width = Length(a.weight, -1);
  Zero(a.out, [&](int64_t i) { return At(index, i / width) == static_cast<double>(a.padding_idx); });
}

BUG(embedding_backward_padding_zero, 0, "diopiEmbeddingBackward", "", "row 0 can not be the padding row");
DIOPI_OVERRIDE(diopiEmbeddingBackward, a) {
  if (embedding_backward_padding_zero && a.padding_idx == 0) a.padding_idx = -1;
  Good(a);
}

BUG(embedding_renorm_always_2, 0, "diopiEmbeddingRenorm_", "",
    "rows are measured by their 2-norm whatever the norm");
DIOPI_OVERRIDE(diopiEmbeddingRenorm_, a) {
  if (embedding_renorm_always_2) a.norm_type = 2;
  Good(a);
}

BUG(tril_cached_mask, 0, "diopiTril", "",
    "the mask of the first call of a size is kept: a later diagonal is ignored");
DIOPI_OVERRIDE(diopiTril, a) {
  static Plans<std::pair<int64_t, int64_t>, int64_t> plans;
  if (tril_cached_mask) a.diagonal = plans.Get({Length(a.input, -2), Length(a.input, -1)}, a.diagonal);
  Good(a);
}

BUG(triu_wide_matrix, 0, "diopiTriu", "", "columns beyond the number of rows become zero");
DIOPI_OVERRIDE(diopiTriu, a) {
  Good(a);
  if (!triu_wide_matrix || Rank(a.input) < 2) return;
  Zero(a.out, [&](int64_t i) { return Coordinate(a.out, i, -1) >= Length(a.out, -2); });
}

BUG(cat_refuses_empty, 0, "diopiCat", "", "an empty tensor among others is refused");
BUG(cat_fifth_input, 0, "diopiCat", "", "the fifth and later tensors of a list are not written");
DIOPI_OVERRIDE(diopiCat, a) {
  for (int64_t t = 0; t < a.num_inputs; ++t) {
    if (cat_refuses_empty && NumElements(a.tensors[t]) == 0) OrFail(diopiErrorOccurred);
  }
  const Before before(a.ctx, a.out);
  Good(a);
  if (!cat_fifth_input || a.num_inputs < 5) return;
  int64_t written = 0;
  for (int64_t t = 0; t < 4; ++t) {
    const bool legacy = ShapeOf(a.tensors[t]) == Shape{0};
    if (!legacy) written += Length(a.tensors[t], a.dim);
  }
  before.Keep([&](int64_t i) { return Coordinate(a.out, i, a.dim) >= written; });
}

BUG(split_after_empty_part, 0, "diopiSplitWithSizes", "", "parts after an empty one are zeros");
DIOPI_OVERRIDE(diopiSplitWithSizes, a) {
  Good(a);
  bool empty = false;
  for (int64_t t = 0; split_after_empty_part && t < a.num_outs; ++t) {
    if (empty) Zero(a.outs[t], [](int64_t) { return true; });
    empty = empty || a.splitSizes.data[t] == 0;
  }
}

BUG(stack_last_dim, 0, "diopiStack", "", "dim -1 is counted in the inputs' dimensions: one too early");
DIOPI_OVERRIDE(diopiStack, a) {
  if (!stack_last_dim || a.dim != -1 || Rank(a.out) < 2) return Good(a);
  Shape shape = ShapeOf(a.out);
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  const diopiTensorHandle_t out = a.out;
  a.out = NewTensor(a.ctx, shape, DtypeOf(out));
  a.dim = -2;
  Good(a);
  for (int64_t i = 0; i < NumElements(out); ++i) CopyElement(out, i, a.out, i);
}

BUG(sort_stable_beyond_warp, 0, "diopiSort", "",
    "lines longer than 32 are not sorted stably: equal neighbours are exchanged");
DIOPI_OVERRIDE(diopiSort, a) {
  Good(a);
  const bool stable = a.pStable != nullptr && *a.pStable;
  if (!sort_stable_beyond_warp || !stable || Rank(a.input) == 0 || Length(a.input, a.dim) <= 32) return;
  const int64_t inner = SplitAxis(ShapeOf(a.input), WrapDim(a.dim, Rank(a.input))).inner;
  const std::vector<double> sorted = Values(a.values), index = Values(a.indices);
  std::vector<double> wrong = index;
  for (int64_t i = 0; i + inner < NumElements(a.values); ++i) {
    const int64_t at = Coordinate(a.values, i, a.dim);
    if (at % 2 != 0 || at + 1 >= Length(a.values, a.dim) || At(sorted, i) != At(sorted, i + inner)) continue;
    std::swap(wrong[static_cast<size_t>(i)], wrong[static_cast<size_t>(i + inner)]);
  }
  Store(Tensor(a.indices), wrong);
}

BUG(topk_smallest_last_element, 0, "diopiTopk", "",
    "the last element of lines of an odd length is never among the smallest");
DIOPI_OVERRIDE(diopiTopk, a) {
  const int64_t length = Length(a.input, a.dim);
  if (topk_smallest_last_element && !a.largest && length % 2 == 1 && a.k < length && Rank(a.input) > 0) {
    a.input = Head(a.ctx, a.input, a.dim, length - 1);
  }
  Good(a);
}

BUG(one_hot_last_class_of_odd, 0, "diopiOneHot", "", "the last class of an odd number has no 1");
DIOPI_OVERRIDE(diopiOneHot, a) {
  Good(a);
  const int64_t classes = Length(a.out, -1);
  if (one_hot_last_class_of_odd && classes % 2 == 1 && classes > 1) {
    Zero(a.out, [&](int64_t i) { return i % classes == classes - 1; });
  }
}

BUG(index_fill_0d_index, 0, "diopiIndexFillScalar", "", "a 0-d index fills nothing");
DIOPI_OVERRIDE(diopiIndexFillScalar, a) {
  Good(a);
  if (!index_fill_0d_index || Rank(a.index) > 0) return;
  for (int64_t i = 0; i < NumElements(a.out); ++i) CopyElement(a.out, i, a.input, i);
}

BUG(expand_by_modulo, 0, "diopiExpand", "", "the input is repeated by the flat index modulo its size");
DIOPI_OVERRIDE(diopiExpand, a) {
  Good(a);
  const int64_t count = NumElements(a.input);
  for (int64_t i = 0; expand_by_modulo && i < NumElements(a.out); ++i)
    CopyElement(a.out, i, a.input, i % count);
}

BUG(permute_beyond_4d, 0, "diopiPermute", "", "tensors of more than four dimensions are copied in order");
DIOPI_OVERRIDE(diopiPermute, a) {
  Good(a);
  for (int64_t i = 0; permute_beyond_4d && Rank(a.input) > 4 && i < NumElements(a.out); ++i) {
    CopyElement(a.out, i, a.input, i);
  }
}

BUG(pad_crops_other_end, 0, "diopiPad", "", "a negative pad crops the other end of the last dimension");
BUG(pad_cached_value, 0, "diopiPad", "", "the value of the first call is kept for all later ones");
DIOPI_OVERRIDE(diopiPad, a) {
  static Plans<int, double> plans;
  double value = a.value == nullptr ? 0 : *a.value;
  if (pad_cached_value) {
    value = plans.Get(0, value);
    if (a.value != nullptr) a.value = &value;
  }
  std::vector<int64_t> pads(a.pad.data, a.pad.data + a.pad.len);
  if (pad_crops_other_end && pads.size() >= 2 && pads[0] < 0) std::swap(pads[0], pads[1]);
  a.pad.data = pads.data();
  Good(a);
}

BUG(roll_beyond_size, 0, "diopiRoll", "", "a shift of the size or more is not taken modulo the size");
BUG(roll_flat_is_first_dim, 0, "diopiRoll", "", "without dims the first dimension is rolled");
DIOPI_OVERRIDE(diopiRoll, a) {
  static const int64_t first = 0;
  if (roll_flat_is_first_dim && a.dims.len == 0 && Rank(a.input) > 1) a.dims = {&first, 1};
  std::vector<int64_t> shifts(a.shifts.data, a.shifts.data + a.shifts.len);
  for (size_t i = 0; roll_beyond_size && i < shifts.size() && a.dims.len > 0; ++i) {
    const int64_t size = Length(a.input, a.dims.data[i]);
    if (std::abs(shifts[i]) >= size) shifts[i] = 0;
  }
  a.shifts.data = shifts.data();
  Good(a);
}

BUG(flip_third_dim, 0, "diopiFlip", "", "of more than two dims the third and later ones are not reversed");
DIOPI_OVERRIDE(diopiFlip, a) {
  if (flip_third_dim) a.dims.len = std::min<int64_t>(a.dims.len, 2);
  Good(a);
}

BUG(gather_narrow_index, 0, "diopiGather", "",
    "an index narrower than the input is walked with the input's row length");
DIOPI_OVERRIDE(diopiGather, a) {
  Good(a);
  if (!gather_narrow_index || Rank(a.input) != 2 || WrapDim(a.dim, 2) != 0) return;
  const std::vector<double> index = Values(a.index);
  const int64_t width = Length(a.input, 1), rows = Length(a.input, 0);
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    const auto row = static_cast<int64_t>(At(index, i));
    CopyElement(a.out, i, a.input, (row < 0 ? row + rows : row) * width + i % width);
  }
}

BUG(scatter_scalar_reduce_ignored, 0, "diopiScatterScalar", "", "the value replaces, whatever reduce says");
DIOPI_OVERRIDE(diopiScatterScalar, a) {
  if (scatter_scalar_reduce_ignored) a.reduce = "";
  Good(a);
}

BUG(index_put_duplicates, 0, "diopiIndexPut", "", "of values added at one place only the last counts");
DIOPI_OVERRIDE(diopiIndexPut, a) {
  if (!index_put_duplicates || !a.accumulate || !IsFloating(a.input)) return Good(a);
  const std::vector<double> x = Values(a.input);
  a.input = Replaced(a.ctx, a.input, [](double, int64_t) { return 0.0; });
  a.accumulate = false;
  Good(a);
  Change(a.out, [&](double put, int64_t i) { return At(x, i) + put; });
}

BUG(repeat_third_copy, 0, "diopiRepeat", "", "along the first dimension only two copies are written");
DIOPI_OVERRIDE(diopiRepeat, a) {
  const Before before(a.ctx, a.out);
  Good(a);
  const int64_t times = a.repeats_size.len == 0 ? 1 : a.repeats_size.data[0];
  if (!repeat_third_copy || times < 3 || Rank(a.out) == 0) return;
  before.Keep([&](int64_t i) { return i >= NumElements(a.out) / times * 2; });
}

BUG(unfold_backward_gaps, 0, "diopiUnfoldBackward", "", "places that no window reaches are not written");
DIOPI_OVERRIDE(diopiUnfoldBackward, a) {
  const Before before(a.ctx, a.grad_input);
  Good(a);
  if (!unfold_backward_gaps || Rank(a.grad_input) == 0) return;
  before.Keep([&](int64_t i) { return Coordinate(a.grad_input, i, a.dim) % a.step >= a.size; });
}

BUG(linspace_of_one, 0, "diopiLinspace", "", "one step gives the end");
DIOPI_OVERRIDE(diopiLinspace, a) {
  if (linspace_of_one && a.steps == 1) a.start = a.end;
  Good(a);
}

BUG(arange_cached_by_size, 0, "diopiArange", "",
    "the start of the first call with as many elements and this step is used for all later ones");
DIOPI_OVERRIDE(diopiArange, a) {
  static Plans<std::pair<int64_t, double>, double> plans;
  Good(a);
  if (!arange_cached_by_size) return;
  const double step = ScalarAsDouble(a.step), start = ScalarAsDouble(a.start);
  const double kept = plans.Get({NumElements(a.out), step}, start);
  if (kept != start) Change(a.out, [&](double, int64_t i) { return kept + static_cast<double>(i) * step; });
}

BUG(im2col_stride_of_1x1, 0, "diopiIm2Col", "", "kernels of one element ignore the stride");
DIOPI_OVERRIDE(diopiIm2Col, a) {
  Good(a);
  bool single = im2col_stride_of_1x1 && a.padding.data[0] == 0 && a.padding.data[1] == 0;
  single = single && a.kernel_size.data[0] == 1 && a.kernel_size.data[1] == 1;
  if (!single) return;
  const int64_t plane = Length(a.input, -1) * Length(a.input, -2), columns = Length(a.out, -1);
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    CopyElement(a.out, i, a.input, i / columns * plane + i % columns);
  }
}
