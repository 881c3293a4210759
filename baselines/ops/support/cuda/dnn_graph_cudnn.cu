#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/dnn.h"
#include "baselines/ops/support/cuda/dnn_graph.h"

namespace diopi::ops::cuda {
namespace {

static_assert(static_cast<int>(EngineNote::kTensorCore) == CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
static_assert(static_cast<int>(EngineNote::kDownConvertInputs) == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
static_assert(static_cast<int>(EngineNote::kReducedPrecisionReduction) ==
              CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
static_assert(static_cast<int>(EngineNote::kFft) == CUDNN_NUMERICAL_NOTE_FFT);
static_assert(static_cast<int>(EngineNote::kNondeterministic) == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
static_assert(static_cast<int>(EngineNote::kWinograd) == CUDNN_NUMERICAL_NOTE_WINOGRAD);
static_assert(static_cast<int>(EngineNote::kStrictNanPropagation) == CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP);

constexpr int64_t kMaxWorkspace = int64_t{1} << 30;
constexpr uint64_t kMaxAlignment = 16;  // bytes; no engine asks for more

std::vector<EngineNote> NotesOf(const Descriptor& engine) {
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes;
  const int64_t count = engine.Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes.data());
  std::vector<EngineNote> found;
  for (int64_t i = 0; i < count; ++i) found.push_back(static_cast<EngineNote>(notes[static_cast<size_t>(i)]));
  return found;
}

Shape StridesOf(const Shape& shape, DnnLayout layout) {
  if (layout == DnnLayout::kContiguous) return DenseStrides(shape);
  const int64_t row = shape[3] * shape[1];
  return {shape[2] * row, 1, row, shape[1]};
}

// Strides of dimensions of one element are meaningless.
bool Has(const Tensor& t, DnnLayout layout) {
  if (!t || t.rank() != 4) return false;
  const Shape strides = StridesOf(t.shape(), layout);
  for (size_t d = 0; d < strides.size(); ++d) {
    if (t.shape()[d] > 1 && t.strides()[d] != strides[d]) return false;
  }
  return true;
}

}  // namespace

DnnLayout LayoutOf(std::initializer_list<Tensor> tensors) {
  const auto all = [&](DnnLayout layout) {
    return std::all_of(tensors.begin(), tensors.end(), [=](const Tensor& t) { return Has(t, layout); });
  };
  return !all(DnnLayout::kContiguous) && all(DnnLayout::kChannelsLast) ? DnnLayout::kChannelsLast
                                                                       : DnnLayout::kContiguous;
}

DnnGraph::Part DnnGraph::AddTensor(const Tensor& tensor, DnnLayout layout) {
  const bool taken = Has(tensor, layout) && DnnTakesElements(dtype_, tensor);
  if (!taken) Leave();
  const char* data = tensor ? tensor.data() : nullptr;
  const auto address = reinterpret_cast<uint64_t>(data) | kMaxAlignment;
  const auto id = static_cast<int64_t>(ids_.size());
  const Part t = Add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  Set(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, DnnType(dtype_));
  Set(t, CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.shape());
  if (taken) Set(t, CUDNN_ATTR_TENSOR_STRIDES, StridesOf(tensor.shape(), layout));
  Set(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
  Set(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, static_cast<int64_t>(address & (~address + 1)));
  ids_.push_back(id);
  data_.push_back(data);
  return t;
}

DnnGraph::Part DnnGraph::Add(cudnnBackendDescriptorType_t type) {
  parts_.push_back({type, false, {}});
  return {static_cast<int64_t>(parts_.size()) - 1};
}

DnnGraph::Part DnnGraph::AddOperation(cudnnBackendDescriptorType_t type) {
  const Part operation = Add(type);
  parts_.back().operation = true;
  return operation;
}

void DnnGraph::Set(Part part, cudnnBackendAttributeName_t name, Part value) {
  Set(part, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value.index);
}

void DnnGraph::SetFactor(Part part, cudnnBackendAttributeName_t name, double value) {
  if (dtype_ == diopi_dtype_float64) return Set(part, name, CUDNN_TYPE_DOUBLE, value);
  Set(part, name, CUDNN_TYPE_FLOAT, static_cast<float>(value));
}

void DnnGraph::SetBytes(Part part, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                        int64_t count, const void* values, size_t bytes) {
  parts_[static_cast<size_t>(part.index)].attributes.push_back(
      {name, type, count, std::string(static_cast<const char*>(values), bytes)});
}

std::string DnnGraph::Key() const {
  std::string key;
  for (const PartData& part : parts_) {
    key += Text(part.type, ":");
    for (const Attribute& a : part.attributes) key += Text(a.name, ",", a.type, ",", a.count, "=") + a.bytes;
  }
  return key;
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  CheckDnn(cudnnBackendCreateDescriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
}
Descriptor::~Descriptor() {
  if (descriptor_ != nullptr) cudnnBackendDestroyDescriptor(descriptor_);
}
Descriptor::Descriptor(Descriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void Descriptor::Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                     const void* values) {
  CheckDnn(cudnnBackendSetAttribute(descriptor_, name, type, count, values), "cudnnBackendSetAttribute");
}

void Descriptor::Set(cudnnBackendAttributeName_t name, const Descriptor& part) {
  const cudnnBackendDescriptor_t value = part.get();
  Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, static_cast<const void*>(&value));
}

bool Descriptor::Finalize() {
  return TakenByDnn(cudnnBackendFinalize(descriptor_), "cudnnBackendFinalize");
}

int64_t Descriptor::Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t room,
                        void* values) const {
  int64_t count = 0;
  CheckDnn(cudnnBackendGetAttribute(descriptor_, name, type, room, &count, values),
           "cudnnBackendGetAttribute");
  return values == nullptr ? count : std::min(count, room);
}

void PlanTarget::SetInGraph(Descriptor* graph) const {
  if (!properties_) {
    graph->Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, static_cast<const void*>(&handle_));
  }
}

#if CUDNN_VERSION >= 90800

PlanTarget::PlanTarget(const std::string& properties) {
  properties_.emplace(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  properties_->Set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                   static_cast<int64_t>(properties.size() + 1), properties.c_str());
  Check(properties_->Finalize(), "cuDNN makes no plans for a device with these properties");
}

void PlanTarget::SetInHeuristics(Descriptor* heuristics) const {
  if (properties_) heuristics->Set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *properties_);
}

void PlanTarget::SetInPlan(Descriptor* plan) const {
  if (properties_) return plan->Set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *properties_);
  plan->Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, static_cast<const void*>(&handle_));
}

