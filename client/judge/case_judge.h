// Calls and judges one case: contracts, adaptor, profile. Runs, health checks and diopi-cli repro all use
// this code, so that a case gets the same verdict in all of them.
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
#include "baselines/compare/compare_slices.h"
#include "baselines/diagnose/diagnose.h"
#include "baselines/diagnose/native16.h"
#include "cases/base/tensor.h"
#include "cases/fill/fill.h"
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
  std::string reference_library;                     // replays failed cases to find the cause; may be missing
                                                     // (libdiopi_native16.so lies beside it)
  bool diagnose = true;                              // look for the likely cause of a failure
  baselines::DiagnoseOptions replay = {};            // the limits of the search for a cause
  const profile::Adaptor* adaptor = nullptr;         // outlives the judge; null: none
  const profile::AppliedProfile* profile = nullptr;  // likewise
};

// Thread-safe.
class CaseJudge {
 public:
  explicit CaseJudge(const CaseJudgeOptions& options);

  // Why the case is not called: the profile skips it, or the adaptor cannot convert it. Nullopt: it is
  // called.
  std::optional<v1::Finding> SkipReason(const v1::Case& c) const;

  // Which inputs of a large case Prepare makes. With kSent, those that the worker makes are left out, and
  // what slices can judge stays in the worker's memory (CallOptions::Outputs): judge such a case before the
  // worker's next one.
  enum class Making { kAll, kSent };
  // How the worker is to call the case: the conversions, and the profile's time limit for it. Makes the
  // inputs of a large case, which nobody stores: all, or only those that must be sent to the worker
  // (Worker::Submit). Where the adaptor rounds the inputs of a backward's forward, replaces the saved tensors
  // among `inputs` by those of that forward. An error is our own fault: the case cannot be judged.
  absl::StatusOr<loader::CallOptions> Prepare(const v1::Case& c, TensorMap* inputs,
                                              Making making = Making::kAll);
  // Adds the inputs that Prepare left out. Call it before Judge, unless the outputs stayed in the worker.
  static absl::Status Complete(const v1::Case& c, TensorMap* inputs);

  // Where the outputs and inputs of a case that stays in the worker are compared. The places do not depend on
  // the outputs, so callers can compute them while the library works, and pass them to Judge.
  static baselines::SlicePlaces PlacesOf(const v1::Case& c);

  // Whether the verdict is no more than that two calls differ, because the worker had left it to Judge to see
  // that. If so, changes `options` for another call, after which the worker knows more.
  static bool NeedsAnotherCall(const v1::Verdict& verdict, const loader::CallOutcome& outcome,
                               loader::CallOptions* options);

  // Judges a case that was called with `adaptor` of its CallOptions, and with `inputs` as Prepare left them.
  // The caller fills in what does not depend on the call (reference, device, time). `converted_case`, unless
  // null, receives what was judged instead of the case when the adaptor changed it: the inputs that the
  // library received, and the references for them. `places`: of PlacesOf; computed here where it is
  // empty.
  v1::Verdict Judge(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                    const loader::CallOutcome& outcome, const v1::CaseAdaptor& adaptor,
                    std::optional<profile::JudgedCase>* converted_case = nullptr,
                    const baselines::SlicePlaces& places = {});

 private:
  absl::StatusOr<TensorMap> MakeInputs(const v1::Case& c, bool sliced, const BlockInputs& without);
  v1::Verdict JudgeNumbers(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                           const TensorMap& actual);
  v1::Verdict JudgeSlices(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                          const loader::CallOutcome& outcome, const baselines::SlicePlaces& known) const;
  v1::Verdict JudgeConverted(const v1::CaseAdaptor& adaptor, bool sliced, profile::JudgedCase* converted);
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
