#include "baselines/generate/shared_turns.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace diopi::baselines {
namespace {

// Counts to `times` with a load and a store, which processes would lose without turns.
void Count(SharedTurns* turns, int times) {
  for (int i = 0; i < times; ++i) {
    const SharedTurns::Turn turn(turns);
    const size_t seen = turns->claimed()->load();
    sched_yield();
    turns->claimed()->store(seen + 1);
  }
}

TEST(SharedTurns, OneProcessAtATime) {
  constexpr int kTimes = 2000;
  const auto turns = SharedTurns::Create();
  ASSERT_TRUE(turns.ok()) << turns.status();
  const pid_t child = fork();
  if (child == 0) {
    Count(turns->get(), kTimes);
    _exit(0);
  }
  Count(turns->get(), kTimes);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ((*turns)->claimed()->load(), size_t{2 * kTimes});
}

TEST(SharedTurns, TheTurnOfADeadProcessIsOver) {
  const auto turns = SharedTurns::Create();
  ASSERT_TRUE(turns.ok()) << turns.status();
  const pid_t child = fork();
  if (child == 0) {
    const SharedTurns::Turn turn(turns->get());
    _exit(0);  // without its destructor
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  for (int i = 0; i < 2; ++i) const SharedTurns::Turn turn(turns->get());
}

}  // namespace
}  // namespace diopi::baselines
