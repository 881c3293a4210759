// Scratch memory: the library is asked for its size before the calls that count, and gets it with poison in
// it, so that a library that takes it for zeros gives wrong results, and with canaries around it.
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/caller/call_frame.h"

namespace diopi::loader {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;

absl::Status Refused(v1::Finding found, v1::Finding* wrong) {
  *wrong = std::move(found);
  return absl::FailedPreconditionError(FindingText(*wrong));
}

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
absl::Status CallFrame::CheckAsking(v1::Finding* wrong) {
  int32_t code = Download();
  if (code == 0) code = context_->Synchronize();
  if (code != 0)
    return Refused(Found(v1::Finding::STEP_FAILED).Word("copy_out").Got(absl::StrCat(code)), wrong);
  for (const BoundTensor& bound : tensors_) {
    if (Changed(bound)) return Refused(Found(v1::Finding::SCRATCH_CHANGED).Name(bound.key), wrong);
  }
  return absl::OkStatus();
}

absl::Status CallFrame::AllocateScratch(absl::FunctionRef<absl::Status(const std::vector<ArgValue>&)> call,
                                        v1::Finding* wrong) {
  // A library may answer one negative size per call.
  for (const ScratchMemory& each : scratch_) {
    if (*each.size >= 0) continue;
    RETURN_IF_ERROR(call(args_));
    RETURN_IF_ERROR(CheckAsking(wrong));
  }
  for (ScratchMemory& scratch : scratch_) {
    if (*scratch.size < 0) {
      return Refused(Found(v1::Finding::SCRATCH_NOT_ASKED)
                         .Name(scratch.key)
                         .Word(scratch.size_name)
                         .Got(absl::StrCat(*scratch.size)),
                     wrong);
    }
    diopiTensor& tensor = scratch.tensor;
    const int64_t element = runtime::ElementBytes(tensor.dtype);
    const v1::Finding too_large = Found(v1::Finding::SCRATCH_SIZE).Name(scratch.key).Count(*scratch.size);
    if (*scratch.size > kMostBytes / element) return Refused(too_large, wrong);
    scratch.needed = *scratch.size;
    tensor.shape = {scratch.needed};
    tensor.numel = scratch.needed;
    tensor.SealLayout();
    tensor.storage = context_->Allocate(static_cast<size_t>(scratch.needed * element), diopi_device);
    if (tensor.storage.data == nullptr) return Refused(too_large, wrong);
  }
  return absl::OkStatus();
}

}  // namespace diopi::loader
