#include "client/agent/work_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace diopi::agent {
namespace {

rpc::LeasedCase MakeCase(const std::string& id, size_t bytes) {
  rpc::LeasedCase leased;
  leased.c.set_id(id);
  leased.inputs["input"].data.assign(bytes, 'x');
  return leased;
}

TEST(WorkQueue, FirstInFirstOutAndDrainsAfterClose) {
  WorkQueue queue({});
  queue.Push(MakeCase("a", 1));
  queue.Push(MakeCase("b", 1));
  queue.Close();
  queue.Push(MakeCase("late", 1));
  EXPECT_EQ(queue.Pop()->c.id(), "a");
  EXPECT_EQ(queue.TryPop()->c.id(), "b");
  EXPECT_FALSE(queue.Pop().has_value());
}

TEST(WorkQueue, RoomIsCountedInBytesAndCases) {
  WorkQueue queue({.bytes = 10, .cases = 2});
  EXPECT_TRUE(queue.WaitForRoom());
  queue.Push(MakeCase("a", 10));
  auto room = std::async(std::launch::async, [&] { return queue.WaitForRoom(); });
  EXPECT_EQ(queue.Pop()->c.id(), "a");
  EXPECT_TRUE(room.get());
  queue.Push(MakeCase("b", 1));
  queue.Push(MakeCase("c", 1));
  auto closed = std::async(std::launch::async, [&] { return queue.WaitForRoom(); });
  queue.Close();
  EXPECT_FALSE(closed.get());
}

TEST(WorkQueue, AbortWakesAndDrops) {
  WorkQueue queue({});
  auto waiting = std::async(std::launch::async, [&] { return queue.Pop().has_value(); });
  queue.Abort();
  EXPECT_FALSE(waiting.get());
  EXPECT_FALSE(queue.TryPop().has_value());
}

}  // namespace
}  // namespace diopi::agent
