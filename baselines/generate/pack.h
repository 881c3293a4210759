// Packs (store/pack.h): makes them from a store that has a device's outputs, verifies them against the
// oracle, and installs them into the store of a user who has no such device.
#ifndef BASELINES_GENERATE_PACK_H_
#define BASELINES_GENERATE_PACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/generate/device_reference.h"
#include "baselines/store/pack.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// Tensors above this many bytes are sampled, at this many elements. With these defaults a pack of core takes
// 350 MiB; `baselines/packs/make.sh` keeps less.
inline constexpr int64_t kPackFullBytes = 1 << 20;
inline constexpr int64_t kPackSamples = 4096;

struct PackOptions {
  std::string data_folder;        // whose baselines hold the device's outputs
  std::string reference = "cpu";  // beside which oracle
  std::string suite = "core";     // what `cases` are, in words
  int64_t full_bytes = kPackFullBytes;
  int64_t samples = kPackSamples;
};

struct PackFigures {
  int64_t cases = 0;
  int64_t full = 0;     // tensors
  int64_t sampled = 0;  // tensors
  int64_t quarantined = 0;
  int64_t without = 0;  // the library returned nothing
  int64_t value_bytes = 0;
  int64_t file_bytes = 0;
};

// The file appears whole or not at all. NotFound for an operator without baselines; FailedPrecondition where
// they are not those of `cases`, hold no outputs of a device, or of two libraries.
absl::StatusOr<PackFigures> MakePack(const std::vector<v1::Case>& cases, const PackOptions& options,
                                     const std::string& path);

struct PackReport {
  PackFigures figures;
  int64_t judged = 0;               // cases with all outputs in full, which were compared with the oracle
  int64_t other_inputs = 0;         // not judged: this machine's oracle saves other bits for a backward
  std::vector<std::string> faults;  // errors: "CASE: why"
};

// Checks that every case is there with its hash and nothing else is, every checksum, the provenance, and that
// outputs in full pass the oracle's gates under the contracts that the pack declares. The oracle,
// `oracle_library`, runs in this process. Statuses: those of the reader and of the oracle.
absl::StatusOr<PackReport> VerifyPack(const std::vector<v1::Case>& cases, const PackReader& pack,
                                      const std::string& oracle_library);

// Stores the outputs of cases that have all of them in full beside the oracle's, in a store that has
// baselines of `cases`. A case with a sampled output stays unchanged, as does one made from other inputs than
// the store's; both are listed as `without`.
absl::StatusOr<DeviceReferenceSummary> InstallPack(const std::vector<v1::Case>& cases, const PackReader& pack,
                                                   const std::string& data_folder,
                                                   const std::string& reference);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_PACK_H_
