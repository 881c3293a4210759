// Which of cuDNN's engines the reference may use. Needs no cuDNN, so that it is tested without one.
#ifndef BASELINES_OPS_SUPPORT_CUDA_DNN_ENGINE_H_
#define BASELINES_OPS_SUPPORT_CUDA_DNN_ENGINE_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "baselines/ops/support/abi.h"

namespace diopi::ops::cuda {

// A value of cudnnBackendBehaviorNote_t: cuDNN compiles the engine's kernel during the call, half a second
// for each new graph, with a library that a machine may lack. Such engines are tried last.
inline constexpr int kCompiledInCall = 0;
// Otherwise in the order in which they were proposed.
template <typename Engine, typename Compiled>
void PutCompiledLast(std::vector<Engine>* engines, Compiled compiled) {
  std::stable_partition(engines->begin(), engines->end(),
                        [&](const Engine& engine) { return !compiled(engine); });
}

// The values of cudnnBackendNumericalNote_t (cudnn_graph.h of cuDNN 9); dnn_graph_cudnn.cu checks them.
enum class EngineNote {
  kTensorCore = 0,
  kDownConvertInputs = 1,
  kReducedPrecisionReduction = 2,
  kFft = 3,
  kNondeterministic = 4,
  kWinograd = 5,
  kStrictNanPropagation = 9,
};

// An engine with these notes gives the same bits in every run, in the arithmetic that `dtype` promises:
// tensor cores take float32 as TF32, which must be requested. An unknown note disallows the engine.
inline bool EngineAllowed(const std::vector<EngineNote>& notes, diopiDtype_t dtype, bool tf32) {
  for (const EngineNote note : notes) {
    if (note == EngineNote::kStrictNanPropagation) continue;
    if (note != EngineNote::kTensorCore) return false;
    if (dtype == diopi_dtype_float32 && !tf32) return false;
  }
  return true;
}

// An engine whose notes do not say what it does. On an H200, cuDNN 9.14's engine 17 for the gradient of a
// weight computed float32 with errors of Winograd's size: 36 sigma where engines 0, 1 and 67 stayed below 4.
inline bool EngineMisnamed(std::string_view operation, int64_t engine) {
  return operation == "convolution_grad_weight" && engine == 17;
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_DNN_ENGINE_H_
