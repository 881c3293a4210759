#include "client/agent/work_queue.h"

#include <utility>

#include "cases/base/wait.h"

namespace diopi::agent {

void WorkQueue::Push(rpc::LeasedCase leased) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  bytes_ += rpc::TensorBytes(leased);
  cases_.push_back(std::move(leased));
  changed_.notify_all();
}

std::optional<rpc::LeasedCase> WorkQueue::TakeFront() {
  if (cases_.empty()) return std::nullopt;
  rpc::LeasedCase leased = std::move(cases_.front());
  cases_.pop_front();
  bytes_ -= rpc::TensorBytes(leased);
  changed_.notify_all();
  return leased;
}

std::optional<rpc::LeasedCase> WorkQueue::Pop() {
  std::unique_lock lock(mutex_);
  WaitUntil(&changed_, &lock, [this] { return closed_ || !cases_.empty(); });
  return TakeFront();
}

std::optional<rpc::LeasedCase> WorkQueue::TryPop() {
  const std::lock_guard lock(mutex_);
  return TakeFront();
}

bool WorkQueue::WaitForRoom() {
  std::unique_lock lock(mutex_);
  WaitUntil(&changed_, &lock, [this] {
    return closed_ || (bytes_ < limits_.bytes && static_cast<int64_t>(cases_.size()) < limits_.cases);
  });
  return !closed_;
}

void WorkQueue::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void WorkQueue::Abort() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  cases_.clear();
  bytes_ = 0;
  changed_.notify_all();
}

}  // namespace diopi::agent
