#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/dnn.h"
#include "baselines/ops/support/cuda/dnn_graph.h"
#include "baselines/ops/support/cuda/runtime_compiler.h"

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
static_assert(kCompiledInCall == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);

constexpr int64_t kMaxWorkspace = int64_t{1} << 30;

std::vector<EngineNote> NotesOf(const Descriptor& engine) {
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes;
  const int64_t count = engine.Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes.data());
  std::vector<EngineNote> found;
  for (int64_t i = 0; i < count; ++i) found.push_back(static_cast<EngineNote>(notes[static_cast<size_t>(i)]));
  return found;
}

bool CompiledInCall(const Descriptor& engine) {
  std::array<cudnnBackendBehaviorNote_t, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT> notes;
  const int64_t count = engine.Get(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                   CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, notes.data());
  return std::any_of(notes.begin(), notes.begin() + count, [](cudnnBackendBehaviorNote_t note) {
    return static_cast<int>(note) == kCompiledInCall;
  });
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

bool ForbiddenByUser(int64_t engine) {
  const char* list = std::getenv("DIOPI_CUDA_DNN_WITHOUT");
  return list != nullptr && Text(",", list, ",").find(Text(",", engine, ",")) != std::string::npos;
}

}  // namespace

void LogPlan(const DnnGraph& graph, const DnnPlan* plan) {
  const char* path = std::getenv("DIOPI_CUDA_PLAN_LOG");
  if (path == nullptr) return;
  const std::string engine = plan != nullptr ? Text(plan->engine()) : graph.left() ? "left" : "none";
  std::ofstream file(path, std::ios::app);
  file << Text(graph.what(), " ", DtypeName(graph.dtype()), " ", engine, "\n") << std::flush;
  Check(file.good(), "DIOPI_CUDA_PLAN_LOG: ", path, " cannot be written");
}

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
  const Part t = Add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  Set(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, DnnType(dtype_));
  Set(t, CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.shape());
  if (taken) Set(t, CUDNN_ATTR_TENSOR_STRIDES, StridesOf(tensor.shape(), layout));
  Set(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, tensors_++);
  Set(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, AlignmentOf(data, kPlanAlignment));
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
  CheckDnn(cudnnBackendFinalize(properties_->get()), "describing a device to make plans for");
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

Descriptor DnnPlan::Pack(const std::vector<const void*>& data, void* workspace) {
  std::vector<int64_t> ids(data.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto count = static_cast<int64_t>(ids.size());
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, ids.data());
  pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
           static_cast<const void*>(data.data()));
  pack.Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, static_cast<const void*>(&workspace));
  Check(pack.Finalize(), "cuDNN refused the tensors of its own plan");
  return pack;
}

// Makes one plan. Descriptors refer to those they were made from, so the plan keeps all.
class Planner {
 public:
  Planner(const PlanTarget& target, const DnnGraph& graph, bool tf32, const std::vector<int64_t>& without)
      : target_(target), graph_(graph), tf32_(tf32), without_(without) {}

  std::unique_ptr<DnnPlan> Make() {
    if (graph_.left() || !Describe()) return nullptr;
    plan_->adds_ = graph_.adds();
    for (Candidate& candidate : Candidates()) {
      if (candidate.choice.compiled) KeepRuntimeCompiler();
      if (Try(&candidate)) return std::move(plan_);
    }
    return nullptr;
  }

 private:
  struct Candidate {
    EngineChoice choice;
    Descriptor config;
  };

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

  // In the order in which they are tried: as proposed, those that are compiled during the call last.
  std::vector<Candidate> Candidates() const {
    std::vector<Candidate> all;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (Descriptor& config : Propose(mode)) {
        EngineChoice choice = ChoiceOf(config);
        if (Allowed(choice)) all.push_back({std::move(choice), std::move(config)});
      }
    }
    PutCompiledLast(&all, [](const Candidate& candidate) { return candidate.choice.compiled; });
    return all;
  }

  static EngineChoice ChoiceOf(const Descriptor& config) {
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t to = engine.get();
    config.Get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, static_cast<void*>(&to));
    EngineChoice choice;
    choice.notes = NotesOf(engine);
    choice.compiled = CompiledInCall(engine);
    engine.Get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &choice.engine);
    return choice;
  }

  bool Allowed(const EngineChoice& choice) const {
    return EngineAllowed(choice.notes, graph_.dtype(), tf32_) && !ForbiddenByUser(choice.engine) &&
           !EngineMisnamed(graph_.what(), choice.engine) &&
           std::find(without_.begin(), without_.end(), choice.engine) == without_.end();
  }

  bool Try(Candidate* candidate) {
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    target_.SetInPlan(&plan);
    plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, candidate->config);
    if (!plan.Finalize()) return false;
    plan.Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &plan_->workspace_);
    if (plan_->workspace_ > kMaxWorkspace) return false;
    plan_->choice_ = std::move(candidate->choice);
    plan_->config_ = std::move(candidate->config);
    plan_->plan_ = std::move(plan);
    return true;
  }

  const PlanTarget& target_;
  const DnnGraph& graph_;
  bool tf32_;
  const std::vector<int64_t>& without_;
  std::unique_ptr<DnnPlan> plan_ = std::make_unique<DnnPlan>();
};

std::unique_ptr<DnnPlan> MakePlan(const PlanTarget& target, const DnnGraph& graph, bool tf32,
                                  const std::vector<int64_t>& without) {
  return Planner(target, graph, tf32, without).Make();
}

PlanCache::Known* PlanCache::Lookup(const PlanKey& key, const Describe& describe, bool tf32) {
  PlanKey whole = key;
  whole.Add(tf32 ? 1 : 0);
  Known* known = plans_.Find(whole);
  return known != nullptr ? known : plans_.Keep(whole, {MakePlan(target_, describe(), tf32), {}});
}

const DnnPlan* PlanCache::Find(const PlanKey& key, const Describe& describe, bool tf32) {
  return Lookup(key, describe, tf32)->plan.get();
}

bool PlanCache::RunFirst(const PlanKey& key, const Describe& describe, bool tf32, const Run& run) {
  Known* known = Lookup(key, describe, tf32);
  while (known->plan != nullptr) {
    if (run(*known->plan)) return true;
    const bool again = !known->plan->adds();
    known->failed.push_back(known->plan->engine());
    known->plan = MakePlan(target_, describe(), tf32, known->failed);
    if (!again) return false;
  }
  return false;
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

bool RunGraph(const Queue& queue, const PlanKey& key, const std::vector<const void*>& data, bool tf32,
              const PlanCache::Describe& describe) {
  const Dnn dnn(queue);
  return PlansOf(dnn.handle()).RunFirst(key, describe, tf32, [&](const DnnPlan& plan) {
    if (std::getenv("DIOPI_CUDA_PLAN_LOG") != nullptr) LogPlan(describe(), &plan);
    const Descriptor pack = DnnPlan::Pack(data, queue.Buffer<char>(plan.workspace()));
    return TakenByDnn(cudnnBackendExecute(dnn.handle(), plan.get(), pack.get()), "cudnnBackendExecute");
  });
}

#endif

}  // namespace diopi::ops::cuda
