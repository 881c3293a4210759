// Clocks that jump. Leases depend only on the injected clock, which may cost time but never a verdict: a
// lease that expires too early is handed out again and counts once, one that would expire too late is cut to
// a lease's length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/rpc/server_testing.h"

namespace diopi::server {
namespace {

using ::testing::IsEmpty;

TEST(ClockTest, HoursAheadExpireALeaseAndNothingCountsTwice) {
  TestServer server;
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::string run = a.CreateRun({"add"})->run_id();
  const ReceivedLease first = a.Lease(run, 100);
  ASSERT_EQ(first.cases.size(), 6U);
  server.clock().Advance(absl::Hours(5));
  const ReceivedLease second = b.Lease(run, 100);
  ASSERT_EQ(second.cases.size(), 6U);
  // Both have worked on it, and both report.
  EXPECT_EQ(b.Report(run, {second.cases[0], second.cases[1]})->stored(), 2);
  const auto late = a.Report(run, first.cases);
  EXPECT_EQ(late->stored(), 4);
  EXPECT_EQ(late->duplicates(), 2);
  EXPECT_EQ(b.Report(run, second.cases)->duplicates(), 6);
  EXPECT_EQ(a.GetRun(run)->done(), 6);
  EXPECT_EQ(a.Finish(run, false)->state(), v1::RUN_STATE_FINISHED);
}

TEST(ClockTest, HoursBackDoNotHoldALeaseForHours) {
  TestServer server;
  server.clock().Advance(absl::Hours(9));
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::string run = a.CreateRun({"add"})->run_id();
  const ReceivedLease first = a.Lease(run, 100);
  server.clock().Advance(absl::Hours(-5));
  // Not yet: a may still be working on it.
  const ReceivedLease none = b.Lease(run, 100);
  EXPECT_THAT(none.cases, IsEmpty());
  EXPECT_LE(none.header.retry_in_s(), 10);
  // One lease's length later by the present clock.
  server.clock().Advance(absl::Seconds(10));
  const ReceivedLease second = b.Lease(run, 100);
  EXPECT_EQ(second.cases.size(), 6U);
  EXPECT_EQ(b.Report(run, second.cases)->stored(), 6);
  EXPECT_EQ(a.Report(run, first.cases)->duplicates(), 6);
  EXPECT_EQ(a.GetRun(run)->done(), 6);
}

TEST(ClockTest, JumpsWhileARunIsShared) {
  TestServer server;
  server.clock().Advance(absl::Hours(24));
  TestAgent a = server.Agent("a");
  TestAgent b = server.Agent("b");
  const std::string run = a.CreateRun(std::vector<std::string>{})->run_id();
  const absl::Duration jumps[] = {absl::Hours(3), absl::Hours(-7), absl::Seconds(9), absl::Hours(-1),
                                  absl::Hours(11)};
  int stored = 0;
  for (int turn = 0; stored < 8 && turn < 100; ++turn) {
    TestAgent& agent = turn % 2 == 0 ? a : b;
    const ReceivedLease lease = agent.Lease(run, 2);
    ASSERT_TRUE(lease.status.ok()) << lease.status;
    server.clock().Advance(jumps[turn % std::size(jumps)]);
    // Every third time the agent forgets what it leased.
    if (turn % 3 != 2) stored += agent.Report(run, lease.cases)->stored();
  }
  EXPECT_EQ(stored, 8);
  EXPECT_EQ(a.GetRun(run)->done(), 8);
  EXPECT_TRUE(b.Lease(run, 2).header.run_complete());
}

}  // namespace
}  // namespace diopi::server
