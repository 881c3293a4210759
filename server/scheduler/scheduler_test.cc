#include "server/scheduler/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/scheduler/fake_clock.h"

namespace diopi::server {
namespace {

using ::testing::ElementsAre;

std::vector<ScheduledCase> MakeCases(int count, int64_t bytes = 10) {
  std::vector<ScheduledCase> cases;
  cases.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) cases.push_back({absl::StrCat("c", i), bytes});
  return cases;
}

SchedulerOptions LeaseOf(double seconds, uint64_t seed = 0) {
  SchedulerOptions options;
  options.lease = absl::Seconds(seconds);
  options.shuffle_seed = seed;
  return options;
}

// One thing that happens to a scheduler of five cases with leases of ten seconds, and what must follow.
struct Event {
  enum Kind { kLease, kRenew, kDone, kRelease, kWait } kind;
  std::string agent;
  std::string argument;       // kRenew: lease id; kDone: case id
  int number = 0;             // kLease: most cases; kWait: seconds
  std::vector<size_t> cases;  // kLease
  bool yes = false;           // kRenew, kDone; kLease: complete
};

struct Story {
  std::string name;
  std::vector<std::string> done_before;
  std::vector<Event> events;
  SchedulerCounts end;
};

void Play(const Event& event, Scheduler& scheduler, FakeClock& clock) {
  switch (event.kind) {
    case Event::kLease: {
      const LeaseBatch batch = scheduler.Lease(event.agent, {event.number, 0});
      EXPECT_EQ(batch.cases, event.cases);
      EXPECT_EQ(batch.complete, event.yes);
      EXPECT_EQ(batch.lease_id.empty(), event.cases.empty());
      break;
    }
    case Event::kRenew:
      EXPECT_EQ(scheduler.Renew(event.agent, event.argument), event.yes) << event.argument;
      break;
    case Event::kDone:
      EXPECT_EQ(scheduler.MarkDone(event.agent, event.argument), event.yes) << event.argument;
      break;
    case Event::kRelease:
      EXPECT_EQ(scheduler.Release(event.agent), static_cast<size_t>(event.number));
      break;
    case Event::kWait:
      clock.Advance(absl::Seconds(event.number));
      break;
  }
}

TEST(SchedulerTest, Stories) {
  const auto lease = [](std::string agent, int most, std::vector<size_t> cases, bool complete = false) {
    return Event{Event::kLease, std::move(agent), "", most, std::move(cases), complete};
  };
  const auto done = [](std::string agent, std::string id, bool yes) {
    return Event{Event::kDone, std::move(agent), std::move(id), 0, {}, yes};
  };
  const auto renew = [](std::string agent, std::string id, bool yes) {
    return Event{Event::kRenew, std::move(agent), std::move(id), 0, {}, yes};
  };
  const auto wait = [](int seconds) { return Event{Event::kWait, "", "", seconds, {}, false}; };
  const auto release = [](std::string agent, int count) {
    return Event{Event::kRelease, std::move(agent), "", count, {}, false};
  };
  const std::vector<Story> stories = {
      {"two agents share",
       {},
       {lease("a", 3, {0, 1, 2}), lease("b", 3, {3, 4}), lease("a", 3, {})},
       {5, 0, 5, 0, 2}},
      {"at least one case", {}, {lease("a", 0, {0}), lease("a", -7, {1})}, {5, 0, 2, 3, 2}},
      {"an expired lease goes to another, after the rest",
       {},
       {lease("a", 2, {0, 1}), wait(9), lease("b", 1, {2}), wait(1), lease("b", 9, {3, 4, 0, 1})},
       {5, 0, 5, 0, 2}},
      {"a report keeps the rest of its lease alive",
       {},
       {lease("a", 3, {0, 1, 2}), wait(9), done("a", "c0", true), wait(9), lease("b", 9, {3, 4})},
       {5, 1, 4, 0, 2}},
      {"a report by another does not",
       {},
       {lease("a", 3, {0, 1, 2}), wait(9), done("b", "c0", true), wait(2), lease("b", 9, {3, 4, 1, 2})},
       {5, 1, 4, 0, 1}},
      {"renewal",
       {},
       {lease("a", 5, {0, 1, 2, 3, 4}), wait(9), renew("a", "1", true), wait(9), renew("b", "1", false),
        renew("a", "2", false), renew("a", "junk", false), renew("a", "", false), lease("b", 1, {}), wait(1),
        renew("a", "1", false), lease("b", 1, {0})},
       {5, 0, 1, 4, 1}},
      {"a late result after expiry counts once",
       {},
       {lease("a", 2, {0, 1}), wait(10), lease("b", 2, {2, 3}), done("a", "c0", true), done("a", "c0", false),
        lease("b", 9, {4, 1})},
       {5, 1, 4, 0, 2}},
      {"a late result while another holds the case",
       {},
       {lease("a", 5, {0, 1, 2, 3, 4}), wait(10), lease("b", 1, {0}), done("a", "c0", true),
        done("b", "c0", false), lease("b", 9, {1, 2, 3, 4})},
       {5, 1, 4, 0, 1}},
      {"unknown cases", {}, {done("a", "nothing", false), done("a", "", false)}, {5, 0, 0, 5, 0}},
      {"a goodbye gives back all of the agent's leases",
       {},
       {lease("a", 1, {0}), lease("a", 1, {1}), lease("b", 1, {2}), release("a", 2), release("a", 0),
        lease("b", 9, {3, 4, 0, 1})},
       {5, 0, 5, 0, 2}},
      {"resumed",
       {"c0", "c3", "c3", "stranger"},
       {done("a", "c3", false), lease("a", 9, {1, 2, 4}), done("a", "c1", true), done("a", "c2", true),
        lease("a", 9, {}), done("a", "c4", true), lease("a", 9, {}, true)},
       {5, 5, 0, 0, 0}},
      {"a result nobody leased", {}, {done("a", "c1", true), lease("a", 9, {0, 2, 3, 4})}, {5, 1, 4, 0, 1}},
  };
  for (const Story& story : stories) {
    SCOPED_TRACE(story.name);
    FakeClock clock;
    Scheduler scheduler(MakeCases(5), story.done_before, LeaseOf(10), &clock);
    for (const Event& event : story.events) Play(event, scheduler, clock);
    const SchedulerCounts counts = scheduler.Counts();
    EXPECT_EQ(counts.total, story.end.total);
    EXPECT_EQ(counts.done, story.end.done);
    EXPECT_EQ(counts.leased, story.end.leased);
    EXPECT_EQ(counts.waiting, story.end.waiting);
    EXPECT_EQ(counts.leases, story.end.leases);
  }
}

TEST(SchedulerTest, ALeaseIsLimitedInBytesButNeverEmpty) {
  FakeClock clock;
  Scheduler scheduler({{"a", 5}, {"b", 5}, {"c", 1}, {"big", 1000}, {"e", 1}}, {}, LeaseOf(10), &clock);
  EXPECT_THAT(scheduler.Lease("x", {9, 10}).cases, ElementsAre(0, 1));
  EXPECT_THAT(scheduler.Lease("x", {9, 10}).cases, ElementsAre(2));
  EXPECT_THAT(scheduler.Lease("x", {9, 10}).cases, ElementsAre(3));
  EXPECT_THAT(scheduler.Lease("x", {9, 0}).cases, ElementsAre(4));
}

TEST(SchedulerTest, AnIdleAgentWaitsUntilTheNextExpiryAtMost) {
  FakeClock clock;
  Scheduler scheduler(MakeCases(1), {}, LeaseOf(10), &clock);
  const LeaseBatch batch = scheduler.Lease("a", {});
  EXPECT_EQ(batch.expires_in, absl::Seconds(10));
  EXPECT_EQ(scheduler.Lease("b", {}).retry_in, SchedulerOptions().max_retry);
  clock.Advance(absl::Milliseconds(9900));
  EXPECT_EQ(scheduler.Lease("b", {}).retry_in, absl::Milliseconds(100));
}

TEST(SchedulerTest, AfterTheClockWentBackNoCaseIsHeldForLongerThanALease) {
  FakeClock clock;
  clock.Advance(absl::Hours(1));
  Scheduler scheduler(MakeCases(2), {}, LeaseOf(10), &clock);
  EXPECT_THAT(scheduler.Lease("a", {2, 0}).cases, ElementsAre(0, 1));
  clock.Advance(-absl::Hours(1));
  EXPECT_EQ(scheduler.Counts().leased, 2U);  // the first call that sees the new time
  clock.Advance(absl::Milliseconds(9900));
  const LeaseBatch nothing = scheduler.Lease("b", {2, 0});
  EXPECT_TRUE(nothing.cases.empty());
  EXPECT_EQ(nothing.retry_in, absl::Milliseconds(100));
  clock.Advance(absl::Milliseconds(100));
  EXPECT_THAT(scheduler.Lease("b", {2, 0}).cases, ElementsAre(0, 1));
}

TEST(SchedulerTest, CasesThatNeverReachedTheirAgentWaitAgain) {
  FakeClock clock;
  Scheduler scheduler(MakeCases(4), {}, LeaseOf(10), &clock);
  const LeaseBatch batch = scheduler.Lease("a", {3, 0});
  EXPECT_TRUE(scheduler.MarkDone("a", "c1"));
  scheduler.Return(batch.lease_id, {1, 2, 99});
  scheduler.Return("junk", {0});
  scheduler.Return("77", {0});
  EXPECT_THAT(scheduler.Lease("b", {9, 0}).cases, ElementsAre(3, 2));
  scheduler.Return(batch.lease_id, {0, 2});  // 2 is b's by now
  EXPECT_FALSE(scheduler.Renew("a", batch.lease_id));
  EXPECT_THAT(scheduler.Lease("b", {9, 0}).cases, ElementsAre(0));
  EXPECT_EQ(scheduler.IndexOf("c3"), 3U);
  EXPECT_EQ(scheduler.IndexOf("c4"), std::nullopt);
}

// The server restarted and gave the case to another agent: the first agent's report still counts.
TEST(SchedulerTest, ALeaseOfAnEarlierSchedulerIsBelieved) {
  FakeClock clock;
  SchedulerOptions options = LeaseOf(10);
  Scheduler before(MakeCases(2), {}, options, &clock);
  const std::string old = before.Lease("a", {1, 0}).lease_id;
  options.first_lease = 1000;
  Scheduler after(MakeCases(2), {}, options, &clock);
  const std::string first = after.Lease("b", {1, 0}).lease_id;
  const std::string second = after.Lease("c", {1, 0}).lease_id;
  EXPECT_TRUE(after.WasLeased("c0", {old}));
  EXPECT_TRUE(after.WasLeased("c0", {first}));
  EXPECT_FALSE(after.WasLeased("c0", {second}));
  EXPECT_FALSE(after.WasLeased("c0", {"junk"}));
  EXPECT_TRUE(after.MarkDone("a", "c0"));
}

TEST(SchedulerTest, AnEmptyRunIsComplete) {
  FakeClock clock;
  Scheduler scheduler({}, {}, LeaseOf(10), &clock);
  EXPECT_TRUE(scheduler.Lease("a", {}).complete);
}

std::vector<size_t> Order(int count, uint64_t seed) {
  FakeClock clock;
  Scheduler scheduler(MakeCases(count), {}, LeaseOf(10, seed), &clock);
  return scheduler.Lease("a", {count, 0}).cases;
}

TEST(SchedulerTest, TheSeedIsTheOrder) {
  EXPECT_THAT(Order(5, 0), ElementsAre(0, 1, 2, 3, 4));
  // Pinned: a seed in an old report must give the same order in every version.
  EXPECT_THAT(Order(8, 1), ElementsAre(4, 3, 2, 7, 5, 6, 0, 1));
  EXPECT_EQ(Order(100, 7), Order(100, 7));
  EXPECT_NE(Order(100, 7), Order(100, 8));
  std::vector<size_t> order = Order(100, 7);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, Order(100, 0));
}

