// Bugs injected in operators that make, join, cut and rearrange tensors.
#include <algorithm>

#include "baselines/bugs/support.h"
#include "baselines/ops/tensor/join.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Shape;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::ops::Axis;
using diopi::ops::DispatchAny;
using diopi::ops::ForEachInPiece;
using diopi::ops::SplitAxis;
using diopi::ops::WrapDim;

BUG(cat_stops_at_empty, 0, "diopiCat", "", "nothing after an empty tensor is joined");
BUG(cat_table_of_16, 0, "diopiCat", "", "tensors after the sixteenth are forgotten");
BUG(cat_row_of_piece, 0, "diopiCat", "", "rows of the output are as far apart as those of the piece");
BUG(split_pieces_of_first_size, 0, "diopiSplitWithSizes", "",
    "every piece starts at a multiple of the first size");
BUG(split_last_piece_short, 0, "diopiSplitWithSizes", "", "the last slice of the last piece is not written");
BUG(stack_dim_off_by_one, 0, "diopiStack", "",
    "a negative dim is counted in the tensors' dimensions, not in the output's");
BUG(stack_as_cat, 0, "diopiStack", "", "the tensors follow each other whatever the dim is");
BUG(permute_inverse, 0, "diopiPermute", "", "dims are taken for their inverse");
BUG(permute_negative_from_front, 0, "diopiPermute", "", "a negative dim -d means dim d - 1");
BUG(permute_tiles_of_32, 0, "diopiPermute", "",
    "a transpose in tiles of 32 leaves the tiles beyond the first row of them out");
BUG(expand_repeats_flat, 0, "diopiExpand", "", "the elements of the input are repeated in flat order");
BUG(arange_adds_step, 0, "diopiArange", "", "the step is added again and again in the type");
BUG(arange_through_float, 0, "diopiArange", "", "int32 and int64 are computed in float32");
BUG(ones_whole_vectors, 0, "diopiOnes", "", "elements after the last whole vector of 4 are not written");
BUG(zeros_first_size_only, 0, "diopiZeros", "", "as many elements as the first size says are written");

// The elements of the output that a injected copy leaves out keep what they were.
void Cat(const Tensor& out, diopiConstTensorHandle_t* tensors, int64_t count, int64_t dim) {
  const int64_t wrapped = WrapDim(dim, out.rank());
  const Axis axis = SplitAxis(out.shape(), wrapped);
  DispatchAny(out.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(out);
    int64_t start = 0;
    for (int64_t i = 0; i < (cat_table_of_16 ? std::min<int64_t>(count, 16) : count); ++i) {
      const Tensor piece(tensors[i]);
      if (piece.numel() == 0 && cat_stops_at_empty) break;
      if (piece.shape() == Shape{0} && out.rank() != 1) continue;
      const int64_t size = piece.size(wrapped);
      const std::vector<C> part = Load<C>(piece);
      const Axis own{axis.outer, size, axis.inner};
      const size_t shift = static_cast<size_t>(start * axis.inner);
      if (cat_row_of_piece) {
        ForEachInPiece(own, 0, size, [&](size_t to, size_t from) {
          values[std::min(to + shift, values.size() - 1)] = part[from];
        });
      } else {
        ForEachInPiece(axis, start, size, [&](size_t to, size_t from) { values[to] = part[from]; });
      }
      start += size;
    }
    Store(out, values);
  });
}

void Split(diopiTensorHandle_t* outs, const Tensor& input, const Shape& sizes, int64_t dim) {
  const int64_t wrapped = WrapDim(dim, input.rank());
  const Axis axis = SplitAxis(input.shape(), wrapped);
  DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    int64_t start = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t first = split_pieces_of_first_size ? static_cast<int64_t>(i) * sizes[0] : start;
      const bool last = i + 1 == sizes.size();
      std::vector<C> part = Load<C>(Tensor(outs[i]));
      for (size_t k = 0; k < part.size(); ++k) {
        const int64_t flat = static_cast<int64_t>(k), slice = flat / axis.inner % sizes[i];
        if (split_last_piece_short && last && slice + 1 == sizes[i]) continue;
        const int64_t outer = flat / axis.inner / sizes[i];
        const int64_t from = std::min(first + slice, axis.size - 1);
        part[k] = x[static_cast<size_t>((outer * axis.size + from) * axis.inner + flat % axis.inner)];
      }
      Store(Tensor(outs[i]), part);
      start += sizes[i];
    }
  });
}

// The output as a tensor that has the stacked dimension at `at`, in the memory of one that has it elsewhere.
void StackAt(const Tensor& out, diopiConstTensorHandle_t* tensors, int64_t count, int64_t at) {
  const Shape piece = Tensor(tensors[0]).shape();
  Shape shape = piece;
  shape.insert(shape.begin() + at, count);
  const Axis axis = SplitAxis(shape, at);
  DispatchAny(out.dtype(), [&]<typename C>() {
    std::vector<C> values(static_cast<size_t>(out.numel()));
    for (int64_t i = 0; i < count; ++i) {
      const std::vector<C> part = Load<C>(Tensor(tensors[i]));
      ForEachInPiece(axis, i, 1, [&](size_t to, size_t from) { values[to] = part[from]; });
    }
    Store(out, values);
  });
}

