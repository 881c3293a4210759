// Scratch memory: the library is asked for its size before the calls that count, and gets it with poison in
// it, so that a library that takes it for zeros gives wrong results, and with canaries around it.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "impl_loader/caller/call_frame.h"

namespace diopi::loader {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;

// Whether some storage is not as it was before the call.
bool Changed(const BoundTensor& bound) {
  if (bound.is_output()) return false;
  bool same = true;
  bound.VisitPristine([&](size_t begin, const std::byte* before, size_t bytes) {
    same = std::memcmp(bound.tensor.storage.mirror + begin, before, bytes) == 0;
    return same;
  });
  return !same;
}

}  // namespace

int32_t CallFrame::RestoreScratch() {
  for (ScratchMemory& scratch : scratch_) {
    *scratch.size = scratch.needed;
    scratch.tensor.RestoreLayout();
    if (scratch.needed < 0 || leave_outputs_) continue;
    const int32_t code = context_->Poison(scratch.tensor.storage, context_->stream);
    if (code != 0) return code;
  }
  return 0;
}

// After a call that was only to say how much scratch memory is needed.
absl::Status CallFrame::CheckAsking() {
  int32_t code = Download();
  if (code == 0) code = context_->Synchronize();
  if (code != 0) return absl::InternalError(absl::StrCat("a copy from the device failed with ", code));
  for (const BoundTensor& bound : tensors_) {
    if (!Changed(bound)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a call that only asks for the size of scratch memory changed ", bound.key));
  }
  return absl::OkStatus();
}

absl::Status CallFrame::AllocateScratch(absl::FunctionRef<absl::Status(const std::vector<ArgValue>&)> call) {
  // A library may answer one negative size per call.
  for (const ScratchMemory& each : scratch_) {
    if (*each.size >= 0) continue;
    if (absl::Status s = call(args_); !s.ok()) return s;
    if (absl::Status s = CheckAsking(); !s.ok()) return s;
  }
  for (ScratchMemory& scratch : scratch_) {
    if (*scratch.size < 0) {
      return absl::InvalidArgumentError(absl::StrCat("called with ", scratch.size_name,
                                                     " -1 to learn the size of ", scratch.key,
                                                     ", the library left it at ", *scratch.size));
    }
    diopiTensor& tensor = scratch.tensor;
    const int64_t element = runtime::ElementBytes(tensor.dtype);
    if (*scratch.size > kMostBytes / element) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the library asks for ", *scratch.size, " elements of ", scratch.key));
    }
    scratch.needed = *scratch.size;
    tensor.shape = {scratch.needed};
    tensor.numel = scratch.needed;
    tensor.SealLayout();
    tensor.storage = context_->Allocate(static_cast<size_t>(scratch.needed * element), diopi_device);
    if (tensor.storage.data == nullptr) return absl::ResourceExhaustedError("no memory for " + scratch.key);
  }
  return absl::OkStatus();
}

}  // namespace diopi::loader