TEST(SchedulerTest, WhatIsMarkedLastFollowsAllOthersInEveryOrder) {
  std::vector<ScheduledCase> cases = MakeCases(8);
  cases[2].last = true;
  cases[5].last = true;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    FakeClock clock;
    Scheduler scheduler(cases, {}, LeaseOf(10, seed), &clock);
    std::vector<size_t> order = scheduler.Lease("a", {8, 0}).cases;
    ASSERT_EQ(order.size(), 8u);
    EXPECT_THAT((std::vector<size_t>{order[6], order[7]}), testing::UnorderedElementsAre(2, 5)) << seed;
  }
}

TEST(SchedulerTest, ManyThreadsEndWithEveryCaseDoneOnce) {
  constexpr int kCases = 5000;
  FakeClock clock;
  Scheduler scheduler(MakeCases(kCases), {}, LeaseOf(1, 3), &clock);
  std::atomic<int> accepted = 0;
  const auto work = [&](const std::string& agent) {
    for (int round = 0;; ++round) {
      const LeaseBatch batch = scheduler.Lease(agent, {7, 0});
      if (batch.complete) return;
      clock.Advance(absl::Milliseconds(100));  // so that some leases expire under way
      if (round % 5 == 0) scheduler.Renew(agent, batch.lease_id);
      for (const size_t i : batch.cases) accepted += scheduler.MarkDone(agent, absl::StrCat("c", i)) ? 1 : 0;
    }
  };
  std::vector<std::thread> agents;
  agents.reserve(4);
  for (int i = 0; i < 4; ++i) agents.emplace_back(work, absl::StrCat("agent", i));
  for (std::thread& agent : agents) agent.join();
  EXPECT_EQ(accepted, kCases);
  const SchedulerCounts counts = scheduler.Counts();
  EXPECT_EQ(counts.done, static_cast<size_t>(kCases));
  EXPECT_EQ(counts.leased, 0U);
  EXPECT_EQ(counts.leases, 0U);
}

}  // namespace
}  // namespace diopi::server