// Element i of out (as dense memory) from the element of the input that `order` leads to.
void PermuteBy(const Tensor& out, const Tensor& input, const Shape& order) {
  const Shape strides = diopi::ops::DenseStrides(input.shape());
  Shape shape, steps;
  for (const int64_t d : order) {
    shape.push_back(input.shape()[static_cast<size_t>(d)]);
    steps.push_back(strides[static_cast<size_t>(d)]);
  }
  const Shape out_strides = diopi::ops::DenseStrides(shape);
  DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> values = Load<C>(out);
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t from = 0;
      bool beyond = permute_tiles_of_32 && shape.size() == 2;
      for (size_t d = 0; d < shape.size(); ++d) {
        const int64_t at = static_cast<int64_t>(i) / out_strides[d] % shape[d];
        from += at * steps[d];
        if (d == 0) beyond = beyond && at >= 32;
      }
      if (!beyond) values[i] = x[static_cast<size_t>(from)];
    }
    Store(out, values);
  });
}

Shape InjectedOrder(const diopiSize_t& dims, int64_t rank) {
  Shape order = diopi::ops::Sizes(dims);
  for (int64_t& d : order) d = permute_negative_from_front && d < 0 ? -d - 1 : WrapDim(d, rank);
  if (!permute_inverse) return order;
  Shape inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return inverse;
}

template <typename C>
void AddStep(const Tensor& out, const diopiScalar_t* start, const diopiScalar_t* step) {
  const C by = diopi::ops::ScalarAs<C>(step);
  C value = diopi::ops::ScalarAs<C>(start);
  std::vector<C> values;
  for (int64_t i = 0; i < out.numel(); ++i) {
    values.push_back(value);
    value = diopi::ops::WrapAdd(value, by);
  }
  Store(out, values);
}

void ArangeInFloat(const Tensor& out, const diopiScalar_t* start, const diopiScalar_t* step) {
  const float first = diopi::ops::ScalarAs<float>(start), by = diopi::ops::ScalarAs<float>(step);
  std::vector<float> values(static_cast<size_t>(out.numel()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + by * static_cast<float>(i);
  Store(out, values);
}

// The first `count` elements of out become `value`.
void FillFirst(const Tensor& out, int64_t count, int64_t value) {
  DispatchAny(out.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(out);
    const auto end = values.begin() + std::min(count, out.numel());
    std::fill(values.begin(), end, diopi::ops::Exact<C>(value));
    Store(out, values);
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiCat, a) {
  if (!cat_stops_at_empty && !cat_table_of_16 && !cat_row_of_piece) {
    return Good(a);
  }
  Cat(a.out, a.tensors, a.num_inputs, a.dim);
}

DIOPI_OVERRIDE(diopiSplitWithSizes, a) {
  if (!split_pieces_of_first_size && !split_last_piece_short) {
    return Good(a);
  }
  Split(a.outs, a.input, diopi::ops::Sizes(a.splitSizes), a.dim);
}

DIOPI_OVERRIDE(diopiStack, a) {
  const int64_t rank = static_cast<int64_t>(diopi::bugs::ShapeOf(a.out).size());
  if (!stack_as_cat && !(stack_dim_off_by_one && a.dim < 0)) {
    return Good(a);
  }
  StackAt(a.out, a.tensors, a.numTensors, stack_as_cat ? 0 : std::max<int64_t>(a.dim + rank - 1, 0));
}

DIOPI_OVERRIDE(diopiPermute, a) {
  if (!permute_inverse && !permute_negative_from_front && !permute_tiles_of_32) {
    return Good(a);
  }
  const Tensor x(a.input);
  PermuteBy(a.out, x, InjectedOrder(a.dims, x.rank()));
}

DIOPI_OVERRIDE(diopiExpand, a) {
  if (!expand_repeats_flat) return Good(a);
  const Tensor result(a.out);
  DispatchAny(result.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(Tensor(a.input));
    std::vector<C> values(static_cast<size_t>(result.numel()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = x[i % x.size()];
    Store(result, values);
  });
}

DIOPI_OVERRIDE(diopiArange, a) {
  const diopiDtype_t dtype = diopi::bugs::DtypeOf(a.out);
  if (arange_adds_step && dtype == diopi_dtype_float64) {
    AddStep<double>(a.out, a.start, a.step);
    return;
  }
  if (arange_adds_step && diopi::ops::IsFloating(dtype)) {
    AddStep<float>(a.out, a.start, a.step);
    return;
  }
  if (arange_through_float && (dtype == diopi_dtype_int32 || dtype == diopi_dtype_int64)) {
    ArangeInFloat(a.out, a.start, a.step);
    return;
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiOnes, a) {
  if (!ones_whole_vectors) return Good(a);
  FillFirst(a.out, diopi::bugs::NumElements(a.out) / 4 * 4, 1);
}

DIOPI_OVERRIDE(diopiZeros, a) {
  if (!zeros_first_size_only) return Good(a);
  FillFirst(a.out, a.size.len == 0 ? 1 : a.size.data[0], 0);
}
