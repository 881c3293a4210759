// Replaces a file atomically: writes a temporary file beside it, syncs and renames it.
#ifndef BASELINES_STORE_REPLACE_H_
#define BASELINES_STORE_REPLACE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"

namespace diopi::baselines {

// A file descriptor of ours; closing it also gives up its lock.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_;
};

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
