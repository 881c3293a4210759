// Bugs injected in operators that only move elements: triangles, slices, flip, roll, repeat, im2col and their
// like.
#include <algorithm>
#include <utility>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(tril_by_product, 0, "diopiTril", "", "elements are multiplied by 0 instead of replaced: NaN stays");
BUG(tril_diagonal_negated, 0, "diopiTril", "", "a positive diagonal shifts the triangle down");
BUG(triu_diagonal_ignored, 0, "diopiTriu diopiTriuInp", "", "diagonal is taken as 0");
BUG(triu_inplace_first_matrix, 0, "diopiTriuInp", "", "only the first matrix of a batch is changed");
BUG(transpose_copies, 0, "diopiTranspose", "",
    "elements keep their order in memory: the shape alone changes");
BUG(transpose_tiles_of_32, 0, "diopiTranspose", "", "a row's elements after the last whole tile of 32 stay");
BUG(flip_first_dim_only, 0, "diopiFlip", "", "only the first of the dims is reversed");
BUG(flip_negative_ignored, 0, "diopiFlip", "", "negative dims are not reversed");
BUG(roll_wrong_way, 0, "diopiRoll", "", "elements move towards the start");
BUG(roll_flat_as_rows, 0, "diopiRoll", "", "without dims, each row is rolled by itself");
BUG(repeat_flat, 0, "diopiRepeat", "", "the input is repeated as a flat list, whatever the dimension");
BUG(select_negative_from_front, 0, "diopiSelect", "", "index -1 means index 0, -2 index 1");
BUG(select_backward_zeros_unwritten, 0, "diopiSelectBackward", "",
    "elements that were not selected are not written");
BUG(select_scatter_first, 0, "diopiSelectScatter", "", "src is put at index 0");
BUG(slice_step_ignored, 0, "diopiSlice", "", "as many elements as there should be, but neighbours");
BUG(slice_backward_step_ignored, 0, "diopiSliceBackward", "", "gradients go to neighbours");
BUG(slice_scatter_step_ignored, 0, "diopiSliceScatter", "", "src replaces neighbours");
BUG(one_hot_last_class_lost, 0, "diopiOneHot", "", "a class of num_classes - 1 has no one");
BUG(one_hot_tail_unwritten, 0, "diopiOneHot", "",
    "elements after the last whole vector of 4 are not written");
BUG(index_fill_negative_as_zero, 0, "diopiIndexFill diopiIndexFillInp diopiIndexFillScalar", "",
    "a negative index is taken for 0");
BUG(index_fill_first_index_only, 0, "diopiIndexFillScalar diopiIndexFillInpScalar", "",
    "only the slice of the first index is filled");
BUG(linspace_adds_step, 0, "diopiLinspace", "", "the step is added again and again in the type");
BUG(linspace_without_end, 0, "diopiLinspace", "", "the range is divided by steps, not by steps - 1");
BUG(linspace_rounds_integers, 0, "diopiLinspace", "", "integers are rounded up from one half, not truncated");
BUG(meshgrid_xy, 0, "diopiMeshGrid", "", "the first two grids change places");
BUG(im2col_padding_unwritten, 0, "diopiIm2Col", "", "elements in the padding are not written");
BUG(im2col_padding_of_ones, 0, "diopiIm2Col", "", "the padding is made of ones");
BUG(col2im_last_window_lost, 0, "diopiCol2Im", "", "the last window adds nothing");
BUG(masked_scatter_same_place, 0, "diopiMaskedScatter", "", "the source is read at the element's own place");
BUG(masked_scatter_blocks, 0, "diopiMaskedScatter", "", "counting starts anew after 256 elements");
BUG(copy_by_modulo, 0, "diopiCopyInp", "", "a smaller src is repeated as a flat list");
BUG(copy_real_parts, 0, "diopiCopyInp", "", "the imaginary parts of complex numbers become 0");
BUG(copy_through_float, 0, "diopiCopyInp", "", "integers go through float32");

