// The arguments of a live call as a case. The ABI's description says what each pointer is, so no function
// needs code of its own; what the description cannot say (memory of unknown size, negative strides) is
// Unimplemented, and the call is then forwarded unwatched. A tensor starts in the case at the same place of a
// cache line as in the host, because kernels take other paths otherwise.
#include "baselines/tap/live_call.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "baselines/tap/capture.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "cases/core/argument_builder.h"
#include "cases/core/case_builder.h"
#include "cases/core/point_value.h"
#include "cases/fill/fill.h"

namespace diopi::tap {
namespace {

using D = v1::Dtype;

// Tensors of a case start at the same place of a cache line as in the host, because kernels treat such
// tensors differently.
constexpr uintptr_t kCacheLine = 64;

template <typename T>
T Value(const void* argument) {
  T value;
  std::memcpy(static_cast<void*>(&value), argument, sizeof(T));
  return value;
}

absl::Status Unsupported(const std::string& name, absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("argument ", name, ": ", what));
}

std::vector<int64_t> Copied(const diopiSize_t& size) {
  return size.data == nullptr || size.len <= 0 ? std::vector<int64_t>()
                                               : std::vector<int64_t>(size.data, size.data + size.len);
}

}  // namespace

absl::StatusOr<LiveCall> LiveCall::Read(const FunctionInfo& info, const Call& call, const HostRuntime& host,
                                        const TensorMemory& memory) {
  LiveCall live(info, host, memory);
  if (info.op == nullptr) {
    return absl::UnimplementedError("no operator of the suite has this function");
  }
  live.context_ = Value<diopiContextHandle_t>(call.arguments[0]);
  diopiStreamHandle_t stream = nullptr;
  absl::Status status = HostStatus(host.stream(live.context_, &stream), "diopiGetStream");
  live.stream_ = stream;
  if (status.ok()) status = live.ReadArguments(call);
  if (!status.ok()) return status;
  return live;
}

absl::Status LiveCall::ReadArguments(const Call& call) {
  case_.set_family(info_->op->family());
  case_.set_operator_(info_->op->operator_());
  case_.set_function(info_->function->name());
  case_.set_generator_version(kGeneratorVersion);
  for (int i = 1; i < info_->function->param_size(); ++i) {
    const abi::Param& param = info_->function->param(i);
    const v1::ArgRule& rule = cases::RuleFor(*info_->rules, param.name());
    v1::Argument* arg = case_.add_args();
    arg->set_name(param.name());
    arg->set_role(cases::RoleOf(param, rule));
    arg->set_alias(rule.alias());
    arg->set_holds(rule.holds());
    RETURN_IF_ERROR(ReadArgument(call, i, arg));
  }
  ChooseDtype();
  for (v1::Argument& arg : *case_.mutable_args()) {
    if (arg.value_case() == v1::Argument::kScratch) arg.set_scratch(case_.dtype());
  }
  return absl::OkStatus();
}

absl::Status LiveCall::ReadArgument(const Call& call, int position, v1::Argument* arg) {
  const abi::Param& param = info_->function->param(position);
  const void* value = call.arguments[position];
  switch (param.kind()) {
    case abi::TENSOR:
    case abi::CONST_TENSOR:
      return ReadTensor(value, param, arg);
    case abi::TENSOR_POINTER:
    case abi::TENSOR_ARRAY:
    case abi::CONST_TENSOR_ARRAY:
      return ReadArray(call, position, arg);
    case abi::SIZE:
    case abi::SIZE_POINTER: {
      const auto* size = param.kind() == abi::SIZE ? static_cast<const diopiSize_t*>(value)
                                                   : Value<const diopiSize_t*>(value);
      if (size == nullptr || (size->data == nullptr && param.nullable())) {
        arg->set_null(true);
        return absl::OkStatus();
      }
      for (const int64_t each : Copied(*size)) arg->mutable_sizes()->add_values(each);
      arg->mutable_sizes();
      return absl::OkStatus();
    }
    case abi::SCALAR_POINTER: {
      const auto* scalar = Value<const diopiScalar_t*>(value);
      if (scalar == nullptr) {
        arg->set_null(true);
        return absl::OkStatus();
      }
      const auto dtype = static_cast<Dtype>(scalar->stype);
      arg->mutable_scalar()->set_dtype(dtype);
      // Libraries read ival for integers and fval for everything else, bool included.
      if (IsInteger(dtype)) {
        arg->mutable_scalar()->set_i(scalar->ival);
      } else {
        arg->mutable_scalar()->set_f(scalar->fval);
      }
      return absl::OkStatus();
    }
    case abi::BOOL:
      arg->set_b(Value<bool>(value));
      return absl::OkStatus();
    case abi::INT:
    case abi::INT32:
    case abi::REDUCTION:
    case abi::ROUND_MODE:
    case abi::MEMORY_FORMAT:
      arg->set_i(Value<int32_t>(value));
      return absl::OkStatus();
    case abi::INT64:
      arg->set_i(Value<int64_t>(value));
      return absl::OkStatus();
    case abi::FLOAT:
      arg->set_f(static_cast<double>(Value<float>(value)));
      return absl::OkStatus();
    case abi::DOUBLE:
      arg->set_f(Value<double>(value));
      return absl::OkStatus();
    case abi::STRING: {
      const auto* text = Value<const char*>(value);
      text == nullptr ? arg->set_null(true) : arg->set_s(text);
      return absl::OkStatus();
    }
    case abi::GENERATOR:
    case abi::GENERATOR_ARRAY:
      return ReadGenerators(call, position, arg);
    default:
      return ReadPointer(call, position, arg);
  }
}

