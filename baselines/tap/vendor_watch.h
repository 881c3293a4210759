// The vendor's library in a host that the tools did not make: its device functions, and what it requires.
#ifndef BASELINES_TAP_VENDOR_WATCH_H_
#define BASELINES_TAP_VENDOR_WATCH_H_

#include <string>

#include "absl/status/status.h"
#include "baselines/tap/host_runtime.h"
#include "impl_loader/runtime/device_functions.h"

namespace diopi::tap {

// Gets what the vendor's library requires of the host, on the thread of the call.
class RequireObserver {
 public:
  virtual ~RequireObserver() = default;
  virtual void Required(int64_t bytes, bool buffer) = 0;
};

// Finds the device functions of `library`, of either dialect, or of `device_lib` if that is not empty: those
// that it exports, and those that it registers with the host from now on, which the host still gets. With
// `observer`, which outlives the process's calls, reports what the library requires. FailedPrecondition when
// a library cannot be opened or its imports cannot be redirected. Call it once in a process.
absl::Status WatchVendor(const TapHost& host, const HostRuntime& runtime, const std::string& library,
                         const std::string& device_lib, RequireObserver* observer);

// The functions found so far. Thread-safe.
runtime::DeviceFunctions VendorDeviceFunctions();

}  // namespace diopi::tap

#endif  // BASELINES_TAP_VENDOR_WATCH_H_
