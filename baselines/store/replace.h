// Replaces a file atomically: writes a temporary file beside it, syncs and renames it.
#ifndef BASELINES_STORE_REPLACE_H_
#define BASELINES_STORE_REPLACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/base/descriptor.h"

namespace diopi::baselines {

// "WHAT: the system's words"; ResourceExhausted when the disk is full.
absl::Status SystemError(const std::string& what, int number);

// Creates PATH.tmp, with its folder, and locks it, so that two writers of one file never share it. The next
// writer truncates what a killed one left. Aborted when another process is writing it.
absl::StatusOr<Descriptor> OpenTemporary(const std::string& path);
inline std::string TemporaryPath(const std::string& path) {
  return path + ".tmp";
}

// Flushes the temporary file to disk, if it is to outlive the machine, and gives it its name.
absl::Status Publish(const Descriptor& temporary, const std::string& path, Outlives outlives);
// Then flushes the name itself.
absl::Status SyncFolder(const std::string& path);

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_REPLACE_H_
