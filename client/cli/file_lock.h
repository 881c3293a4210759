// An exclusive lock on a file, for as long as its owner lives.
#ifndef CLIENT_CLI_FILE_LOCK_H_
#define CLIENT_CLI_FILE_LOCK_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/agent/process.h"

namespace diopi::cli {

// Move-only. The kernel releases it when the process ends, however it ends.
class FileLock {
 public:
  // Makes the file. FailedPrecondition when another process holds the lock; Internal, with the reason, when
  // the file cannot be made.
  static absl::StatusOr<FileLock> Take(const std::string& path);

 private:
  explicit FileLock(agent::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  agent::Descriptor descriptor_;
};

}  // namespace diopi::cli

#endif  // CLIENT_CLI_FILE_LOCK_H_
