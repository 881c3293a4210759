#include "server/scheduler/batch_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/scheduler/scheduler.h"

namespace diopi::server {
namespace {

class SimulatedClock final : public Clock {
 public:
  absl::Duration Now() const override { return absl::Seconds(now); }
  double now = 0;
};

std::vector<ScheduledCase> Cases(int count, double seconds, const std::string& group = "") {
  std::vector<ScheduledCase> cases;
  cases.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) cases.push_back({absl::StrCat("c", i), 1, seconds, group});
  return cases;
}

SchedulerOptions BatchesOf(double seconds) {
  SchedulerOptions options;
  options.batch = absl::Seconds(seconds);
  return options;
}

// An agent that does cases one after another, `speed` times as fast as their cost says, and reports each.
class SerialAgent {
 public:
  SerialAgent(std::string name, double speed, Scheduler* scheduler, SimulatedClock* clock)
      : name_(std::move(name)), speed_(speed), scheduler_(scheduler), clock_(clock) {}

  LeaseBatch Lease(int max_cases = 1000) { return scheduler_->Lease(name_, {max_cases, 0}); }
  void Do(const LeaseBatch& batch, const std::vector<double>& costs) {
    for (const size_t i : batch.cases) {
      clock_->now += costs[i] / speed_;
      EXPECT_TRUE(scheduler_->MarkDone(name_, absl::StrCat("c", i), costs[i] / speed_));
    }
  }

