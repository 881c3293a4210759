// The lock under which the baselines of a data folder are written.
#ifndef CLIENT_CLI_BASELINES_LOCK_H_
#define CLIENT_CLI_BASELINES_LOCK_H_

#include <string>

#include "absl/status/statusor.h"
#include "cases/base/file_lock.h"

namespace diopi::cli {

// Longer than all baselines of suite core take on two processors.
inline constexpr double kLockWaitS = 600;

// Makes the folder and takes DATA/gen.lock. Says on standard error when it waits for another process;
// Unavailable after `wait_s` seconds.
absl::StatusOr<FileLock> LockBaselines(const std::string& data_folder, double wait_s);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_BASELINES_LOCK_H_
