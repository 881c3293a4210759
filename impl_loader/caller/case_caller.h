// Calls a library we trust in this process, to measure how long a call takes or to show it to a tool that
// watches the process. The results are ignored.
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
  int samples = 15;              // at least; fewer (3 at least) when `seconds` have passed
  int max_calls = 50;            // per sample
  double sample_seconds = 0.01;  // what a sample should take
  double seconds = 5;            // for all samples of a case, approximately
};

struct CaseTime {
  std::vector<double> microseconds;  // of one call; one value per sample
  int calls = 0;                     // per sample, queued one after another
  // True: measured by the device's clock, from the start of the first call to the end of the last, with the
  // calls queued while the device was busy with other work. False: by this machine's clock, from the first
  // call to the end of a synchronisation after the last; without a device that is the calls' own time.
  bool device_clock = false;
  int late = 0;  // samples in which the device began before all calls were queued: it waited for the host
};

// Not thread-safe.
class CaseCaller {
 public:
  // `exact_memory`, for tools that watch the calls: every tensor on the device gets memory of its own, of
  // exactly its size (runtime/arena.h). Outputs, scratch and required memory are then left as the library's
  // malloc returned them in Call. Errors as of VendorLibrary::Open.
  static absl::StatusOr<std::unique_ptr<CaseCaller>> Open(const std::string& path, bool exact_memory);
  virtual ~CaseCaller() = default;

  // Calls the case's function on `inputs` and waits for the device, `calls` times. Unimplemented: no such
  // symbol, NoImplement. InvalidArgument: DtypeNotSupported. Internal: another error, with the last-error
  // string.
  virtual absl::Status Call(const v1::Case& c, const TensorMap& inputs, int calls) = 0;

  // Measures calls. Inputs are restored before each sample, not before each call. Memory that the library
  // requires is reused and not filled.
  virtual absl::StatusOr<CaseTime> Time(const v1::Case& c, const TensorMap& inputs,
                                        const TimeOptions& options) = 0;

  virtual std::string vendor_name() const = 0;
  virtual std::string impl_version() const = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CASE_CALLER_H_
