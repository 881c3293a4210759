// cuDNN's runtime compiler (NVRTC): cuDNN loads and unloads it for each plan that it compiles, which takes
// most of that time.
#ifndef BASELINES_OPS_SUPPORT_CUDA_RUNTIME_COMPILER_H_
#define BASELINES_OPS_SUPPORT_CUDA_RUNTIME_COMPILER_H_

namespace diopi::ops::cuda {

// Loads a library by its soname or path, to stay until the process ends. False: there is none.
bool KeepLoaded(const char* library);

// The same for NVRTC of the CUDA release that this was built with, at the first call.
bool KeepRuntimeCompiler();

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_RUNTIME_COMPILER_H_
