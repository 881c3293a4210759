#include "client/cli/shrink_trial.h"

#include <utility>

#include "baselines/generate/generate.h"
#include "cases/user/operator_text.h"
#include "client/setup/paths.h"

namespace diopi::cli {
namespace {

// The beginning of a reason: the words up to the first number tell the kind of failure.
std::string Kind(const std::string& reason) {
  return reason.substr(0, reason.find_first_of("0123456789:,;("));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShrinkTrial>> ShrinkTrial::Start(CaseCall* call) {
  absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> reference =
      loader::InProcessLibrary::Open(agent::DefaultReferenceLibrary());
  if (!reference.ok()) return reference.status();
  loader::WorkerOptions options = call->MakeWorkerOptions();
  options.log_path = "/dev/null";  // or the library's output would appear hundreds of times
  absl::StatusOr<std::unique_ptr<loader::Worker>> worker = StartWorker(options);
  if (!worker.ok()) return worker.status();
  return std::unique_ptr<ShrinkTrial>(new ShrinkTrial(call, *std::move(reference), *std::move(worker)));
}

absl::StatusOr<v1::Verdict> ShrinkTrial::Run(const v1::OperatorFile& file) {
  const absl::StatusOr<v1::Case> c = cases::ExpandOne(file);
  if (!c.ok()) return c.status();
  absl::StatusOr<baselines::Baseline> expected = baselines::GenerateCase(*reference_, *c);
  if (!expected.ok()) return expected.status();
  // Uses the generated case: the specs of tensors that the library allocates are known only now.
  const absl::StatusOr<loader::CallOptions> options = call_->judge().Prepare(expected->c, &expected->inputs);
  if (!options.ok()) return options.status();
  absl::Status submitted = worker_->Submit(expected->c, expected->inputs, *options);
  if (!submitted.ok()) return submitted;
  const loader::CallOutcome outcome = worker_->Wait();
  return call_->judge().Judge(expected->c, expected->inputs, expected->references, outcome, options->adaptor);
}

bool FailsAlike(const v1::Verdict& first, const v1::Verdict& verdict) {
  if (first.outcome() != verdict.outcome()) return false;
  const bool numbers = first.outcome() == v1::OUTCOME_FAIL || first.outcome() == v1::OUTCOME_TIMEOUT ||
                       first.outcome() == v1::OUTCOME_NONDETERMINISTIC;
  return numbers || Kind(first.reason()) == Kind(verdict.reason());
}

}  // namespace diopi::cli
