#include "server/scheduler/scheduler.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace diopi::server {
namespace {

// SplitMix64: the same order on every machine and with every standard library.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

std::vector<size_t> OrderOf(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  if (seed == 0) return order;
  SplitMix random(seed);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Next() % i]);
  return order;
}

}  // namespace

absl::Duration SteadyClock::Now() const {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

Scheduler::Scheduler(std::vector<ScheduledCase> cases, absl::Span<const std::string> done,
                     const SchedulerOptions& options, const Clock* clock)
    : options_(options), clock_(clock) {
  const std::vector<size_t> order = OrderOf(cases.size(), options.shuffle_seed);
  entries_.reserve(cases.size());
  index_.reserve(cases.size());
  for (ScheduledCase& c : cases) {
    index_.emplace(c.id, entries_.size());
    entries_.push_back({std::move(c), State::kWaiting, 0});
  }
  for (const std::string& id : done) {
    const auto found = index_.find(id);
    if (found == index_.end() || entries_[found->second].state == State::kDone) continue;
    entries_[found->second].state = State::kDone;
    ++done_;
  }
  for (const size_t i : order) {
    if (entries_[i].state == State::kWaiting) waiting_.push_back(i);
  }
}

Scheduler::LeaseRecord Scheduler::Take(const std::string& agent, const LeaseLimits& limits, uint64_t id) {
  LeaseRecord record{agent, clock_->Now() + options_.lease, {}, 0};
  const size_t max_cases = static_cast<size_t>(std::max(1, limits.max_cases));
  int64_t bytes = 0;
  while (!waiting_.empty() && record.cases.size() < max_cases) {
    Entry& entry = entries_[waiting_.front()];
    if (entry.state == State::kWaiting) {
      const bool first = record.cases.empty();
      if (!first && limits.max_bytes > 0 && bytes + entry.c.bytes > limits.max_bytes) break;
      bytes += entry.c.bytes;
      entry.state = State::kLeased;
      entry.lease = id;
      record.cases.push_back(waiting_.front());
    }
    waiting_.pop_front();
  }
  record.open = record.cases.size();
  return record;
}

LeaseBatch Scheduler::Lease(const std::string& agent, const LeaseLimits& limits) {
  const std::lock_guard lock(mutex_);
  const absl::Duration now = clock_->Now();
  ExpireOld(now);
  const uint64_t id = next_lease_;
  LeaseRecord record = Take(agent, limits, id);
  LeaseBatch batch;
  if (record.cases.empty()) {
    batch.complete = done_ == entries_.size();
    if (batch.complete) return batch;
    batch.retry_in = options_.max_retry;
    for (const auto& [unused, lease] : leases_) {
      batch.retry_in = std::min(batch.retry_in, lease.deadline - now);
    }
    return batch;
  }
  ++next_lease_;
  leased_ += record.open;
  batch.lease_id = absl::StrCat(id);
  batch.cases = record.cases;
  batch.expires_in = options_.lease;
  leases_.emplace(id, std::move(record));
  return batch;
}

bool Scheduler::Renew(const std::string& agent, const std::string& lease_id) {
  const std::lock_guard lock(mutex_);
  const absl::Duration now = clock_->Now();
  ExpireOld(now);
  uint64_t id = 0;
  if (!absl::SimpleAtoi(lease_id, &id)) return false;
  const auto lease = leases_.find(id);
  if (lease == leases_.end() || lease->second.agent != agent) return false;
  lease->second.deadline = now + options_.lease;
  return true;
}

bool Scheduler::MarkDone(const std::string& agent, const std::string& case_id) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(case_id);
  if (found == index_.end()) return false;
  Entry& entry = entries_[found->second];
  if (entry.state == State::kDone) return false;
  if (entry.state == State::kLeased) {
    const auto lease = leases_.find(entry.lease);
    --leased_;
    if (lease->second.agent == agent) lease->second.deadline = clock_->Now() + options_.lease;
    if (--lease->second.open == 0) leases_.erase(lease);
  }
  entry.state = State::kDone;
  ++done_;
  return true;
}

size_t Scheduler::GiveBack(Leases::iterator lease) {
  size_t count = 0;
  for (const size_t i : lease->second.cases) {
    Entry& entry = entries_[i];
    if (entry.state != State::kLeased || entry.lease != lease->first) continue;
    entry.state = State::kWaiting;
    waiting_.push_back(i);
    ++count;
  }
  leased_ -= count;
  leases_.erase(lease);
  return count;
}

void Scheduler::ExpireOld(absl::Duration now) {
  for (auto lease = leases_.begin(); lease != leases_.end();) {
    const auto next = std::next(lease);
    if (lease->second.deadline <= now) {
      ExpiredLease expired{lease->second.agent, absl::StrCat(lease->first), 0};
      expired.cases = GiveBack(lease);
      if (options_.on_expired) options_.on_expired(expired);
    }
    lease = next;
  }
}

size_t Scheduler::Release(const std::string& agent) {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (auto lease = leases_.begin(); lease != leases_.end();) {
    const auto next = std::next(lease);
    if (lease->second.agent == agent) count += GiveBack(lease);
    lease = next;
  }
  return count;
}

void Scheduler::Return(const std::string& lease_id, absl::Span<const size_t> cases) {
  const std::lock_guard lock(mutex_);
  uint64_t id = 0;
  if (!absl::SimpleAtoi(lease_id, &id)) return;
  const auto lease = leases_.find(id);
  if (lease == leases_.end()) return;
  for (const size_t i : cases) {
    if (i >= entries_.size()) continue;
    Entry& entry = entries_[i];
    if (entry.state != State::kLeased || entry.lease != id) continue;
    entry.state = State::kWaiting;
    waiting_.push_back(i);
    --leased_;
    --lease->second.open;
  }
  if (lease->second.open == 0) leases_.erase(lease);
}

std::optional<size_t> Scheduler::IndexOf(const std::string& case_id) const {
  const auto found = index_.find(case_id);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

SchedulerCounts Scheduler::Counts() {
  const std::lock_guard lock(mutex_);
  ExpireOld(clock_->Now());
  return {entries_.size(), done_, leased_, entries_.size() - done_ - leased_, leases_.size()};
}

}  // namespace diopi::server
