// Storage is limited to 2^40 elements, checked before strides are computed, so that no offset overflows,
// whatever a file says. Whether elements overlap is decided from the sorted strides; only where they
// interleave are all offsets listed. Dense tensors are copied in one piece.
#include "cases/base/layout.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"

namespace diopi {
namespace {

using Sizes = std::vector<int64_t>;

// More than any memory holds; offsets and strides of fewer do not overflow.
constexpr int64_t kMostElements = int64_t{1} << 40;

// False when the product is above kMostElements.
bool MultiplyBy(int64_t factor, int64_t* product) {
  return !__builtin_mul_overflow(*product, factor, product) && *product <= kMostElements;
}

absl::Status Refuse(std::string_view layout, std::string_view needs, const Sizes& shape) {
  return absl::InvalidArgumentError(absl::StrCat("layout ", std::string(layout), " needs ",
                                                 std::string(needs), ", the shape is ", ShapeText(shape)));
}

absl::StatusOr<Sizes> TransposedStrides(const Sizes& shape) {
  if (shape.size() < 2) return Refuse("transposed", "two dimensions", shape);
  Sizes stored = shape;
  std::swap(stored[stored.size() - 1], stored[stored.size() - 2]);
  Sizes strides = ContiguousStrides(stored);
  std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  return strides;
}

absl::StatusOr<Sizes> ChannelsLastStrides(const Sizes& shape) {
  if (shape.size() != 4 && shape.size() != 5) {
    return Refuse("channels_last", "four or five dimensions", shape);
  }
  Sizes stored = {shape[0]};
  stored.insert(stored.end(), shape.begin() + 2, shape.end());
  stored.push_back(shape[1]);
  const Sizes by_place = ContiguousStrides(stored);
  Sizes strides = {by_place[0], by_place.back()};
  strides.insert(strides.end(), by_place.begin() + 1, by_place.end() - 1);
  return strides;
}

absl::StatusOr<Sizes> ExpandedStrides(const v1::Layout& layout, const Sizes& shape, int64_t* storage) {
  if (layout.dims().empty()) return Refuse("expanded", "`dims`", shape);
  const auto rank = static_cast<int64_t>(shape.size());
  Sizes stored = shape;
  for (int64_t dim : layout.dims()) {
    if (dim < -rank || dim >= rank) {
      return Refuse("expanded", absl::StrCat("a dimension ", dim), shape);
    }
    stored[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = 1;
  }
  Sizes strides = ContiguousStrides(stored);
  for (int64_t dim : layout.dims()) strides[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = 0;
  *storage = NumElements(stored);
  return strides;
}

absl::StatusOr<Sizes> ExplicitStrides(const v1::Layout& layout, const Sizes& shape, int64_t* storage) {
  if (layout.strides().size() != static_cast<int>(shape.size())) {
    return Refuse("explicit", "as many strides as dimensions", shape);
  }
  if (layout.storage_offset() < 0) return Refuse("explicit", "an offset of at least 0", shape);
  if (layout.storage_offset() > kMostElements) return Refuse("explicit", "an offset of at most 2^40", shape);
  Sizes strides(layout.strides().begin(), layout.strides().end());
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (strides[i] < 0) return Refuse("explicit", "strides of at least 0", shape);
    int64_t step = strides[i];
    if (!MultiplyBy(std::max<int64_t>(shape[i] - 1, 0), &step))
      return Refuse("explicit", "a storage of at most 2^40 elements", shape);
    last += step;
  }
  *storage = layout.storage_offset() + (NumElements(shape) == 0 ? 0 : last + 1);
  return strides;
}

absl::StatusOr<Sizes> StridesOf(const v1::Layout& layout, const Sizes& shape, int64_t* storage,
                                int64_t* offset) {
  *storage = NumElements(shape);
  *offset = 0;
  switch (layout.kind()) {
    case v1::Layout::contiguous:
      return ContiguousStrides(shape);
    case v1::Layout::transposed:
      return TransposedStrides(shape);
    case v1::Layout::strided: {
      if (shape.empty()) return Refuse("strided", "a dimension", shape);
      Sizes strides = ContiguousStrides(shape);
      for (int64_t& stride : strides) stride *= 2;
      *storage *= 2;
      return strides;
    }
    case v1::Layout::offset:
      *offset = 1;
      *storage += 1;
      return ContiguousStrides(shape);
    case v1::Layout::expanded:
      return ExpandedStrides(layout, shape, storage);
    case v1::Layout::channels_last:
      return ChannelsLastStrides(shape);
    case v1::Layout::explicit_:
      *offset = layout.storage_offset();
      return ExplicitStrides(layout, shape, storage);
    default:
      return absl::InvalidArgumentError("unknown layout");
  }
}

bool IsDense(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides) {
  const Sizes dense = ContiguousStrides(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && strides[i] != dense[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<int64_t> ContiguousStrides(absl::Span<const int64_t> shape) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

absl::Status ApplyLayout(const v1::Layout& layout, v1::TensorSpec* spec) {
  const Sizes shape(spec->shape().begin(), spec->shape().end());
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 0) return absl::InvalidArgumentError(absl::StrCat("negative size in ", ShapeText(shape)));
    if (!MultiplyBy(std::max<int64_t>(size, 1), &elements)) {
      return absl::InvalidArgumentError(absl::StrCat("more than 2^40 elements in ", ShapeText(shape)));
    }
  }
  int64_t storage = 0;
  int64_t offset = 0;
  ASSIGN_OR_RETURN(Sizes strides, StridesOf(layout, shape, &storage, &offset));
  spec->mutable_strides()->Assign(strides.begin(), strides.end());
  spec->set_storage_offset(offset);
  spec->set_storage_elements(storage);
  return absl::OkStatus();
}

bool Overlaps(const v1::TensorSpec& spec) {
  const Sizes shape(spec.shape().begin(), spec.shape().end());
  if (NumElements(shape) <= 1) return false;
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, size
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) dims.emplace_back(spec.strides(static_cast<int>(i)), shape[i]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;  // the largest offset of the dimensions so far
  bool nested = true;
  for (const auto& [stride, size] : dims) {
    if (stride == 0) return true;
    nested = nested && stride > reach;
    reach += stride * (size - 1);
  }
  if (nested) return false;
  // Interleaved strides may or may not overlap; only explicit layouts reach this point.
  std::unordered_set<int64_t> seen;
  for (int64_t offset : ElementOffsets(shape, spec.strides(), 0)) {
    if (!seen.insert(offset).second) return true;
  }
  return false;
}

std::vector<int64_t> ElementOffsets(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                                    int64_t storage_offset) {
  const int64_t count = NumElements(Sizes(shape.begin(), shape.end()));
  Sizes offsets(static_cast<size_t>(count));
  Sizes index(shape.size(), 0);
  int64_t offset = storage_offset;
  for (int64_t& out : offsets) {
    out = offset;
    for (size_t i = shape.size(); i-- > 0;) {
      offset += strides[i];
      if (++index[i] < shape[i]) break;
      offset -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
  return offsets;
}

void ScatterToStorage(const void* dense, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                      int64_t storage_offset, int64_t element_size, void* storage) {
  const auto size = static_cast<size_t>(element_size);
  const int64_t count = NumElements(Sizes(shape.begin(), shape.end()));
  if (count == 0) return;
  const char* from = static_cast<const char*>(dense);
  char* to = static_cast<char*>(storage);
  if (IsDense(shape, strides)) {
    std::memcpy(to + storage_offset * element_size, from, static_cast<size_t>(count) * size);
    return;
  }
  for (int64_t offset : ElementOffsets(shape, strides, storage_offset)) {
    std::memcpy(to + offset * element_size, from, size);
    from += element_size;
  }
}

void GatherFromStorage(const void* storage, absl::Span<const int64_t> shape,
                       absl::Span<const int64_t> strides, int64_t storage_offset, int64_t element_size,
                       void* dense) {
  const auto size = static_cast<size_t>(element_size);
  const int64_t count = NumElements(Sizes(shape.begin(), shape.end()));
  if (count == 0) return;
  const char* from = static_cast<const char*>(storage);
  char* to = static_cast<char*>(dense);
  if (IsDense(shape, strides)) {
    std::memcpy(to, from + storage_offset * element_size, static_cast<size_t>(count) * size);
    return;
  }
  for (int64_t offset : ElementOffsets(shape, strides, storage_offset)) {
    std::memcpy(to, from + offset * element_size, size);
    to += element_size;
  }
}

}  // namespace diopi
