// GPUs for which cuDNN makes plans on machines without one.
#ifndef BASELINES_OPS_SUPPORT_CUDA_EMULATED_GPUS_H_
#define BASELINES_OPS_SUPPORT_CUDA_EMULATED_GPUS_H_

#include <string>
#include <vector>

namespace diopi::ops::cuda {

// One of each generation that the library is built for, oldest first: "T4", "A100", "A10", "L40S", "H200",
// "B200".
std::vector<std::string> GpuNames();

// The properties of one of them, as cuDNN reads them (dnn_graph.h, PlanTarget). Fail: no such name.
std::string GpuProperties(const std::string& name);

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_EMULATED_GPUS_H_
