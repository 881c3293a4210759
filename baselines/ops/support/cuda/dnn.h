// Shared by the files that call cuDNN (`*_cudnn.cu`). Operators first call a function `bool Try...(queue,
// ...)`: it returns true when cuDNN computed the result, and false, having written nothing, when cuDNN does
// not support these tensors, and always where the environment has DIOPI_CUDA_DNN=0. Then our kernels compute.
// Graphs of operations: dnn_graph.h.
#ifndef BASELINES_OPS_SUPPORT_CUDA_DNN_H_
#define BASELINES_OPS_SUPPORT_CUDA_DNN_H_

#include <cudnn.h>

#include <cstdint>
#include <initializer_list>

#include "baselines/ops/support/cuda/queue.h"
#include "baselines/ops/support/tensor.h"

#if !defined(DIOPI_CUDA_EMULATED)
#include "baselines/ops/support/cuda/handles.h"
#endif

namespace diopi::ops::cuda {

// False where the environment has DIOPI_CUDA_DNN=0.
bool DnnAllowed();
// The same, but false in the emulated library too, which has no handles.
bool DnnWanted();

// Fail, with cuDNN's own texts, unless the status is success.
void CheckDnn(cudnnStatus_t status, const char* what);
// False for any other status: another engine or our kernels are to compute, which is noted unless the status
// says that cuDNN does not support this. Fail, as above, after an error that leaves the device unusable
// (recovery.h).
bool TakenByDnn(cudnnStatus_t status, const char* what);

// The tensor is given, of this dtype, aligned to its elements, not empty, and within cuDNN's 2^31 elements.
bool DnnTakesElements(diopiDtype_t dtype, const Tensor& tensor);
// So are all of these, contiguous, and aligned to 16 bytes, which cuDNN's functions without a graph expect:
// they cannot be told of a view that begins anywhere else.
bool DnnTakes(diopiDtype_t dtype, std::initializer_list<Tensor> tensors);
// Accepts float16, bfloat16, float32 and float64.
bool DnnTakesDtype(diopiDtype_t dtype);
cudnnDataType_t DnnType(diopiDtype_t dtype);
// The dtype of cuDNN's scales and statistics: double for float64, float for the rest.
diopiDtype_t DnnScaleDtype(diopiDtype_t dtype);

// A handle on the queue's stream, for one call.
class Dnn {
 public:
#if defined(DIOPI_CUDA_EMULATED)
  explicit Dnn(const Queue&) {
    Fail("the emulated device has no cuDNN handle");
  }
  cudnnHandle_t handle() const {
    return nullptr;
  }
#else
  explicit Dnn(const Queue& queue);
  cudnnHandle_t handle() const {
    return handle_.get();
  }

 private:
  Borrowed<cudnnHandle_t> handle_;
#endif
};

// A factor (alpha, beta) as cuDNN reads it.
class DnnScale {
 public:
  DnnScale(diopiDtype_t dtype, double value)
      : is_double_(dtype == diopi_dtype_float64), double_(value), float_(static_cast<float>(value)) {}
  const void* get() const { return is_double_ ? static_cast<const void*>(&double_) : &float_; }

 private:
  bool is_double_;
  double double_;
  float float_;
};

// A contiguous tensor of four dimensions.
class DnnTensor {
 public:
  DnnTensor(diopiDtype_t dtype, int64_t n, int64_t c, int64_t h, int64_t w);
  ~DnnTensor() { cudnnDestroyTensorDescriptor(descriptor_); }
  DnnTensor(const DnnTensor&) = delete;
  DnnTensor& operator=(const DnnTensor&) = delete;
  cudnnTensorDescriptor_t get() const { return descriptor_; }

 private:
  cudnnTensorDescriptor_t descriptor_ = nullptr;
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_DNN_H_
