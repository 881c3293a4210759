// Sizes and strides come from the library, so all arithmetic on them is checked for overflow. Required memory
// is poisoned and, on a device, waited for before the library gets it, because the library may use it on a
// stream of its own. The lock protects the arenas and the list of required tensors; memory is filled outside
// of it.
#include "impl_loader/runtime/host.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace diopi::runtime {
namespace {

// The most that is poisoned of a buffer, half of it at each end.
constexpr size_t kHostPoisonBytes = size_t{64} << 20;
constexpr size_t kDevicePoisonBytes = size_t{8} << 20;  // which travel to the device in each call

constexpr int32_t kNoise64 = 200;
constexpr int32_t kNoise80 = 201;

}  // namespace

int64_t ElementBytes(int32_t dtype) {
  switch (dtype) {
    case diopi_dtype_int8:
    case diopi_dtype_uint8:
    case diopi_dtype_bool:
      return 1;
    case diopi_dtype_int16:
    case diopi_dtype_uint16:
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
      return 2;
    case diopi_dtype_int32:
    case diopi_dtype_uint32:
    case diopi_dtype_float32:
    case diopi_dtype_tfloat32:
    case diopi_dtype_complex32:
      return 4;
    case diopi_dtype_int64:
    case diopi_dtype_uint64:
    case diopi_dtype_float64:
    case diopi_dtype_complex64:
      return 8;
    case diopi_dtype_complex128:
    case kNoise64:
      return 16;
    case kNoise80:
      return 32;
    default:
      return 0;
  }
}

std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * (shape[i] > 0 ? shape[i] : 1);
  }
  return strides;
}

bool StorageElements(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t offset,
                     int64_t* elements, int64_t* numel) {
  if (shape.size() != strides.size() || offset < 0) return false;
  int64_t count = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) return false;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, size, &count)) {
      return false;
    }
  }
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 0;
    if (shape[i] == 0) continue;
    if (strides[i] < 0 || __builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  *numel = empty ? 0 : count;
  if (empty) {
    *elements = offset;
    return true;
  }
  return !__builtin_add_overflow(last, offset, &last) && !__builtin_add_overflow(last, int64_t{1}, elements);
}

}  // namespace diopi::runtime

using diopi::runtime::Buffer;

void diopiTensor::SealLayout() {
  sealed_shape_ = shape;
  sealed_strides_ = strides;
}

bool diopiTensor::RestoreLayout() {
  if (shape == sealed_shape_ && strides == sealed_strides_) return false;
  // In place: the library may still hold the pointers.
  std::copy(sealed_shape_.begin(), sealed_shape_.end(), shape.begin());
  std::copy(sealed_strides_.begin(), sealed_strides_.end(), strides.begin());
  return true;
}

Buffer diopiContext::Allocate(size_t bytes, diopiDevice_t where) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return (where == diopi_device && device_ != nullptr ? device_ : host_)->Allocate(bytes);
}

diopiTensor* diopiContext::Require(int32_t dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                                   diopiDevice_t where, diopiError_t* error) {
  *error = diopiErrorOccurred;
  const int64_t element = diopi::runtime::ElementBytes(dtype);
  int64_t elements = 0;
  int64_t bytes = 0;
  auto tensor = std::make_unique<diopiTensor>();
  if (element == 0 || !diopi::runtime::StorageElements(shape, strides, 0, &elements, &tensor->numel) ||
      __builtin_mul_overflow(elements, element, &bytes)) {
    return nullptr;
  }
  tensor->dtype = dtype;
  tensor->shape = std::move(shape);
  tensor->strides = std::move(strides);
  tensor->SealLayout();
  tensor->device = where;
  tensor->storage = Allocate(static_cast<size_t>(bytes), where);
  const Buffer& buffer = tensor->storage;
  if (buffer.data == nullptr) return nullptr;
  if (fill_required && !Fill(buffer)) return nullptr;
  *error = diopiSuccess;
  const std::lock_guard<std::mutex> lock(mutex_);
  required_.push_back(std::move(tensor));
  return required_.back().get();
}

bool diopiContext::Fill(const Buffer& buffer) const {
  void* const on = fill_stream != nullptr ? fill_stream : stream;
  if (Poison(buffer, on) != 0) return false;
  // Wait here, because the library may use the memory on a stream of its own.
  return !buffer.on_device || SynchronizeOn(on) == 0;
}

int32_t diopiContext::Poison(const Buffer& buffer, void* on) const {
  const size_t most =
      buffer.on_device ? diopi::runtime::kDevicePoisonBytes : diopi::runtime::kHostPoisonBytes;
  const bool whole = buffer.bytes <= most;
  const size_t first = whole ? buffer.bytes : most / 2, last = whole ? 0 : most / 2;
  diopi::runtime::WriteCanaries(buffer);
  if (first > 0) std::memset(buffer.mirror, poison, first);
  if (last > 0) std::memset(buffer.mirror + buffer.bytes - last, poison, last);
  if (!buffer.on_device) return 0;
  if (whole) return functions_.copy_h2d(on, buffer.zone(), buffer.zone_mirror(), buffer.zone_bytes());
  const int32_t code = functions_.copy_h2d(on, buffer.zone(), buffer.zone_mirror(), buffer.head + first);
  if (code != 0) return code;
  const size_t end = buffer.bytes - last;
  return functions_.copy_h2d(on, buffer.data + end, buffer.mirror + end, last + buffer.tail);
}

std::vector<diopiTensor*> diopiContext::Required() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<diopiTensor*> tensors;
  tensors.reserve(required_.size());
  for (const auto& tensor : required_) tensors.push_back(tensor.get());
  return tensors;
}

void diopiContext::ReleaseRequired() {
  const std::lock_guard<std::mutex> lock(mutex_);
  required_.clear();
}

int32_t diopiContext::Upload(const Buffer& buffer) const {
  if (!buffer.on_device) return 0;
  return functions_.copy_h2d(stream, buffer.zone(), buffer.zone_mirror(), buffer.zone_bytes());
}

int32_t diopiContext::Download(const Buffer& buffer) const {
  if (!buffer.on_device) return 0;
  return functions_.copy_d2h(stream, buffer.zone_mirror(), buffer.zone(), buffer.zone_bytes());
}

int32_t diopiContext::DownloadCanaries(const Buffer& buffer) const {
  if (!buffer.on_device || buffer.zone_bytes() == buffer.bytes) return 0;
  const int32_t before = functions_.copy_d2h(stream, buffer.zone_mirror(), buffer.zone(), buffer.head);
  if (before != 0) return before;
  return functions_.copy_d2h(stream, buffer.mirror + buffer.bytes, buffer.data + buffer.bytes, buffer.tail);
}

int32_t diopiContext::CopyOnDevice(const Buffer& from, const Buffer& to) const {
  return functions_.copy_d2d(stream, to.data, from.data, from.bytes);
}

int32_t diopiContext::Synchronize() const {
  return SynchronizeOn(stream);
}

int32_t diopiContext::SynchronizeOn(void* on) const {
  return functions_.stream_synchronize == nullptr ? 0 : functions_.stream_synchronize(on);
}
