// Bugs in functions that make, move and select elements.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

// Ordinary values: any repetition along a last dimension of more than one element.
BUG(repeat_interleaves, 0, "diopiRepeat", "",
    "along the last dimension every element is repeated by itself: a a b b instead of a b a b");
DIOPI_OVERRIDE(diopiRepeat, a) {
  Good(a);
  const int64_t width = Length(a.input, -1);
  if (!repeat_interleaves || width == 0 || Rank(a.out) == 0) return;
  const Before good(a.ctx, a.out);
  const int64_t columns = Length(a.out, -1), times = columns / width;
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    CopyElement(a.out, i, good.copy(), i - i % columns + i % columns / times);
  }
}

// Ordinary values: an index of the last class.
BUG(one_hot_last_class, 0, "diopiOneHot", "", "the last class is never marked: a bound is off by one");
DIOPI_OVERRIDE(diopiOneHot, a) {
  Good(a);
  if (!one_hot_last_class) return;
  Zero(a.out, [&](int64_t i) { return Coordinate(a.out, i, -1) == Length(a.out, -1) - 1; });
}

// Ordinary values: two or more steps of a floating dtype.
BUG(linspace_open_end, 0, "diopiLinspace", "",
    "the step is (end - start) / steps instead of (end - start) / (steps - 1)");
DIOPI_OVERRIDE(diopiLinspace, a) {
  Good(a);
  if (!linspace_open_end || !IsFloating(a.out)) return;
  const double start = ScalarAsDouble(a.start);
  const double step = (ScalarAsDouble(a.end) - start) / static_cast<double>(a.steps);
  Set(
      a.ctx, a.out, [](int64_t i) { return i > 0; },
      [&](int64_t i) { return start + static_cast<double>(i) * step; });
}

// Ordinary values: a mask that leaves out an element before a selected one.
BUG(masked_scatter_by_position, 0, "diopiMaskedScatter", "",
    "the source is read at the output's position instead of at the count of selected elements");
DIOPI_OVERRIDE(diopiMaskedScatter, a) {
  Good(a);
  if (!masked_scatter_by_position || NumElements(a.source) == 0) return;
  const std::vector<double> mask = ValuesAs(a.mask, a.out);
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    if (At(mask, i) != 0) CopyElement(a.out, i, a.source, i % NumElements(a.source));
  }
}

// Specific: a negative shift that is not half of the size.
BUG(roll_shift_unsigned, 0, "diopiRoll", "", "negative shifts are taken as positive");
DIOPI_OVERRIDE(diopiRoll, a) {
  Shape shifts;
  if (roll_shift_unsigned) {
    shifts = diopi::ops::Sizes(a.shifts);
    for (int64_t& shift : shifts) shift = std::abs(shift);
    a.shifts.data = shifts.data();
  }
  Good(a);
}

// Specific: an index that comes twice.
BUG(index_select_backward_overwrites, 0, "diopiIndexSelectBackward", "",
    "of gradients for the same place the last is stored: nothing is added");
DIOPI_OVERRIDE(diopiIndexSelectBackward, a) {
  if (index_select_backward_overwrites && Rank(a.grad) > 0) {
    const std::vector<double> index = Values(a.index);
    a.grad = Replaced(a.ctx, a.grad, [&, grad = a.grad](double g, int64_t i) {
      const auto at = index.begin() + Coordinate(grad, i, a.dim);
      return std::find(at + 1, index.end(), *at) == index.end() ? g : 0;
    });
  }
  Good(a);
}

// Specific: float16 or bfloat16, accumulate.
BUG(index_put_half_overwrites, 0, "diopiIndexPut", "",
    "16-bit types have no atomic addition: accumulate is ignored");
DIOPI_OVERRIDE(diopiIndexPut, a) {
  if (index_put_half_overwrites && (IsHalf(a.out) || IsBfloat16(a.out))) a.accumulate = false;
  Good(a);
}

// Rare: five and more inputs, where the fifth has the shape of the first, the sixth that of the second, ...
BUG(cat_four_pointers, 0, "diopiCat", "",
    "the kernel has room for four addresses: the fifth input is the first again");
DIOPI_OVERRIDE(diopiCat, a) {
  std::vector<diopiConstTensorHandle_t> tensors;
  if (cat_four_pointers) {
    tensors.assign(a.tensors, a.tensors + a.num_inputs);
    for (size_t i = 4; i < tensors.size(); ++i) {
      const auto first = tensors[i % 4];
      const bool alike = ShapeOf(tensors[i]) == ShapeOf(first) && DtypeOf(tensors[i]) == DtypeOf(first);
      if (alike) tensors[i] = first;
    }
    a.tensors = tensors.data();
  }
  Good(a);
}

// Rare: both of the last two dimensions exceed 16, and one is not a multiple of it.
BUG(transpose_edge_tiles, 0, "diopiTranspose", "",
    "of matrices larger than a tile of 16, incomplete tiles at the edges are not written");
DIOPI_OVERRIDE(diopiTranspose, a) {
  const Before before(a.ctx, a.out);
  Good(a);
  const int64_t rank = Rank(a.out);
  if (!transpose_edge_tiles || rank < 2) return;
  const int64_t rows = Length(a.out, -2), columns = Length(a.out, -1);
  const bool matrices = WrapDim(a.dim0, rank) + WrapDim(a.dim1, rank) == 2 * rank - 3;
  if (!matrices || rows <= 16 || columns <= 16) return;
  before.Keep(
      [&](int64_t i) { return i / columns % rows >= rows / 16 * 16 || i % columns >= columns / 16 * 16; });
}

// Rare: a -0.0.
BUG(nonzero_tests_bits, 0, "diopiNonzero", "", "elements are tested by their bits: -0.0 counts as not zero");
DIOPI_OVERRIDE(diopiNonzero, a) {
  if (nonzero_tests_bits && IsFloating(a.input)) {
    a.input = Replaced(a.ctx, a.input, [](double x, int64_t) { return x == 0 && std::signbit(x) ? 1.0 : x; });
  }
  Good(a);
}
