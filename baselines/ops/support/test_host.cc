#include "baselines/ops/support/test_host.h"

#include <algorithm>
#include <utility>

namespace diopi::ops {
namespace {

diopiTensor MakeTensor(diopiDtype_t dtype, Shape shape, Shape strides, int64_t offset) {
  diopiTensor tensor{dtype, std::move(shape), std::move(strides), offset, {}};
  int64_t last = offset;
  for (size_t d = 0; d < tensor.shape.size() && Numel(tensor.shape) > 0; ++d)
    last += (tensor.shape[d] - 1) * tensor.strides[d];
  tensor.storage.assign(static_cast<size_t>((last + 1) * ElementSize(dtype) + 1), 0x55);
  return tensor;
}

void Fill(diopiTensor* tensor, const std::vector<double>& values) {
  const Tensor view(tensor);
  if (view.numel() == 0) return;  // of any type
  std::vector<double> all(static_cast<size_t>(view.numel()));
  for (size_t i = 0; i < all.size() && !values.empty(); ++i) all[i] = values[i % values.size()];
  Store(view, all);
}

}  // namespace

TestTensor::TestTensor(diopiDtype_t dtype, const Shape& shape, const std::vector<double>& values)
    : TestTensor(dtype, shape, DenseStrides(shape), 0, values) {}

TestTensor::TestTensor(diopiDtype_t dtype, Shape shape, Shape strides, int64_t offset,
                       const std::vector<double>& values)
    : tensor_(MakeTensor(dtype, std::move(shape), std::move(strides), offset)) {
  Fill(&tensor_, values);
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
  return static_cast<int>(std::count(tensor_.storage.begin(), tensor_.storage.end(), 0x55));
}

}  // namespace diopi::ops

using diopi::ops::ElementSize;

diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void** pptr) {
  *pptr = th->storage.data() + th->front + th->offset * ElementSize(th->dtype);
  return diopiSuccess;
}
diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void** pptr) {
  *pptr = th->storage.data() + th->front + th->offset * ElementSize(th->dtype);
  return diopiSuccess;
}
diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size) {
  *size = {th->shape.data(), static_cast<int64_t>(th->shape.size())};
  return diopiSuccess;
}
diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride) {
  *stride = {th->strides.data(), static_cast<int64_t>(th->strides.size())};
  return diopiSuccess;
}
diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype) {
  *dtype = th->dtype;
  return diopiSuccess;
}
diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel) {
  *numel = diopi::ops::Numel(th->shape);
  return diopiSuccess;
}
diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* bytes) {
  *bytes = ElementSize(th->dtype);
  return diopiSuccess;
}
diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* offset) {
  *offset = th->offset;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* bytes) {
  *bytes = th->storage.size() - static_cast<size_t>(th->front);
  return diopiSuccess;
}
diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                const diopiSize_t* size, const diopiSize_t*, const diopiDtype_t dtype,
                                const diopiDevice_t) {
  const diopi::ops::Shape shape = diopi::ops::Sizes(*size);
  ctx->required.push_back(std::make_unique<diopiTensor>(
      diopi::ops::MakeTensor(dtype, shape, diopi::ops::DenseStrides(shape), 0)));
  *tensor = ctx->required.back().get();
  return diopiSuccess;
}
// Buffers, other than tensors, are aligned as a host's are.
diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t num_bytes,
                                diopiDevice_t) {
  constexpr int64_t kAlignment = 16;
  auto buffer = std::make_unique<diopiTensor>(
      diopi::ops::MakeTensor(diopi_dtype_uint8, {num_bytes}, {1}, kAlignment - 1));
  const auto first = reinterpret_cast<uintptr_t>(buffer->storage.data()) + 1;
  buffer->offset = static_cast<int64_t>((kAlignment - first % kAlignment) % kAlignment);
  *tensor = buffer.get();
  ctx->required.push_back(std::move(buffer));
  return diopiSuccess;
}
diopiError_t diopiGetStream(diopiContextHandle_t, diopiStreamHandle_t* stream) {
  *stream = nullptr;
  return diopiSuccess;
}
// All tensors here are dense.
diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t, bool* is_sparse) {
  *is_sparse = false;
  return diopiSuccess;
}
diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t, diopiConstTensorHandle_t*) {
  return diopiErrorOccurred;
}
diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t, diopiConstTensorHandle_t*) {
  return diopiErrorOccurred;
}
diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t, diopiConstTensorHandle_t*) {
  return diopiErrorOccurred;
}
diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* index) {
  *index = 0;
  return diopiSuccess;
}
diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t generator, uint64_t* seed,
                                            uint64_t* offset) {
  const diopiGenerator state = generator == nullptr ? diopiGenerator() : *generator;
  *seed = state.seed;
  *offset = state.offset;
  return diopiSuccess;
}
diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t generator, uint64_t seed,
                                            uint64_t offset) {
  if (generator != nullptr) *generator = {seed, offset};
  return diopiSuccess;
}
