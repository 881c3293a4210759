#include "client/shrink/case_trial.h"

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/user/operator_text.h"
#include "reports/model/failure_groups.h"

namespace diopi::shrink {

absl::StatusOr<std::unique_ptr<loader::Worker>> StartWorker(const loader::WorkerOptions& options) {
  absl::StatusOr<std::unique_ptr<loader::Worker>> worker = loader::Worker::Start(options);
  if (worker.ok() || !absl::IsFailedPrecondition(worker.status())) return worker;
  return absl::InvalidArgumentError(
      absl::StrCat(options.impl_path, " cannot be loaded: ", std::string(worker.status().message())));
}

absl::StatusOr<std::unique_ptr<CaseTrial>> CaseTrial::Start(agent::CaseJudge* judge,
                                                            loader::WorkerOptions worker,
                                                            std::unique_ptr<baselines::OraclePool> oracle) {
  worker.log_path = "/dev/null";
  ASSIGN_OR_RETURN(std::unique_ptr<loader::Worker> started, StartWorker(worker));
  return std::unique_ptr<CaseTrial>(new CaseTrial(judge, worker, std::move(started), std::move(oracle)));
}

absl::StatusOr<v1::Verdict> CaseTrial::Run(const v1::Case& c, agent::CaseJudge* judge) {
  return Call(c, judge == nullptr ? judge_ : judge, /*keep=*/false, /*beside=*/false);
}

absl::StatusOr<v1::Verdict> CaseTrial::Call(const v1::Case& c, agent::CaseJudge* judge, bool keep,
                                            bool beside) {
  ASSIGN_OR_RETURN(baselines::Baseline expected, oracle_->ComputeOne(c));
  // Uses the generated case: the specs of tensors that the library allocates are known only now.
  ASSIGN_OR_RETURN(loader::CallOptions options, judge->Prepare(expected.c, &expected.inputs));
  options.keep = keep;
  options.beside = beside;
  RETURN_IF_ERROR(worker_->Submit(expected.c, expected.inputs, options));
  const loader::CallOutcome outcome = worker_->Wait();
  return judge->Judge(expected.c, expected.inputs, expected.references, outcome, options.adaptor);
}

absl::StatusOr<v1::Verdict> CaseTrial::Run(const v1::OperatorFile& file) {
  ASSIGN_OR_RETURN(const v1::Case c, cases::ExpandOne(file));
  return Run(c);
}

absl::StatusOr<v1::Verdict> CaseTrial::RunInOrder(const std::vector<v1::Case>& cases, bool beside) {
  ASSIGN_OR_RETURN(worker_, StartWorker(options_));
  absl::StatusOr<v1::Verdict> verdict = absl::InvalidArgumentError("there is no case");
  for (size_t i = 0; i < cases.size(); ++i) {
    const bool last = i + 1 == cases.size();
    verdict = Call(cases[i], judge_, beside && i + 2 == cases.size(), beside && last);
    if (!verdict.ok()) return verdict;
  }
  return verdict;
}

bool FailsAlike(const v1::Verdict& first, const v1::Verdict& verdict) {
  if (first.outcome() != verdict.outcome()) return false;
  const bool numbers = first.outcome() == v1::OUTCOME_FAIL || first.outcome() == v1::OUTCOME_TIMEOUT ||
                       first.outcome() == v1::OUTCOME_NONDETERMINISTIC;
  return numbers || reports::GroupVerdicts({&first, &verdict}).size() == 1;
}

}  // namespace diopi::shrink