absl::Status LiveCall::ReadTensor(const void* value, const abi::Param& param, v1::Argument* arg) {
  const auto handle = Value<diopiConstTensorHandle_t>(value);
  if (!param.scratch_size().empty()) {
    arg->set_scratch(D::unsupported);  // the case's dtype, once it is known
    return absl::OkStatus();
  }
  if (handle == nullptr) {
    arg->set_null(true);
    return absl::OkStatus();
  }
  bool sparse = false;
  if (host_->is_sparse != nullptr) host_->is_sparse(handle, &sparse);
  return sparse ? ReadSparse(handle, arg)
                : AddTensor(param.name(), arg->role(), handle, arg->mutable_tensor());
}

absl::Status LiveCall::ReadSparse(diopiConstTensorHandle_t handle, v1::Argument* arg) {
  if (host_->row_starts == nullptr || host_->columns == nullptr || host_->values == nullptr) {
    return Unsupported(arg->name(), "the host has no functions for the parts of a sparse tensor");
  }
  diopiConstTensorHandle_t parts[3] = {};
  absl::Status status = HostStatus(host_->row_starts(handle, &parts[0]), "diopiGetTensorCrowIndices");
  if (status.ok()) status = HostStatus(host_->columns(handle, &parts[1]), "diopiGetTensorColIndices");
  if (status.ok()) status = HostStatus(host_->values(handle, &parts[2]), "diopiGetTensorValues");
  for (int i = 0; status.ok() && i < 3; ++i) {
    status = AddTensor(absl::StrCat(arg->name(), ".", i), arg->role(), parts[i],
                       arg->mutable_tensors()->add_tensors());
  }
  diopiSize_t shape{};
  if (status.ok()) status = HostStatus(host_->shape(handle, &shape), "diopiGetTensorShape");
  for (const int64_t size : Copied(shape)) arg->mutable_tensors()->add_sparse_shape(size);
  return status;
}

absl::StatusOr<int64_t> LiveCall::Count(const Call& call, const std::string& name) const {
  for (int i = 1; i < info_->function->param_size(); ++i) {
    const abi::Param& param = info_->function->param(i);
    if (param.name() != name) continue;
    if (param.kind() == abi::INT64) return Value<int64_t>(call.arguments[i]);
    if (param.kind() == abi::INT || param.kind() == abi::INT32) return Value<int32_t>(call.arguments[i]);
    const auto* pointer = Value<const int64_t*>(call.arguments[i]);
    if (param.kind() == abi::INT64_POINTER && pointer != nullptr) return *pointer;
  }
  return Unsupported(name, "is not a count");
}