#else

PlanTarget::PlanTarget(const std::string&) {
  Fail("plans without a device need cuDNN 9.8");
}
void PlanTarget::SetInHeuristics(Descriptor*) const {}
void PlanTarget::SetInPlan(Descriptor* plan) const {
  plan->Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, static_cast<const void*>(&handle_));
}

#endif

Descriptor DnnPlan::Pack(const DnnGraph& graph, void* workspace) {
  const auto count = static_cast<int64_t>(graph.ids_.size());
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, graph.ids_.data());
  pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
           static_cast<const void*>(graph.data_.data()));
  pack.Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, static_cast<const void*>(&workspace));
  Check(pack.Finalize(), "cuDNN refused the tensors of its own plan");
  return pack;
}

// Makes one plan. Descriptors refer to those they were made from, so the plan keeps all.
class Planner {
 public:
  Planner(const PlanTarget& target, const DnnGraph& graph, bool tf32)
      : target_(target), graph_(graph), tf32_(tf32) {}

  std::unique_ptr<DnnPlan> Make() {
    if (graph_.left() || !Describe()) return nullptr;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (Descriptor& config : Propose(mode)) {
        if (Try(&config)) return std::move(plan_);
      }
    }
    return nullptr;
  }

 private:
  // False: not supported.
  bool Describe() {
    std::vector<cudnnBackendDescriptor_t> operations;
    for (const DnnGraph::PartData& part : graph_.parts_) {
      Descriptor made(part.type);
      for (const DnnGraph::Attribute& a : part.attributes) Set(a, &made);
      if (!made.Finalize()) return false;
      if (part.operation) operations.push_back(made.get());
      plan_->parts_.push_back(std::move(made));
    }
    Descriptor whole(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    whole.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
              static_cast<int64_t>(operations.size()), static_cast<const void*>(operations.data()));
    target_.SetInGraph(&whole);
    plan_->parts_.push_back(std::move(whole));
    return plan_->parts_.back().Finalize();
  }

  void Set(const DnnGraph::Attribute& a, Descriptor* made) const {
    if (a.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) return made->Set(a.name, a.type, a.count, a.bytes.data());
    int64_t index = 0;
    std::memcpy(&index, a.bytes.data(), sizeof(index));
    made->Set(a.name, plan_->parts_[static_cast<size_t>(index)]);
  }

  // What heuristics of this mode propose, best first.
  std::vector<Descriptor> Propose(cudnnBackendHeurMode_t mode) const {
    std::vector<Descriptor> configs;
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, plan_->parts_.back());
    heuristics.Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    target_.SetInHeuristics(&heuristics);
    if (!heuristics.Finalize()) return configs;
    const int64_t room =
        heuristics.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
    std::vector<cudnnBackendDescriptor_t> results;
    for (int64_t i = 0; i < room; ++i) {
      results.push_back(configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
    }
    if (room == 0) return configs;
    const int64_t count = heuristics.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, room,
                                         static_cast<void*>(results.data()));
    configs.erase(configs.begin() + count, configs.end());
    return configs;
  }

  // An engine whose kernel cuDNN cannot compile or load counts as not supporting the graph.
  static bool Finalize(Descriptor* plan) {
    const cudnnStatus_t status = cudnnBackendFinalize(plan->get());
    if (status >= CUDNN_STATUS_INTERNAL_ERROR) return false;
    return TakenByDnn(status, "making a plan");
  }

  bool Try(Descriptor* config) {
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t to = engine.get();
    config->Get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, static_cast<void*>(&to));
    plan_->notes_ = NotesOf(engine);
    if (!EngineAllowed(plan_->notes_, graph_.dtype(), tf32_)) return false;
    engine.Get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &plan_->engine_);
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    target_.SetInPlan(&plan);
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *config);
    if (!Finalize(&plan)) return false;
    plan.Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &plan_->workspace_);
    if (plan_->workspace_ > kMaxWorkspace) return false;
    plan_->config_ = std::move(*config);
    plan_->plan_ = std::move(plan);
    return true;
  }

  const PlanTarget& target_;
  const DnnGraph& graph_;
  bool tf32_;
  std::unique_ptr<DnnPlan> plan_ = std::make_unique<DnnPlan>();
};

