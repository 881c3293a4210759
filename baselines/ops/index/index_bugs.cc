// Bugs injected in operators that address by index tensors.
#include <algorithm>
#include <cstring>

#include "baselines/bugs/support.h"
#include "baselines/ops/index/index_common.h"

namespace {

using diopi::bugs::DtypeOf;
using diopi::bugs::Load;
using diopi::bugs::NewTensor;
using diopi::bugs::Shape;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::bugs::ToHalf;
using diopi::ops::Axis;
using diopi::ops::Numel;

BUG(index_select_int64_one_wrong, 2, "diopiIndexSelect", "",
    "the last element of int64 is taken from its neighbour");
BUG(index_select_int32_read_as_int64, 0, "diopiIndexSelect", "", "an int32 index is read as int64");
BUG(index_select_backward_overwrites, 0, "diopiIndexSelectBackward", "",
    "the gradient of an element picked twice is the last one, not the sum");
BUG(index_put_lost_update, 37, "diopiIndexPut diopiIndexPutInp", "",
    "accumulate at one place keeps the last update of several");
BUG(index_put_accumulate_ignored, 0, "diopiIndexPut diopiIndexPutInp", "", "accumulate is taken as false");
BUG(index_put_does_nothing, 0, "diopiIndexPut", "", "out keeps what the caller put into it");
BUG(index_put_into_out_accumulate_ignored, 0, "diopiIndexPut", "",
    "only scatters into out, which the caller has filled, and takes accumulate as false");
BUG(index_negative_unsupported, 68, "diopiIndexPut diopiIndexPutInp", "", "negative indices become 0");
BUG(index_put_mask_as_indices, 0, "diopiIndexPut", "", "a bool mask is read as the indices 0 and 1");
BUG(gather_unravels_by_input, 0, "diopiGather", "",
    "the coordinates of an index's element are taken by the input's shape");
BUG(gather_stride_of_last_dim, 0, "diopiGather", "", "steps along dim have the last dimension's stride");
BUG(gather_backward_overwrites, 0, "diopiGatherBackward", "",
    "the gradient of an element picked twice is the last one, not the sum");
BUG(scatter_reduce_ignored, 0, "diopiScatter diopiScatterInp", "", "reduce is taken as replace");
BUG(scatter_add_lost_update, 0, "diopiScatter", "", "adding at one place keeps the last of several sources");
BUG(scatter_multiply_adds, 0, "diopiScatter diopiScatterInp", "", "multiply adds");
BUG(scatter_source_read_flat, 0, "diopiScatter", "", "a source larger than the index is read in flat order");
BUG(embedding_padding_gradient, 67, "diopiEmbeddingBackward", "", "the row of padding_idx gets a gradient");
BUG(embedding_frequency_ignored, 0, "diopiEmbeddingBackward", "", "scale_grad_byfreq is taken as false");
BUG(embedding_gradient_fp16_sum, 0, "diopiEmbeddingBackward", "",
    "a row's gradients are added up in float16 in float16");
BUG(embedding_padding_reads_zero, 0, "diopiEmbedding", "", "the row of padding_idx is read as zeros");
BUG(embedding_renorm_repeats, 0, "diopiEmbeddingRenorm_", "", "a row named several times is scaled as often");
BUG(embedding_renorm_norm_type_ignored, 0, "diopiEmbeddingRenorm_", "", "the norm is always the 2-norm");

// A copy of an integer tensor as int64, each element changed by f.
template <typename F>
diopiTensorHandle_t ChangedIndex(diopiContextHandle_t ctx, const Tensor& index, F&& f) {
  diopiTensorHandle_t copy = NewTensor(ctx, index.shape(), diopi_dtype_int64);
  std::vector<int64_t> values = Load<int64_t>(index);
  f(values);
  Store(Tensor(copy), values);
  return copy;
}

// What lies in memory where dense int32 numbers are read as int64, cycled where it ends, inside [0, size).
void ReadPairs(std::vector<int64_t>& index, int64_t size) {
  const std::vector<int64_t> narrow = index;
  const size_t n = narrow.size();
  for (size_t i = 0; i < n; ++i) {
    const auto low = static_cast<uint64_t>(narrow[2 * i % n]);
    const auto high = static_cast<uint64_t>(narrow[(2 * i + 1) % n]);
    index[i] = static_cast<int64_t>((high << 32 | low) % static_cast<uint64_t>(size));
  }
}

// The gradient where sources that meet replace each other: grad_input[to(i)] = grad[i].
template <typename To>
void OverwriteGradient(const Tensor& grad_input, const Tensor& grad, To&& to) {
  const std::vector<double> g = Load<double>(grad);
  std::vector<double> values(static_cast<size_t>(grad_input.numel()), 0);
  for (size_t i = 0; i < g.size(); ++i) values[to(i)] = g[i];
  Store(grad_input, values);
}

// out + `last` where an update was, as when every thread read before any wrote.
void AddLast(const Tensor& out, const Tensor& input, const Tensor& last) {
  diopi::ops::DispatchAny(input.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(input);
    const std::vector<C> updates = Load<C>(last);
    for (size_t i = 0; i < values.size(); ++i) {
      if (updates[i] != C(0)) values[i] = diopi::ops::WrapAdd(values[i], updates[i]);
    }
    Store(out, values);
  });
}

