#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "baselines/ops/support/cuda/dnn.h"
#include "baselines/ops/support/cuda/layout.h"
#include "baselines/ops/support/cuda/recovery.h"

namespace diopi::ops::cuda {
namespace {

constexpr uintptr_t kDnnAlignment = 16;  // bytes

// Descriptors of 32-bit sizes; DnnTakes has checked the tensors.
int ToInt(int64_t size) {
  Check(size >= 0 && size <= std::numeric_limits<int>::max(),
        "cuDNN does not support a tensor with a side of ", size);
  return static_cast<int>(size);
}

}  // namespace

bool DnnAllowed() {
  const char* wish = std::getenv("DIOPI_CUDA_DNN");
  return wish == nullptr || std::strcmp(wish, "0") != 0;
}

void CheckDnn(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 1024> text{};
  cudnnGetLastErrorString(text.data(), text.size());
  Fail(what, ": cuDNN's ", cudnnGetErrorString(status), text[0] == '\0' ? "" : ", ", text.data());
}

bool TakenByDnn(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return true;
  if (!DeviceWorks()) CheckDnn(status, what);
  // cudnn_graph.h: 3000 to 3999 are CUDNN_STATUS_NOT_SUPPORTED and its kinds.
  const bool unsupported = status >= CUDNN_STATUS_NOT_SUPPORTED && static_cast<int>(status) < 4000;
  if (!unsupported) NoteFallback(what, cudnnGetErrorString(status));
  return false;
}

bool DnnTakesDtype(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16 || dtype == diopi_dtype_float32 ||
         dtype == diopi_dtype_float64;
}

bool DnnTakesElements(diopiDtype_t dtype, const Tensor& t) {
  if (!DnnTakesDtype(dtype) || !t || t.dtype() != dtype) return false;
  if (t.numel() == 0 || t.numel() > std::numeric_limits<int>::max()) return false;
  return reinterpret_cast<uintptr_t>(t.data()) % static_cast<uintptr_t>(ElementSize(dtype)) == 0;
}

bool DnnTakes(diopiDtype_t dtype, std::initializer_list<Tensor> tensors) {
  for (const Tensor& t : tensors) {
    if (!DnnTakesElements(dtype, t)) return false;
    if (reinterpret_cast<uintptr_t>(t.data()) % kDnnAlignment != 0) return false;
    const Layout layout = MakeLayout(t.shape(), t.strides());
    if (layout.rank > 1 || (layout.rank == 1 && layout.strides[0] != 1)) return false;
  }
  return true;
}

cudnnDataType_t DnnType(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float16:
      return CUDNN_DATA_HALF;
    case diopi_dtype_bfloat16:
      return CUDNN_DATA_BFLOAT16;
    case diopi_dtype_float64:
      return CUDNN_DATA_DOUBLE;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

diopiDtype_t DnnScaleDtype(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? dtype : diopi_dtype_float32;
}

DnnTensor::DnnTensor(diopiDtype_t dtype, int64_t n, int64_t c, int64_t h, int64_t w) {
  CheckDnn(cudnnCreateTensorDescriptor(&descriptor_), "cudnnCreateTensorDescriptor");
  try {
    CheckDnn(cudnnSetTensor4dDescriptor(descriptor_, CUDNN_TENSOR_NCHW, DnnType(dtype), ToInt(n), ToInt(c),
                                        ToInt(h), ToInt(w)),
             "describing a tensor");
  } catch (...) {
    cudnnDestroyTensorDescriptor(descriptor_);
    throw;
  }
}

#if !defined(DIOPI_CUDA_EMULATED)

namespace {

cudnnHandle_t MakeHandle() {
  cudnnHandle_t handle = nullptr;
  CheckDnn(cudnnCreate(&handle), "cudnnCreate");
  return handle;
}

}  // namespace

bool DnnWanted() {
  return DnnAllowed();
}

Dnn::Dnn(const Queue& queue) : handle_(MakeHandle) {
  CheckDnn(cudnnSetStream(handle_.get(), StreamOf(queue)), "cudnnSetStream");
}

#endif

}  // namespace diopi::ops::cuda
