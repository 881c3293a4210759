// Calls a library we trust in this process for the call's own sake: to see how long it takes, or to let a
// tool that watches the process see it. What it returns is not looked at.
#ifndef IMPL_LOADER_CALLER_CASE_CALLER_H_
#define IMPL_LOADER_CALLER_CASE_CALLER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::loader {

struct TimeOptions {
  int warmup = 3;                // calls before the samples, each waited for
  int samples = 15;              // at least; fewer (3 at least) where `seconds` are over
  int max_calls = 50;            // of a sample
  double sample_seconds = 0.01;  // that a sample is to take
  double seconds = 5;            // for all samples of a case, about
};

struct CaseTime {
  std::vector<double> microseconds;  // of one call, a value a sample
  int calls = 0;                     // of a sample, queued one after another
  // On the device's own clock, from the first call's start to the last one's end, with the calls queued while
  // the device was busy with something else. Otherwise the clock of this machine, from the first call to the
  // end of a synchronisation after the last: without a device that is the call.
  bool device_clock = false;
  int late = 0;  // samples in which the device began before all calls were queued: it waited for the host
};

// Not thread-safe.
class CaseCaller {
 public:
  // `exact_memory`: every tensor on the device in memory of its own of exactly its size (runtime/arena.h).
  // Errors as of VendorLibrary::Open.
  static absl::StatusOr<std::unique_ptr<CaseCaller>> Open(const std::string& path, bool exact_memory);
  virtual ~CaseCaller() = default;

  // Calls the case's function on `inputs` and waits for the device, `calls` times. Unimplemented: no such
  // symbol, NoImplement. InvalidArgument: DtypeNotSupported. Internal: another error, with the last-error
  // string.
  virtual absl::Status Call(const v1::Case& c, const TensorMap& inputs, int calls) = 0;

  // Measures. Inputs are restored before each sample, not before each call. Memory that the library requires
  // is reused and not filled.
  virtual absl::StatusOr<CaseTime> Time(const v1::Case& c, const TensorMap& inputs,
                                        const TimeOptions& options) = 0;

  virtual std::string vendor_name() const = 0;
  virtual std::string impl_version() const = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CASE_CALLER_H_
