// CallFrame::Build: arguments of a case against the signature, one by one.
//
// Walks the parameters of the function's signature, not the case's arguments: every parameter must get a
// value of its kind, and an argument that is left over is an error. Tensors get buffers in the context's
// arenas with canaries on both sides; the library receives handles and pointers into this frame, which must
// not move while a call runs.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/layout.h"
#include "cases/base/split_mix.h"
#include "cases/base/status_macros.h"
#include "impl_loader/caller/call_frame.h"

namespace diopi::loader {
namespace {

constexpr int kGapByte = 0xFF;  // between the elements of strided inputs: NaN, -1
constexpr int64_t kMaxBytes = int64_t{1} << 40;

absl::Status Misfit(const std::string& name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("argument ", name, ": ", what));
}

std::vector<int64_t> Values(const google::protobuf::RepeatedField<int64_t>& field) {
  return {field.begin(), field.end()};
}

}  // namespace

class FrameBuilder {
 public:
  FrameBuilder(const v1::Case& c, const std::vector<InputView>& inputs, Dtype widened, diopiContext* context)
      : case_(c), inputs_(inputs), widened_(widened), frame_(new CallFrame(context)) {}

  absl::StatusOr<std::unique_ptr<CallFrame>> Build(const abi::Function& function) {
    int next = 0;
    for (const abi::Param& param : function.param()) {
      if (param.kind() == abi::CONTEXT) continue;
      if (next == case_.args_size() || case_.args(next).name() != param.name()) {
        return absl::InvalidArgumentError(
            absl::StrCat(function.name(), ": the signature wants ", param.name(), " as argument ", next + 1,
                         ", the case has ", next == case_.args_size() ? "no more" : case_.args(next).name()));
      }
      RETURN_IF_ERROR(Add(param, case_.args(next)));
      ++next;
    }
    if (next != case_.args_size()) {
      return absl::InvalidArgumentError(absl::StrCat(function.name(), ": the case has more than ", next,
                                                     " arguments, the first extra one is ",
                                                     case_.args(next).name()));
    }
    for (auto& [output, input] : shared_) Share(output, input);
    if (preparing_.has_value()) {
      frame_->preparing_args_ = frame_->args_;
      frame_->preparing_args_[*preparing_] = false;
    }
    return std::move(frame_);
  }

 private:
  absl::Status Add(const abi::Param& param, const v1::Argument& arg) {
    const bool null = arg.value_case() == v1::Argument::kNull && arg.null();
    if (null && param.kind() != abi::SIZE) {
      Push(ArgNull{});
      return absl::OkStatus();
    }
    switch (param.kind()) {
      case abi::TENSOR:
      case abi::CONST_TENSOR:
        memory_ = param.on_host() ? diopi_host : diopi_device;
        return param.scratch_size().empty() ? AddTensor(arg) : AddScratch(param, arg);
      case abi::TENSOR_POINTER:
      case abi::TENSOR_ARRAY:
      case abi::CONST_TENSOR_ARRAY:
        memory_ = diopi_device;
        return AddArray(arg);
      case abi::SIZE:
        return AddSize(arg, null);
      case abi::SIZE_POINTER:
        if (arg.value_case() != v1::Argument::kSizes) return Misfit(arg.name(), "expected sizes");
        frame_->size_structs_.push_back(Size(arg));
        Push(Pointer(&frame_->size_structs_.back()));
        return absl::OkStatus();
      case abi::SCALAR_POINTER:
        return AddScalar(arg);
      case abi::GENERATOR:
      case abi::GENERATOR_ARRAY:
        return AddGenerator(param, arg);
      case abi::BOOL_POINTER:
      case abi::INT64_POINTER:
      case abi::DOUBLE_POINTER:
      case abi::VOID_POINTER:
        return AddPointer(param, arg);
      default:
        return AddValue(param, arg);
    }
  }

