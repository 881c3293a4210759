// Writes calls to a folder, one HDF5 file per call, in the format of the store (baselines/store/store.h).
#ifndef BASELINES_TAP_CAPTURE_H_
#define BASELINES_TAP_CAPTURE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"

namespace diopi::tap {

// When, where and how a call ran.
struct CallFacts {
  int64_t order = 0;  // of the calls that a tool watched, from 1
  int64_t thread = 0;
  void* stream = nullptr;
  int64_t step = 0;
  double start_us = 0;  // since the process's first call
  double microseconds = 0;
  int32_t returned = 0;  // diopiError_t
};

// "call 12, step 3, thread 4711, stream 0x0, at 12.3 ms, took 0.5 ms, returned 0"
std::string FactsText(const CallFacts& facts);

// Thread-safe.
class CaptureFolder {
 public:
  // `limit`: bytes that all files together take on the disk.
  CaptureFolder(std::string folder, int64_t limit, std::string library)
      : folder_(std::move(folder)), limit_(limit), library_(std::move(library)) {}

  // Writes one call as PID-ORDER-FUNCTION.h5; when it returns, the file is complete and outlives this
  // process (baselines::Outlives). `outputs`: what the library computed. An error ends capturing, and all
  // later calls return OK at once: ResourceExhausted at the limit and on a full disk, PermissionDenied where
  // the folder cannot be written.
  absl::Status Add(const v1::Case& c, const TensorMap& inputs, const TensorMap& outputs,
                   const CallFacts& facts);

  bool full() const;
  int64_t files() const;
  const std::string& folder() const { return folder_; }

 private:
  absl::Status Write(const std::string& path, const baselines::Baseline& call, const CallFacts& facts);

  const std::string folder_;
  const int64_t limit_;
  const std::string library_;
  mutable std::mutex mutex_;  // HDF5 is not thread-safe
  int64_t bytes_ = 0;
  int64_t files_ = 0;
  bool ended_ = false;
};

// A captured call, read back.
struct CapturedCall {
  std::string path;
  std::string facts;  // FactsText
  std::string library;
  v1::Case c;
  TensorMap inputs;
  TensorMap outputs;
};

// The same without the tensors' values.
struct CallSummary {
  CallFacts facts;
  std::string library;
  std::string created;  // RFC 3339, UTC
  v1::Case c;
};

// What a file's name says: PID-ORDER-FUNCTION.h5.
struct CaptureName {
  int64_t process = 0;
  int64_t order = 0;
  std::string function;
};
// Nothing for a file that has another name.
std::optional<CaptureName> ParseCaptureName(const std::string& path);

// The files of a capture, a folder or one of its files, in the order of the calls. NotFound when there is
// none.
absl::StatusOr<std::vector<std::string>> CaptureFiles(const std::string& capture);

// DataLoss, naming the file, when it is damaged or was cut; InvalidArgument when it is no captured call.
absl::StatusOr<CapturedCall> ReadCapturedCall(const std::string& path);
absl::StatusOr<CallSummary> ReadCallSummary(const std::string& path);

// Removes from the tensors of a case where in their storage they begin and how large that is.
void ForgetPlaces(v1::Case* c);

// "out float32 (2, 3); input float32 (2, 3), strides (1, 2)", without where in memory they begin.
std::string TensorsText(v1::Case c);

}  // namespace diopi::tap

#endif  // BASELINES_TAP_CAPTURE_H_
