// The stream of a call on either backend.
#include <cstring>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/queue.h"
#include "diopi/diopi_device.h"

namespace diopi::ops::cuda {

Queue::Queue(diopiContextHandle_t ctx) : ctx_(ctx) {
  UseDevice();
  Check(diopiGetStream(ctx, &stream_) == diopiSuccess, "the host gives no stream");
}

void* Queue::Bytes(int64_t bytes) const {
  if (bytes <= 0) return nullptr;
  diopiTensorHandle_t buffer = nullptr;
  void* data = nullptr;
  const bool given = diopiRequireBuffer(ctx_, &buffer, bytes, diopi_device) == diopiSuccess &&
                     buffer != nullptr && diopiGetTensorData(buffer, &data) == diopiSuccess &&
                     data != nullptr;
  Check(given, "the host gave no buffer of ", bytes, " bytes");
  return data;
}

#if defined(DIOPI_CUDA_EMULATED)

void Queue::CopyToDevice(void* dst, const void* src, int64_t bytes) const {
  if (bytes > 0) CopyAnywhere(dst, src, bytes);
}
void Queue::CopyOnDevice(void* dst, const void* src, int64_t bytes) const {
  if (bytes > 0) CopyAnywhere(dst, src, bytes);
}
void Queue::CopyToHost(void* dst, const void* src, int64_t bytes) const {
  if (bytes > 0) CopyAnywhere(dst, src, bytes);
}
void Queue::Zero(void* dst, int64_t bytes) const {
  const DeviceMemoryOpen open;
  if (bytes > 0) std::memset(dst, 0, static_cast<size_t>(bytes));
}

#else

void CheckCuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess) Fail(what, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")");
}

void Queue::CopyToDevice(void* dst, const void* src, int64_t bytes) const {
  if (bytes <= 0) return;
  // Pageable memory is staged before this returns.
  CheckCuda(cudaMemcpyAsync(dst, src, static_cast<size_t>(bytes), cudaMemcpyHostToDevice, StreamOf(*this)),
            "copy to the device");
}
void Queue::CopyOnDevice(void* dst, const void* src, int64_t bytes) const {
  if (bytes <= 0) return;
  CheckCuda(cudaMemcpyAsync(dst, src, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice, StreamOf(*this)),
            "copy on the device");
}
void Queue::Zero(void* dst, int64_t bytes) const {
  if (bytes <= 0) return;
  CheckCuda(cudaMemsetAsync(dst, 0, static_cast<size_t>(bytes), StreamOf(*this)), "filling with zeros");
}
void Queue::CopyToHost(void* dst, const void* src, int64_t bytes) const {
  if (bytes > 0) {
    CheckCuda(cudaMemcpyAsync(dst, src, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost, StreamOf(*this)),
              "copy to the host");
  }
  CheckCuda(cudaStreamSynchronize(StreamOf(*this)), "waiting for the stream");
}

#endif

}  // namespace diopi::ops::cuda