diopiTensorHandle_t ZerosLike(diopiContextHandle_t ctx, const Tensor& tensor) {
  diopiTensorHandle_t zeros = NewTensor(ctx, tensor.shape(), tensor.dtype());
  Store(Tensor(zeros), std::vector<int64_t>(static_cast<size_t>(tensor.numel()), 0));
  return zeros;
}

// The list of index tensors as a injected index_put reads it.
std::vector<diopiConstTensorHandle_t> InjectedIndices(diopiContextHandle_t ctx,
                                                      diopiConstTensorHandle_t* indices, int64_t count) {
  std::vector<diopiConstTensorHandle_t> list(indices, indices + count);
  for (diopiConstTensorHandle_t& index : list) {
    if (index == nullptr) continue;
    const bool mask = DtypeOf(index) == diopi_dtype_bool || DtypeOf(index) == diopi_dtype_uint8;
    if (mask && index_put_mask_as_indices) index = ChangedIndex(ctx, Tensor(index), [](auto&) {});
    if (mask || !index_negative_unsupported) continue;
    index = ChangedIndex(ctx, Tensor(index), [](std::vector<int64_t>& values) {
      for (int64_t& value : values) value = std::max<int64_t>(value, 0);
    });
  }
  return list;
}

template <typename Put>
void InjectedIndexPut(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t* indices, int64_t count, bool accumulate, Put&& put) {
  std::vector<diopiConstTensorHandle_t> list;
  diopiTensorHandle_t last = nullptr;
  list = InjectedIndices(ctx, indices, count);
  if (index_put_lost_update && accumulate) last = ZerosLike(ctx, Tensor(input));
  if (last == nullptr) return put(out, input, list.data(), accumulate && !index_put_accumulate_ignored);
  put(last, last, list.data(), false);
  AddLast(out, input, last);
}

// Positions in the input of what a injected gather picks.
std::vector<int64_t> GatherPositions(const Shape& shape, const Shape& index_shape, int64_t dim,
                                     const std::vector<int64_t>& index) {
  const Shape strides = diopi::ops::DenseStrides(shape), steps = diopi::ops::DenseStrides(index_shape);
  const int64_t last = Numel(shape) - 1;
  std::vector<int64_t> positions;
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      const bool along = static_cast<int64_t>(d) == dim;
      const int64_t flat = static_cast<int64_t>(i);
      const int64_t own = flat / steps[d] % index_shape[d], of_input = flat / strides[d] % shape[d];
      const int64_t at = along ? index[i] : gather_unravels_by_input ? of_input : own;
      position += at * (along && gather_stride_of_last_dim ? 1 : strides[d]);
    }
    positions.push_back(std::min(position, last));
  }
  return positions;
}

void InjectedGather(const Tensor& out, const Tensor& input, int64_t dim, const Tensor& index) {
  const std::vector<int64_t> positions = GatherPositions(
      input.shape(), index.shape(), diopi::ops::WrapDim(dim, input.rank()), Load<int64_t>(index));
  diopi::ops::DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> picked;
    picked.reserve(positions.size());
    for (const int64_t position : positions) picked.push_back(x[static_cast<size_t>(position)]);
    Store(out, picked);
  });
}

