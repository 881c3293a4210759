// Limits the memory of a worker and of all that it starts, by a cgroup.
#ifndef IMPL_LOADER_WORKER_MEMORY_GROUP_H_
#define IMPL_LOADER_WORKER_MEMORY_GROUP_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::loader {

// A memory cgroup below this process's own: whatever limits this process limits the group, too. Unlike a
// limit on address space it counts every page, also of files in memory that are mapped nowhere. Not
// thread-safe.
class MemoryGroup {
 public:
  // Needs root and version 1 of cgroups, or version 2 and a folder that is delegated to this user (systemd's
  // Delegate=memory with DelegateSubgroup=). Otherwise an error that says why. Removes groups of keepers that
  // were killed.
  static absl::StatusOr<MemoryGroup> Make(uint64_t bytes);

  // Moves this process, and all that it starts from now on, into the group.
  absl::Status Enter() const;
  // Once no process is in it. What is left, the next Make removes.
  void Remove() const;

 private:
  explicit MemoryGroup(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_MEMORY_GROUP_H_
