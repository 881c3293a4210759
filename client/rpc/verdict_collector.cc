#include "client/rpc/verdict_collector.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace diopi::rpc {

VerdictCollector::VerdictCollector(const v1::ReadVerdictsRequest& request) : request_(request) {
  request_.clear_after();
}

absl::Status VerdictCollector::Add(v1::VerdictBatch* batch) {
  if (!begun_) {
    if (batch->run().run_id().empty()) {
      return absl::DataLossError("the server's first batch of verdicts does not name its run");
    }
    begun_ = true;
    whole_.run = std::move(*batch->mutable_run());
    request_.set_run_id(whole_.run.run_id());  // "latest" may be another run next time
  }
  if (batch->verdicts_size() != batch->positions_size()) {
    return absl::DataLossError(absl::StrCat("run ", whole_.run.run_id(), ": the server sent ",
                                            batch->verdicts_size(), " verdicts with ",
                                            batch->positions_size(), " positions"));
  }
  for (v1::Verdict& verdict : *batch->mutable_verdicts()) {
    if (verdict.case_id() <= request_.after()) {
      return absl::DataLossError(absl::StrCat("run ", whole_.run.run_id(),
                                              ": the server sent the verdict on ", verdict.case_id(),
                                              " after that on ", request_.after()));
    }
    request_.set_after(verdict.case_id());
    verdicts_.push_back(std::move(verdict));
  }
  positions_.insert(positions_.end(), batch->positions().begin(), batch->positions().end());
  return absl::OkStatus();
}

absl::StatusOr<RunVerdicts> VerdictCollector::Finish() {
  const auto count = static_cast<int64_t>(verdicts_.size());
  if (!begun_ || (request_.outcomes().empty() && count < whole_.run.done())) {
    return absl::DataLossError(absl::StrCat("run ", whole_.run.run_id(), " has ", whole_.run.done(),
                                            " verdicts; the server sent ", count));
  }
  std::vector<size_t> order(verdicts_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [this](size_t a, size_t b) { return positions_[a] < positions_[b]; });
  whole_.verdicts.reserve(order.size());
  for (const size_t i : order) whole_.verdicts.push_back(std::move(verdicts_[i]));
  return std::move(whole_);
}

}  // namespace diopi::rpc