 private:
  const std::string name_;
  const double speed_;
  Scheduler* const scheduler_;
  SimulatedClock* const clock_;
};

// What an agent gets in its n-th batch, when it does each before it asks for the next.
struct Growth {
  std::string name;
  double seconds;  // that a case takes on this agent
  double known;    // to the scheduler from the start; 0: not
  int max_cases;
  std::vector<size_t> sizes;
};

TEST(BatchSizerTest, BatchesGrowToTheTarget) {
  const std::vector<Growth> table = {
      {"fast: doubles up to what it may ask for", 0.001, 0, 300, {4, 16, 32, 64, 128, 256, 300, 300}},
      {"2 s of 0.1 s each", 0.1, 0, 300, {4, 16, 20, 20, 20}},
      {"slow, unknown: small at first, then one by one", 1, 0, 300, {4, 1, 1, 1}},
      {"slow, known: its cost counts from the start, and slow cases go one by one", 1, 1, 300, {1, 1, 1}},
      {"known to take 10 ms", 0.01, 0.01, 300, {4, 16, 32, 64, 128, 200, 200}},
      {"known to take 10 ms, on a machine half as fast", 0.02, 0.01, 300, {4, 16, 32, 64, 100, 100}},
      {"slower than the target", 30, 0, 300, {4, 1, 1}},
  };
  for (const Growth& row : table) {
    SCOPED_TRACE(row.name);
    SimulatedClock clock;
    Scheduler scheduler(Cases(5000, row.known), {}, BatchesOf(2), &clock);
    SerialAgent agent("a", 1, &scheduler, &clock);
    const std::vector<double> costs(5000, row.seconds);
    for (const size_t size : row.sizes) {
      const LeaseBatch batch = agent.Lease(row.max_cases);
      EXPECT_EQ(batch.cases.size(), size);
      agent.Do(batch, costs);
    }
  }
}

TEST(BatchSizerTest, AnAgentWithEnoughWorkWaits) {
  SimulatedClock clock;
  Scheduler scheduler(Cases(1000, 0), {}, BatchesOf(2), &clock);
  SerialAgent agent("a", 1, &scheduler, &clock);
  // Before its first report it may hold 16 cases; then 2 s of work.
  size_t held = 0;
  for (LeaseBatch batch = agent.Lease(); !batch.cases.empty(); batch = agent.Lease())
    held += batch.cases.size();
  EXPECT_EQ(held, 16U);
  clock.now = 1.6;
  for (size_t i = 0; i < 16; ++i) scheduler.MarkDone("a", absl::StrCat("c", i), 0.1);
  held = 0;
  LeaseBatch batch = agent.Lease();
  for (; !batch.cases.empty(); batch = agent.Lease()) {
    held += batch.cases.size();
    EXPECT_TRUE(scheduler.MarkDone("a", absl::StrCat("c", batch.cases[0]), 0.1));  // a sign of life
    --held;
  }
  EXPECT_NEAR(static_cast<double>(held), 20, 5);
  EXPECT_FALSE(batch.complete);
  EXPECT_GT(batch.retry_in, absl::ZeroDuration());
  EXPECT_LE(batch.retry_in, BatchesOf(2).max_retry);
}

TEST(BatchSizerTest, AnAgentThatFellSilentNoLongerSharesTheWork) {
  BatchSizer batch_sizer({.target = absl::Seconds(2)}, Cases(30, 0.1));
  for (size_t i = 0; i < 30; ++i) batch_sizer.Enter(i);
  batch_sizer.Allow("a", 1, 1, absl::ZeroDuration());
  batch_sizer.Give("a", 0, absl::ZeroDuration());
  batch_sizer.Leave(0);
  batch_sizer.Take("a", 0, BatchSizer::End::kDone, absl::Seconds(0.1));
  batch_sizer.Allow("b", 1, 1, absl::Seconds(1));
  // Both would need 1.45 s for the other cases; at the end an agent holds half of its share.
  EXPECT_NEAR(batch_sizer.Allow("a", 1000, 1, absl::Seconds(30.9)).cost, 0.725, 1e-9);
  // After half a minute "a" is alone, and gets as much as it may ever hold.
  EXPECT_NEAR(batch_sizer.Allow("a", 1000, 1, absl::Seconds(31)).cost, 2, 1e-9);
}

TEST(BatchSizerTest, EveryIdleWorkerGetsACase) {
  SimulatedClock clock;
  Scheduler scheduler(Cases(100, 10), {}, BatchesOf(2), &clock);
  EXPECT_EQ(scheduler.Lease("a", {1000, 0, 4}).cases.size(), 1U);  // not measured yet
  clock.now = 10;
  scheduler.MarkDone("a", "c0", 10);
  EXPECT_EQ(scheduler.Lease("a", {1000, 0, 4}).cases.size(), 4U);
  EXPECT_TRUE(scheduler.Lease("a", {1000, 0, 4}).cases.empty());
}

// Cases known to be slow from an earlier run come first, one per batch.
TEST(BatchSizerTest, SlowCasesAreApart) {
  SimulatedClock clock;
  std::vector<ScheduledCase> cases = Cases(400, 0.01);
  std::vector<double> costs(400, 0.01);
  const std::set<size_t> slow = {7, 8, 9, 10, 11, 300, 399};
  for (const size_t i : slow) cases[i].seconds = costs[i] = 1;
  Scheduler scheduler(cases, {}, BatchesOf(2), &clock);
  SerialAgent agent("a", 1, &scheduler, &clock);
  std::vector<size_t> batch_of_slow;
  for (size_t number = 0;; ++number) {
    const LeaseBatch batch = agent.Lease();
    if (batch.complete) break;
    for (const size_t i : batch.cases) {
      if (slow.contains(i)) batch_of_slow.push_back(number);
    }
    agent.Do(batch, costs);
  }
  EXPECT_THAT(batch_of_slow, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

// Cases that prove slow only during the run are recognised by their group.
TEST(BatchSizerTest, AGroupThatProvesSlowIsApartFromThenOn) {
  SimulatedClock clock;
  std::vector<ScheduledCase> cases;
  std::vector<double> costs;
  for (int i = 0; i < 400; ++i) {
    const bool slow = i % 4 == 3;
    cases.push_back({absl::StrCat("c", i), 1, 0, slow ? "slow" : "fast"});
    costs.push_back(slow ? 1 : 0.001);
  }
  Scheduler scheduler(cases, {}, BatchesOf(2), &clock);
  SerialAgent agent("a", 1, &scheduler, &clock);
  agent.Do(agent.Lease(), costs);  // one slow case among four
  for (;;) {
    const LeaseBatch batch = agent.Lease();
    if (batch.complete) break;
    EXPECT_LE(std::count_if(batch.cases.begin(), batch.cases.end(), [](size_t i) { return i % 4 == 3; }), 1);
    agent.Do(batch, costs);
  }
}

TEST(BatchSizerTest, ASeedKeepsItsOrder) {
  SimulatedClock clock;
  std::vector<ScheduledCase> cases = Cases(60, 0.01);
  std::vector<double> costs(60, 0.01);
  cases[3].seconds = costs[3] = 1;
  cases[40].seconds = costs[40] = 1;
  SchedulerOptions paced = BatchesOf(2);
  paced.shuffle_seed = 7;
  Scheduler scheduler(cases, {}, paced, &clock);
  SchedulerOptions plain;
  plain.shuffle_seed = 7;
  Scheduler expected(cases, {}, plain, &clock);
  SerialAgent agent("a", 1, &scheduler, &clock);
  std::vector<size_t> order;
  for (;;) {
    const LeaseBatch batch = agent.Lease();
    if (batch.complete) break;
    order.insert(order.end(), batch.cases.begin(), batch.cases.end());
    agent.Do(batch, costs);
  }
  EXPECT_EQ(order, expected.Lease("a", {60, 0}).cases);
}

// Many agents on one clock: each works through its queue, reports every `report_s`, and asks for more when
// its queue is short, as client/agent does.
class Simulation {
 public:
  struct Agent {
    std::string name;
    double speed = 1;
    std::vector<size_t> queue;   // leased, not begun, first at the end
    std::vector<size_t> unsent;  // done, not reported
    double free_at = 0;          // when its current case ends
    size_t current = SIZE_MAX;
    double report_at = 0;
    double ask_at = 0;
    double last_done = 0;
    bool complete = false;
  };

  Simulation(const std::vector<double>& speeds, std::vector<double> costs, bool known, double batch_s = 2)
      : costs_(std::move(costs)), scheduler_(Make(costs_, known), {}, BatchesOf(batch_s), &clock_) {
    for (size_t i = 0; i < speeds.size(); ++i) {
      agents_.emplace_back();
      agents_.back().name = absl::StrCat("agent", i);
      agents_.back().speed = speeds[i];
    }
  }

  // Seconds until the last case is done.
  double Run() {
    while (!std::all_of(agents_.begin(), agents_.end(), [](const Agent& a) { return a.complete; })) {
      double next = 1e30;
      for (Agent& agent : agents_) {
        if (!agent.complete) next = std::min(next, Step(agent));
      }
      if (next > 1e29) break;  // all complete in this round, or nothing will happen any more: see done()
      clock_.now = std::max(next, clock_.now + 1e-6);
    }
    double end = 0;
    for (const Agent& agent : agents_) end = std::max(end, agent.last_done);
    return end;
  }
  size_t done() { return scheduler_.Counts().done; }
  int leases() const { return leases_; }

 private:
  static std::vector<ScheduledCase> Make(const std::vector<double>& costs, bool known) {
    std::vector<ScheduledCase> cases = Cases(static_cast<int>(costs.size()), 0);
    for (size_t i = 0; i < costs.size() && known; ++i) cases[i].seconds = costs[i];
    return cases;
  }

  // Does all that is due for the agent, and returns when something is due next.
  double Step(Agent& agent) {
    const double now = clock_.now;
    if (agent.current != SIZE_MAX && agent.free_at <= now) {
      agent.unsent.push_back(std::exchange(agent.current, SIZE_MAX));
      agent.last_done = now;
    }
    const bool idle = agent.current == SIZE_MAX && agent.queue.empty();
    if (!agent.unsent.empty() && (idle || now >= agent.report_at || agent.unsent.size() >= 64)) {
      for (const size_t i : agent.unsent) {
        scheduler_.MarkDone(agent.name, absl::StrCat("c", i), costs_[i] / agent.speed);
      }
      agent.unsent.clear();
      agent.report_at = now + 0.2;
    }
    const bool nothing = idle && agent.unsent.empty();
    if (agent.queue.size() < 64 && (now >= agent.ask_at || nothing)) Ask(agent, nothing);
    if (agent.current == SIZE_MAX && !agent.queue.empty()) {
      agent.current = agent.queue.back();
      agent.queue.pop_back();
      agent.free_at = now + costs_[agent.current] / agent.speed;
    }
    if (agent.complete) return 1e30;
    const double busy = agent.current != SIZE_MAX ? agent.free_at : 1e30;
    return std::min(busy, agent.queue.size() < 64 ? std::max(agent.ask_at, now + 1e-6) : 1e30);
  }

  void Ask(Agent& agent, bool nothing) {
    if (nothing && clock_.now < agent.ask_at && agent.ask_at - clock_.now > 0.25) return;
    const LeaseBatch batch = scheduler_.Lease(agent.name, {512, 0});
    ++leases_;
    agent.complete = batch.complete;
    agent.queue.insert(agent.queue.begin(), batch.cases.rbegin(), batch.cases.rend());
    agent.ask_at = clock_.now + (batch.cases.empty() ? absl::ToDoubleSeconds(batch.retry_in) : 0);
  }

  SimulatedClock clock_;
  const std::vector<double> costs_;
  Scheduler scheduler_;
  std::vector<Agent> agents_;
  int leases_ = 0;
};

struct Load {
  std::string name;
  std::vector<double> speeds;
  bool known;    // what each case takes, from an earlier run
  double heavy;  // cost of every 100th case; the others cost 1 to 20 ms
};

TEST(BatchSizerTest, UnequalAgentsFinishTogether) {
  const std::vector<double> eight = {1, 1, 1.5, 2, 3, 4, 6, 8};
  const std::vector<Load> table = {
      {"eight agents, nothing known", eight, false, 0},
      {"eight agents, all known", eight, true, 0},
      {"eight agents, all known, slow cases among them", eight, true, 1.5},
      {"eight equal agents", {1, 1, 1, 1, 1, 1, 1, 1}, false, 0},
      {"one agent twenty times as fast", {1, 1, 1, 1, 1, 1, 1, 20}, false, 0},
  };
  for (const Load& load : table) {
    SCOPED_TRACE(load.name);
    std::mt19937 random(1);  // gives the same numbers everywhere, unlike std::uniform_*
    std::vector<double> costs;
    for (int i = 0; i < 20'000; ++i) {
      costs.push_back(0.001 * (1 + static_cast<double>(random() % 20)));
      if (load.heavy > 0 && i % 100 == 99) costs.back() = load.heavy;
    }
    double total = 0;
    for (const double cost : costs) total += cost;
    double speed = 0;
    for (const double each : load.speeds) speed += each;
    Simulation simulation(load.speeds, costs, load.known);
    const double ratio = simulation.Run() * speed / total;
    EXPECT_EQ(simulation.done(), costs.size());
    EXPECT_LE(ratio, 1.10);
    // The same with batches as large as an agent may ask for, for comparison.
    Simulation fixed(load.speeds, costs, load.known, 0);
    const double fixed_ratio = fixed.Run() * speed / total;
    EXPECT_GT(fixed_ratio, ratio);
    std::printf("%s: %.3f of the ideal %.2f s in %d leases; in batches of 512: %.3f\n", load.name.c_str(),
                ratio, total / speed, simulation.leases(), fixed_ratio);
  }
}

}  // namespace
}  // namespace diopi::server