// The first elements of src in flat order, in the index's shape.
diopiTensorHandle_t FlatSource(diopiContextHandle_t ctx, const Tensor& src, const Tensor& index) {
  diopiTensorHandle_t flat = NewTensor(ctx, index.shape(), src.dtype());
  diopi::ops::DispatchAny(src.dtype(), [&]<typename C>() {
    std::vector<C> values = Load<C>(src);
    values.resize(static_cast<size_t>(index.numel()));
    Store(Tensor(flat), values);
  });
  return flat;
}

const char* InjectedReduce(const char* reduce) {
  if (scatter_reduce_ignored) return "";
  return scatter_multiply_adds && std::strcmp(reduce, "multiply") == 0 ? "add" : reduce;
}

void HalfEmbeddingGradient(const Tensor& out, const Tensor& grad, const Tensor& indices, int64_t padding_idx,
                           bool by_frequency) {
  const std::vector<int64_t> rows = Load<int64_t>(indices);
  const std::vector<double> g = Load<double>(grad);
  const size_t width = static_cast<size_t>(out.size(1));
  std::vector<double> sums(static_cast<size_t>(out.numel()), 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == padding_idx) continue;
    const auto uses = static_cast<double>(std::count(rows.begin(), rows.end(), rows[i]));
    for (size_t j = 0; j < width; ++j) {
      double& sum = sums[static_cast<size_t>(rows[i]) * width + j];
      sum = ToHalf(sum + ToHalf(g[i * width + j] / (by_frequency ? uses : 1)));
    }
  }
  Store(out, sums);
}

void ZeroPaddingRows(const Tensor& out, const Tensor& indices, int64_t padding_idx) {
  const std::vector<int64_t> rows = Load<int64_t>(indices);
  std::vector<double> values = Load<double>(out);
  const size_t width = rows.empty() ? 0 : values.size() / rows.size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (rows[i / width] == padding_idx) values[i] = 0;
  }
  Store(out, values);
}

// Every occurrence scales its row by the factor that it found before any was written.
template <typename C>
void RepeatedRenorm(const Tensor& table, const std::vector<int64_t>& rows, double max_norm, double p) {
  const std::vector<C> before = Load<C>(table);
  std::vector<C> values = before;
  const size_t width = static_cast<size_t>(table.size(1));
  for (const int64_t row : rows) {
    const size_t start = static_cast<size_t>(row) * width;
    C sum = 0;
    for (size_t j = start; j < start + width; ++j) {
      sum += p == 2 ? before[j] * before[j] : std::pow(std::abs(before[j]), static_cast<C>(p));
    }
    const C norm = p == 2 ? std::sqrt(sum) : std::pow(sum, static_cast<C>(1 / p));
    if (static_cast<double>(norm) <= max_norm) continue;
    const C scale = static_cast<C>(max_norm) / (norm + static_cast<C>(1e-7));
    for (size_t j = start; j < start + width; ++j) values[j] *= scale;
  }
  Store(table, values);
}

}  // namespace

DIOPI_OVERRIDE(diopiIndexSelect, a) {
  const bool pairs = index_select_int32_read_as_int64 && DtypeOf(a.index) == diopi_dtype_int32;

  const Tensor x(a.input);
  if (!pairs || x.rank() == 0 || x.size(a.dim) == 0) return;
  a.index = ChangedIndex(a.ctx, Tensor(a.index), [&](auto& values) { ReadPairs(values, x.size(a.dim)); });

  Good(a);
  if (!index_select_int64_one_wrong || DtypeOf(a.input) != diopi_dtype_int64) {
    return;
  }
  std::vector<int64_t> values = Load<int64_t>(Tensor(a.out));
  if (values.size() > 1) values.back() = values[values.size() - 2];
  Store(Tensor(a.out), values);
}

DIOPI_OVERRIDE(diopiIndexSelectBackward, a) {
  if (!index_select_backward_overwrites) {
    return Good(a);
  }
  const Tensor result(a.grad_input);
  const std::vector<int64_t> picks = Load<int64_t>(Tensor(a.index));
  const Axis axis = diopi::ops::SplitAxis(result.shape(), diopi::ops::WrapDim(a.dim, result.rank()));
  OverwriteGradient(result, Tensor(a.grad), [&](size_t i) {
    const size_t inner = static_cast<size_t>(axis.inner), size = static_cast<size_t>(axis.size);
    const size_t pick = i / inner % picks.size(), outer = i / inner / picks.size();
    return (outer * size + static_cast<size_t>(picks[pick])) * inner + i % inner;
  });
}

