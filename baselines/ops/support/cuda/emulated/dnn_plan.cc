// Graphs without a GPU: cuDNN plans for the GPU that DIOPI_CUDA_PLAN_FOR names (gpus.h), and its choice
// becomes a line of the file that DIOPI_CUDA_PLAN_LOG names, for tests.
#include <cstdlib>
#include <fstream>
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

// "WHAT DTYPE ENGINE"; the engine is "none" where there is no plan, and "left" where none was requested.
void Log(const DnnGraph& graph, const DnnPlan* plan) {
  const char* path = std::getenv("DIOPI_CUDA_PLAN_LOG");
  if (path == nullptr) return;
  const std::string engine = plan != nullptr ? Text(plan->engine()) : graph.left() ? "left" : "none";
  std::ofstream file(path, std::ios::app);
  file << Text(graph.what(), " ", DtypeName(graph.dtype()), " ", engine, "\n") << std::flush;
  Check(file.good(), "DIOPI_CUDA_PLAN_LOG: ", path, " cannot be written");
}

}  // namespace

bool DnnWanted() {
  return false;
}

bool GraphsWanted() {
  return DnnAllowed() && std::getenv("DIOPI_CUDA_PLAN_FOR") != nullptr;
}

bool RunGraph(const Queue& queue, const PlanKey& key, const std::vector<const void*>& data,
              const PlanCache::Describe& describe) {
  static auto* mutex = new std::mutex;
  const std::lock_guard<std::mutex> lock(*mutex);
  const DnnPlan* plan = Plans().Find(key, describe, Tf32Wanted());
  Log(describe(), plan);
  if (plan != nullptr) DnnPlan::Pack(data, queue.Buffer<char>(plan->workspace()));
  return false;
}

}  // namespace diopi::ops::cuda
