// The device functions of both dialects. (The emulated library's: emulated/device.cc.)
#include <cublasLt.h>

#include <atomic>
#include <fstream>

#if defined(DIOPI_HAVE_CUDNN)
#include <cudnn.h>
#endif

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/op.h"
#include "diopi/diopi_device.h"

// Hosts of the older dialect have these; others do not.
#define DIOPI_WEAK_IMPORT(NAME, TYPE) extern "C" __attribute__((weak)) diopiError_t NAME(TYPE func)
DIOPI_WEAK_IMPORT(diopiRegisterStreamCreateFunc, diopiStreamCreateFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterStreamDestroyFunc, diopiStreamDestroyFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterSynchronizeStreamFunc, diopiStreamSyncFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterDeviceMallocFunc, diopiDeviceMallocFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterDevMemFreeFunc, diopiDeviceFreeFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterMemcpyH2DAsyncFunc, diopiMemcpyFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterMemcpyD2HAsyncFunc, diopiMemcpyFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterMemcpyD2DAsyncFunc, diopiMemcpyFunc_t);
DIOPI_WEAK_IMPORT(diopiRegisterGetLastErrorFunc, diopiLastErrorFunc_t);

namespace diopi::ops::cuda {
namespace {

// The device that the host wants; 0 where it does not say.
int WantedDevice() {
  diopiDeviceIndex_t index = 0;
  if (diopiGetCurrentDeviceIndex(&index) != diopiSuccess || index < 0) return 0;
  return index;
}

std::string VersionText(int version) {  // 13000 -> 13.0
  return Text(version / 1000, ".", version % 1000 / 10);
}

// "580.65.06", from the line "NVRM version: NVIDIA UNIX ... Kernel Module  580.65.06  ..."; empty where this
// process may not read it.
std::string DriverRelease() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    const bool release =
        word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos;
    if (release) return word;
  }
  return "";
}

// CUDA Toolkit Release Notes, "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version
// Compatibility".
std::string NeededDriver() {
  return Text("CUDA ", VersionText(CUDART_VERSION), " needs driver ", CUDART_VERSION >= 13000 ? 580 : 525,
              " or newer, or NVIDIA's forward-compatibility library (package cuda-compat) before it on the "
              "loader's path");
}

std::string DnnText() {
#if defined(DIOPI_HAVE_CUDNN)
  const size_t version = cudnnGetVersion();  // 91900 is 9.19.0
  return Text(", cuDNN ", version / 10000, ".", version % 10000 / 100, ".", version % 100);
#else
  return ", built without cuDNN";
#endif
}

}  // namespace

void UseDevice() {
  static std::atomic<bool> known{false};
  if (!known.load(std::memory_order_relaxed)) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice ||
        error == cudaErrorInitializationError) {
      cudaGetLastError();  // it would be told again by the next call
      int driver = 0;
      cudaDriverGetVersion(&driver);
      if (driver == 0) {
        Fail("no CUDA device: the driver is not installed (", cudaGetErrorName(error), "); ", NeededDriver());
      }
      const std::string release = DriverRelease();
      Fail("no CUDA device: ", cudaGetErrorString(error), " (", cudaGetErrorName(error),
           "): this machine's driver is ", release.empty() ? "" : release + ", ", "for CUDA ",
           VersionText(driver), "; ", NeededDriver());
    }
    CheckCuda(error, "no CUDA device");
    Check(count > 0, "no CUDA device");
    known.store(true, std::memory_order_relaxed);
  }
  CheckCuda(cudaSetDevice(WantedDevice()), "choosing the CUDA device");
}

std::string DeviceText() {
  int count = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties;
  cudaRuntimeGetVersion(&runtime);
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
      cudaGetDeviceProperties(&properties, WantedDevice()) != cudaSuccess) {
    cudaGetLastError();
    return Text("no CUDA device, CUDA ", VersionText(runtime));
  }
  cudaDriverGetVersion(&driver);
  const std::string release = DriverRelease();
  return Text(properties.name, " (sm_", properties.major, properties.minor, "), driver ",
              release.empty() ? "" : release + " ", "for CUDA ", VersionText(driver), ", CUDA ",
              VersionText(runtime), ", cuBLASLt ", cublasLtGetVersion(), DnnText());
}

}  // namespace diopi::ops::cuda

