// Gives a worker a mount namespace of its own, in which references and credentials are covered.
#ifndef IMPL_LOADER_WORKER_HIDDEN_FILES_H_
#define IMPL_LOADER_WORKER_HIDDEN_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace diopi::loader {

struct HiddenFiles {
  std::vector<std::string> hidden;  // files and folders; missing and unreachable ones are ignored
  std::vector<std::string> shown;   // files and folders that stay where they are, even inside a hidden one
};

// From now on, this process and all that it starts find an empty read-only folder in place of each hidden
// one, and an empty file in place of each hidden file, at every path at which they are mounted. Call it after
// OwnMounts (mounts.h). Errors, after which some files may be hidden, say what the kernel refused.
absl::Status HideFiles(const HiddenFiles& files);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_HIDDEN_FILES_H_