// f.operator()<C>() with C double or int64_t.
template <typename F>
void Dispatch(const Tensor& tensor, F&& f) {
  if (diopi::ops::IsFloating(tensor.dtype())) return f.template operator()<double>();
  f.template operator()<int64_t>();
}

// out[i] = f(i, value of out[i], value of x[i]) once `call` has written it; `x` has out's shape.
template <typename Call, typename F>
void Corrupt(diopiTensorHandle_t handle, const Tensor& x, Call&& call, F&& f) {
  const Tensor out(handle);
  Dispatch(out, [&]<typename C>() {
    const std::vector<C> source = Load<C>(x);
    call();
    std::vector<C> values = Load<C>(out);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<C>(f(static_cast<int64_t>(i), values[i], source[i]));
    }
    Store(out, values);
  });
}

// Where the good function writes zero, the output stays what it was.
template <typename Call>
void LeaveZerosUnwritten(diopiTensorHandle_t out, Call&& call) {
  Corrupt(out, Tensor(out), call,
          [](int64_t, auto value, auto before) { return value == 0 ? before : value; });
}

// out[i] = x[i modulo the input's count].
void RepeatFlat(const Tensor& out, const Tensor& x) {
  Dispatch(x, [&]<typename C>() {
    const std::vector<C> source = Load<C>(x);
    std::vector<C> values(static_cast<size_t>(out.numel()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = source[i % source.size()];
    Store(out, values);
  });
}

// The same number of slices, one after the other.
template <typename Args>
void IgnoreStep(Args& a, const Shape& whole, const Shape& part) {
  const int64_t rank = static_cast<int64_t>(whole.size());
  const auto dim = static_cast<size_t>(diopi::ops::WrapDim(a.dim, rank));
  if (part[dim] == 0) return;
  a.start = std::clamp<int64_t>(a.start < 0 ? a.start + whole[dim] : a.start, 0, whole[dim]);
  a.end = a.start + part[dim];
  a.step = 1;
}

template <typename Args>
void InjectedIndexFill(Args a) {
  const Tensor index(a.index);
  if (index_fill_negative_as_zero) {
    a.index = Replaced(a.ctx, a.index, [](double x, int64_t) { return x < 0 ? 0 : x; });
  }
  if (index_fill_first_index_only && index.numel() > 1) {
    diopiTensorHandle_t first = NewTensor(a.ctx, Shape{1}, index.dtype());
    Store(Tensor(first), std::vector<int64_t>{Load<int64_t>(index)[0]});
    a.index = first;
  }
  Good(a);
}

template <typename C>
void InjectedLinspace(const Tensor& out, const diopiLinspaceArgs& a) {
  const C start = diopi::ops::ScalarAs<C>(a.start), end = diopi::ops::ScalarAs<C>(a.end);
  const C step = (end - start) / static_cast<C>(linspace_without_end ? a.steps : a.steps - 1);
  std::vector<C> values;
  C sum = start;
  for (int64_t i = 0; i < a.steps; ++i) {
    const C value = linspace_adds_step ? sum : start + step * static_cast<C>(i);
    values.push_back(linspace_rounds_integers ? static_cast<C>(std::floor(value + C(0.5))) : value);
    sum += step;
  }
  Store(out, values);
}

void InjectedMaskedScatter(const diopiMaskedScatterArgs& a) {
  const Tensor out(a.out);
  const std::vector<uint8_t> mask = diopi::ops::LoadBool(Tensor(a.mask), out.shape());
  Dispatch(out, [&]<typename C>() {
    std::vector<C> values = LoadAs<C>(Tensor(a.input), out.shape());
    const std::vector<C> source = Load<C>(Tensor(a.source));
    size_t count = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (masked_scatter_blocks && i % 256 == 0) count = 0;
      if (mask[i] == 0) continue;
      values[i] = source[(masked_scatter_same_place ? i : count) % source.size()];
      ++count;
    }
    Store(out, values);
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiTril, a) {
  if (tril_diagonal_negated) a.diagonal = -a.diagonal;
  if (!tril_by_product) {
    Good(a);
    return;
  }
  Corrupt(
      a.out, Tensor(a.input), [&] { Good(a); },
      [](int64_t, auto value, auto x) { return value == 0 ? x * 0 : value; });
}

template <typename Args>
static void InjectedTriu(Args a) {
  if (triu_diagonal_ignored) a.diagonal = 0;
  Good(a);
}
DIOPI_OVERRIDE(diopiTriu, a) {
  InjectedTriu(a);
}
DIOPI_OVERRIDE(diopiTriuInp, a) {
  if (!triu_inplace_first_matrix) {
    InjectedTriu(a);
    return;
  }
  const Tensor x(a.input);
  const int64_t matrix = x.size(-1) * x.size(-2);
  Corrupt(
      a.input, x, [&] { Good(a); },
      [&](int64_t i, auto value, auto before) { return i < matrix ? value : before; });
}

DIOPI_OVERRIDE(diopiTranspose, a) {
  if (transpose_copies && NumElements(a.input) > 0) {
    RepeatFlat(Tensor(a.out), Tensor(a.input));
    return;
  }
  const Tensor out(a.out);
  if (!transpose_tiles_of_32 || out.rank() < 2) {
    Good(a);
    return;
  }
  const int64_t columns = out.size(-1), whole = columns < 32 ? columns : columns / 32 * 32;
  Corrupt(
      a.out, out, [&] { Good(a); },
      [&](int64_t i, auto value, auto before) { return i % columns < whole ? value : before; });
}

DIOPI_OVERRIDE(diopiFlip, a) {
  if (flip_first_dim_only) a.dims.len = std::min<int64_t>(a.dims.len, 1);
  std::vector<int64_t> dims;
  for (const int64_t dim : diopi::ops::Sizes(a.dims)) {
    if (dim >= 0 || !flip_negative_ignored) dims.push_back(dim);
  }
  a.dims = {dims.data(), static_cast<int64_t>(dims.size())};
  Good(a);
}

DIOPI_OVERRIDE(diopiRoll, a) {
  std::vector<int64_t> shifts = diopi::ops::Sizes(a.shifts);
  for (int64_t& shift : shifts) shift = roll_wrong_way ? -shift : shift;
  a.shifts = {shifts.data(), static_cast<int64_t>(shifts.size())};
  const int64_t last = -1;
  if (roll_flat_as_rows && a.dims.len == 0) a.dims = {&last, 1};
  Good(a);
}

DIOPI_OVERRIDE(diopiRepeat, a) {
  if (repeat_flat && NumElements(a.input) > 0) {
    RepeatFlat(Tensor(a.out), Tensor(a.input));
  } else {
    Good(a);
  }
}

DIOPI_OVERRIDE(diopiSelect, a) {
  if (select_negative_from_front && a.index < 0) a.index = -a.index - 1;
  Good(a);
}
DIOPI_OVERRIDE(diopiSelectBackward, a) {
  if (select_backward_zeros_unwritten) {
    LeaveZerosUnwritten(a.grad_input, [&] { Good(a); });
  } else {
    Good(a);
  }
}
DIOPI_OVERRIDE(diopiSelectScatter, a) {
  if (select_scatter_first) a.index = 0;
  Good(a);
}

DIOPI_OVERRIDE(diopiSlice, a) {
  if (slice_step_ignored) IgnoreStep(a, ShapeOf(a.input), ShapeOf(a.null_out));
  Good(a);
}
DIOPI_OVERRIDE(diopiSliceBackward, a) {
  if (slice_backward_step_ignored) IgnoreStep(a, ShapeOf(a.grad_input), ShapeOf(a.grad_output));
  Good(a);
}
DIOPI_OVERRIDE(diopiSliceScatter, a) {
  if (slice_scatter_step_ignored) IgnoreStep(a, ShapeOf(a.input), ShapeOf(a.src));
  Good(a);
}

DIOPI_OVERRIDE(diopiOneHot, a) {
  const Tensor out(a.out);
  if (!one_hot_last_class_lost && !one_hot_tail_unwritten) {
    Good(a);
    return;
  }
  const int64_t classes = out.size(-1), whole = out.numel() / 4 * 4;
  Corrupt(
      a.out, out, [&] { Good(a); },
      [&](int64_t i, auto value, auto before) {
        if (one_hot_tail_unwritten) return i < whole ? value : before;
        return i % classes == classes - 1 ? 0 : value;
      });
}

DIOPI_OVERRIDE_FORM(diopiIndexFill, InjectedIndexFill)
DIOPI_OVERRIDE_FORM(diopiIndexFillInp, InjectedIndexFill)
DIOPI_OVERRIDE_FORM(diopiIndexFillScalar, InjectedIndexFill)
DIOPI_OVERRIDE_FORM(diopiIndexFillInpScalar, InjectedIndexFill)

DIOPI_OVERRIDE(diopiLinspace, a) {
  const Tensor out(a.out);
  const bool floating = diopi::ops::IsFloating(out.dtype());
  const bool injected = linspace_adds_step || linspace_without_end;
  if (a.steps < 2 || !(floating ? injected : linspace_rounds_integers || linspace_without_end)) {
    Good(a);
  } else if (floating && out.dtype() != diopi_dtype_float64) {
    InjectedLinspace<float>(out, a);
  } else {
    InjectedLinspace<double>(out, a);
  }
}

DIOPI_OVERRIDE(diopiMeshGrid, a) {
  std::vector<diopiTensorHandle_t> outs(a.outs, a.outs + a.inputsNum);
  if (meshgrid_xy && outs.size() > 1) std::swap(outs[0], outs[1]);
  a.outs = outs.data();
  Good(a);
}

DIOPI_OVERRIDE(diopiIm2Col, a) {
  if (im2col_padding_unwritten) {
    LeaveZerosUnwritten(a.out, [&] { Good(a); });
  } else if (im2col_padding_of_ones) {
    Corrupt(
        a.out, Tensor(a.out), [&] { Good(a); },
        [](int64_t, auto value, auto) { return value == 0 ? 1 : value; });
  } else {
    Good(a);
  }
}

DIOPI_OVERRIDE(diopiCol2Im, a) {
  const int64_t windows = Tensor(a.input).size(-1);
  if (col2im_last_window_lost) {
    a.input =
        Replaced(a.ctx, a.input, [&](double x, int64_t i) { return i % windows == windows - 1 ? 0 : x; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiMaskedScatter, a) {
  if (masked_scatter_same_place || masked_scatter_blocks) {
    InjectedMaskedScatter(a);
  } else {
    Good(a);
  }
}

DIOPI_OVERRIDE(diopiCopyInp, a) {
  const Tensor src(a.src);
  if (copy_by_modulo && src.numel() > 0) {
    RepeatFlat(Tensor(a.dest), src);
    return;
  }
  if (copy_through_float && diopi::ops::IsInteger(src.dtype()) && IsInteger(a.dest)) {
    std::vector<float> values = LoadAs<float>(src, ShapeOf(a.dest));
    Store(Tensor(a.dest), values);
    return;
  }
  Good(a);
  if (!copy_real_parts || diopi::ops::IsFloating(src.dtype()) || diopi::ops::IsInteger(src.dtype())) return;
  if (src.dtype() == diopi_dtype_bool) return;
  const int64_t part = BytesPerElement(a.dest) / 2;
  for (int64_t i = 0; i < NumElements(a.dest); ++i) std::fill_n(ElementAt(a.dest, i) + part, part, 0);
}
