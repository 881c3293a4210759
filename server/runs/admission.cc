#include "server/runs/admission.h"

#include "absl/strings/str_cat.h"

namespace diopi::server {

Admission::Pass::~Pass() {
  if (from_ == nullptr) return;
  const std::lock_guard lock(from_->mutex_);
  --from_->working_;
  from_->left_.notify_one();
}

absl::StatusOr<Admission::Pass> Admission::Enter(const StillWanted& wanted) {
  std::unique_lock lock(mutex_);
  if (working_ >= at_once_ && waiting_ >= most_waiting_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("busy: it prepares ", working_, " runs and ", waiting_, " more wait; try again later"));
  }
  ++waiting_;
  absl::Status status = wanted();
  while (status.ok() && working_ >= at_once_) {
    left_.wait_for(lock, kLookAgain);
    status = wanted();
  }
  --waiting_;
  if (!status.ok()) return status;
  ++working_;
  return Pass(this);
}

}  // namespace diopi::server
