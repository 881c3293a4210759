// One operation as a graph: tensors and the convolution are described, heuristics list engines, the first
// that EngineAllowed passes and that makes a plan is run.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "baselines/ops/convolution/convolution_dnn.h"
#include "baselines/ops/support/cuda/device.h"
#include "baselines/ops/support/cuda/dnn.h"
#include "baselines/ops/support/cuda/dnn_engine.h"

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

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    CheckDnn(cudnnBackendCreateDescriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
  }
  ~Descriptor() { cudnnBackendDestroyDescriptor(descriptor_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  void Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
           const void* values) {
    CheckDnn(cudnnBackendSetAttribute(descriptor_, name, type, count, values), "describing a convolution");
  }
  template <typename T>
  void Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    Set(name, type, 1, &value);
  }
  void Set(cudnnBackendAttributeName_t name, const Descriptor& part) {
    Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, part.get());
  }
  // False: cuDNN has no such thing.
  bool Finalize() { return TakenByDnn(cudnnBackendFinalize(descriptor_), "cudnnBackendFinalize"); }
  // How many there are of those that `values` has room for.
  int64_t Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t room,
              void* values) const {
    int64_t count = 0;
    CheckDnn(cudnnBackendGetAttribute(descriptor_, name, type, room, &count, values),
             "asking about a convolution");
    return values == nullptr ? count : std::min(count, room);
  }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};
using Owned = std::unique_ptr<Descriptor>;
Owned New(cudnnBackendDescriptorType_t type) {
  return std::make_unique<Descriptor>(type);
}

// Null where cuDNN does not take it; so are the others.
Owned DescribeTensor(const Tensor& tensor, int64_t id) {
  Owned t = New(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const auto address = reinterpret_cast<uint64_t>(tensor.data()) | 16;
  const auto alignment = static_cast<int64_t>(address & (~address + 1));
  const Shape strides = DenseStrides(tensor.shape());
  t->Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, DnnType(tensor.dtype()));
  t->Set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, tensor.rank(), tensor.shape().data());
  t->Set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, tensor.rank(), strides.data());
  t->Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
  t->Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment);
  return t->Finalize() ? std::move(t) : nullptr;
}

Owned DescribeSteps(const Conv2d& c, diopiDtype_t dtype) {
  Owned steps = New(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const std::array<int64_t, 2> dilation = {c.dilation_h, c.dilation_w}, stride = {c.stride_h, c.stride_w};
  const std::array<int64_t, 2> pad = {c.pad_h, c.pad_w};
  steps->Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, DnnType(DnnScaleDtype(dtype)));
  steps->Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  steps->Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, int64_t{2});
  steps->Set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, dilation.data());
  steps->Set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, stride.data());
  steps->Set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pad.data());
  steps->Set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pad.data());
  return steps->Finalize() ? std::move(steps) : nullptr;
}

// The names that the three operations give the same things.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t x, w, y, steps, alpha, beta;
};
Names NamesOf(ConvolutionProduct product) {
  switch (product) {
    case ConvolutionProduct::kForward:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    case ConvolutionProduct::kGradInput:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
}

// Descriptors hold what they were made of no longer than those live: all of a call's are kept.
struct Graph {
  Owned x, w, y, steps, operation, graph;
};
bool DescribeGraph(const Dnn& dnn, ConvolutionProduct product, const Conv2d& c, const Tensor& x,
                   const Tensor& w, const Tensor& y, bool add, Graph* g) {
  const diopiDtype_t dtype = x.dtype();
  g->x = DescribeTensor(x, 0);
  g->w = DescribeTensor(w, 1);
  g->y = DescribeTensor(y, 2);
  g->steps = DescribeSteps(c, dtype);
  if (!g->x || !g->w || !g->y || !g->steps) return false;
  const Names names = NamesOf(product);
  const DnnScale alpha(dtype, 1), beta(dtype, add ? 1 : 0);
  const cudnnBackendAttributeType_t scale =
      dtype == diopi_dtype_float64 ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
  g->operation = New(names.operation);
  g->operation->Set(names.x, *g->x);
  g->operation->Set(names.w, *g->w);
  g->operation->Set(names.y, *g->y);
  g->operation->Set(names.steps, *g->steps);
  g->operation->Set(names.alpha, scale, 1, alpha.get());
  g->operation->Set(names.beta, scale, 1, beta.get());
  if (!g->operation->Finalize()) return false;
  g->graph = New(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  g->graph->Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, *g->operation);
  g->graph->Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, dnn.handle());
  return g->graph->Finalize();
}

