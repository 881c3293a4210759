// Replays a failed case with one argument changed and checks whether the device's output is right for that.
#ifndef BASELINES_DIAGNOSE_DIAGNOSE_H_
#define BASELINES_DIAGNOSE_DIAGNOSE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "baselines/compare/compare.h"
#include "baselines/diagnose/alter.h"
#include "baselines/diagnose/computed.h"
#include "baselines/diagnose/operands.h"
#include "cases/base/tensor.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

struct DiagnoseOptions {
  std::string library_path = "";  // the reference, libdiopi_cpu.so
  int64_t max_bytes = 1 << 20;    // of all tensors of a case; larger ones are not replayed
  // Elementary operations of all replays of one case, roughly. Not a time: whether a failure gets a cause
  // must not depend on how busy the machine is.
  double max_operations = 1e8;
};

// Why a case failed, where it is known.
struct Cause {
  std::optional<v1::Finding> found;
  double confidence = 0;
};

// A failed case: its inputs, the references and the device's outputs.
struct FailedCase {
  const v1::Case& c;
  const TensorMap& inputs;
  const TensorMap& references;
  const TensorMap& actual;
  CompareOptions compare = {};
};

// Thread-safe; one case at a time. The library is opened for the first case; if that fails, no cause is ever
// found.
class Diagnoser {
 public:
  explicit Diagnoser(const DiagnoseOptions& options) : options_(options) {}

  // CONSISTENT_WITH every alteration whose reference the output passes and whose result the original's
  // reference refuses, or DECLARE, where a contract allows one of them. Nothing when there is none, or the
  // case is beyond the limits.
  //
  // The confidence is 1 minus the number of alterations tried times the chance that the wrong elements lie by
  // accident where an altered reference has them: per element, the remaining error divided by the original
  // error.
  Cause LikelyCause(const FailedCase& failed);

 private:
  bool Begin(const FailedCase& failed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The verdict under the altered reference, or nothing where the alteration does not explain the output.
  std::optional<v1::Verdict> Explains(const AlteredCase& altered, const FailedCase& failed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<v1::Verdict> Explains(const OtherInputs& other, const FailedCase& failed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<v1::Verdict> Explains(const OtherReferences& other, const FailedCase& failed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<v1::Verdict> Explains(const RoundedOperands& rounded, const FailedCase& failed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same for a call of `c` with `inputs`.
  std::optional<v1::Verdict> ExplainsCall(const v1::Case& c, const TensorMap& inputs,
                                          const FailedCase& failed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const DiagnoseOptions options_;
  std::mutex mutex_;
  bool opened_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<loader::InProcessLibrary> reference_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_DIAGNOSE_H_
