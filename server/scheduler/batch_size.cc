// How many seconds of work an agent may hold: its speed is cost per second of wall time, averaged with more
// weight on recent batches. The first batch is small, later ones at most double. Near the end nobody holds
// more than its share of what is left, so that all agents finish together.
#include "server/scheduler/batch_size.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace diopi::server {
namespace {

// A case's cost until anything is measured. Any value would do, as speeds are then measured in the same unit.
constexpr double kUnknownSeconds = 0.005;
// A case is slow for a batch when it takes this part of it.
constexpr double kSlowPart = 0.25;
// An agent that has work is given more only when it would be at least this part of what it may hold: small
// batches cost a call each.
constexpr double kLeastPart = 0.25;
constexpr absl::Duration kShortestRetry = absl::Milliseconds(5);

}  // namespace

BatchSizer::BatchSizer(const BatchSizerOptions& options, absl::Span<const ScheduledCase> cases)
    : options_(options) {
  absl::flat_hash_map<std::string, uint32_t> numbers;
  seconds_.reserve(cases.size());
  group_of_.reserve(cases.size());
  for (const ScheduledCase& c : cases) {
    seconds_.push_back(std::max(c.seconds, 0.0));
    group_of_.push_back(numbers.try_emplace(c.group, static_cast<uint32_t>(numbers.size())).first->second);
    if (c.seconds > 0) {
      all_.sum += c.seconds;
      ++all_.count;
    }
  }
  charged_.resize(cases.size());
  groups_.resize(numbers.size());
}

double BatchSizer::MeanCost() const {
  return all_.count > 0 ? all_.sum / static_cast<double>(all_.count) : kUnknownSeconds;
}

double BatchSizer::Cost(size_t index) const {
  if (seconds_[index] > 0) return seconds_[index];
  const Mean& group = groups_[group_of_[index]];
  return group.count > 0 ? group.sum / static_cast<double>(group.count) : MeanCost();
}

bool BatchSizer::IsSlow(size_t index) const {
  return options_.target > absl::ZeroDuration() &&
         seconds_[index] >= kSlowPart * absl::ToDoubleSeconds(options_.target);
}

void BatchSizer::Learn(size_t index, double seconds) {
  if (!(seconds > 0)) return;
  Mean& group = groups_[group_of_[index]];
  group.sum += seconds;
  ++group.count;
  all_.sum += seconds;
  ++all_.count;
}

void BatchSizer::Count(size_t index, int by) {
  if (seconds_[index] > 0) {
    waiting_known_ += by * seconds_[index];
  } else {
    waiting_unknown_ += by;
  }
}

double BatchSizer::SpeedOf(const std::string& agent) const {
  const auto found = agents_.find(agent);
  return found == agents_.end() ? 0 : found->second.speed();
}

// Mean speed of the agents whose speed is known; 1 without any, which makes costs seconds.
double BatchSizer::UsualSpeed() const {
  Mean mean;
  for (const auto& [unused, agent] : agents_) {
    if (agent.speed() <= 0) continue;
    mean.sum += agent.speed();
    ++mean.count;
  }
  return mean.count > 0 ? mean.sum / static_cast<double>(mean.count) : 1;
}

double BatchSizer::SecondsLeft(const std::string& agent, absl::Duration now, bool* shared) const {
  const double usual = UsualSpeed();
  double speed = 0;
  *shared = false;
  for (const auto& [name, other] : agents_) {
    if (name != agent && other.open_cases == 0 && other.seen + options_.forget <= now) continue;
    speed += other.speed() > 0 ? other.speed() : usual;
    if (name != agent) *shared = true;
  }
  const double waiting = waiting_known_ + static_cast<double>(waiting_unknown_) * MeanCost();
  return speed > 0 ? (waiting + open_cost_) / speed : 0;
}

Allowance BatchSizer::AllowUnmeasured(Agent* agent, int max_cases) const {
  const double target = UsualSpeed() * absl::ToDoubleSeconds(options_.target);
  Allowance allowance{std::min({max_cases, agent->most, kUnmeasuredCases - agent->open_cases}), target,
                      kSlowPart * target, 1, options_.max_retry};
  if (allowance.cases <= 0 || (agent->open_cases > 0 && agent->open_cost >= target)) allowance.cases = 0;
  agent->most = std::min(2 * agent->most, kUnmeasuredCases);
  return allowance;
}

Allowance BatchSizer::Allow(const std::string& name, int max_cases, int workers, absl::Duration now) {
  if (options_.target <= absl::ZeroDuration()) return {max_cases, 0, 0, max_cases, {}};
  Agent& agent = agents_[name];
  agent.seen = now;
  const double speed = agent.speed();
  if (speed <= 0) return AllowUnmeasured(&agent, max_cases);
  bool shared = false;
  const double target = absl::ToDoubleSeconds(options_.target);
  const double left = SecondsLeft(name, now, &shared);
  // Towards the end an agent holds at most its share of what is left, halved because estimates err, so that
  // batches shrink and the last ones end together.
  const bool tail = shared && left < 2 * target;
  const double may_hold = speed * std::min(target, left);
  const double room = (may_hold - agent.open_cost) * (tail ? 0.5 : 1);
  const int idle_workers = std::max(workers, 1) - agent.open_cases;
  if (idle_workers <= 0 && room < kLeastPart * may_hold) {
    const double wait = (agent.open_cost - (1 - kLeastPart) * may_hold) / speed;
    return {0, 0, 0, 1, std::clamp(absl::Seconds(wait), kShortestRetry, options_.max_retry)};
  }
  if (agent.reported) {
    agent.most = std::min(2 * agent.most, 1 << 20);
    agent.reported = false;
  }
  return {std::min(max_cases, agent.most), room, kSlowPart * speed * target, std::max(idle_workers, 1), {}};
}

void BatchSizer::Forget(const std::string& name) {
  const auto found = agents_.find(name);
  if (found == agents_.end()) return;
  if (found->second.open_cases == 0) {
    agents_.erase(found);
    return;
  }
  found->second.work = 0;
  found->second.busy = 0;
  found->second.most = kFirstCases;
}

void BatchSizer::Give(const std::string& name, size_t index, absl::Duration now) {
  Agent& agent = agents_[name];
  if (agent.open_cases == 0) agent.mark = now;
  charged_[index] = Cost(index);
  agent.open_cost += charged_[index];
  ++agent.open_cases;
  agent.seen = now;
  open_cost_ += charged_[index];
}

void BatchSizer::Take(const std::string& name, size_t index, End end, absl::Duration now) {
  open_cost_ -= charged_[index];
  const auto found = agents_.find(name);
  if (found == agents_.end()) return;
  Agent& agent = found->second;
  agent.open_cost -= charged_[index];
  if (--agent.open_cases == 0) agent.open_cost = 0;  // no rounding errors pile up
  if (end != End::kDone) return;
  agent.seen = now;
  agent.reported = true;
  agent.work += Cost(index);
  agent.busy += absl::ToDoubleSeconds(now - agent.mark);
  agent.mark = now;
  // Older measurements count less.
  if (agent.busy > 2 * absl::ToDoubleSeconds(options_.target)) {
    agent.busy /= 2;
    agent.work /= 2;
  }
}

}  // namespace diopi::server