  absl::Status AddValue(const abi::Param& param, const v1::Argument& arg) {
    switch (param.kind()) {
      case abi::BOOL:
        if (arg.value_case() != v1::Argument::kB) return Misfit(arg.name(), "expected a bool");
        if (!param.prepares().empty() && arg.b()) preparing_ = frame_->args_.size();
        Push(arg.b());
        return absl::OkStatus();
      case abi::FLOAT:
      case abi::DOUBLE:
        if (arg.value_case() == v1::Argument::kI) {
          Push(static_cast<double>(arg.i()));
          return absl::OkStatus();
        }
        if (arg.value_case() != v1::Argument::kF) return Misfit(arg.name(), "expected a number");
        Push(arg.f());
        return absl::OkStatus();
      case abi::STRING:
        if (arg.value_case() != v1::Argument::kS) return Misfit(arg.name(), "expected a string");
        frame_->strings_.push_back(arg.s());
        Push(Pointer(frame_->strings_.back().data()));
        return absl::OkStatus();
      case abi::INT:
      case abi::INT32:
      case abi::INT64:
      case abi::REDUCTION:
      case abi::ROUND_MODE:
      case abi::MEMORY_FORMAT:
        if (arg.value_case() != v1::Argument::kI) return Misfit(arg.name(), "expected an integer");
        Push(arg.i());
        return absl::OkStatus();
      default:
        return Misfit(arg.name(),
                      absl::StrCat("cannot pass a parameter of kind ", abi::Kind_Name(param.kind())));
    }
  }

  absl::Status AddTensor(const v1::Argument& arg) {
    if (arg.has_tensors() && arg.tensors().sparse_shape_size() > 0) return AddSparse(arg);
    if (arg.value_case() != v1::Argument::kTensor) return Misfit(arg.name(), "expected a tensor");
    if (arg.role() == v1::ROLE_LIBRARY_OUTPUT) {
      return Misfit(arg.name(), "the signature has no handle for the library to fill");
    }
    if (arg.role() != v1::ROLE_OUTPUT && !arg.tensor().same_as().empty())
      return AddSame(arg.name(), arg.tensor().same_as());
    ASSIGN_OR_RETURN(diopiTensorHandle_t handle, Bind(arg.name(), arg, arg.tensor()));
    Push(Pointer(handle));
    return absl::OkStatus();
  }

