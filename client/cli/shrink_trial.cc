#include "client/cli/shrink_trial.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/generate/generate.h"
#include "cases/user/operator_text.h"
#include "client/agent/paths.h"
#include "client/agent/verdict_builder.h"

namespace diopi::cli {
namespace {

constexpr int kCalls = 2;  // as a run has them: whether they agree

// What a reason begins with: the first words, up to the first number, tell the kind of fault.
std::string Kind(const std::string& reason) {
  return reason.substr(0, reason.find_first_of("0123456789:,;("));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShrinkTrial>> ShrinkTrial::Start(const ShrinkTrialOptions& options) {
  absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> reference =
      loader::InProcessLibrary::Open(agent::ReferenceLibraryOr(options.reference));
  if (!reference.ok()) return reference.status();
  loader::WorkerOptions worker_options;
  worker_options.worker_program = options.worker_program;
  worker_options.impl_path = options.impl_path;
  worker_options.device_lib = options.device_lib;
  worker_options.case_timeout = std::chrono::milliseconds(static_cast<int64_t>(options.timeout_s * 1000));
  worker_options.log_path = "/dev/null";  // the library's own words, hundreds of times
  absl::StatusOr<std::unique_ptr<loader::Worker>> worker = loader::Worker::Start(worker_options);
  if (!worker.ok()) {
    if (!absl::IsFailedPrecondition(worker.status())) return worker.status();
    return absl::InvalidArgumentError(
        absl::StrCat(options.impl_path, " cannot be loaded: ", std::string(worker.status().message())));
  }
  return std::unique_ptr<ShrinkTrial>(new ShrinkTrial(options, *std::move(reference), *std::move(worker)));
}

absl::StatusOr<v1::Verdict> ShrinkTrial::Run(const v1::OperatorFile& file) {
  const absl::StatusOr<v1::Case> c = cases::ExpandOne(file);
  if (!c.ok()) return c.status();
  const absl::StatusOr<baselines::Baseline> expected = baselines::GenerateCase(*reference_, *c);
  if (!expected.ok()) return expected.status();
  // The generated case: where a library allocates, its specs are known only now.
  const absl::Status submitted = worker_->Submit(expected->c, expected->inputs, kCalls);
  if (!submitted.ok()) return submitted;
  const loader::CallOutcome outcome = worker_->Wait();
  return agent::BuildVerdict(expected->c, outcome, [&](const TensorMap& actual) {
    return baselines::CompareCase(expected->c, expected->inputs, expected->references, actual,
                                  options_.compare);
  });
}

bool FailsAlike(const v1::Verdict& first, const v1::Verdict& verdict) {
  if (first.outcome() != verdict.outcome()) return false;
  const bool numbers = first.outcome() == v1::OUTCOME_FAIL || first.outcome() == v1::OUTCOME_TIMEOUT ||
                       first.outcome() == v1::OUTCOME_NONDETERMINISTIC;
  return numbers || Kind(first.reason()) == Kind(verdict.reason());
}

}  // namespace diopi::cli
