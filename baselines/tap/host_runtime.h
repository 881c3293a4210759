// The runtime functions of the host (diopi/diopirt.h) that the tools call, and its device memory.
#ifndef BASELINES_TAP_HOST_RUNTIME_H_
#define BASELINES_TAP_HOST_RUNTIME_H_

#include <cstddef>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "diopi/diopirt.h"
#include "impl_loader/runtime/device_functions.h"
#include "impl_loader/tap/interface.h"

namespace diopi::tap {

// The host's functions. Never call ours by name: which of the two a name leads to depends on the process.
struct HostRuntime {
  decltype(&diopiGetTensorDataConst) data = nullptr;
  decltype(&diopiGetTensorShape) shape = nullptr;
  decltype(&diopiGetTensorStride) stride = nullptr;
  decltype(&diopiGetTensorDtype) dtype = nullptr;
  decltype(&diopiGetTensorDevice) device = nullptr;
  decltype(&diopiGetStream) stream = nullptr;
  decltype(&diopiRequireTensor) require_tensor = nullptr;
  decltype(&diopiRequireBuffer) require_buffer = nullptr;
  // Null where the host has none:
  decltype(&diopiIsTensorSparse) is_sparse = nullptr;
  decltype(&diopiGetTensorCrowIndices) row_starts = nullptr;
  decltype(&diopiGetTensorColIndices) columns = nullptr;
  decltype(&diopiGetTensorValues) values = nullptr;
  decltype(&diopiGeneratorGetSeedAndOffset) get_seed = nullptr;
  decltype(&diopiGeneratorSetSeedAndOffset) set_seed = nullptr;

  // FailedPrecondition, naming the first function that the host lacks.
  static absl::StatusOr<HostRuntime> Find(const TapHost& host);
};

// What a function of the host returned: FailedPrecondition, naming it, for anything but diopiSuccess.
absl::Status HostStatus(diopiError_t code, const char* function);

// Reads and writes the memory of tensors. Thread-safe.
class TensorMemory {
 public:
  // `functions` is asked at each use, because a library may register its functions late; without them,
  // tensors are in host memory.
  explicit TensorMemory(std::function<runtime::DeviceFunctions()> functions)
      : functions_(std::move(functions)) {}

  // Waits for the stream's work.
  absl::Status Synchronize(void* stream) const;
  // Copies `bytes` to or from a tensor's memory. `on_host`: the tensor itself says so. FailedPrecondition
  // when the copy fails, or when the memory is not this process's, as a device's is where the tap does not
  // know its functions.
  absl::Status Read(void* stream, const void* from, size_t bytes, bool on_host, void* to) const;
  absl::Status Write(void* stream, void* to, size_t bytes, bool on_host, const void* from) const;

 private:
  std::function<runtime::DeviceFunctions()> functions_;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_HOST_RUNTIME_H_
