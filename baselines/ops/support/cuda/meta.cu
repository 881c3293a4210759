// The functions by which the library tells about itself.
#include <string>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/op.h"

const char* diopiGetVendorName() {
  return "NVIDIA reference";
}
const char* diopiGetImplVersion() {
  static const std::string text = DIOPI_CUDA_VERSION ", " + diopi::ops::cuda::DeviceText();
  return text.c_str();
}
const char* diopiGetLastErrorString() {
  return diopi::ops::LastErrorText();
}
