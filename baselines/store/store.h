// Baselines in HDF5: one file per operator, DATA/baselines/REFERENCE/OPERATOR.h5, one group per case, one
// dataset per tensor. No other folder knows HDF5.
//
//   /                         attributes: operator, generator_version, format_version, and the provenance:
//                             reference, library, library_hash, device, versions, created; where a device
//                             reference was run too, device_reference_vendor, ..._version, ..._sha256,
//                             ..._contracts, ..._created
//   /CASE_ID                  attributes: hash, function, dtype, label, reveals, judge (text), case (JSON)
//                             and, where a reference fails the case, quarantined (the reason)
//   /CASE_ID/inputs/KEY       the dense input; attributes dtype and xxh64 (16 hex digits)
//   /CASE_ID/outputs/KEY      and KEY.sigma, KEY.low, ...: cases/core/reference_key.h says what each holds;
//                             READING:KEY those of another reading (baselines/compare/readings.h)
//   /cases, /index            all cases' JSON and the table of contents (index.h), which our reader uses
//
// bool is stored as uint8 with attribute dtype "bool", bfloat16 as a custom 16-bit float type (h5py reads it
// as float32), float16 as IEEE half; every dataset carries its dtype's name.
#ifndef BASELINES_STORE_STORE_H_
#define BASELINES_STORE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// A vendor's library that was run over the same cases as the oracle, as the library describes itself.
struct DeviceProvenance {
  std::string vendor = "";     // empty: none was run
  std::string version = "";    // device and driver too, where the library names them
  std::string sha256 = "";     // of its file
  std::string contracts = "";  // declared for it, comma-separated
  std::string created = "";    // RFC 3339, UTC

  bool operator==(const DeviceProvenance&) const = default;
};

struct Provenance {
  std::string reference;     // "cpu" or "cuda"
  std::string library;       // vendor name and version of the reference library
  std::string library_hash;  // xxh128 of the file, hex
  std::string device;        // processor or GPU name
  std::string versions;      // "OpenBLAS 0.3.21", "driver ..., CUDA ..., cuDNN ..."
  std::string created;       // RFC 3339, UTC
  DeviceProvenance device_reference = {};
};

// The places of everything in a file (index.h).
struct CaseEntry;
struct TensorEntry;
struct Piece;

struct Baseline {
  v1::Case c;
  TensorMap inputs;
  TensorMap references;          // by the keys of cases/core/reference_key.h
  std::string quarantined = "";  // not empty: why a reference fails this case, which then judges no library
};

// What may end right after Commit without harm to the file. For one that outlives its process only, Commit
// does not wait for the disk, which takes most of the time of a small file; if the machine goes down soon
// after, the file may be damaged, which its reader notices.
enum class Outlives { kProcess, kMachine };

// Writes a whole operator. Everything goes to a temporary file in the same folder, which is flushed to disk
// and renamed at Commit: readers see the old file or the new one. Without Commit nothing is left behind.
class BaselineWriter {
 public:
  static absl::StatusOr<std::unique_ptr<BaselineWriter>> Create(const std::string& path,
                                                                const std::string& operator_name,
                                                                const Provenance& provenance,
                                                                Outlives outlives = Outlives::kMachine);
  virtual ~BaselineWriter() = default;
  virtual absl::Status Add(const Baseline& baseline) = 0;
  virtual absl::Status Commit() = 0;  // ResourceExhausted when the disk is full
};

// Reads one operator's file. Datasets are contiguous, so after Open tensors are read with pread and no HDF5
// call: thread-safe.
class BaselineReader {
 public:
  // NotFound; DataLoss for a file that is not HDF5 or is truncated, naming it; FailedPrecondition for one of
  // another format or generator version, naming both versions.
  static absl::StatusOr<std::unique_ptr<BaselineReader>> Open(const std::string& path);
  virtual ~BaselineReader() = default;

  virtual const std::string& operator_name() const = 0;
  virtual const Provenance& provenance() const = 0;
  virtual std::vector<std::string> case_ids() const = 0;
  // The content hash stored with the case; empty when the file has no such case.
  virtual std::string HashOf(const std::string& case_id) const = 0;
  // The tensors of one case, every checksum verified; `c` of the result stays empty (the catalog has it).
  // NotFound, or DataLoss naming file, case and tensor.
  virtual absl::StatusOr<Baseline> Read(const std::string& case_id) const = 0;
  // Where the case's tensors lie, for those who take them piece by piece; lives as long as the reader.
  // NotFound.
  virtual absl::StatusOr<const CaseEntry*> Find(const std::string& case_id) const = 0;
  // Reads `size` bytes of `piece` from its byte `offset` on; the checksum is the caller's to verify.
  // DataLoss, naming the file.
  virtual absl::Status ReadPart(const Piece& piece, uint64_t offset, char* into, size_t size) const = 0;
  // The case as it was generated, from its JSON attribute.
  virtual absl::StatusOr<v1::Case> ReadCase(const std::string& case_id) const = 0;
};

// DATA/baselines/cpu/add.h5
std::string BaselinePath(const std::string& data_folder, const std::string& reference,
                         const std::string& operator_name);

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_STORE_H_
