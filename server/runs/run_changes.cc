#include "server/runs/run_changes.h"

#include "server/store/run_state.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

void Overlay(const RunChange& newer, RunChange* change) {
  if (newer.state.has_value()) change->state = newer.state;
  if (newer.submission.has_value()) change->submission = newer.submission;
  if (newer.aborted.has_value()) change->aborted = newer.aborted;
}

}  // namespace

void RunChanges::Put(const std::string& run_id, const RunChange& change) {
  const std::lock_guard lock(mutex_);
  Overlay(change, &waiting_[run_id]);
}

absl::Status RunChanges::StoreOne(const std::string& run_id, Changed* changed) {
  RunChange change;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.extract(run_id);
    if (found.empty()) return absl::OkStatus();
    change = found.mapped();
  }
  absl::Status status = database_->ChangeRun(run_id, change);
  const bool never = absl::IsNotFound(status) || absl::IsInvalidArgument(status);
  if (!status.ok() && (never || failing_.insert(run_id).second)) {
    Log(LogLevel::kError, never ? "never_stored" : "not_stored_yet",
        {{"run_id", run_id}, {"status", std::string(status.message())}});
  }
  if (!status.ok() && !never) {
    const std::lock_guard lock(mutex_);
    RunChange& kept = waiting_[run_id];
    Overlay(kept, &change);
    kept = change;
    return status;
  }
  if (status.ok() && change.state.has_value() && IsOver(*change.state)) {
    // The run is stored; where that is, is all that an error changes.
    const absl::Status kept = database_->Checkpoint();
    if (!kept.ok()) {
      Log(LogLevel::kWarn, "not_checkpointed", {{"run_id", run_id}, {"status", std::string(kept.message())}});
    }
  }
  if (failing_.erase(run_id) > 0 && status.ok()) Log(LogLevel::kInfo, "stored_late", {{"run_id", run_id}});
  changed->emplace_back(run_id, change.state.has_value() && IsOver(*change.state));
  return status;
}

void RunChanges::Notify(const Changed& changed) {
  if (!stored_) return;
  for (const auto& [run_id, ended] : changed) stored_(run_id, ended);
}

absl::Status RunChanges::Flush() {
  absl::Status status = absl::OkStatus();
  Changed changed;
  {
    const std::lock_guard order(order_);
    std::vector<std::string> ids;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [run_id, unused] : waiting_) ids.push_back(run_id);
    }
    for (const std::string& run_id : ids) status.Update(StoreOne(run_id, &changed));
  }
  Notify(changed);
  return status;
}

absl::Status RunChanges::Store(const std::string& run_id, const RunChange& change) {
  Put(run_id, change);
  absl::Status status;
  Changed changed;
  {
    const std::lock_guard order(order_);
    status = StoreOne(run_id, &changed);
  }
  Notify(changed);
  return status;
}

void RunChanges::Withdraw(const std::string& run_id) {
  const std::lock_guard order(order_);
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(run_id);
  if (found == waiting_.end() || !found->second.state.has_value()) return;
  waiting_.erase(found);
  failing_.erase(run_id);
}

}  // namespace diopi::server
