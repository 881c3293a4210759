// Calls a library in this process, to measure how long a call takes or to show it to a tool that watches the
// process. The results are ignored. Outside a worker, only for libraries that we trust.
#ifndef IMPL_LOADER_CALLER_CASE_CALLER_H_
#define IMPL_LOADER_CALLER_CASE_CALLER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/caller/vendor_library.h"

namespace diopi::loader {

struct TimeOptions {
  int warmup = 3;    // calls before the samples, each waited for
  int samples = 15;  // at most; fewer (`fewest_samples` at least) when `seconds` have passed
  int fewest_samples = 3;
  int max_calls = 50;            // per sample
  double sample_seconds = 0.01;  // what a sample should take
  double seconds = 5;            // for all samples of a case, approximately
  // No more samples once the confidence interval of their median (cases/base/median.h) is at most this part
  // of the median; 0: all of them.
  double relative_interval = 0;
  // Further samples, each of one call, before which other memory displaces the tensors from the caches: none
  // where these are so large, or memory so short, that it could not.
  int cold_samples = 0;
  // Repeats samples during which this machine ran something else on the processor, up to as often as there
  // are samples. Only for times by this machine's clock.
  bool repeat_disturbed = false;
};

struct CaseTime {
  std::vector<double> microseconds;  // of one call; one value per sample
  int calls = 0;                     // per sample, queued one after another
  // True: measured by the device's clock, from the start of the first call to the end of the last, with the
  // calls queued while the device was busy with other work. False: by this machine's clock, from the first
  // call to the end of a synchronisation after the last; without a device that is the calls' own time.
  bool device_clock = false;
  int late = 0;  // samples in which the device began before all calls were queued: it waited for the host
  std::vector<double> cold_microseconds;  // one value per cold sample
  double first_us = 0;   // the first call, with what the library prepares then, until the device is done
  double submit_us = 0;  // from a call to its return, the least of the samples
  int disturbed = 0;     // among the samples, cold ones too, during which the processor ran something else
};

// The memory that displaces the tensors before a cold sample without a device: twice the processor's last
// cache; 0: that is too much.
size_t DisplacedBytes();

// Not thread-safe.
class CaseCaller {
 public:
  // `exact_memory`, for tools that watch the calls: every tensor on the device gets memory of its own, of
  // exactly its size (runtime/arena.h). Outputs, scratch and required memory are then left as the library's
  // malloc returned them in Call. Errors as of VendorLibrary::Open.
  static absl::StatusOr<std::unique_ptr<CaseCaller>> Open(const std::string& path, bool exact_memory);
  // Calls a library that is loaded already and outlives the caller.
  static std::unique_ptr<CaseCaller> On(VendorLibrary* vendor, bool exact_memory);
  virtual ~CaseCaller() = default;

  // Calls the case's function on `inputs` and waits for the device, `calls` times. Unimplemented: no such
  // symbol, NoImplement. InvalidArgument: DtypeNotSupported. Unavailable: the device makes no stream, as
  // after a fault that ended its context; only another process can go on. Internal: another error, with the
  // last-error string.
  virtual absl::Status Call(const v1::Case& c, const TensorMap& inputs, int calls) = 0;

  // Measures calls. Inputs are restored before each sample, not before each call. Memory that the library
  // requires is reused and not filled.
  virtual absl::StatusOr<CaseTime> Time(const v1::Case& c, const std::vector<InputView>& inputs,
                                        const TimeOptions& options) = 0;
  absl::StatusOr<CaseTime> Time(const v1::Case& c, const TensorMap& inputs, const TimeOptions& options);

  virtual std::string vendor_name() const = 0;
  virtual std::string impl_version() const = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CASE_CALLER_H_
