// Runs a device's own library over cases that have baselines and stores what it returns beside the oracle,
// for comparison with a chip's error. The library is a vendor's: it runs in a worker process.
#ifndef BASELINES_GENERATE_DEVICE_REFERENCE_H_
#define BASELINES_GENERATE_DEVICE_REFERENCE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/compare/compare.h"
#include "baselines/store/store.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::baselines {

struct DeviceReferenceOptions {
  std::string data_folder;
  std::string reference = "cpu";  // whose baselines it is added to
  loader::WorkerOptions worker;   // impl_path: the device's library
  std::string library_sha256;
  CompareOptions compare;  // the contracts declared for the library
  bool force = false;      // also cases that have its outputs already
  int workers = 1;         // at a time, each for operators of its own
};

struct DeviceReferenceSummary {
  std::string vendor;  // according to the library, and its version
  std::string version;
  int64_t run = 0;
  int64_t up_to_date = 0;
  int64_t admitted = 0;
  // "CASE: reason", of cases run or up to date. Quarantined: the library ran and is not right by the oracle
  // under its contracts, crashed, hung, or damaged memory. Without: it has no such function, or not for this
  // dtype, or there is no baseline; such a case stays unchanged.
  std::vector<std::string> quarantined;
  std::vector<std::string> without;
};

// What a device made of one case: its outputs by key, or why there are none.
struct DeviceResult {
  TensorMap outputs;
  std::string without;      // it has no such function, or not for this dtype
  std::string quarantined;  // the reason why it is not right
};
using DeviceSource = std::function<DeviceResult(const v1::Case&, const TensorMap& inputs)>;

struct DeviceOutputsOptions {
  std::string data_folder;
  std::string reference = "cpu";
  DeviceProvenance provenance;  // of the library that made the outputs
  CompareOptions compare;       // the contracts declared for it
  bool force = false;
};

// Stores what `source` gives beside the oracle's outputs: from a running library (below), or from a pack.
absl::StatusOr<DeviceReferenceSummary> AddDeviceOutputs(const std::vector<v1::Case>& cases,
                                                        const DeviceOutputsOptions& options,
                                                        const DeviceSource& source);

// Rewrites one operator's file, atomically, and drops outputs of another library or under other contracts.
// Statuses: those of Worker::Start and of the store; NotFound for an operator without baselines.
absl::StatusOr<DeviceReferenceSummary> AddDeviceReference(const std::vector<v1::Case>& cases,
                                                          const DeviceReferenceOptions& options);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_DEVICE_REFERENCE_H_
