// Graphs without a GPU: cuDNN plans for the GPU that DIOPI_CUDA_PLAN_FOR names (gpus.h), and its choice
// becomes a line of the file that DIOPI_CUDA_PLAN_LOG names, for tests.
#include <cstdlib>
#include <mutex>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/dnn.h"
#include "baselines/ops/support/cuda/dnn_graph.h"
#include "baselines/ops/support/cuda/emulated/gpus.h"

namespace diopi::ops::cuda {
namespace {

PlanCache& Plans() {
  static auto* plans = new PlanCache(PlanTarget(GpuProperties(std::getenv("DIOPI_CUDA_PLAN_FOR"))));
  return *plans;
}

}  // namespace

bool DnnWanted() {
  return false;
}

bool GraphsWanted() {
  return DnnAllowed() && std::getenv("DIOPI_CUDA_PLAN_FOR") != nullptr;
}

bool RunGraph(const Queue& queue, const PlanKey& key, const std::vector<const void*>& data, bool tf32,
              const PlanCache::Describe& describe) {
  static auto* mutex = new std::mutex;
  const std::lock_guard<std::mutex> lock(*mutex);
  const DnnPlan* plan = Plans().Find(key, describe, tf32);
  LogPlan(describe(), plan);
  if (plan != nullptr) DnnPlan::Pack(data, queue.Buffer<char>(plan->workspace()));
  return false;
}

}  // namespace diopi::ops::cuda