  // A handle that leads to its parts. It has no memory of its own.
  absl::Status AddSparse(const v1::Argument& arg) {
    if (arg.role() != v1::ROLE_INPUT || arg.tensors().tensors_size() != 3) {
      return Misfit(arg.name(), "a sparse matrix is read, and has three tensors");
    }
    std::array<diopiTensorHandle_t, 3> parts{};
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(diopiTensorHandle_t part,
                       Bind(absl::StrCat(arg.name(), ".", i), arg, arg.tensors().tensors(i)));
      parts[static_cast<size_t>(i)] = part;
    }
    diopiTensor& sparse = frame_->sparse_.emplace_back();
    sparse.row_starts = parts[0];
    sparse.columns = parts[1];
    sparse.values = parts[2];
    sparse.dtype = parts[2]->dtype;
    sparse.shape = Values(arg.tensors().sparse_shape());
    sparse.strides = runtime::RowMajorStrides(sparse.shape);
    int64_t elements = 0;
    if (!runtime::StorageElements(sparse.shape, sparse.strides, 0, &elements, &sparse.numel)) {
      return Misfit(arg.name(), "these are not the sizes of a matrix");
    }
    sparse.SealLayout();
    Push(Pointer(&sparse));
    return absl::OkStatus();
  }

  absl::Status AddScratch(const abi::Param& param, const v1::Argument& arg) {
    if (arg.value_case() != v1::Argument::kScratch) return Misfit(arg.name(), "expected scratch memory");
    ScratchMemory& scratch = frame_->scratch_.emplace_back();
    scratch.key = arg.name();
    scratch.size_name = param.scratch_size();
    scratch.tensor.dtype = arg.scratch();
    scratch.tensor.shape = {0};
    scratch.tensor.strides = {1};
    scratch.tensor.numel = 0;
    scratch.tensor.SealLayout();
    Push(Pointer(&scratch.tensor));
    return absl::OkStatus();
  }

  // Reuses the handle of an earlier argument.
  absl::Status AddSame(const std::string& name, const std::string& other) {
    for (BoundTensor& bound : frame_->tensors_) {
      if (bound.key != other) continue;
      Push(Pointer(&bound.tensor));
      return absl::OkStatus();
    }
    return Misfit(name, absl::StrCat("is the same tensor as ", other, ", which is not an earlier tensor"));
  }

  // Puts an output into the memory of an input, unless an adaptor made them unlike.
  void Share(BoundTensor* output, const std::string& key) {
    for (BoundTensor& input : frame_->tensors_) {
      if (input.key != key || input.tensor.dtype != output->tensor.dtype ||
          input.tensor.storage.bytes != output->tensor.storage.bytes)
        continue;
      output->tensor.storage = input.tensor.storage;
      output->shared = true;
      input.writer = output;
    }
  }

  absl::Status AddArray(const v1::Argument& arg) {
    auto& array = frame_->arrays_.emplace_back();
    const bool list = arg.value_case() == v1::Argument::kTensors;
    const v1::TensorList& tensors = arg.tensors();
    if (list && tensors.null_size() != 0 && tensors.null_size() != tensors.tensors_size()) {
      return Misfit(arg.name(), "expected as many null flags as tensors, or none");
    }
    // One handle more than needed: a list may be empty, but its pointer must not be null.
    const int count = list ? tensors.tensors_size() : 1;
    array.assign(static_cast<size_t>(count) + 1, nullptr);
    for (int i = 0; i < count; ++i) {
      if (list && tensors.null_size() != 0 && tensors.null(i)) continue;
      const std::string key = list ? absl::StrCat(arg.name(), ".", i) : arg.name();
      diopiTensorHandle_t& handle = array[static_cast<size_t>(i)];
      if (arg.role() == v1::ROLE_LIBRARY_OUTPUT) {
        frame_->slots_.push_back({key, &handle, JudgeOf(arg.name()).kind() != v1::Judge::NOT_JUDGED});
        continue;
      }
      if (!list && arg.value_case() != v1::Argument::kTensor) return Misfit(arg.name(), "expected tensors");
      ASSIGN_OR_RETURN(diopiTensorHandle_t bound, Bind(key, arg, list ? tensors.tensors(i) : arg.tensor()));
      handle = bound;
    }
    Push(Pointer(array.data()));
    return absl::OkStatus();
  }

  diopiSize_t Size(const v1::Argument& arg) {
    auto& values = frame_->sizes_.emplace_back(Values(arg.sizes().values()));
    const auto length = static_cast<int64_t>(values.size());
    values.push_back(0);  // the pointer of an empty list must not be null either
    return {values.data(), length};
  }

  absl::Status AddSize(const v1::Argument& arg, bool null) {
    if (!null && arg.value_case() != v1::Argument::kSizes) return Misfit(arg.name(), "expected sizes");
    Push(null ? diopiSize_t{nullptr, 0} : Size(arg));
    return absl::OkStatus();
  }

  absl::Status AddScalar(const v1::Argument& arg) {
    if (arg.value_case() != v1::Argument::kScalar) return Misfit(arg.name(), "expected a scalar");
    const v1::ScalarValue& value = arg.scalar();
    const bool is_float = value.value_case() == v1::ScalarValue::kF;
    diopiScalar_t scalar{};
    scalar.stype = static_cast<diopiDtype_t>(value.dtype());
    if (value.dtype() == v1::Dtype::bool_) {
      // Some libraries read fval for a bool, others ival: 1.0 is nonzero either way.
      scalar.fval = (is_float ? value.f() != 0 : value.i() != 0) ? 1.0 : 0.0;
    } else if (IsInteger(value.dtype())) {
      scalar.ival = is_float ? static_cast<int64_t>(value.f()) : value.i();
    } else {
      scalar.fval = is_float ? value.f() : static_cast<double>(value.i());
    }
    frame_->scalars_.push_back(scalar);
    Push(Pointer(&frame_->scalars_.back()));
    return absl::OkStatus();
  }

  // An array has as many generators as the counting argument says, each with a seed of its own.
  absl::Status AddGenerator(const abi::Param& param, const v1::Argument& arg) {
    if (arg.value_case() != v1::Argument::kGenerator) return Misfit(arg.name(), "expected a generator");
    int64_t count = 1;
    for (const v1::Argument& other : case_.args()) {
      if (param.kind() == abi::GENERATOR_ARRAY && other.name() == param.count()) count = other.i();
    }
    std::vector<diopiGeneratorHandle_t> handles;
    for (int64_t i = 0; i < std::clamp<int64_t>(count, 1, 1 << 20); ++i) {
      const uint64_t seed = arg.generator().seed();
      const bool array = param.kind() == abi::GENERATOR_ARRAY;
      const diopiGenerator value{array ? SeedOfGenerator(seed, static_cast<uint64_t>(i)) : seed,
                                 arg.generator().offset()};
      frame_->generators_.push_back({value, value});
      handles.push_back(&frame_->generators_.back().live);
    }
    if (param.kind() == abi::GENERATOR) {
      Push(Pointer(handles[0]));
    } else {
      Push(Pointer(frame_->generator_arrays_.emplace_back(std::move(handles)).data()));
    }
    return absl::OkStatus();
  }

  // A host pointer: an attribute to read, or memory to write.
  absl::Status AddPointer(const abi::Param& param, const v1::Argument& arg) {
    if (arg.value_case() == v1::Argument::kHostOutput) return AddHostOutput(arg);
    void* pointer = nullptr;
    if (param.kind() == abi::INT64_POINTER && arg.value_case() == v1::Argument::kI) {
      pointer = Pointer(&frame_->integers_.emplace_back(arg.i()));
      for (ScratchMemory& scratch : frame_->scratch_) {
        if (scratch.size_name == arg.name()) scratch.size = &frame_->integers_.back();
      }
    } else if (param.kind() == abi::INT64_POINTER && arg.value_case() == v1::Argument::kSizes) {
      pointer = Pointer(Size(arg).data);
    } else if (param.kind() == abi::DOUBLE_POINTER && arg.value_case() == v1::Argument::kF) {
      pointer = Pointer(&frame_->doubles_.emplace_back(arg.f()));
    } else if (param.kind() == abi::DOUBLE_POINTER && arg.value_case() == v1::Argument::kI) {
      pointer = Pointer(&frame_->doubles_.emplace_back(static_cast<double>(arg.i())));
    } else if (param.kind() == abi::BOOL_POINTER && arg.value_case() == v1::Argument::kB) {
      pointer = Pointer(&frame_->bools_.emplace_back(arg.b()));
    } else {
      return Misfit(arg.name(),
                    absl::StrCat("no value for a parameter of kind ", abi::Kind_Name(param.kind())));
    }
    Push(pointer);
    return absl::OkStatus();
  }

  absl::Status AddHostOutput(const v1::Argument& arg) {
    BoundTensor& bound = frame_->tensors_.emplace_back();
    bound.key = arg.name();
    bound.role = v1::ROLE_OUTPUT;
    bound.host_output = true;
    bound.judged = JudgeOf(arg.name()).kind() != v1::Judge::NOT_JUDGED;
    bound.dense = true;
    bound.tensor.dtype = arg.host_output().dtype();
    // Where the oracle asks for noise numbers, our reference writes whole ones.
    const bool noise = widened_ == v1::Dtype::noise64 || widened_ == v1::Dtype::noise80;
    if (noise && IsFloating(arg.host_output().dtype())) bound.tensor.dtype = widened_;
    bound.element = runtime::ElementBytes(bound.tensor.dtype);
    if (bound.element == 0) return Misfit(arg.name(), "a host output without a dtype");
    bound.tensor.device = diopi_host;
    bound.tensor.storage = frame_->context_->Allocate(static_cast<size_t>(bound.element), diopi_host);
    if (bound.tensor.storage.data == nullptr) return absl::ResourceExhaustedError("no memory");
    Push(Pointer(bound.tensor.storage.data));
    return absl::OkStatus();
  }

  const v1::Judge& JudgeOf(const std::string& output) const {
    for (const v1::Judge& judge : case_.judges()) {
      if (judge.output() == output) return judge;
    }
    return v1::Judge::default_instance();
  }

  const InputView* FindInput(const std::string& key) const {
    for (const InputView& input : inputs_) {
      if (input.key == key) return &input;
    }
    return nullptr;
  }

  absl::StatusOr<diopiTensorHandle_t> Bind(const std::string& key, const v1::Argument& arg,
                                           const v1::TensorSpec& spec) {
    const v1::Role role = arg.role();
    const v1::Judge& judge = JudgeOf(arg.name());
    BoundTensor& bound = frame_->tensors_.emplace_back();
    bound.key = key;
    bound.role = role;
    bound.judged = judge.kind() != v1::Judge::NOT_JUDGED;
    bound.may_stay_unwritten = judge.may_stay_unwritten();
    diopiTensor& tensor = bound.tensor;
    tensor.dtype = spec.dtype();
    tensor.shape = Values(spec.shape());
    const InputView* input = nullptr;
    const bool widened = widened_ != v1::Dtype::unsupported && role == v1::ROLE_OUTPUT;
    // There are no wider complex dtypes: the parts lie densely in a last dimension of 2.
    const bool in_parts = widened && IsComplex(spec.dtype());
    // What another function's library allocated has a shape only now.
    const bool unknown = !spec.from().empty() && spec.shape().empty();
    if (in_parts) tensor.shape.push_back(2);
    if (role == v1::ROLE_OUTPUT) {
      if (in_parts || (widened && IsFloating(spec.dtype()))) tensor.dtype = widened_;
      const InputView* held = arg.holds().empty() ? nullptr : FindInput(arg.holds());
      const bool fits = held != nullptr && held->dtype == tensor.dtype && held->shape == tensor.shape;
      if (fits) bound.holds = held->data;
      if (!spec.same_as().empty()) shared_.emplace_back(&bound, spec.same_as());
    } else {
      input = FindInput(key);
      if (input == nullptr) return Misfit(key, "its values were not sent");
      if (unknown) tensor.shape = input->shape;
      if (input->shape != tensor.shape)
        return Misfit(key, "its values do not have the shape that the case gives");
      tensor.dtype = input->dtype;
      bound.values = input->data;
      bound.blocks = input->blocks;
    }
    RETURN_IF_ERROR(Lay(in_parts || unknown ? v1::TensorSpec() : spec, &bound));
    if (input != nullptr) {
      if (input->bytes != static_cast<size_t>(tensor.numel * bound.element)) {
        return Misfit(key, "its values do not have the size that its shape gives");
      }
      if (!bound.dense) MakeImage(&bound);
    }
    tensor.device = memory_;
    return &tensor;
  }

  // Strides, storage and coverage.
  absl::Status Lay(const v1::TensorSpec& spec, BoundTensor* bound) {
    diopiTensor& tensor = bound->tensor;
    const std::vector<int64_t> row_major = runtime::RowMajorStrides(tensor.shape);
    tensor.strides = spec.strides_size() == 0 ? row_major : Values(spec.strides());
    tensor.SealLayout();
    tensor.storage_offset = spec.storage_offset();
    bound->element = runtime::ElementBytes(tensor.dtype);
    int64_t elements = 0;
    if (bound->element == 0 || !runtime::StorageElements(tensor.shape, tensor.strides, tensor.storage_offset,
                                                         &elements, &tensor.numel)) {
      return Misfit(bound->key, "sizes, strides and dtype do not describe a tensor");
    }
    if (spec.storage_elements() != 0 && spec.storage_elements() < elements) {
      return Misfit(bound->key, "its storage is smaller than its elements need");
    }
    elements = std::max(elements, spec.storage_elements());
    if (elements > kMaxBytes / bound->element) return Misfit(bound->key, "too large");
    bound->dense = elements == tensor.numel && tensor.storage_offset == 0 && SameOrder(tensor, row_major);
    tensor.storage = frame_->context_->Allocate(static_cast<size_t>(elements * bound->element), memory_);
    if (tensor.storage.data == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("argument ", bound->key, ": no memory for ", elements * bound->element, " bytes"));
    }
    if (bound->dense) return absl::OkStatus();
    bound->covered.assign(static_cast<size_t>(elements), 0);
    for (const int64_t at : ElementOffsets(tensor.shape, tensor.strides, tensor.storage_offset)) {
      bound->covered[static_cast<size_t>(at)] = 1;
    }
    return absl::OkStatus();
  }

  static bool SameOrder(const diopiTensor& tensor, const std::vector<int64_t>& row_major) {
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] > 1 && tensor.strides[i] != row_major[i]) return false;
    }
    return true;
  }

  static void MakeImage(BoundTensor* bound) {
    const diopiTensor& tensor = bound->tensor;
    bound->image.assign(tensor.storage.bytes, static_cast<char>(kGapByte));
    if (tensor.numel == 0) return;
    std::string made;
    if (bound->blocks != nullptr) {
      made.resize(static_cast<size_t>(bound->blocks->bytes()));
      bound->blocks->Write(0, bound->blocks->bytes(), made.data());
    }
    ScatterToStorage(bound->blocks != nullptr ? made.data() : bound->values, tensor.shape, tensor.strides,
                     tensor.storage_offset, bound->element, bound->image.data());
  }

  template <typename T>
  static void* Pointer(T* pointer) {
    return const_cast<void*>(static_cast<const void*>(pointer));
  }
  void Push(ArgValue value) { frame_->args_.push_back(value); }

  const v1::Case& case_;
  const std::vector<InputView>& inputs_;
  Dtype widened_;
  std::unique_ptr<CallFrame> frame_;
  diopiDevice_t memory_ = diopi_device;  // of the tensor that is being added
  std::vector<std::pair<BoundTensor*, std::string>>
      shared_;                       // outputs, and the inputs in whose memory they lie
  std::optional<size_t> preparing_;  // the argument that is false in the call that prepares scratch memory
};

absl::StatusOr<std::unique_ptr<CallFrame>> CallFrame::Build(const abi::Function& function, const v1::Case& c,
                                                            const std::vector<InputView>& inputs,
                                                            Dtype widened, diopiContext* context) {
  return FrameBuilder(c, inputs, widened, context).Build(function);
}

}  // namespace diopi::loader
