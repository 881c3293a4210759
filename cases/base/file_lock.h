// An exclusive lock on a file, for as long as its owner lives.
#ifndef CASES_BASE_FILE_LOCK_H_
#define CASES_BASE_FILE_LOCK_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cases/base/descriptor.h"

namespace diopi {

// Move-only. The kernel releases it when the process ends, however it ends.
class FileLock {
 public:
  // Makes the file. While another process holds the lock, waits for at most `limit`, after one call of `tell`
  // (if any). Unavailable when that process holds it still; statuses of WriteError when the file cannot be
  // made.
  static absl::StatusOr<FileLock> Take(const std::string& path, absl::Duration limit = absl::ZeroDuration(),
                                       const std::function<void()>& on_wait = {});

 private:
  explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

}  // namespace diopi

#endif  // CASES_BASE_FILE_LOCK_H_
