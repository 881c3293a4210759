// Waits for SIGINT and SIGTERM without a handler.
#ifndef CASES_BASE_STOP_SIGNAL_H_
#define CASES_BASE_STOP_SIGNAL_H_

#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// Blocks both signals for this thread and all that it starts later; so make it before any thread.
class StopSignal {
 public:
  static absl::StatusOr<StopSignal> Block();
  // Readable when one has come.
  int descriptor() const { return descriptor_.get(); }
  // Takes one that has come; 0 when none has.
  int Take() const;

 private:
  explicit StopSignal(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

}  // namespace diopi

#endif  // CASES_BASE_STOP_SIGNAL_H_
