// A call in progress, as a case: its arguments, and the values of its tensors before and after the call.
#ifndef BASELINES_TAP_LIVE_CALL_H_
#define BASELINES_TAP_LIVE_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/tap/functions.h"
#include "baselines/tap/host_runtime.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/tap/interface.h"

namespace diopi::tap {

// Not thread-safe; lives within the call.
class LiveCall {
 public:
  // Reads the arguments, but no tensor's values. Unimplemented, naming the argument, for what no case can
  // hold: a function that no operator has, a pointer to anything, negative strides, a question for the size
  // of scratch memory. All arguments must outlive the call.
  static absl::StatusOr<LiveCall> Read(const FunctionInfo& info, const Call& call, const HostRuntime& host,
                                       const TensorMemory& memory);

  // Has no id, hash and judges until Finish.
  const v1::Case& c() const { return case_; }
  void* stream() const { return stream_; }
  int64_t bytes() const;  // of all tensors that were passed

  // The values of every input and of every tensor that is read and written. Waits for the stream.
  absl::StatusOr<TensorMap> ReadInputs() const;

  // After the library's call: the values of every output, and what the library required. Waits for the
  // stream.
  absl::StatusOr<TensorMap> ReadOutputs();

  // Instead of the library's call: writes these values into the outputs, requires those that a library
  // requires, and advances the generators. InvalidArgument when a value does not fit its tensor.
  absl::Status WriteOutputs(const TensorMap& outputs);

  // The keys of inputs whose values are not those of `before` any more although nothing that the function
  // may write shares their memory.
  absl::StatusOr<std::vector<std::string>> ChangedInputs(const TensorMap& before) const;

  // Sets label, judges, id and hash. After ReadOutputs or WriteOutputs, so that the case has the dtypes and
  // shapes of what the library required.
  absl::Status Finish(const std::string& label);

  // What calls have in common that differ only in their values: function, element types, shapes, strides and
  // attributes, without floating-point numbers, seeds and the number of a step.
  std::string Signature() const;

 private:
  // One tensor of the call, or a number that the function writes on the host (without handle).
  struct Tensor {
    std::string key;
    v1::Role role = v1::ROLE_INPUT;
    Dtype dtype = v1::Dtype::float32;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;  // elements
    std::byte* data = nullptr;     // the first element
    int64_t elements = 0;          // from the first to the last in memory
    bool on_host = false;

    size_t bytes() const;
    bool dense() const;
  };
  // Handles that the library fills.
  struct Required {
    int argument = 0;
    std::string name;
    diopiTensorHandle_t* handles = nullptr;
    int count = 1;
    bool list = false;
  };

  LiveCall(const FunctionInfo& info, const HostRuntime& host, const TensorMemory& memory)
      : info_(&info), host_(&host), memory_(&memory) {}

  absl::Status ReadArguments(const Call& call);
  absl::Status ReadArgument(const Call& call, int position, v1::Argument* arg);
  absl::Status ReadTensor(const void* value, const abi::Param& param, v1::Argument* arg);
  absl::Status ReadSparse(diopiConstTensorHandle_t handle, v1::Argument* arg);
  absl::Status ReadArray(const Call& call, int position, v1::Argument* arg);
  absl::Status ReadPointer(const Call& call, int position, v1::Argument* arg);
  absl::Status ReadGenerators(const Call& call, int position, v1::Argument* arg);
  absl::Status AddTensor(const std::string& key, v1::Role role, diopiConstTensorHandle_t handle,
                         v1::TensorSpec* spec);
  absl::StatusOr<Tensor> Describe(diopiConstTensorHandle_t handle) const;
  absl::StatusOr<int64_t> Count(const Call& call, const std::string& name) const;
  absl::StatusOr<HostTensor> Values(const Tensor& tensor) const;
  absl::Status Store(const Tensor& tensor, const HostTensor& values) const;
  absl::Status Require(const Required& required, const TensorMap& outputs);
  void ChooseDtype();

  const FunctionInfo* info_;
  const HostRuntime* host_;
  const TensorMemory* memory_;
  v1::Case case_;
  diopiContextHandle_t context_ = nullptr;
  void* stream_ = nullptr;
  std::vector<Tensor> tensors_;
  std::vector<Required> required_;
  std::vector<diopiGeneratorHandle_t> generators_;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_LIVE_CALL_H_
