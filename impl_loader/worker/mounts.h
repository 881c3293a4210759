// Mounts of a worker's own, for hidden_files.h and device_files.h.
#ifndef IMPL_LOADER_WORKER_MOUNTS_H_
#define IMPL_LOADER_WORKER_MOUNTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cases/base/descriptor.h"

namespace diopi::loader {

// Gives this process a mount namespace: what it mounts from now on, other processes do not notice. Call it
// while the process has one thread and CAP_SYS_ADMIN in its user namespace, which it must drop afterwards.
absl::Status OwnMounts();

// Resolves the path of the working folder again: it may be what a new mount covers.
void ResolveWorkingFolder();

// A mount of a file or folder that is attached to no path yet, or a symbolic link.
struct Clone {
  std::string path;  // where it was, and will be
  bool is_folder = false;
  std::string target;  // of a symbolic link, which has no mount
  Descriptor mount;
};

// Adds a clone of what is at `path` and mounted below it; none if nothing is there.
absl::Status AddClone(const std::string& path, std::vector<Clone>* clones);
// Makes the path, with the folders around it, and attaches the clone there. Leaves what is there already.
absl::Status Attach(const Clone& clone);

// The error of the system call that has just failed.
absl::Status Refused(const std::string& what);
// Whether `path` is `folder` or lies in it.
bool IsWithin(const std::string& path, const std::string& folder);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_MOUNTS_H_
