// The library's device: whether there is one, and which.
#ifndef BASELINES_OPS_SUPPORT_CUDA_DEVICE_H_
#define BASELINES_OPS_SUPPORT_CUDA_DEVICE_H_

#include <cstdlib>
#include <cstring>
#include <string>

namespace diopi::ops::cuda {

// Makes the host's device (diopiGetCurrentDeviceIndex) the calling thread's. Fail when there is none: "no
// CUDA device: ...".
void UseDevice();

// "NVIDIA H200 (sm_90), driver 580.65.06 for CUDA 13.0, CUDA 13.0, cuBLASLt 130002, cuDNN 9.19.0": for
// diopiGetImplVersion. If there is no device, the text says so.
std::string DeviceText();

// True where the environment has DIOPI_CUDA_TF32=1: float32 products may then use TF32 (contract "tf32").
inline bool Tf32Wanted() {
  const char* wish = std::getenv("DIOPI_CUDA_TF32");
  return wish != nullptr && std::strcmp(wish, "1") == 0;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_DEVICE_H_
