// A worker for a test vendor library.
#ifndef IMPL_LOADER_WORKER_TEST_OPTIONS_H_
#define IMPL_LOADER_WORKER_TEST_OPTIONS_H_

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>

#include "build_paths.h"
#include "cases/base/descriptor.h"
#include "impl_loader/caller/test_cases.h"
#include "impl_loader/worker/worker.h"

namespace diopi::loader {

// For vendor_NAME with this build's worker and deadlines fit for tests.
inline WorkerOptions OptionsFor(const std::string& name) {
  WorkerOptions options;
  options.worker_program = std::string(DIOPI_BINARY_DIR) + "/bin/diopi-worker";
  options.impl_path = VendorPath(name);
  options.kill_grace = std::chrono::milliseconds(100);
  options.shared_bytes = 1 << 20;
  return options;
}

// Waits for the end of a process that may be another's child.
inline void WaitForEnd(pid_t pid) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) return;
  pollfd file{process.get(), POLLIN, 0};
  poll(&file, 1, -1);
}

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_TEST_OPTIONS_H_
