// The C functions of diopi/diopirt.h. A null argument gives an error code, never a crash: real libraries call
// these functions without checking. Results are pointers into the host's objects, which outlive the call.
// What a library registers is global to the process, because the ABI passes no handle there.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "impl_loader/runtime/device_functions.h"
#include "impl_loader/runtime/host.h"

namespace diopi::runtime {
namespace {

constexpr size_t kStateBytes = 2 * sizeof(uint64_t);
constexpr int64_t kMaxDims = 1024;  // a larger length must be uninitialised

struct Registry {
  std::mutex mutex;
  DeviceFunctions functions;
};

// The registration functions take no handle, so the table can only be global to the process.
Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

template <typename F, typename G>
diopiError_t Register(F DeviceFunctions::*slot, G function) {
  static_assert(sizeof(F) == sizeof(G));
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.functions.*slot = reinterpret_cast<F>(function);
  return diopiSuccess;
}

// The device of this process, which its parent sets (DIOPI_DEVICE_INDEX); 0 by default. Read once.
diopiDeviceIndex_t DeviceIndex() {
  static const diopiDeviceIndex_t index = [] {
    const char* text = std::getenv("DIOPI_DEVICE_INDEX");
    const long value = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
    const bool fits = value >= 0 && value <= std::numeric_limits<diopiDeviceIndex_t>::max();
    return static_cast<diopiDeviceIndex_t>(fits ? value : 0);
  }();
  return index;
}

std::byte* FirstElement(const diopiTensor& tensor) {
  return tensor.storage.data + tensor.storage_offset * ElementBytes(tensor.dtype);
}

template <typename T, typename F>
diopiError_t Get(const diopiTensor* tensor, T* out, F value) {
  if (tensor == nullptr || out == nullptr) return diopiErrorOccurred;
  *out = value(*tensor);
  return diopiSuccess;
}

// A part of a sparse tensor; an error for a dense one.
diopiError_t GetPart(diopiConstTensorHandle_t th, const diopiTensor* diopiTensor::*part,
                     diopiConstTensorHandle_t* out) {
  if (out != nullptr) *out = nullptr;
  if (th == nullptr || out == nullptr || th->*part == nullptr) return diopiErrorOccurred;
  *out = th->*part;
  return diopiSuccess;
}

bool ReadSize(const diopiSize_t* size, std::vector<int64_t>* values) {
  if (size->len < 0 || size->len > kMaxDims || (size->len > 0 && size->data == nullptr)) return false;
  values->resize(static_cast<size_t>(size->len));
  if (size->len > 0) std::memcpy(values->data(), size->data, values->size() * sizeof(int64_t));
  return true;
}

}  // namespace

DeviceFunctions RegisteredFunctions() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  return registry.functions;
}

void ClearRegisteredFunctions() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.functions = DeviceFunctions();
}

}  // namespace diopi::runtime

using diopi::runtime::DeviceFunctions;
using diopi::runtime::ElementBytes;
using diopi::runtime::FirstElement;
using diopi::runtime::Get;
using diopi::runtime::GetPart;
using diopi::runtime::Register;

extern "C" {

const char* diopiGetVersion() {
  return "1.0.0";
}

diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void** pptr) {
  return Get(th, pptr, [](const diopiTensor& t) -> void* { return FirstElement(t); });
}

diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void** pptr) {
  return Get(th, pptr, [](const diopiTensor& t) -> const void* { return FirstElement(t); });
}

diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size) {
  return Get(th, size, [](const diopiTensor& t) {
    return diopiSize_t{t.shape.data(), static_cast<int64_t>(t.shape.size())};
  });
}

diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride) {
  return Get(th, stride, [](const diopiTensor& t) {
    return diopiSize_t{t.strides.data(), static_cast<int64_t>(t.strides.size())};
  });
}

diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype) {
  if (th == nullptr || dtype == nullptr) return diopiErrorOccurred;
  // Copied as bits, because the internal codes are not enumerators.
  static_assert(sizeof(diopiDtype_t) == sizeof(int32_t));
  std::memcpy(dtype, &th->dtype, sizeof(int32_t));
  return diopiSuccess;
}

diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t th, diopiDevice_t* device) {
  return Get(th, device, [](const diopiTensor& t) { return t.device; });
}

diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel) {
  return Get(th, numel, [](const diopiTensor& t) { return t.numel; });
}

diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize) {
  return Get(th, itemsize, [](const diopiTensor& t) { return ElementBytes(t.dtype); });
}

diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t th, void** pptr) {
  return Get(th, pptr, [](const diopiTensor& t) -> void* { return t.storage.data; });
}

diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* offset) {
  return Get(th, offset, [](const diopiTensor& t) { return t.storage_offset; });
}

diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* nbytes) {
  return Get(th, nbytes, [](const diopiTensor& t) { return t.storage.bytes; });
}

diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t th, diopiDeviceIndex_t* index) {
  return Get(th, index, [](const diopiTensor&) { return diopi::runtime::DeviceIndex(); });
}

diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* crow_indices) {
  return GetPart(th, &diopiTensor::row_starts, crow_indices);
}

diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* col_indices) {
  return GetPart(th, &diopiTensor::columns, col_indices);
}

diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* values) {
  return GetPart(th, &diopiTensor::values, values);
}

diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t th, bool* is_sparse) {
  return Get(th, is_sparse, [](const diopiTensor& t) { return t.row_starts != nullptr; });
}

diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* index) {
  if (index == nullptr) return diopiErrorOccurred;
  *index = diopi::runtime::DeviceIndex();
  return diopiSuccess;
}

diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream) {
  if (ctx == nullptr || stream == nullptr) return diopiErrorOccurred;
  *stream = ctx->stream;
  return diopiSuccess;
}

diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                const diopiSize_t* size, const diopiSize_t* stride, const diopiDtype_t dtype,
                                const diopiDevice_t device) {
  if (tensor != nullptr) *tensor = nullptr;
  if (ctx == nullptr || tensor == nullptr || size == nullptr) return diopiErrorOccurred;
  int32_t code = 0;
  std::memcpy(&code, &dtype, sizeof(code));
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  if (!diopi::runtime::ReadSize(size, &shape)) return diopiErrorOccurred;
  if (stride == nullptr || stride->data == nullptr) {
    strides = diopi::runtime::RowMajorStrides(shape);
  } else if (!diopi::runtime::ReadSize(stride, &strides)) {
    return diopiErrorOccurred;
  }
  diopiError_t error = diopiSuccess;
  *tensor = ctx->Require(code, std::move(shape), std::move(strides), device, &error);
  return error;
}

diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t num_bytes,
                                diopiDevice_t device) {
  const diopiSize_t size{&num_bytes, 1};
  return diopiRequireTensor(ctx, tensor, &size, nullptr, diopi_dtype_int8, device);
}

diopiError_t diopiGeneratorGetState(diopiContextHandle_t ctx, diopiConstGeneratorHandle_t th,
                                    diopiTensorHandle_t* data) {
  const auto bytes = static_cast<int64_t>(diopi::runtime::kStateBytes);
  const diopiSize_t size{&bytes, 1};
  const diopiError_t error = diopiRequireTensor(ctx, data, &size, nullptr, diopi_dtype_uint8, diopi_host);
  if (error != diopiSuccess) return error;
  const diopiGenerator state = th != nullptr ? *th : diopiGenerator{diopi::runtime::kDefaultSeed, 0};
  std::memcpy((*data)->storage.data, &state.seed, sizeof(state.seed));
  std::memcpy((*data)->storage.data + sizeof(state.seed), &state.offset, sizeof(state.offset));
  return diopiSuccess;
}

diopiError_t diopiGeneratorSetState(diopiGeneratorHandle_t th, diopiConstTensorHandle_t new_state) {
  if (new_state == nullptr || new_state->storage.on_device ||
      new_state->storage.bytes < diopi::runtime::kStateBytes) {
    return diopiErrorOccurred;
  }
  if (th == nullptr) return diopiSuccess;
  std::memcpy(&th->seed, new_state->storage.data, sizeof(th->seed));
  std::memcpy(&th->offset, new_state->storage.data + sizeof(th->seed), sizeof(th->offset));
  return diopiSuccess;
}

diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t* seed, uint64_t* offset) {
  if (seed == nullptr || offset == nullptr) return diopiErrorOccurred;
  *seed = th != nullptr ? th->seed : diopi::runtime::kDefaultSeed;
  *offset = th != nullptr ? th->offset : 0;
  return diopiSuccess;
}

diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t seed, uint64_t offset) {
  if (th != nullptr) *th = {seed, offset};
  return diopiSuccess;
}

diopiError_t diopiRecordStart(const char* record_name, void** record) {
  (void)record_name;
  if (record == nullptr) return diopiErrorOccurred;
  *record = nullptr;
  return diopiSuccess;
}

diopiError_t diopiRecordEnd(void** record) {
  return record == nullptr ? diopiErrorOccurred : diopiSuccess;
}

diopiError_t diopiRegisterStreamCreateFunc(diopiStreamCreateFunc_t func) {
  return Register(&DeviceFunctions::stream_create, func);
}
diopiError_t diopiRegisterStreamDestroyFunc(diopiStreamDestroyFunc_t func) {
  return Register(&DeviceFunctions::stream_destroy, func);
}
diopiError_t diopiRegisterSynchronizeStreamFunc(diopiStreamSyncFunc_t func) {
  return Register(&DeviceFunctions::stream_synchronize, func);
}
diopiError_t diopiRegisterDeviceMallocFunc(diopiDeviceMallocFunc_t func) {
  return Register(&DeviceFunctions::memory_malloc, func);
}
diopiError_t diopiRegisterDevMemFreeFunc(diopiDeviceFreeFunc_t func) {
  return Register(&DeviceFunctions::memory_free, func);
}
diopiError_t diopiRegisterMemcpyH2DAsyncFunc(diopiMemcpyFunc_t func) {
  return Register(&DeviceFunctions::copy_h2d, func);
}
diopiError_t diopiRegisterMemcpyD2HAsyncFunc(diopiMemcpyFunc_t func) {
  return Register(&DeviceFunctions::copy_d2h, func);
}
diopiError_t diopiRegisterMemcpyD2DAsyncFunc(diopiMemcpyFunc_t func) {
  return Register(&DeviceFunctions::copy_d2d, func);
}
diopiError_t diopiRegisterGetLastErrorFunc(diopiLastErrorFunc_t func) {
  return Register(&DeviceFunctions::last_error, func);
}

}  // extern "C"
