// Cases are in one of three states: waiting, leased or done. Waiting cases stand in one queue: those known to
// be slow first, those marked `last` at the end, and what a lease gives back behind all others. There is no
// timer: expired leases are found at the beginning of each call. A verdict is accepted from anyone, once,
// because a case may be with two agents after its lease has expired; WasLeased tells the service who those
// are.
#include "server/scheduler/scheduler.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/base/split_mix.h"

namespace diopi::server {
namespace {

std::vector<size_t> OrderOf(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  if (seed == 0) return order;
  for (size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[SplitMix64(seed) % i]);
    seed += kSplitMixStep;
  }
  return order;
}

// Sums of costs have rounding errors.
constexpr double kRounding = 1 + 1e-9;

}  // namespace

absl::Duration SteadyClock::Now() const {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

Scheduler::Scheduler(std::vector<ScheduledCase> cases, absl::Span<const std::string> done,
                     const SchedulerOptions& options, const Clock* clock)
    : options_(options),
      clock_(clock),
      batch_sizer_(BatchSizerOptions{options.batch, options.lease, options.max_retry}, cases),
      next_lease_(options.first_lease) {
  const std::vector<size_t> order = OrderOf(cases.size(), options.shuffle_seed);
  entries_.reserve(cases.size());
  index_.reserve(cases.size());
  for (ScheduledCase& c : cases) {
    index_.emplace(c.id, entries_.size());
    entries_.push_back({std::move(c), State::kWaiting, 0, {}});
  }
  for (const std::string& id : done) {
    const auto found = index_.find(id);
    if (found == index_.end() || entries_[found->second].state == State::kDone) continue;
    entries_[found->second].state = State::kDone;
    ++done_;
  }
  const auto add = [&](bool slow, bool last) {
    for (const size_t i : order) {
      if (entries_[i].state != State::kWaiting || entries_[i].c.last != last) continue;
      if ((options.shuffle_seed == 0 && batch_sizer_.IsSlow(i)) == slow) AddWaiting(i);
    }
  };
  for (const bool last : {false, true}) {
    add(true, last);
    add(false, last);
  }
}

void Scheduler::AddWaiting(size_t index) {
  waiting_.push_back(index);
  batch_sizer_.Enter(index);
}

Scheduler::LeaseRecord Scheduler::Take(const std::string& agent, const LeaseLimits& limits,
                                       const Allowance& allowance, uint64_t id) {
  const absl::Duration now = clock_->Now();
  LeaseRecord record{agent, now + options_.lease, {}, 0};
  int64_t bytes = 0;
  double cost = 0;
  bool slow = false;
  std::vector<size_t> passed_over;
  while (!waiting_.empty() && record.cases.size() < static_cast<size_t>(allowance.cases)) {
    const size_t index = waiting_.front();
    Entry& entry = entries_[index];
    if (entry.state == State::kWaiting) {
      const double its_cost = batch_sizer_.Cost(index);
      const bool its_slow = options_.batch > absl::ZeroDuration() && its_cost >= allowance.slow;
      // One for each idle worker, whatever they cost.
      const bool must = record.cases.size() < static_cast<size_t>(allowance.at_least);
      if (its_slow && slow && !must && options_.shuffle_seed == 0) {
        passed_over.push_back(index);
        waiting_.pop_front();
        continue;
      }
      if (!record.cases.empty() && limits.max_bytes > 0 && bytes + entry.c.bytes > limits.max_bytes) break;
      if (!must && ((its_slow && slow) || cost + its_cost > allowance.cost * kRounding)) break;
      bytes += entry.c.bytes;
      cost += its_cost;
      slow = slow || its_slow;
      entry.state = State::kLeased;
      entry.lease = id;
      entry.leases.push_back(id);
      record.cases.push_back(index);
      batch_sizer_.Leave(index);
      batch_sizer_.Give(agent, index, now);
    }
    waiting_.pop_front();
  }
  waiting_.insert(waiting_.begin(), passed_over.begin(), passed_over.end());
  record.open = record.cases.size();
  return record;
}

LeaseBatch Scheduler::Nothing(absl::Duration now, absl::Duration retry_in) const {
  LeaseBatch batch;
  batch.complete = done_ == entries_.size();
  if (batch.complete) return batch;
  batch.retry_in = retry_in;
  for (const auto& [unused, lease] : leases_) {
    batch.retry_in = std::min(batch.retry_in, lease.deadline - now);
  }
  return batch;
}

LeaseBatch Scheduler::Lease(const std::string& agent, const LeaseLimits& limits) {
  const std::lock_guard lock(mutex_);
  const absl::Duration now = clock_->Now();
  ExpireOld(now);
  if (done_ + leased_ == entries_.size()) return Nothing(now, options_.max_retry);
  const Allowance allowance = batch_sizer_.Allow(agent, std::max(1, limits.max_cases), limits.workers, now);
  if (allowance.cases == 0) return Nothing(now, allowance.retry_in);
  const uint64_t id = next_lease_++;
  LeaseRecord record = Take(agent, limits, allowance, id);
  leased_ += record.open;
  LeaseBatch batch;
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

bool Scheduler::MarkDone(const std::string& agent, const std::string& case_id, double seconds) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(case_id);
  if (found == index_.end()) return false;
  Entry& entry = entries_[found->second];
  if (entry.state == State::kDone) return false;
  const absl::Duration now = clock_->Now();
  batch_sizer_.Learn(found->second, seconds);  // first, as the agent's speed uses what is known now
  if (entry.state == State::kLeased) {
    const auto lease = leases_.find(entry.lease);
    --leased_;
    const bool holder = lease->second.agent == agent;
    if (holder) lease->second.deadline = now + options_.lease;
    batch_sizer_.Take(lease->second.agent, found->second,
                      holder ? BatchSizer::End::kDone : BatchSizer::End::kDoneByAnother, now);
    if (--lease->second.open == 0) leases_.erase(lease);
  }
  if (entry.state == State::kWaiting) batch_sizer_.Leave(found->second);
  entry.state = State::kDone;
  ++done_;
  return true;
}

bool Scheduler::WasLeased(const std::string& case_id, absl::Span<const std::string> lease_ids) const {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(case_id);
  if (found == index_.end()) return false;
  const std::vector<uint64_t>& leases = entries_[found->second].leases;
  return leases.empty() || std::any_of(lease_ids.begin(), lease_ids.end(), [&](const std::string& text) {
           uint64_t id = 0;
           if (!absl::SimpleAtoi(text, &id)) return false;
           const bool ours = id >= options_.first_lease && id < next_lease_;
           return !ours || std::find(leases.begin(), leases.end(), id) != leases.end();
         });
}

size_t Scheduler::GiveBack(Leases::iterator lease) {
  size_t count = 0;
  for (const size_t i : lease->second.cases) {
    Entry& entry = entries_[i];
    if (entry.state != State::kLeased || entry.lease != lease->first) continue;
    entry.state = State::kWaiting;
    batch_sizer_.Take(lease->second.agent, i, BatchSizer::End::kTakenBack, clock_->Now());
    AddWaiting(i);
    ++count;
  }
  leased_ -= count;
  leases_.erase(lease);
  return count;
}

void Scheduler::ExpireOld(absl::Duration now) {
  for (auto lease = leases_.begin(); lease != leases_.end();) {
    const auto next = std::next(lease);
    // Even if the clock went back, no case is held for longer than a lease.
    lease->second.deadline = std::min(lease->second.deadline, now + options_.lease);
    if (lease->second.deadline <= now) {
      ExpiredLease expired{lease->second.agent, absl::StrCat(lease->first), 0};
      expired.cases = GiveBack(lease);
      batch_sizer_.Forget(expired.agent);  // dead, or slower than it was
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
  batch_sizer_.Forget(agent);
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
    batch_sizer_.Take(lease->second.agent, i, BatchSizer::End::kTakenBack, clock_->Now());
    AddWaiting(i);
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
