#include "cases/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace diopi {
namespace {

TEST(ForRangesTest, PartsCoverEveryItemOnce) {
  const struct {
    int64_t count, grain;
  } kRows[] = {{0, 4}, {1, 4}, {4, 4}, {5, 4}, {1000, 7}, {4096, 64}, {100'001, 1}};
  for (const auto& [count, grain] : kRows) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
    ForRanges(count, grain, [&, grain = grain, count = count](int64_t begin, int64_t end) {
      EXPECT_EQ(begin % grain, 0);
      EXPECT_LT(begin, end);
      EXPECT_LE(end, std::min(count, begin + grain));
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    for (const std::atomic<int>& times : seen) EXPECT_EQ(times.load(), 1) << count << " by " << grain;
  }
}

// Of this process, as the kernel counts them.
size_t Threads() {
  struct stat folder {};
  EXPECT_EQ(stat("/proc/self/task", &folder), 0);
  return folder.st_nlink - 2;
}

TEST(ForRangesTest, ThreadsAreGoneWhenItReturns) {
  const size_t before = Threads();
  for (int i = 0; i < 200; ++i) {
    ForRanges(64, 1, [](int64_t, int64_t) {});
    EXPECT_EQ(Threads(), before);
  }
}

TEST(ForRangesTest, RunsOnEveryProcessorItMayUse) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  std::atomic<int> there{0};
  // Each part waits for another one to begin: with one thread this would not end.
  ForRanges(4, 1, [&](int64_t, int64_t) {
    ++there;
    while (there.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(there.load(), 4);
}

TEST(ForRangesTest, SeveralThreadsMayCallItAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 20; ++k) ForRanges(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 4 * 20 * 100);
}

}  // namespace
}  // namespace diopi
