#include "cases/base/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "cases/base/half.h"

namespace diopi {
namespace {

using D = v1::Dtype;

template <typename T>
T Load(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Store(void* data, int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

int64_t ToInteger(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63)) return 0;
  return static_cast<int64_t>(value);
}

}  // namespace

int64_t NumElements(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  bool fits = true;
  for (const int64_t size : shape) {
    if (size == 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  return fits ? count : std::numeric_limits<int64_t>::max();
}

std::optional<int64_t> ByteSize(Dtype dtype, const std::vector<int64_t>& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) return std::nullopt;
  int64_t bytes = NumElements(shape);
  if (bytes == std::numeric_limits<int64_t>::max()) return std::nullopt;
  if (__builtin_mul_overflow(bytes, static_cast<int64_t>(ElementSize(dtype)), &bytes)) return std::nullopt;
  return bytes;
}

double ElementAsDouble(Dtype dtype, const void* data, int64_t index) {
  switch (dtype) {
    case D::int8:
      return Load<int8_t>(data, index);
    case D::uint8:
      return Load<uint8_t>(data, index);
    case D::int16:
      return Load<int16_t>(data, index);
    case D::uint16:
      return Load<uint16_t>(data, index);
    case D::int32:
      return Load<int32_t>(data, index);
    case D::uint32:
      return Load<uint32_t>(data, index);
    case D::int64:
      return static_cast<double>(Load<int64_t>(data, index));
    case D::uint64:
      return static_cast<double>(Load<uint64_t>(data, index));
    case D::float16:
      return Float16ToDouble(Load<uint16_t>(data, index));
    case D::bfloat16:
      return Bfloat16ToDouble(Load<uint16_t>(data, index));
    case D::float32:
    case D::tfloat32:
      return static_cast<double>(Load<float>(data, index));
    case D::float64:
      return Load<double>(data, index);
    case D::bool_:
      return Load<uint8_t>(data, index) != 0 ? 1 : 0;
    case D::complex32:
      return Float16ToDouble(Load<uint16_t>(data, 2 * index));
    case D::complex64:
      return static_cast<double>(Load<float>(data, 2 * index));
    case D::complex128:
    case D::noise64:
      return Load<double>(data, 2 * index);
    case D::noise80:
      return static_cast<double>(Load<long double>(data, 2 * index));
    default:
      return std::nan("");
  }
}

void StoreDouble(Dtype dtype, void* data, int64_t index, double value) {
  switch (dtype) {
    case D::int8:
    case D::uint8:
      return Store(data, index, static_cast<uint8_t>(ToInteger(value)));
    case D::int16:
    case D::uint16:
      return Store(data, index, static_cast<uint16_t>(ToInteger(value)));
    case D::int32:
    case D::uint32:
      return Store(data, index, static_cast<uint32_t>(ToInteger(value)));
    case D::int64:
    case D::uint64:
      return Store(data, index, ToInteger(value));
    case D::float16:
      return Store(data, index, DoubleToFloat16(value));
    case D::bfloat16:
      return Store(data, index, DoubleToBfloat16(value));
    case D::float32:
    case D::tfloat32:
      return Store(data, index, static_cast<float>(value));
    case D::float64:
      return Store(data, index, value);
    case D::bool_:
      return Store(data, index, static_cast<uint8_t>(value != 0 ? 1 : 0));
    case D::complex32:
      Store(data, 2 * index, DoubleToFloat16(value));
      return Store(data, 2 * index + 1, uint16_t{0});
    case D::complex64:
      Store(data, 2 * index, static_cast<float>(value));
      return Store(data, 2 * index + 1, 0.0F);
    case D::complex128:
    case D::noise64:
      Store(data, 2 * index, value);
      return Store(data, 2 * index + 1, 0.0);
    case D::noise80:
      std::memset(static_cast<char*>(data) + 32 * index, 0, 32);
      return Store(data, 2 * index, static_cast<long double>(value));
    default:
      return;
  }
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace diopi
