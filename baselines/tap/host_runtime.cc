#include "baselines/tap/host_runtime.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace diopi::tap {
namespace {

// Copies within this process; false where an address is not mapped. The kernel copies, because a wrong guess
// about where a tensor lies must not end the host.
bool CopyMapped(void* to, const void* from, size_t bytes) {
  iovec local{to, bytes};
  iovec remote{const_cast<void*>(from), bytes};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (copied == static_cast<ssize_t>(bytes)) return true;
  if (copied < 0 && errno != EFAULT) {  // a sandbox without this call
    std::memcpy(to, from, bytes);
    return true;
  }
  return false;
}

absl::Status NotMapped() {
  return absl::FailedPreconditionError(
      "a tensor is not in this process's memory, and the library has no functions to copy it; expected a "
      "library that has them in DIOPI_TAP_DEVICE_LIB");
}

absl::Status Copied(int32_t code) {
  return code == 0 ? absl::OkStatus()
                   : absl::FailedPreconditionError(absl::StrCat("the library's copy returned ", code));
}

}  // namespace

absl::StatusOr<HostRuntime> HostRuntime::Find(const TapHost& host) {
  HostRuntime runtime;
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto* slot, bool needed) {
    *slot = reinterpret_cast<std::remove_pointer_t<decltype(slot)>>(host.host_symbol(name));
    if (*slot == nullptr && needed && missing == nullptr) missing = name;
  };
  find("diopiGetTensorDataConst", &runtime.data, true);
  find("diopiGetTensorShape", &runtime.shape, true);
  find("diopiGetTensorStride", &runtime.stride, true);
  find("diopiGetTensorDtype", &runtime.dtype, true);
  find("diopiGetTensorDevice", &runtime.device, true);
  find("diopiGetStream", &runtime.stream, true);
  find("diopiRequireTensor", &runtime.require_tensor, true);
  find("diopiRequireBuffer", &runtime.require_buffer, true);
  find("diopiIsTensorSparse", &runtime.is_sparse, false);
  find("diopiGetTensorCrowIndices", &runtime.row_starts, false);
  find("diopiGetTensorColIndices", &runtime.columns, false);
  find("diopiGetTensorValues", &runtime.values, false);
  find("diopiGeneratorGetSeedAndOffset", &runtime.get_seed, false);
  find("diopiGeneratorSetSeedAndOffset", &runtime.set_seed, false);
  if (missing == nullptr) return runtime;
  return absl::FailedPreconditionError(absl::StrCat("the host has no function ", missing));
}

absl::Status HostStatus(diopiError_t code, const char* function) {
  return code == diopiSuccess ? absl::OkStatus()
                              : absl::FailedPreconditionError(absl::StrCat(
                                    "the host's ", function, " returned ", static_cast<int>(code)));
}

absl::Status TensorMemory::Synchronize(void* stream) const {
  const runtime::DeviceFunctions functions = functions_();
  if (functions.stream_synchronize == nullptr) return absl::OkStatus();
  const int32_t code = functions.stream_synchronize(stream);
  return code == 0 ? absl::OkStatus()
                   : absl::FailedPreconditionError(
                         absl::StrCat("the library's synchronisation of a stream returned ", code));
}

absl::Status TensorMemory::Read(void* stream, const void* from, size_t bytes, bool on_host, void* to) const {
  if (bytes == 0) return absl::OkStatus();
  const runtime::DeviceFunctions functions = functions_();
  if (on_host || functions.copy_d2h == nullptr) {
    return CopyMapped(to, from, bytes) ? absl::OkStatus() : NotMapped();
  }
  absl::Status status = Copied(functions.copy_d2h(stream, to, from, bytes));
  return status.ok() ? Synchronize(stream) : status;
}

absl::Status TensorMemory::Write(void* stream, void* to, size_t bytes, bool on_host, const void* from) const {
  if (bytes == 0) return absl::OkStatus();
  const runtime::DeviceFunctions functions = functions_();
  if (on_host || functions.copy_h2d == nullptr) {
    std::memcpy(to, from, bytes);  // it was read before
    return absl::OkStatus();
  }
  absl::Status status = Copied(functions.copy_h2d(stream, to, from, bytes));
  return status.ok() ? Synchronize(stream) : status;
}

}  // namespace diopi::tap
