#include "client/agent/reporter.h"

#include <algorithm>
#include <utility>

#include "cases/base/stage.h"

namespace diopi::agent {

Reporter::Reporter(const Options& options, Send send, Stored stored, Failed failed)
    : options_(options),
      send_(std::move(send)),
      stored_(std::move(stored)),
      failed_(std::move(failed)),
      renew_every_(options.renew_every),
      thread_([this] { Loop(); }) {}

Reporter::~Reporter() {
  if (thread_.joinable()) Stop().IgnoreError();
}

bool Reporter::Take(const std::string& lease_id, const std::string& case_id) {
  const std::lock_guard lock(mutex_);
  return held_.emplace(case_id, lease_id).second;
}

void Reporter::SetRenewEvery(std::chrono::milliseconds period) {
  const std::lock_guard lock(mutex_);
  renew_every_ = std::max(period, std::chrono::milliseconds(10));
  changed_.notify_all();
}

void Reporter::Add(v1::Verdict verdict) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(verdict));
  changed_.notify_all();
}

bool Reporter::WaitUntilIdle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return held_.empty() || abandoned_; });
}

bool Reporter::PauseUntilIdle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  const bool was_idle = held_.empty();
  changed_.wait_for(lock, limit, [&] { return abandoned_ || (!was_idle && held_.empty()); });
  return !abandoned_;
}

void Reporter::Abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

absl::Status Reporter::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  return status_;
}

bool Reporter::BatchIsDue() const {
  if (waiting_.empty()) return false;
  // When every held case has its verdict, no other will be added: there is no reason to wait.
  return static_cast<int>(waiting_.size()) >= options_.batch || waiting_.size() >= held_.size() || stop_;
}

void Reporter::Loop() {
  std::unique_lock lock(mutex_);
  while (status_.ok()) {
    const auto idle_until = std::chrono::steady_clock::now() + renew_every_;
    changed_.wait_until(lock, idle_until, [this] { return stop_ || !waiting_.empty(); });
    if (!waiting_.empty()) {
      changed_.wait_for(lock, options_.batch_wait, [this] { return BatchIsDue(); });
    } else if (stop_) {
      return;
    }
    if (!waiting_.empty() || !held_.empty()) SendBatch(&lock);
  }
}

void Reporter::SendBatch(std::unique_lock<std::mutex>* lock) {
  v1::ReportRequest request;
  request.set_run_id(options_.run_id);
  request.set_agent_id(options_.agent_id);
  const size_t count = std::min(waiting_.size(), static_cast<size_t>(options_.batch));
  for (size_t i = 0; i < count; ++i) *request.add_verdicts() = std::move(waiting_[i]);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  std::set<std::string> leases;
  for (const auto& [id, lease] : held_) leases.insert(lease);
  for (const std::string& lease : leases) request.add_renew_leases(lease);
  lock->unlock();
  const absl::Status sent = send_(request);
  if (sent.ok()) {
    if (!request.verdicts().empty()) StageReached("reported");
    for (const v1::Verdict& verdict : request.verdicts()) stored_(verdict);
  } else {
    failed_(sent);
  }
  lock->lock();
  for (const v1::Verdict& verdict : request.verdicts()) held_.erase(verdict.case_id());
  status_.Update(sent);
  if (!sent.ok()) abandoned_ = true;
  changed_.notify_all();
}

}  // namespace diopi::agent