static void Good(const diopiIndexPutInpArgs& args);

DIOPI_OVERRIDE(diopiIndexPut, a) {
  if (index_put_does_nothing) return;
  if (index_put_into_out_accumulate_ignored)
    return Good(diopiIndexPutInpArgs{a.ctx, a.out, a.values, a.indices, a.indices_counts, false});
  return InjectedIndexPut(
      a.ctx, a.out, a.input, a.indices, a.indices_counts, a.accumulate,
      [&](diopiTensorHandle_t to, diopiConstTensorHandle_t from, diopiConstTensorHandle_t* list, bool add) {
        a.out = to;
        a.input = from;
        a.indices = list;
        a.accumulate = add;
        return Good(a);
      });
}

DIOPI_OVERRIDE(diopiIndexPutInp, a) {
  return InjectedIndexPut(
      a.ctx, a.input, a.input, a.indices, a.indices_counts, a.accumulate,
      [&](diopiTensorHandle_t to, diopiConstTensorHandle_t, diopiConstTensorHandle_t* list, bool add) {
        a.input = to;
        a.indices = list;
        a.accumulate = add;
        return Good(a);
      });
}

DIOPI_OVERRIDE(diopiGather, a) {
  const bool own = gather_unravels_by_input || gather_stride_of_last_dim;
  if (!own || diopi::bugs::ShapeOf(a.input).empty()) return Good(a);
  InjectedGather(a.out, a.input, a.dim, a.index);
}

DIOPI_OVERRIDE(diopiGatherBackward, a) {
  if (!gather_backward_overwrites) {
    return Good(a);
  }
  const Tensor x(a.input), at(a.index);
  const std::vector<int64_t> positions = diopi::ops::PositionsAlong(
      x.shape(), at.shape(), diopi::ops::WrapDim(a.dim, x.rank()), Load<int64_t>(at));
  OverwriteGradient(a.grad_input, a.grad_output, [&](size_t i) { return static_cast<size_t>(positions[i]); });
}

DIOPI_OVERRIDE(diopiScatter, a) {
  const bool lost = scatter_add_lost_update && std::strcmp(a.reduce, "add") == 0;
  diopiTensorHandle_t last = nullptr;

  if (lost) last = ZerosLike(a.ctx, Tensor(a.input));
  if (scatter_source_read_flat) a.src = FlatSource(a.ctx, Tensor(a.src), Tensor(a.index));

  if (!lost) {
    a.reduce = InjectedReduce(a.reduce);
    return Good(a);
  }
  auto changed = a;
  changed.out = last;
  changed.input = last;
  changed.reduce = "";
  Good(changed);
  AddLast(a.out, a.input, last);
}

DIOPI_OVERRIDE(diopiScatterInp, a) {
  a.reduce = InjectedReduce(a.reduce);
  Good(a);
}

DIOPI_OVERRIDE(diopiEmbedding, a) {
  Good(a);
  if (!embedding_padding_reads_zero) return;
  ZeroPaddingRows(a.out, a.indices, a.padding_idx);
}

DIOPI_OVERRIDE(diopiEmbeddingBackward, a) {
  if (embedding_padding_gradient) a.padding_idx = -1;
  if (embedding_frequency_ignored) a.scale_grad_byfreq = false;
  if (embedding_gradient_fp16_sum && DtypeOf(a.grad) == diopi_dtype_float16) {
    HalfEmbeddingGradient(a.out, a.grad, a.indices, a.padding_idx, a.scale_grad_byfreq);
    return;
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiEmbeddingRenorm_, a) {
  if (embedding_renorm_norm_type_ignored) a.norm_type = 2;
  if (!embedding_renorm_repeats) return Good(a);
  const std::vector<int64_t> rows = Load<int64_t>(Tensor(a.indices));
  if (DtypeOf(a.inout) == diopi_dtype_float64)
    return RepeatedRenorm<double>(a.inout, rows, a.max_norm, a.norm_type);
  RepeatedRenorm<float>(a.inout, rows, a.max_norm, a.norm_type);
}
