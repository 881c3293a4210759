// cuDNN's graph API, for files `*_cudnn.cu`: a caller describes operations on tensors, heuristics list
// engines for them, and the first engine that EngineAllowed accepts and that makes a plan runs. Where it
// fails, the next one does. Engines that cuDNN compiles during the call are tried last.
#ifndef BASELINES_OPS_SUPPORT_CUDA_DNN_GRAPH_H_
#define BASELINES_OPS_SUPPORT_CUDA_DNN_GRAPH_H_

#include <cudnn.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/ops/support/cuda/dnn_engine.h"
#include "baselines/ops/support/cuda/plan_key.h"
#include "baselines/ops/support/cuda/queue.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops::cuda {

// Layouts of four dimensions: batch, channels, rows, columns in this order, or the channels last.
enum class DnnLayout { kContiguous, kChannelsLast };
// The layout of all these tensors; kContiguous where they have none in common.
DnnLayout LayoutOf(std::initializer_list<Tensor> tensors);

// Operations on the host's tensors, as data; MakePlan passes them to cuDNN. They use the arithmetic of one
// dtype, which EngineAllowed requires of engines.
class DnnGraph {
 public:
  struct Part {
    int64_t index;
  };

  // `what` names it in errors and logs.
  DnnGraph(const char* what, diopiDtype_t dtype) : what_(what), dtype_(dtype) {}
  DnnGraph(DnnGraph&&) = default;
  DnnGraph& operator=(DnnGraph&&) = default;

  const char* what() const { return what_; }
  diopiDtype_t dtype() const { return dtype_; }

  // Such a graph has no plan: cuDNN would do something else.
  void Leave() { left_ = true; }
  bool left() const { return left_; }

  // The result is added to what is there. Such a graph has one try: an engine that failed may have added a
  // part.
  void SetAdds(bool adds) { adds_ = adds; }
  bool adds() const { return adds_; }

  // A tensor of this layout. Any other one, another dtype, and what DnnTakesElements does not take, leave the
  // graph.
  Part AddTensor(const Tensor& tensor, DnnLayout layout);
  // Anything else, and an operation on what was added before; their attributes are to be set.
  Part Add(cudnnBackendDescriptorType_t type);
  Part AddOperation(cudnnBackendDescriptorType_t type);

  void Set(Part part, cudnnBackendAttributeName_t name, Part value);
  template <typename T>
  void Set(Part part, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T* values,
           size_t count) {
    SetBytes(part, name, type, static_cast<int64_t>(count), values, count * sizeof(T));
  }
  template <typename T>
  void Set(Part part, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    Set(part, name, type, &value, 1);
  }
  void Set(Part part, cudnnBackendAttributeName_t name, const std::vector<int64_t>& values) {
    Set(part, name, CUDNN_TYPE_INT64, values.data(), values.size());
  }

  // A number that is part of the description (alpha, beta): a double for float64, a float for the rest.
  void SetFactor(Part part, cudnnBackendAttributeName_t name, double value);

 private:
  friend class Planner;
  friend class DnnPlan;

  struct Attribute {
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    int64_t count;
    std::string bytes;  // of a part: its index
  };
  struct PartData {
    cudnnBackendDescriptorType_t type;
    bool operation;
    std::vector<Attribute> attributes;
  };

  void SetBytes(Part part, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                const void* values, size_t bytes);

  const char* what_;
  diopiDtype_t dtype_;
  bool left_ = false, adds_ = false;
  std::vector<PartData> parts_;  // each made of earlier ones
  int64_t tensors_ = 0;          // their ids are 0, 1, ...
};

// A backend descriptor. What it was made of must outlive it.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  void Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
           const void* values);
  void Set(cudnnBackendAttributeName_t name, const Descriptor& part);
  // Ends the description. False: cuDNN does not support it.
  bool Finalize();
  // How many there are: of those that `values` has room for, or, where it is null, at most.
  int64_t Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t room,
              void* values) const;

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// The device for which plans are made: a handle's, or one that need not exist, given by its properties.
class PlanTarget {
 public:
  explicit PlanTarget(cudnnHandle_t handle) : handle_(handle) {}
  // JSON, as cuDNN itself writes a device's properties. Fail: not that, or a cuDNN older than 9.8.
  explicit PlanTarget(const std::string& properties);