absl::Status LiveCall::ReadArray(const Call& call, int position, v1::Argument* arg) {
  const abi::Param& param = info_->function->param(position);
  auto* handles = Value<diopiTensorHandle_t*>(call.arguments[position]);
  if (handles == nullptr) {
    arg->set_null(true);
    return absl::OkStatus();
  }
  int64_t count = std::max(1, param.fills());
  const bool list = param.kind() != abi::TENSOR_POINTER || param.fills() > 1;
  if (!param.count().empty()) {
    ASSIGN_OR_RETURN(const int64_t counted, Count(call, param.count()));
    count = counted;
  }
  if (arg->role() == v1::ROLE_LIBRARY_OUTPUT) {
    required_.push_back({position - 1, param.name(), handles, static_cast<int>(count), list});
    if (!list) arg->mutable_tensor();
    for (int64_t i = 0; list && i < count; ++i) arg->mutable_tensors()->add_tensors();
    return absl::OkStatus();
  }
  arg->mutable_tensors();
  for (int64_t i = 0; i < count; ++i) {
    arg->mutable_tensors()->add_null(handles[i] == nullptr);
    v1::TensorSpec* spec = arg->mutable_tensors()->add_tensors();
    if (handles[i] == nullptr) continue;
    RETURN_IF_ERROR(AddTensor(absl::StrCat(param.name(), ".", i), arg->role(), handles[i], spec));
  }
  const auto& null = arg->tensors().null();
  if (std::find(null.begin(), null.end(), true) == null.end()) arg->mutable_tensors()->clear_null();
  return absl::OkStatus();
}

absl::Status LiveCall::ReadPointer(const Call& call, int position, v1::Argument* arg) {
  const abi::Param& param = info_->function->param(position);
  void* pointer = Value<void*>(call.arguments[position]);
  if (pointer == nullptr) {
    arg->set_null(true);
    return absl::OkStatus();
  }
  if (arg->role() == v1::ROLE_OUTPUT) {
    const Dtype dtype = cases::HostOutputDtype(param.kind());
    arg->mutable_host_output()->set_dtype(dtype);
    tensors_.push_back(
        {param.name(), v1::ROLE_OUTPUT, dtype, {}, {}, static_cast<std::byte*>(pointer), 1, true});
    return absl::OkStatus();
  }
  const auto asks_for_size = [&](const abi::Param& other) { return other.scratch_size() == param.name(); };
  const auto& params = info_->function->param();
  switch (param.kind()) {
    case abi::INT64_POINTER:
      if (std::any_of(params.begin(), params.end(), asks_for_size)) {
        if (Value<int64_t>(pointer) < 0)
          return Unsupported(param.name(), "asks for the size of scratch memory");
        arg->set_i(-1);
      } else if (!param.count().empty()) {
        ASSIGN_OR_RETURN(const int64_t count, Count(call, param.count()));
        for (const int64_t each : Copied({static_cast<const int64_t*>(pointer), count})) {
          arg->mutable_sizes()->add_values(each);
        }
        arg->mutable_sizes();
      } else {
        arg->set_i(Value<int64_t>(pointer));
      }
      return absl::OkStatus();
    case abi::DOUBLE_POINTER:
      arg->set_f(Value<double>(pointer));
      return absl::OkStatus();
    case abi::BOOL_POINTER:
      arg->set_b(Value<bool>(pointer));
      return absl::OkStatus();
    default:
      return Unsupported(param.name(),
                         absl::StrCat("a ", param.c_type(), " leads to memory of unknown size"));
  }
}

absl::Status LiveCall::ReadGenerators(const Call& call, int position, v1::Argument* arg) {
  const abi::Param& param = info_->function->param(position);
  auto* first = Value<diopiGeneratorHandle_t>(call.arguments[position]);
  if (param.kind() == abi::GENERATOR_ARRAY) {
    const auto* handles = Value<diopiGeneratorHandle_t*>(call.arguments[position]);
    ASSIGN_OR_RETURN(const int64_t count, Count(call, param.count()));
    if (handles == nullptr) return Unsupported(param.name(), "is null");
    generators_.assign(handles, handles + std::max<int64_t>(0, count));
    first = generators_.empty() ? nullptr : generators_[0];
  } else if (first != nullptr) {
    generators_.push_back(first);
  }
  uint64_t seed = 0;
  uint64_t offset = 0;
  if (host_->get_seed != nullptr) host_->get_seed(first, &seed, &offset);
  arg->mutable_generator()->set_seed(seed);
  arg->mutable_generator()->set_offset(offset);
  return absl::OkStatus();
}

