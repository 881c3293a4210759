// How elements lie in storage: strides from a Layout, and copies between dense and strided form.
#ifndef CASES_BASE_LAYOUT_H_
#define CASES_BASE_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "diopi/v1/tensor.pb.h"

namespace diopi {

// Row-major strides in elements; a size of 0 or 1 counts as 1.
std::vector<int64_t> ContiguousStrides(absl::Span<const int64_t> shape);

// Fills strides, storage_offset and storage_elements of `spec` from its shape and `layout`.
// InvalidArgument when the layout does not fit the shape (transposed with one dimension, channels_last
// that is not 4-d or 5-d, explicit strides of another length), or for more than 2^40 elements.
absl::Status ApplyLayout(const v1::Layout& layout, v1::TensorSpec* spec);

// True when two elements of the tensor share a storage element (expanded layouts).
bool Overlaps(const v1::TensorSpec& spec);

// Storage offset, in elements, of every logical element in row-major order.
std::vector<int64_t> ElementOffsets(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                                    int64_t storage_offset);

// Copies between a dense tensor and a storage of element size `element_size`.
void ScatterToStorage(const void* dense, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                      int64_t storage_offset, int64_t element_size, void* storage);
void GatherFromStorage(const void* storage, absl::Span<const int64_t> shape,
                       absl::Span<const int64_t> strides, int64_t storage_offset, int64_t element_size,
                       void* dense);

}  // namespace diopi

#endif  // CASES_BASE_LAYOUT_H_
