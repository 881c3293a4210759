// Bugs injected in argsort, equal, masked_select, index, pad, cdist and contiguous.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::NewTensor;
using diopi::bugs::Shape;
using diopi::bugs::Store;
using diopi::bugs::Tensor;

BUG(argsort_descending_by_reversal, 0, "diopiArgsort", "",
    "descending is ascending read backwards: equals in reverse order");
BUG(argsort_no_dim_is_first, 0, "diopiArgsort", "", "without a dim the first one is sorted");
BUG(equal_by_bits, 0, "diopiEqual", "", "bits are compared: NaN equals NaN, -0 is not 0");
BUG(equal_by_count, 0, "diopiEqual", "", "the numbers of elements are compared instead of the shapes");
BUG(equal_ignores_tail, 0, "diopiEqual", "", "elements after the last whole vector of four are not compared");
BUG(masked_select_drops_zeros, 0, "diopiMaskedSelect", "",
    "elements that are not zero after a product with the mask are taken");
BUG(masked_select_backward_in_place, 0, "diopiMaskedSelectBackward", "",
    "the gradient is taken at the element's own place");
BUG(index_mask_as_positions, 0, "diopiIndex", "", "a bool mask is read as the indices 0 and 1");
BUG(index_negative_is_zero, 0, "diopiIndex diopiIndexBackward", "", "negative indices become 0");
BUG(index_backward_last_wins, 0, "diopiIndexBackward", "",
    "the gradient of an element picked twice is the last one, not the sum");
BUG(pad_reflect_repeats_edge, 0, "diopiPad", "", "a reflection repeats the edge");
BUG(pad_value_ignored, 0, "diopiPad", "", "zeros are added whatever the value is");
BUG(cdist_mode_ignored, 0, "diopiCdist", "", "a matrix product serves every compute_mode");
BUG(cdist_backward_divides_by_zero, 0, "diopiCdistBackward", "",
    "the gradient at distance 0 is NaN where p is 2");
BUG(contiguous_storage_order, 0, "diopiContiguous", "", "the storage is copied in memory order");

// The positions of each line of an argsort, last to first.
void ReverseLines(const Tensor& out, int64_t dim) {
  const diopi::ops::Axis axis = diopi::ops::SplitAxis(out.shape(), diopi::ops::WrapDim(dim, out.rank()));
  std::vector<int64_t> values = Load<int64_t>(out), reversed(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t inner = at % axis.inner, j = at / axis.inner % axis.size;
    const int64_t outer = at / axis.inner / axis.size;
    reversed[static_cast<size_t>((outer * axis.size + axis.size - 1 - j) * axis.inner + inner)] = values[i];
  }
  Store(out, reversed);
}

bool InjectedEqual(const Tensor& x, const Tensor& y) {
  const bool same_size = equal_by_count ? x.numel() == y.numel() : x.shape() == y.shape();
  if (!same_size) return false;
  std::vector<double> a = Load<double>(x), b = Load<double>(y);
  const size_t n = equal_ignores_tail ? a.size() / 4 * 4 : a.size();
  for (size_t i = 0; i < n; ++i) {
    const bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
    if (equal_by_bits && (both_nan || (a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])))) continue;
    if (equal_by_bits || a[i] != b[i]) return false;
  }
  return true;
}

// The elements x * mask that are not zero.
void SelectNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& x, const Tensor& mask) {
  const Shape shape = diopi::ops::BroadcastShapes(x.shape(), mask.shape());
  const std::vector<double> values = diopi::bugs::LoadAs<double>(x, shape);
  const std::vector<uint8_t> truth = diopi::ops::LoadBool(mask, shape);
  std::vector<double> chosen;
  for (size_t i = 0; i < values.size(); ++i) {
    if (truth[i] != 0 && values[i] != 0) chosen.push_back(values[i]);
  }
  *out = NewTensor(ctx, {static_cast<int64_t>(chosen.size())}, x.dtype());
  Store(Tensor(*out), chosen);
}

void SpreadInPlace(const Tensor& out, const Tensor& grad, const Tensor& mask) {
  const std::vector<uint8_t> truth = diopi::ops::LoadBool(mask, out.shape());
  const std::vector<double> gradients = Load<double>(grad);
  std::vector<double> values(truth.size(), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    if (truth[i] != 0 && !gradients.empty()) values[i] = gradients[i % gradients.size()];
  }
  Store(out, values);
}

