// Calls a case that has no baseline: computes its expected outputs here, calls the library in a worker, and
// judges.
#ifndef CLIENT_SHRINK_CASE_TRIAL_H_
#define CLIENT_SHRINK_CASE_TRIAL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/generate/oracle_pool.h"
#include "client/judge/case_judge.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::shrink {

// Like Worker::Start, but InvalidArgument instead of FailedPrecondition for a library that cannot be loaded.
absl::StatusOr<std::unique_ptr<loader::Worker>> StartWorker(const loader::WorkerOptions& options);

// Not thread-safe. A candidate for which the reference crashes is refused like one that it cannot compute.
class CaseTrial {
 public:
  // `judge` must outlive the trial. What the library prints is dropped, or it would appear hundreds of times.
  // InvalidArgument when the library cannot be loaded.
  static absl::StatusOr<std::unique_ptr<CaseTrial>> Start(agent::CaseJudge* judge,
                                                          loader::WorkerOptions worker,
                                                          std::unique_ptr<baselines::OraclePool> oracle);

  // The verdict on the case, of this judge instead of the trial's where one is given. The reference's status
  // when the reference cannot compute it.
  absl::StatusOr<v1::Verdict> Run(const v1::Case& c, agent::CaseJudge* judge = nullptr);
  // The same for the case that `file` expands to. InvalidArgument unless it expands to exactly one case.
  absl::StatusOr<v1::Verdict> Run(const v1::OperatorFile& file);
  // The verdict on the last of the cases, which are called in order in a new process. `beside`: the last but
  // one is called again meanwhile, on another thread.
  absl::StatusOr<v1::Verdict> RunInOrder(const std::vector<v1::Case>& cases, bool beside);

 private:
  CaseTrial(agent::CaseJudge* judge, loader::WorkerOptions options, std::unique_ptr<loader::Worker> worker,
            std::unique_ptr<baselines::OraclePool> oracle)
      : judge_(judge), options_(std::move(options)), worker_(std::move(worker)), oracle_(std::move(oracle)) {}
  absl::StatusOr<v1::Verdict> Call(const v1::Case& c, agent::CaseJudge* judge, bool keep, bool beside);

  agent::CaseJudge* const judge_;
  const loader::WorkerOptions options_;
  std::unique_ptr<loader::Worker> worker_;
  std::unique_ptr<baselines::OraclePool> oracle_;
};

// Whether both have the same outcome, and for a crash the same signal, for a memory finding or an error the
// same kind.
bool FailsAlike(const v1::Verdict& first, const v1::Verdict& verdict);

}  // namespace diopi::shrink

#endif  // CLIENT_SHRINK_CASE_TRIAL_H_
