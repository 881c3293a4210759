// An exclusive lock on a file, for as long as its owner lives.
#ifndef CASES_BASE_FILE_LOCK_H_
#define CASES_BASE_FILE_LOCK_H_

#include <string>

#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// Move-only. The kernel releases it when the process ends, however it ends.
class FileLock {
 public:
  // Makes the file. FailedPrecondition when another process holds the lock; Internal, with the reason, when
  // the file cannot be made.
  static absl::StatusOr<FileLock> Take(const std::string& path);

 private:
  explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

}  // namespace diopi

#endif  // CASES_BASE_FILE_LOCK_H_
