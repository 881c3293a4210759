// A pack: what one device's library returned for the cases of a suite, in one small HDF5 file that ships with
// the project, for users who have no such device.
//
//   /                 attributes: format ("diopi-pack"), format_version, generator_version, suite, about
//                     (what the file is, in words), sampling (how samples were taken), full_bytes,
//                     samples, created, oracle, and device_reference_vendor, ..._version (GPU, driver,
//                     CUDA, cuDNN), ..._sha256, ..._contracts, ..._created
//   /OPERATOR/cases   lines of text, one per row:
//                       case ID HASH INPUTS           INPUTS: one checksum of all its inputs
//                       quarantined REASON            the library is not right here; there are no tensors
//                       without REASON                it has no such function, or not for this dtype
//                       full KEY DTYPE SHAPE FIRST XXH64
//                       sampled KEY DTYPE SHAPE FIRST XXH64 nan=N inf=N min=X max=X mean=X std=X
//   /OPERATOR/DTYPE   the elements of all tensors of this dtype, one after the other: a tensor's first is
//                     element FIRST
//
// Everything is compressed (deflate, bytes shuffled). The last bytes, beyond what HDF5 uses, are a line with
// the versions and a checksum of the file: HDF5 never opens a damaged file.
#ifndef BASELINES_STORE_PACK_H_
#define BASELINES_STORE_PACK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {

// Raised when older packs can no longer be read, or older programs cannot read new packs.
inline constexpr int64_t kPackFormatVersion = 1;

// Statistics of all elements of a tensor; the last four are over the finite ones, 0 where there are none.
struct TensorStatistics {
  int64_t nans = 0;
  int64_t infinities = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  double deviation = 0;  // of the population

  bool operator==(const TensorStatistics&) const = default;
};
TensorStatistics StatisticsOf(const HostTensor& tensor);

// The element that is sample `i` of `samples`, of a tensor with n > samples elements: one of the i-th of
// equal stretches, chosen by a hash of i.
int64_t SamplePosition(int64_t i, int64_t samples, int64_t n);

struct PackTensor {
  std::string key;             // of the output: "out"
  std::vector<int64_t> shape;  // of the whole tensor
  HostTensor values;           // the tensor, or its samples: one-dimensional
  bool sampled = false;
  TensorStatistics statistics;  // where sampled
};

struct PackCase {
  std::string id;
  std::string hash;
  std::string inputs;       // InputsChecksum of what the library was given
  std::string quarantined;  // or why the case is quarantined
  std::string without;      // or why the library returned nothing
  std::vector<PackTensor> tensors;
};

// One checksum of keys, dtypes, shapes and bytes.
std::string InputsChecksum(const TensorMap& inputs);

struct PackHeader {
  std::string suite;
  DeviceProvenance device;
  std::string oracle;      // whose saved tensors the library was given: library, versions and hash
  int64_t full_bytes = 0;  // tensors of more bytes than this are sampled
  int64_t samples = 0;     // elements of such a tensor
  std::string created;     // RFC 3339, UTC
};

// Makes a pack's tensor from a whole one.
PackTensor MakePackTensor(const std::string& key, const HostTensor& tensor, const PackHeader& header);

// Writes a pack; without Commit nothing is left behind.
class PackWriter {
 public:
  static absl::StatusOr<std::unique_ptr<PackWriter>> Create(const std::string& path,
                                                            const PackHeader& header);
  virtual ~PackWriter() = default;
  virtual absl::Status Add(const std::string& operator_name, const std::vector<PackCase>& cases) = 0;
  virtual absl::Status Commit() = 0;  // ResourceExhausted when the disk is full
};

class PackReader {
 public:
  // NotFound; DataLoss for what is no pack, is truncated or does not match its checksum; FailedPrecondition
  // for another format or generator version, naming both.
  static absl::StatusOr<std::unique_ptr<PackReader>> Open(const std::string& path);
  virtual ~PackReader() = default;

  virtual const PackHeader& header() const = 0;
  virtual int64_t file_bytes() const = 0;
  virtual const std::vector<std::string>& operators() const = 0;
  bool Has(const std::string& operator_name) const;
  // The cases of one operator, every tensor's checksum verified. NotFound, or DataLoss naming file and
  // tensor.
  virtual absl::StatusOr<std::vector<PackCase>> Read(const std::string& operator_name) const = 0;
};

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_PACK_H_