std::unique_ptr<DnnPlan> MakePlan(const PlanTarget& target, const DnnGraph& graph, bool tf32) {
  return Planner(target, graph, tf32).Make();
}

const DnnPlan* PlanCache::Find(const DnnGraph& graph, bool tf32) {
  if (graph.left()) return nullptr;
  const std::string key = Text(graph.dtype(), tf32 ? " tf32 " : " ") + graph.Key();
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second.get();
  std::unique_ptr<DnnPlan> plan = MakePlan(target_, graph, tf32);
  if (plans_.size() >= kMost) plans_.clear();
  return (plans_[key] = std::move(plan)).get();
}

#if !defined(DIOPI_CUDA_EMULATED)  // emulated/dnn_plan.cc

namespace {

// One thread at a time uses a handle, which lives as long as the process.
PlanCache& PlansOf(cudnnHandle_t handle) {
  static auto* mutex = new std::mutex;
  static auto* caches = new std::map<cudnnHandle_t, PlanCache>;
  const std::lock_guard<std::mutex> lock(*mutex);
  return caches->try_emplace(handle, PlanTarget(handle)).first->second;
}

}  // namespace

bool GraphsWanted() {
  return DnnAllowed();
}

bool RunGraph(const Queue& queue, const DnnGraph& graph) {
  const Dnn dnn(queue);
  const DnnPlan* plan = PlansOf(dnn.handle()).Find(graph, Tf32Wanted());
  if (plan == nullptr) return false;
  const Descriptor pack = DnnPlan::Pack(graph, queue.Buffer<char>(plan->workspace()));
  CheckDnn(cudnnBackendExecute(dnn.handle(), plan->get(), pack.get()), graph.what());
  return true;
}

#endif

}  // namespace diopi::ops::cuda
