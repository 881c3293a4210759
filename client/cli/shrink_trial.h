// Determines whether a candidate of `shrink` fails: recomputes its expected outputs and calls the library in
// a worker.
#ifndef CLIENT_CLI_SHRINK_TRIAL_H_
#define CLIENT_CLI_SHRINK_TRIAL_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cli/case_call.h"
#include "diopi/v1/operator.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/caller/in_process.h"
#include "impl_loader/worker/worker.h"

namespace diopi::cli {

// Not thread-safe.
class ShrinkTrial {
 public:
  // `call` must outlive the trial. InvalidArgument when the vendor's library cannot be loaded.
  static absl::StatusOr<std::unique_ptr<ShrinkTrial>> Start(CaseCall* call);

  // The verdict on the case that `file` expands to. InvalidArgument unless it expands to exactly one case;
  // the reference's status when the reference cannot compute it.
  absl::StatusOr<v1::Verdict> Run(const v1::OperatorFile& file);

 private:
  ShrinkTrial(CaseCall* call, std::unique_ptr<loader::InProcessLibrary> reference,
              std::unique_ptr<loader::Worker> worker)
      : call_(call), reference_(std::move(reference)), worker_(std::move(worker)) {}

  CaseCall* const call_;
  std::unique_ptr<loader::InProcessLibrary> reference_;
  std::unique_ptr<loader::Worker> worker_;
};

// Whether both have the same outcome, and for a crash the same signal, for a memory finding or an error the
// same kind.
bool FailsAlike(const v1::Verdict& first, const v1::Verdict& verdict);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_SHRINK_TRIAL_H_
