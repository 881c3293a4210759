// The stream of a call on either backend.
#include <cstdio>
#include <cstring>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/queue.h"
#include "baselines/ops/support/cuda/recovery.h"
#include "diopi/diopi_device.h"

namespace diopi::ops::cuda {

void NoteFallback(const char* what, const char* error) {
  std::fprintf(stderr, "libdiopi_cuda: %s: %s; something else computes instead\n", what, error);
}

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
  if (error == cudaSuccess) return;
  cudaGetLastError();  // which CUB, say, would find after a later launch, and take for its own
  Fail(what, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")");
}

bool DeviceWorks() {
  cudaGetLastError();
  const cudaError_t state = cudaStreamQuery(nullptr);
  if (state == cudaSuccess) return true;
  cudaGetLastError();
  return state == cudaErrorNotReady;
}

namespace {

// Pageable memory is staged before cudaMemcpyAsync returns, except by a GPU that reads the host's memory
// itself (GH200, HMM).
bool ReadsHostMemory() {
  int device = 0, reads = 0;
  CheckCuda(cudaGetDevice(&device), "getting the device");
  CheckCuda(cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccess, device),
            "asking for an attribute");
  return reads != 0;
}

}  // namespace

void Queue::CopyToDevice(void* dst, const void* src, int64_t bytes) const {
  if (bytes <= 0) return;
  CheckCuda(cudaMemcpyAsync(dst, src, static_cast<size_t>(bytes), cudaMemcpyHostToDevice, StreamOf(*this)),
            "copy to the device");
  if (ReadsHostMemory())
    CheckCuda(cudaStreamSynchronize(StreamOf(*this)), "waiting for a copy to the device");
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
