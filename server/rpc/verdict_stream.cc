#include "server/rpc/verdict_stream.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "server/store/run_kind.h"

namespace diopi::server {
namespace {

constexpr size_t kBatchBytes = 256 << 10;

absl::StatusOr<VerdictFilter> FilterOf(const v1::ReadVerdictsRequest& request) {
  VerdictFilter filter;
  filter.with_outputs = !request.without_outputs();
  for (const int outcome : request.outcomes()) {
    if (outcome == v1::OUTCOME_UNSPECIFIED || !v1::Outcome_IsValid(outcome)) {
      return absl::InvalidArgumentError(absl::StrCat("there is no outcome with the number ", outcome));
    }
    filter.outcomes.push_back(static_cast<v1::Outcome>(outcome));
  }
  return filter;
}

}  // namespace

absl::Status SendVerdicts(Database* database, const v1::ReadVerdictsRequest& request, const BatchSink& sink) {
  ASSIGN_OR_RETURN(const VerdictFilter filter, FilterOf(request));
  ASSIGN_OR_RETURN(v1::RunInfo run, database->GetRun(request.run_id()));
  RETURN_IF_ERROR(CheckHasVerdicts(run.run_id(), run.options()));
  const std::string run_id = run.run_id();  // so that "latest" stays the same run
  std::string after = request.after();
  v1::VerdictBatch batch;
  *batch.mutable_run() = std::move(run);
  for (bool first = true;; first = false) {
    ASSIGN_OR_RETURN(VerdictPage page, database->PageOfVerdicts(run_id, filter, after, kBatchBytes));
    for (v1::Verdict& verdict : page.verdicts) *batch.add_verdicts() = std::move(verdict);
    batch.mutable_positions()->Add(page.positions.begin(), page.positions.end());
    if (first || batch.verdicts_size() > 0) {
      RETURN_IF_ERROR(sink(batch));
    }
    if (page.next.empty()) return absl::OkStatus();
    after = std::move(page.next);
    batch.Clear();
  }
}

}  // namespace diopi::server