absl::StatusOr<LiveCall::Tensor> LiveCall::Describe(diopiConstTensorHandle_t handle) const {
  Tensor tensor;
  diopiSize_t shape{};
  diopiSize_t strides{};
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiDevice_t device = diopi_device;
  const void* data = nullptr;
  absl::Status status = HostStatus(host_->shape(handle, &shape), "diopiGetTensorShape");
  if (status.ok()) status = HostStatus(host_->stride(handle, &strides), "diopiGetTensorStride");
  if (status.ok()) status = HostStatus(host_->dtype(handle, &dtype), "diopiGetTensorDtype");
  if (status.ok()) status = HostStatus(host_->device(handle, &device), "diopiGetTensorDevice");
  if (status.ok()) status = HostStatus(host_->data(handle, &data), "diopiGetTensorDataConst");
  if (!status.ok()) return status;
  tensor.dtype = static_cast<Dtype>(dtype);
  tensor.shape = Copied(shape);
  tensor.strides = Copied(strides);
  tensor.data = static_cast<std::byte*>(const_cast<void*>(data));
  tensor.on_host = device == diopi_host;
  tensor.elements = NumElements(tensor.shape) == 0 ? 0 : 1;
  if (ElementSize(tensor.dtype) == 0 || tensor.strides.size() != tensor.shape.size()) {
    return absl::UnimplementedError("the tensor's dtype or strides are unknown");
  }
  for (size_t i = 0; i < tensor.shape.size() && tensor.elements > 0; ++i) {
    if (tensor.strides[i] < 0 && tensor.shape[i] > 1)
      return absl::UnimplementedError("its strides are negative");
    tensor.elements += (tensor.shape[i] - 1) * tensor.strides[i];
  }
  return tensor;
}

absl::Status LiveCall::AddTensor(const std::string& key, v1::Role role, diopiConstTensorHandle_t handle,
                                 v1::TensorSpec* spec) {
  absl::StatusOr<Tensor> described = Describe(handle);
  if (!described.ok()) {
    return absl::Status(described.status().code(),
                        absl::StrCat("argument ", key, ": ", described.status().message()));
  }
  Tensor& tensor = tensors_.emplace_back(*std::move(described));
  tensor.key = key;
  tensor.role = role;
  const auto element = static_cast<uintptr_t>(ElementSize(tensor.dtype));
  const uintptr_t into_line = reinterpret_cast<uintptr_t>(tensor.data) % kCacheLine;
  spec->set_dtype(tensor.dtype);
  spec->mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
  spec->mutable_strides()->Assign(tensor.strides.begin(), tensor.strides.end());
  const bool aligned = into_line % element == 0 && tensor.elements > 0;
  spec->set_storage_offset(aligned ? static_cast<int64_t>(into_line / element) : 0);
  spec->set_storage_elements(spec->storage_offset() + tensor.elements);
  return absl::OkStatus();
}

// The dtype that gives the case its name: that of the first tensor whose dtype no rule gives, a floating one
// before others.
void LiveCall::ChooseDtype() {
  std::vector<Dtype> candidates;
  for (const Tensor& tensor : tensors_) {
    const std::string name = tensor.key.substr(0, tensor.key.find('.'));
    if (!cases::HasDtypeSource(cases::RuleFor(*info_->rules, name))) candidates.push_back(tensor.dtype);
  }
  const auto floating = std::find_if(candidates.begin(), candidates.end(), IsFloating);
  if (floating != candidates.end()) {
    case_.set_dtype(*floating);
  } else if (!candidates.empty()) {
    case_.set_dtype(candidates.front());
  } else {
    case_.set_dtype(tensors_.empty() ? D::float32 : tensors_.front().dtype);
  }
}

absl::Status LiveCall::Finish(const std::string& label) {
  case_.set_label(label);
  case_.clear_judges();
  case_.clear_readings();
  return cases::FinishCase(*info_->rules, &case_);
}

std::string LiveCall::Signature() const {
  v1::Case shape = case_;
  ForgetPlaces(&shape);
  for (v1::Argument& arg : *shape.mutable_args()) {
    const bool number = arg.value_case() == v1::Argument::kF || arg.value_case() == v1::Argument::kScalar ||
                        arg.value_case() == v1::Argument::kGenerator || arg.name() == "step";
    if (number) arg.clear_value();
  }
  return shape.SerializeAsString();
}

}  // namespace diopi::tap