// What heuristics of this mode propose, best first.
std::vector<Owned> Propose(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  std::vector<Owned> configs;
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (!heuristics.Finalize()) return configs;
  const int64_t room =
      heuristics.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
  std::vector<cudnnBackendDescriptor_t> results;
  for (int64_t i = 0; i < room; ++i) {
    configs.push_back(New(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    results.push_back(configs.back()->get());
  }
  if (room == 0) return configs;
  const int64_t count = heuristics.Get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, room,
                                       static_cast<void*>(results.data()));
  configs.resize(static_cast<size_t>(count));
  return configs;
}

std::vector<EngineNote> NotesOf(const Descriptor& config) {
  const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t to = engine.get();
  config.Get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, static_cast<void*>(&to));
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes;
  const int64_t count = engine.Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT, notes.data());
  std::vector<EngineNote> found;
  for (int64_t i = 0; i < count; ++i) found.push_back(static_cast<EngineNote>(notes[static_cast<size_t>(i)]));
  return found;
}

struct Plan {
  Owned config, plan;
  int64_t workspace = 0;
};
std::optional<Plan> MakePlan(const Dnn& dnn, Owned config) {
  Plan p{std::move(config), New(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)};
  p.plan->Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, dnn.handle());
  p.plan->Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *p.config);
  if (!p.plan->Finalize()) return std::nullopt;
  p.plan->Get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &p.workspace);
  if (p.workspace > kMaxWorkspace) return std::nullopt;
  return p;
}

std::optional<Plan> FindPlan(const Dnn& dnn, const Descriptor& graph, diopiDtype_t dtype) {
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (Owned& config : Propose(graph, mode)) {
      if (!EngineAllowed(NotesOf(*config), dtype, Tf32Wanted())) continue;
      if (std::optional<Plan> plan = MakePlan(dnn, std::move(config))) return plan;
    }
  }
  return std::nullopt;
}

// cuDNN computes the output's size itself: with an output_padding of a dilation it comes to another one.
bool SizesAgree(const Conv2d& c) {
  const auto size = [](int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
    return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  };
  return size(c.height, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h) == c.out_h &&
         size(c.width, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w) == c.out_w;
}

}  // namespace

bool TryConvolution(const Queue& queue, ConvolutionProduct product, const Conv2d& c, const Tensor& x,
                    const Tensor& w, const Tensor& y, bool add) {
  if (!DnnWanted() || !DnnTakes(x.dtype(), {x, w, y}) || !SizesAgree(c)) return false;
  const Dnn dnn(queue);
  Graph graph;
  if (!DescribeGraph(dnn, product, c, x, w, y, add, &graph)) return false;
  const std::optional<Plan> plan = FindPlan(dnn, *graph.graph, x.dtype());
  if (!plan) return false;
  const std::array<int64_t, 3> ids = {0, 1, 2};
  const std::array<const void*, 3> data = {x.data(), w.data(), y.data()};
  void* workspace = queue.Buffer<char>(plan->workspace);
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids.data());
  pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3,
           static_cast<const void*>(data.data()));
  pack.Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  Check(pack.Finalize(), "cuDNN refused the tensors of its own plan");
  CheckDnn(cudnnBackendExecute(dnn.handle(), plan->plan->get(), pack.get()), "cudnnBackendExecute");
  return true;
}

}  // namespace diopi::ops::cuda
