// Whether an error of NVIDIA's libraries leaves the device usable, so that something else may compute
// instead.
#ifndef BASELINES_OPS_SUPPORT_CUDA_RECOVERY_H_
#define BASELINES_OPS_SUPPORT_CUDA_RECOVERY_H_

namespace diopi::ops::cuda {

// Call it after a library's error. Clears the error that CUDA keeps for this thread, which a later call that
// asks for "the last error", such as CUB's, would take for its own. False after a sticky error (an illegal
// address, a kernel that trapped): every call fails until the process ends. The emulated device works, unless
// the environment has DIOPI_CUDA_EMULATED_FAULT=sticky.
bool DeviceWorks();

// Says on standard error that `what` failed with `error`, and that something else computes.
void NoteFallback(const char* what, const char* error);

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_RECOVERY_H_
