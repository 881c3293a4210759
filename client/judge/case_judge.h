// How one case is called and judged: contracts, adaptor, profile. A run, a health check and diopi-cli repro
// decide by this one, so that a case comes out the same in all of them.
#ifndef CLIENT_JUDGE_CASE_JUDGE_H_
#define CLIENT_JUDGE_CASE_JUDGE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/compare/compare.h"
#include "baselines/diagnose/diagnose.h"
#include "baselines/diagnose/native16.h"
#include "cases/base/tensor.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/applied.h"
#include "client/profile/judged_case.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/caller/in_process.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

struct CaseJudgeOptions {
  int calls = 2;                                     // of each case
  baselines::CompareOptions compare;                 // the device's contracts
  std::string reference_library;                     // replays failed cases to find why; none: no such file
                                                     // (libdiopi_native16.so lies beside it)
  bool diagnose = true;                              // look for the likely cause of a failure
  baselines::DiagnoseOptions replay = {};            // the limits of that
  const profile::Adaptor* adaptor = nullptr;         // outlives the judge; null: none
  const profile::AppliedProfile* profile = nullptr;  // likewise
};

// Thread-safe.
class CaseJudge {
 public:
  explicit CaseJudge(const CaseJudgeOptions& options);

  // Why the case is not called: the profile leaves it out, or the adaptor cannot hand it over. Nothing: it
  // is.
  std::optional<std::string> SkipReason(const v1::Case& c) const;

  // How the worker is to call the case: what it converts of it, and the profile's own time limit for it.
  // Where the adaptor rounds what the forward of a backward gets, the saved tensors among `inputs` become
  // those of that forward. An error is our own fault: the case cannot be judged.
  absl::StatusOr<loader::CallOptions> Prepare(const v1::Case& c, TensorMap* inputs);

  // Judges a case that was called with `adaptor` of its CallOptions, and `inputs` as Prepare left them. What
  // does not depend on the call (reference, device, time) is the caller's to fill in. `handed_over`, where it
  // is not null, receives what was judged in the case's place when the adaptor changed it: inputs as the
  // library got them, and references for those.
  v1::Verdict Judge(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                    const loader::CallOutcome& outcome, const v1::CaseAdaptor& adaptor,
                    std::optional<profile::JudgedCase>* handed_over = nullptr);

 private:
  struct Called;
  v1::Verdict JudgeNumbers(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                           const TensorMap& actual);
  v1::Verdict JudgeHanded(const v1::CaseAdaptor& adaptor, profile::JudgedCase* handed);
  absl::Status WithReference(const std::function<absl::Status(loader::InProcessLibrary&)>& use);

  const CaseJudgeOptions options_;
  baselines::Diagnoser diagnoser_;
  baselines::Native16 native16_;
  std::mutex mutex_;
  // Opened for the first case that needs it.
  std::unique_ptr<loader::InProcessLibrary> reference_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::agent

#endif  // CLIENT_JUDGE_CASE_JUDGE_H_
