// A worker for a test vendor library.
#ifndef IMPL_LOADER_WORKER_TEST_OPTIONS_H_
#define IMPL_LOADER_WORKER_TEST_OPTIONS_H_

#include <string>

#include "impl_loader/caller/test_cases.h"
#include "impl_loader/worker/worker.h"

namespace diopi::loader {

// For vendor_NAME with the worker of this build, and deadlines fit for tests.
inline WorkerOptions OptionsFor(const std::string& name) {
  WorkerOptions options;
  options.worker_program = std::string(DIOPI_BINARY_DIR) + "/bin/diopi-worker";
  options.impl_path = VendorPath(name);
  options.kill_grace = std::chrono::milliseconds(100);
  options.shared_bytes = 1 << 20;
  return options;
}

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_TEST_OPTIONS_H_