  // What a description of each kind must know about the device.
  void SetInGraph(Descriptor* graph) const;
  void SetInHeuristics(Descriptor* heuristics) const;
  void SetInPlan(Descriptor* plan) const;

 private:
  cudnnHandle_t handle_ = nullptr;
  std::optional<Descriptor> properties_;
};

struct EngineChoice {
  int64_t engine = -1;  // cuDNN's number for it, among those for such a graph
  std::vector<EngineNote> notes;
  bool compiled = false;  // during the call, by cuDNN
};

// How graphs with one key are run. One thread at a time.
class DnnPlan {
 public:
  int64_t engine() const { return choice_.engine; }
  const std::vector<EngineNote>& notes() const { return choice_.notes; }
  bool adds() const { return adds_; }               // of the graph
  int64_t workspace() const { return workspace_; }  // bytes
  cudnnBackendDescriptor_t get() const { return plan_->get(); }

  // The arguments of a run: the tensors' data in the order in which the graph got them, and workspace() bytes
  // on the device (null for none).
  static Descriptor Pack(const std::vector<const void*>& data, void* workspace);

 private:
  friend class Planner;

  std::deque<Descriptor> parts_;
  std::optional<Descriptor> config_, plan_;
  EngineChoice choice_;
  int64_t workspace_ = 0;
  bool adds_ = false;
};

// Null when the graph was left, cuDNN does not support it, or no allowed engine takes it except `without` and
// those whose numbers DIOPI_CUDA_DNN_WITHOUT lists, separated by commas.
std::unique_ptr<DnnPlan> MakePlan(const PlanTarget& target, const DnnGraph& graph, bool tf32,
                                  const std::vector<int64_t>& without = {});

// The greatest alignment in bytes that a plan depends on; no engine asks for more.
inline constexpr uint64_t kPlanAlignment = 16;

// Plans that were made for one device, since making one takes milliseconds. One thread at a time.
class PlanCache {
 public:
  using Describe = std::function<DnnGraph()>;
  using Run = std::function<bool(const DnnPlan&)>;

  explicit PlanCache(PlanTarget target) : target_(std::move(target)) {}
  // Like MakePlan, for all graphs with this key: everything that they depend on, except the tensors'
  // addresses. The graph is described when the key is new. Valid until the next call.
  const DnnPlan* Find(const PlanKey& key, const Describe& describe, bool tf32);
  // Runs the plan. When `run` returns false, the next calls take another engine, and so does this one, unless
  // the graph adds to its result. False: no plan ran.
  bool RunFirst(const PlanKey& key, const Describe& describe, bool tf32, const Run& run);

 private:
  struct Known {
    std::unique_ptr<DnnPlan> plan;
    std::vector<int64_t> failed;  // engines
  };
  Known* Lookup(const PlanKey& key, const Describe& describe, bool tf32);

  PlanTarget target_;
  KeptByKey<Known> plans_;
};

// Helps to find the engine that computes something: appends "WHAT DTYPE ENGINE" to the file that
// DIOPI_CUDA_PLAN_LOG names; the engine is "none" where there is no plan, and "left" where none was
// requested.
void LogPlan(const DnnGraph& graph, const DnnPlan* plan);

// False where graphs must not be tried: DIOPI_CUDA_DNN=0, or, in the emulated library, no GPU to plan for.
bool GraphsWanted();

// Plans the graph and runs it on these data, in the order in which it got the tensors, on the queue's stream.
// `tf32`: float32 may be computed as TF32. False when there is no plan or none ran: our kernels compute then.
// The emulated library plans for the GPU that DIOPI_CUDA_PLAN_FOR names and always returns false, as it
// computes nothing.
bool RunGraph(const Queue& queue, const PlanKey& key, const std::vector<const void*>& data, bool tf32,
              const PlanCache::Describe& describe);

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_DNN_GRAPH_H_
