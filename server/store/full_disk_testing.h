// Simulates a full disk for tests, without privileges or mounts.
#ifndef SERVER_STORE_FULL_DISK_TESTING_H_
#define SERVER_STORE_FULL_DISK_TESTING_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>

namespace diopi::server {

// While it lives, every write of a process to a file fails, as on a full disk (EFBIG in place of ENOSPC).
// Pipes and sockets are not files here.
class FullDisk {
 public:
  // 0: this process. Another one must ignore SIGXFSZ.
  explicit FullDisk(pid_t pid = 0) : pid_(pid) {
    if (pid == 0) std::signal(SIGXFSZ, SIG_IGN);
    prlimit(pid_, RLIMIT_FSIZE, nullptr, &before_);
    const rlimit nothing{0, before_.rlim_max};
    prlimit(pid_, RLIMIT_FSIZE, &nothing, nullptr);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { prlimit(pid_, RLIMIT_FSIZE, &before_, nullptr); }

 private:
  const pid_t pid_;
  rlimit before_{};
};

}  // namespace diopi::server

#endif  // SERVER_STORE_FULL_DISK_TESTING_H_
