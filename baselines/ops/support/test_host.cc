#include "baselines/ops/support/test_host.h"

#include <algorithm>
#include <utility>

namespace diopi::ops {
namespace {

constexpr char kGap = 0x55;
constexpr size_t kMostAlignment = 32;  // bytes that AlignTo may skip

}  // namespace

TestTensor::TestTensor(diopiDtype_t dtype, const Shape& shape, const std::vector<double>& values)
    : TestTensor(dtype, shape, DenseStrides(shape), 0, values) {}

TestTensor::TestTensor(diopiDtype_t dtype, const Shape& shape, const Shape& strides, int64_t offset,
                       const std::vector<double>& values) {
  tensor_.dtype = dtype;
  tensor_.shape = shape;
  tensor_.strides = strides;
  tensor_.storage_offset = offset;
  int64_t elements = 0;
  Check(runtime::StorageElements(shape, strides, offset, &elements, &tensor_.numel),
        "a test's layout is none");
  tensor_.storage.bytes = static_cast<size_t>(elements * runtime::ElementBytes(dtype));
  bytes_.assign(tensor_.storage.bytes + kMostAlignment, kGap);
  AlignTo(1);
  if (tensor_.numel == 0) return;
  std::vector<double> all(static_cast<size_t>(tensor_.numel));
  for (size_t i = 0; i < all.size() && !values.empty(); ++i) all[i] = values[i % values.size()];
  Store(view(), all);
}

TestTensor& TestTensor::AlignTo(int64_t bytes) {
  const auto start = reinterpret_cast<uintptr_t>(bytes_.data());
  tensor_.storage.data = reinterpret_cast<std::byte*>(bytes_.data() + (16 - start % 16) % 16 + bytes);
  return *this;
}

std::vector<double> TestTensor::values() const {
  return Load<double>(Tensor(&tensor_));
}
std::vector<Noise<double>> TestTensor::noise() const {
  return Load<Noise<double>>(Tensor(&tensor_));
}
std::vector<int64_t> TestTensor::ints() const {
  return Load<int64_t>(Tensor(&tensor_));
}
int TestTensor::gap_bytes_intact() const {
  const auto* first = reinterpret_cast<const char*>(tensor_.storage.data);
  return static_cast<int>(std::count(first, first + tensor_.storage.bytes, kGap));
}

}  // namespace diopi::ops
