// Replays a failed case with one argument changed and looks whether the device's output is right for that.
#ifndef BASELINES_DIAGNOSE_DIAGNOSE_H_
#define BASELINES_DIAGNOSE_DIAGNOSE_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "baselines/compare/compare.h"
#include "baselines/diagnose/alter.h"
#include "cases/core/tensor.h"
#include "impl_loader/worker/in_process.h"

namespace diopi::baselines {

struct DiagnoseOptions {
  std::string library_path = "";           // the reference, libdiopi_cpu.so
  int64_t max_bytes = 1 << 20;             // of all tensors of a case; larger ones are not replayed
  int max_per_function = 50;               // failures that are looked at
  std::chrono::microseconds budget{5000};  // of one case; what is begun is ended
};

// A failed case: what it was called with, what was expected and what came.
struct FailedCase {
  const v1::Case& c;
  const TensorMap& inputs;
  const TensorMap& references;
  const TensorMap& actual;
};

// Thread-safe; one case at a time.
class Diagnoser {
 public:
  // InProcessLibrary::Open's statuses.
  static absl::StatusOr<std::unique_ptr<Diagnoser>> Open(const DiagnoseOptions& options);

  // "consistent with alpha taken as 1", with every alteration whose reference the output passes and whose
  // result the original's reference refuses; empty when there is none, or the case is beyond the limits.
  std::string LikelyCause(const FailedCase& failed);

 private:
  Diagnoser(const DiagnoseOptions& options, std::unique_ptr<loader::InProcessLibrary> reference)
      : options_(options), reference_(std::move(reference)) {}
  bool Explains(const AlteredCase& altered, const FailedCase& failed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const DiagnoseOptions options_;
  std::mutex mutex_;
  const std::unique_ptr<loader::InProcessLibrary> reference_ ABSL_PT_GUARDED_BY(mutex_);
  std::map<std::string, int> seen_ ABSL_GUARDED_BY(mutex_);  // failures by function
};

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_DIAGNOSE_H_
