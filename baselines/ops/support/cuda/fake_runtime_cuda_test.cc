// What device.cu and queue.cu do with errors, old drivers, and GPUs that read the host's memory, over a CUDA
// runtime that is defined here.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/recovery.h"
#include "baselines/ops/support/test_host.h"
#include "diopi/diopi_device.h"

namespace {

struct FakeCuda {
  cudaError_t count = cudaSuccess;  // what these functions return
  cudaError_t copy = cudaSuccess;
  cudaError_t malloc = cudaSuccess;
  cudaError_t query = cudaSuccess;
  int driver = 13000;
  int reads_host_memory = 0;  // the copy is made when the stream gets there
  cudaError_t last = cudaSuccess;
  std::vector<std::function<void()>> queued;
};
FakeCuda fake;  // CUDA's functions have no handle

cudaError_t Return(cudaError_t error) {
  if (error != cudaSuccess) fake.last = error;
  return error;
}

}  // namespace

extern "C" {
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return Return(fake.count);
}
cudaError_t cudaGetLastError() {
  return std::exchange(fake.last, cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = fake.driver;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorInsufficientDriver ? "cudaErrorInsufficientDriver" : "cudaErrorOther";
}
const char* cudaGetErrorString(cudaError_t) {
  return "a text";
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrPageableMemoryAccess ? fake.reads_host_memory : 0;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, size_t) {
  static char bytes[64];
  *memory = fake.malloc == cudaSuccess ? bytes : nullptr;
  return Return(fake.malloc);
}
cudaError_t cudaFree(void*) {
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (fake.copy != cudaSuccess) return Return(fake.copy);
  const auto copy = [=] { std::memcpy(dst, src, bytes); };
  if (fake.reads_host_memory != 0) {
    fake.queued.emplace_back(copy);
  } else {
    copy();
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return Return(fake.query);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  for (const auto& work : std::exchange(fake.queued, {})) work();
  return cudaSuccess;
}
size_t cublasLtGetVersion() {
  return 0;
}
}

namespace diopi::ops::cuda {
namespace {

class FakeRuntime : public testing::Test {
 protected:
  void SetUp() override { fake = {}; }
};

template <typename Body>
std::string FailureOf(Body body) {
  try {
    body();
  } catch (const Failure& failure) {
    return failure.text;
  }
  return "no failure";
}

// UseDevice remembers success, so that these come first.
TEST_F(FakeRuntime, ADriverThatIsTooOldIsNamedWithTheOneThatIsNeeded) {
  fake.count = cudaErrorInsufficientDriver;
  fake.driver = 12040;
  const std::string old = FailureOf(UseDevice);
  EXPECT_THAT(old, testing::HasSubstr(
                       "no CUDA device: a text (cudaErrorInsufficientDriver): this machine's driver is "));
  EXPECT_THAT(old, testing::HasSubstr("for CUDA 12.4; CUDA "));
  EXPECT_THAT(old,
              testing::HasSubstr(CUDART_VERSION >= 13000 ? "needs driver 580 or newer" : "needs driver 525"));
  EXPECT_THAT(old, testing::HasSubstr("cuda-compat"));
  EXPECT_EQ(fake.last, cudaSuccess);
  fake.driver = 0;
  EXPECT_THAT(FailureOf(UseDevice), testing::HasSubstr("the driver is not installed"));
}

TEST_F(FakeRuntime, AnErrorIsClearedWhereItIsFound) {
  TestContext context;
  const Queue queue(&context);
  char from = 1, to = 0;
  fake.copy = cudaErrorInvalidValue;
  EXPECT_THAT(FailureOf([&] { queue.CopyOnDevice(&to, &from, 1); }),
              testing::HasSubstr("copy on the device: a text"));
  EXPECT_EQ(fake.last, cudaSuccess) << "CUB would find it";
  fake.malloc = cudaErrorMemoryAllocation;
  EXPECT_EQ(device_malloc(8), nullptr);
  EXPECT_EQ(fake.last, cudaSuccess);
  EXPECT_THAT(LastErrorText(), testing::HasSubstr("cudaMalloc: a text"));
}

TEST_F(FakeRuntime, OnlyAStickyErrorMeansThatTheDeviceNoLongerWorks) {
  const struct {
    cudaError_t last, query;
    bool works;
  } rows[] = {{cudaSuccess, cudaSuccess, true},
              {cudaErrorInvalidValue, cudaSuccess, true},
              {cudaErrorMemoryAllocation, cudaErrorNotReady, true},
              {cudaErrorIllegalAddress, cudaErrorIllegalAddress, false},
              {cudaErrorLaunchFailure, cudaErrorLaunchFailure, false}};
  for (const auto& row : rows) {
    fake.last = row.last;
    fake.query = row.query;
    EXPECT_EQ(DeviceWorks(), row.works) << row.last << " " << row.query;
    EXPECT_EQ(fake.last, cudaSuccess) << row.last << " " << row.query;
  }
}

TEST_F(FakeRuntime, TheSourceOfACopyMayBeReusedWhereTheGpuReadsItLater) {
  TestContext context;
  const Queue queue(&context);
  for (const int reads : {0, 1}) {
    fake.reads_host_memory = reads;
    int from = 5, to = 0;
    queue.CopyToDevice(&to, &from, sizeof(from));
    from = 7;
    cudaStreamSynchronize(nullptr);
    EXPECT_EQ(to, 5) << reads;
  }
}

}  // namespace
}  // namespace diopi::ops::cuda