namespace {

using diopi::ops::Fail;
using diopi::ops::Guard;
using diopi::ops::cuda::CheckCuda;
using diopi::ops::cuda::UseDevice;

diopiError_t CopyAsync(const char* function, diopiStreamHandle_t stream, void* dst, const void* src,
                       uint64_t bytes, cudaMemcpyKind kind) {
  return Guard(function, [&] {
    UseDevice();
    CheckCuda(cudaMemcpyAsync(dst, src, bytes, kind, static_cast<cudaStream_t>(stream)), "cudaMemcpyAsync");
  });
}

// The older dialect's error type is int32_t.
int32_t StreamCreate(diopiStreamHandle_t* stream) {
  return device_make_stream(stream);
}
int32_t StreamDestroy(diopiStreamHandle_t stream) {
  return device_destroy_stream(stream);
}
int32_t StreamSynchronize(diopiStreamHandle_t stream) {
  return device_synchronize_stream(stream);
}
int32_t CopyH2D(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return device_memcpy_h2d_async(stream, dst, src, bytes);
}
int32_t CopyD2H(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return device_memcpy_d2h_async(stream, dst, src, bytes);
}
int32_t CopyD2D(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return device_memcpy_d2d_async(stream, dst, src, bytes);
}

void Register() {
  if (diopiRegisterStreamCreateFunc != nullptr) diopiRegisterStreamCreateFunc(StreamCreate);
  if (diopiRegisterStreamDestroyFunc != nullptr) diopiRegisterStreamDestroyFunc(StreamDestroy);
  if (diopiRegisterSynchronizeStreamFunc != nullptr) diopiRegisterSynchronizeStreamFunc(StreamSynchronize);
  if (diopiRegisterDeviceMallocFunc != nullptr) diopiRegisterDeviceMallocFunc(device_malloc);
  if (diopiRegisterDevMemFreeFunc != nullptr) diopiRegisterDevMemFreeFunc(device_free);
  if (diopiRegisterMemcpyH2DAsyncFunc != nullptr) diopiRegisterMemcpyH2DAsyncFunc(CopyH2D);
  if (diopiRegisterMemcpyD2HAsyncFunc != nullptr) diopiRegisterMemcpyD2HAsyncFunc(CopyD2H);
  if (diopiRegisterMemcpyD2DAsyncFunc != nullptr) diopiRegisterMemcpyD2DAsyncFunc(CopyD2D);
  if (diopiRegisterGetLastErrorFunc != nullptr) diopiRegisterGetLastErrorFunc(diopi::ops::LastErrorText);
}

}  // namespace

void* device_malloc(uint64_t bytes) {
  void* memory = nullptr;
  Guard(__func__, [&] {
    UseDevice();
    CheckCuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  });
  return memory;
}
void device_free(void* ptr) {
  Guard(__func__, [&] { CheckCuda(cudaFree(ptr), "cudaFree"); });
}
diopiError_t device_memcpy_h2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return CopyAsync(__func__, stream, dst, src, bytes, cudaMemcpyHostToDevice);
}
diopiError_t device_memcpy_d2h_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return CopyAsync(__func__, stream, dst, src, bytes, cudaMemcpyDeviceToHost);
}
diopiError_t device_memcpy_d2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return CopyAsync(__func__, stream, dst, src, bytes, cudaMemcpyDeviceToDevice);
}
diopiError_t device_make_stream(diopiStreamHandle_t* stream) {
  return Guard(__func__, [&] {
    UseDevice();
    cudaStream_t made = nullptr;
    CheckCuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreate");
    *stream = made;
  });
}
diopiError_t device_destroy_stream(diopiStreamHandle_t stream) {
  return Guard(__func__,
               [&] { CheckCuda(cudaStreamDestroy(static_cast<cudaStream_t>(stream)), "cudaStreamDestroy"); });
}
diopiError_t device_synchronize_stream(diopiStreamHandle_t stream) {
  return Guard(__func__, [&] {
    CheckCuda(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize");
  });
}

int32_t initLibrary() {
  const diopiError_t error = Guard(__func__, [] { UseDevice(); });
  if (error == diopiSuccess) Register();
  return error;
}
int32_t finalizeLibrary() {
  return 0;
}