// The list with its masks as numbers, or its negative numbers as zeros.
std::vector<diopiConstTensorHandle_t> CorruptedIndices(diopiContextHandle_t ctx,
                                                       diopiConstTensorHandle_t* indices, int64_t count) {
  std::vector<diopiConstTensorHandle_t> list(indices, indices + count);
  for (diopiConstTensorHandle_t& entry : list) {
    if (entry == nullptr) continue;
    const Tensor index(entry);
    const bool mask = index.dtype() == diopi_dtype_bool;
    if (mask ? !index_mask_as_positions : !index_negative_is_zero) continue;
    diopiTensorHandle_t copy = NewTensor(ctx, index.shape(), mask ? diopi_dtype_int64 : index.dtype());
    std::vector<int64_t> values = Load<int64_t>(index);
    for (int64_t& value : values) value = std::max<int64_t>(value, 0);
    Store(Tensor(copy), values);
    entry = copy;
  }
  return list;
}

// A pad of the last dimension, in which the edge is repeated.
void ReflectSymmetrically(const Tensor& out, const Tensor& x, int64_t before) {
  const int64_t length = x.shape().back(), wide = out.shape().back();
  const std::vector<double> values = Load<double>(x);
  std::vector<double> padded(static_cast<size_t>(out.numel()));
  for (size_t i = 0; i < padded.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    int64_t place = at % wide - before;
    if (place < 0) place = -place - 1;
    if (place >= length) place = 2 * length - 1 - place;
    padded[i] = values[static_cast<size_t>(at / wide * length + place)];
  }
  Store(out, padded);
}

// NaN in the rows of a gradient that have a partner at distance 0.
void CorruptAtZero(const Tensor& out, const Tensor& distance) {
  const std::vector<double> distances = Load<double>(distance);
  std::vector<double> values = Load<double>(out);
  const auto columns = static_cast<size_t>(distance.shape().back());
  const auto length = static_cast<size_t>(out.shape().back());
  for (size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] != 0) continue;
    for (size_t m = 0; m < length; ++m)
      values[i / columns * length + m] = std::numeric_limits<double>::quiet_NaN();
  }
  Store(out, values);
}

}  // namespace

DIOPI_OVERRIDE(diopiArgsort, a) {
  static const int64_t first = 0;
  if (argsort_no_dim_is_first && a.dim == nullptr) a.dim = &first;
  const bool reversed = argsort_descending_by_reversal && a.descending;
  if (reversed) a.descending = false;
  Good(a);
  if (reversed) ReverseLines(Tensor(a.out), a.dim == nullptr ? -1 : *a.dim);
}

DIOPI_OVERRIDE(diopiEqual, a) {
  if (!equal_by_bits && !equal_by_count && !equal_ignores_tail) return Good(a);
  *a.out = InjectedEqual(Tensor(a.input), Tensor(a.other));
}

DIOPI_OVERRIDE(diopiMaskedSelect, a) {
  if (!masked_select_drops_zeros) return Good(a);
  SelectNonzero(a.ctx, a.out, Tensor(a.input), Tensor(a.mask));
}

DIOPI_OVERRIDE(diopiMaskedSelectBackward, a) {
  if (!masked_select_backward_in_place) return Good(a);
  SpreadInPlace(Tensor(a.grad_input), Tensor(a.grad_output), Tensor(a.mask));
}

DIOPI_OVERRIDE(diopiIndex, a) {
  std::vector<diopiConstTensorHandle_t> list = CorruptedIndices(a.ctx, a.indices, a.nums);
  a.indices = list.data();
  Good(a);
}

DIOPI_OVERRIDE(diopiIndexBackward, a) {
  if (index_backward_last_wins) {
    diopi::bugs::OrFail(
        diopiIndexPut(a.ctx, a.grad_input, a.zeros_like_input, a.grad_output, a.indices, a.nums, false));
    return;
  }
  std::vector<diopiConstTensorHandle_t> list = CorruptedIndices(a.ctx, a.indices, a.nums);
  if (index_negative_is_zero) a.indices = list.data();
  Good(a);
}

DIOPI_OVERRIDE(diopiPad, a) {
  static const double zero = 0;
  if (pad_value_ignored) a.value = &zero;
  const bool symmetric = pad_reflect_repeats_edge && std::string_view(a.mode) == "reflect" &&
                         a.pad.len == 2 && a.pad.data[0] >= 0 && a.pad.data[1] >= 0;
  if (!symmetric) return Good(a);
  ReflectSymmetrically(Tensor(a.out), Tensor(a.input), a.pad.data[0]);
}

DIOPI_OVERRIDE(diopiCdist, a) {
  static const int64_t product = 1;
  if (cdist_mode_ignored) a.compute_mode = &product;
  Good(a);
}

DIOPI_OVERRIDE(diopiCdistBackward, a) {
  Good(a);
  if (cdist_backward_divides_by_zero && a.p == 2) CorruptAtZero(Tensor(a.grad_input), Tensor(a.cdist));
}

DIOPI_OVERRIDE(diopiContiguous, a) {
  if (contiguous_storage_order) a.input = diopi::bugs::ReadWithoutStrides(a.ctx, a.input);
  Good(a);
}
