#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "baselines/ops/support/cuda/runtime_compiler.h"
#include "baselines/ops/support/op.h"

namespace diopi::ops::cuda {

bool KeepLoaded(const char* library) {
  return dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE) != nullptr;
}

bool KeepRuntimeCompiler() {
  static const bool kept = KeepLoaded(Text("libnvrtc.so.", CUDART_VERSION / 1000).c_str());
  return kept;
}

}  // namespace diopi::ops::cuda
