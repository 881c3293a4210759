// The values of a live call's tensors, before and after the library's call. A tensor with gaps is read,
// changed and written as a whole storage, so that elements between its own keep their values. Generators are
// advanced past what the reference has drawn, because no later call may draw the same numbers.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "baselines/tap/live_call.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::tap {
namespace {

bool IsGiven(v1::Role role) {
  return role == v1::ROLE_INPUT || role == v1::ROLE_INOUT;
}
bool IsWritten(v1::Role role) {
  return role == v1::ROLE_OUTPUT || role == v1::ROLE_INOUT;
}

}  // namespace

size_t LiveCall::Tensor::bytes() const {
  return static_cast<size_t>(elements * ElementSize(dtype));
}

bool LiveCall::Tensor::dense() const {
  return elements == NumElements(shape) && strides == ContiguousStrides(shape);
}

int64_t LiveCall::bytes() const {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors_) bytes += NumElements(tensor.shape) * ElementSize(tensor.dtype);
  return bytes;
}

absl::StatusOr<HostTensor> LiveCall::Values(const Tensor& tensor) const {
  HostTensor values{tensor.dtype, tensor.shape, {}};
  std::string storage(tensor.bytes(), '\0');
  absl::Status status = memory_->Read(stream_, tensor.data, storage.size(), tensor.on_host, storage.data());
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat("argument ", tensor.key, ": ", status.message()));
  }
  if (tensor.dense()) {
    values.data = std::move(storage);
    return values;
  }
  const int64_t element = ElementSize(tensor.dtype);
  values.data.resize(static_cast<size_t>(NumElements(tensor.shape) * element));
  if (!values.data.empty()) {
    GatherFromStorage(storage.data(), tensor.shape, tensor.strides, 0, element, values.data.data());
  }
  return values;
}

absl::Status LiveCall::Store(const Tensor& tensor, const HostTensor& values) const {
  if (values.dtype != tensor.dtype || values.shape != tensor.shape) {
    return absl::InvalidArgumentError(absl::StrCat(
        "argument ", tensor.key, " is ", std::string(DtypeName(tensor.dtype)), " ", ShapeText(tensor.shape),
        ", its value ", std::string(DtypeName(values.dtype)), " ", ShapeText(values.shape)));
  }
  if (tensor.dense()) {
    return memory_->Write(stream_, tensor.data, values.data.size(), tensor.on_host, values.data.data());
  }
  // Elements between those of the tensor keep their values.
  std::string storage(tensor.bytes(), '\0');
  absl::Status status = memory_->Read(stream_, tensor.data, storage.size(), tensor.on_host, storage.data());
  if (!status.ok() || storage.empty()) return status;
  ScatterToStorage(values.data.data(), tensor.shape, tensor.strides, 0, ElementSize(tensor.dtype),
                   storage.data());
  return memory_->Write(stream_, tensor.data, storage.size(), tensor.on_host, storage.data());
}

absl::StatusOr<TensorMap> LiveCall::ReadInputs() const {
  RETURN_IF_ERROR(memory_->Synchronize(stream_));
  TensorMap inputs;
  for (const Tensor& tensor : tensors_) {
    if (!IsGiven(tensor.role)) continue;
    ASSIGN_OR_RETURN(HostTensor values, Values(tensor));
    inputs[tensor.key] = std::move(values);
  }
  return inputs;
}

absl::StatusOr<TensorMap> LiveCall::ReadOutputs() {
  RETURN_IF_ERROR(memory_->Synchronize(stream_));
  TensorMap outputs;
  for (const Tensor& tensor : tensors_) {
    if (!IsWritten(tensor.role)) continue;
    ASSIGN_OR_RETURN(HostTensor values, Values(tensor));
    outputs[tensor.key] = std::move(values);
  }
  for (const Required& required : required_) {
    v1::Argument* arg = case_.mutable_args(required.argument);
    for (int i = 0; i < required.count; ++i) {
      if (required.handles[i] == nullptr) continue;
      ASSIGN_OR_RETURN(Tensor described, Describe(required.handles[i]));
      ASSIGN_OR_RETURN(HostTensor values, Values(described));
      v1::TensorSpec* spec =
          required.list ? arg->mutable_tensors()->mutable_tensors(i) : arg->mutable_tensor();
      spec->set_dtype(values.dtype);
      outputs[required.list ? absl::StrCat(required.name, ".", i) : required.name] = std::move(values);
    }
  }
  return outputs;
}

absl::Status LiveCall::Require(const Required& required, const TensorMap& outputs) {
  v1::Argument* arg = case_.mutable_args(required.argument);
  for (int i = 0; i < required.count; ++i) {
    const std::string key = required.list ? absl::StrCat(required.name, ".", i) : required.name;
    const auto values = outputs.find(key);
    if (values == outputs.end()) continue;  // one that the function was not asked for
    const diopiSize_t size{values->second.shape.data(), static_cast<int64_t>(values->second.shape.size())};
    RETURN_IF_ERROR(
        HostStatus(host_->require_tensor(context_, &required.handles[i], &size, nullptr,
                                         static_cast<diopiDtype_t>(values->second.dtype), diopi_device),
                   "diopiRequireTensor"));
    ASSIGN_OR_RETURN(const Tensor described, Describe(required.handles[i]));
    RETURN_IF_ERROR(Store(described, values->second));
    (required.list ? arg->mutable_tensors()->mutable_tensors(i) : arg->mutable_tensor())
        ->set_dtype(values->second.dtype);
  }
  return absl::OkStatus();
}

absl::Status LiveCall::WriteOutputs(const TensorMap& outputs) {
  int64_t drawn = 0;
  for (const Tensor& tensor : tensors_) {
    if (!IsWritten(tensor.role)) continue;
    const auto values = outputs.find(tensor.key);
    if (values == outputs.end()) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", tensor.key, " has no value"));
    }
    RETURN_IF_ERROR(Store(tensor, values->second));
    drawn = std::max(drawn, NumElements(tensor.shape));
  }
  for (const Required& required : required_) {
    RETURN_IF_ERROR(Require(required, outputs));
  }
  for (diopiGeneratorHandle_t generator : generators_) {
    uint64_t seed = 0;
    uint64_t offset = 0;
    if (host_->get_seed == nullptr || host_->set_seed == nullptr) break;
    host_->get_seed(generator, &seed, &offset);
    // No later call may draw the same numbers; counters of common generators give four at a time.
    host_->set_seed(generator, seed, offset + static_cast<uint64_t>(drawn + 3) / 4 * 4 + 4);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> LiveCall::ChangedInputs(const TensorMap& before) const {
  std::vector<std::string> changed;
  const auto shares = [](const Tensor& a, const Tensor& b) {
    return a.data < b.data + b.bytes() && b.data < a.data + a.bytes();
  };
  for (const Tensor& tensor : tensors_) {
    const auto values = before.find(tensor.key);
    if (tensor.role != v1::ROLE_INPUT || values == before.end()) continue;
    const bool written = std::any_of(tensors_.begin(), tensors_.end(), [&](const Tensor& other) {
      return IsWritten(other.role) && shares(tensor, other);
    });
    if (written) continue;
    ASSIGN_OR_RETURN(const HostTensor now, Values(tensor));
    if (now.data != values->second.data) changed.push_back(tensor.key);
  }
  return changed;
}

}  // namespace diopi::tap
