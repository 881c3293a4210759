#include "cases/base/process_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/process.h"

namespace diopi {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using Fields = ProcessPool::Fields;

ProcessPool::Done Ignore() {
  return [](const absl::StatusOr<Fields>&) { return absl::OkStatus(); };
}

TEST(ProcessPoolTest, EveryResultComesBackOnceAndWhole) {
  ProcessPool pool(3);
  std::multiset<std::string> received;
  const std::string bytes("\0\n\xff", 3);
  for (int i = 0; i < 20; ++i) {
    const std::string large(static_cast<size_t>(i) * 20000, 'x');  // more than a pipe holds
    ASSERT_TRUE(pool.Run(
                        [&] {
                          return Fields{absl::StrCat(i), "", bytes, large};
                        },
                        [&received, bytes, large](const absl::StatusOr<Fields>& result) {
                          EXPECT_THAT(*result, ElementsAre(_, "", bytes, large));
                          received.insert(result->front());
                          return absl::OkStatus();
                        })
                    .ok());
  }
  EXPECT_GE(received.size(), 17U);
  EXPECT_TRUE(pool.Wait().ok());
  EXPECT_EQ(received.size(), 20U);
}

// The first child ends only when the second runs beside it.
TEST(ProcessPoolTest, ChildrenRunAtTheSameTime) {
  const absl::StatusOr<Pipe> pipe = MakePipe();
  ASSERT_TRUE(pipe.ok());
  ProcessPool pool(2);
  std::string received;
  ASSERT_TRUE(pool.Run(
                      [&]() -> absl::StatusOr<Fields> {
                        char byte = 0;
                        if (read(pipe->read.get(), &byte, 1) != 1) return absl::DataLossError("nothing read");
                        return Fields{std::string(1, byte)};
                      },
                      [&](const absl::StatusOr<Fields>& result) {
                        received = result->front();
                        return absl::OkStatus();
                      })
                  .ok());
  ASSERT_TRUE(pool.Run(
                      [&]() -> absl::StatusOr<Fields> {
                        if (write(pipe->write.get(), "a", 1) != 1)
                          return absl::DataLossError("nothing written");
                        return Fields{};
                      },
                      Ignore())
                  .ok());
  EXPECT_TRUE(pool.Wait().ok());
  EXPECT_EQ(received, "a");
}

TEST(ProcessPoolTest, AnErrorOrACrashConcernsItsOwnWork) {
  ProcessPool pool(1);
  std::vector<absl::Status> statuses;
  const std::vector<ProcessPool::Work> works = {
      [] { return absl::NotFoundError("no such file"); },
      []() -> absl::StatusOr<Fields> {
        raise(SIGKILL);
        return Fields{};
      },
      [] { return Fields{}; },
  };
  for (const ProcessPool::Work& work : works) {
    ASSERT_TRUE(pool.Run(work,
                         [&](const absl::StatusOr<Fields>& result) {
                           statuses.push_back(result.status());
                           return absl::OkStatus();
                         })
                    .ok());
  }
  EXPECT_TRUE(pool.Wait().ok());
  EXPECT_THAT(statuses,
              ElementsAre(absl::NotFoundError("no such file"),
                          absl::InternalError("its process ended with signal 9"), absl::OkStatus()));
}

TEST(ProcessPoolTest, AnErrorOfDoneIsReturnedAndNothingStartsAfterIt) {
  ProcessPool pool(1);
  ASSERT_TRUE(pool.Run([] { return Fields{}; },
                       [](const absl::StatusOr<Fields>&) { return absl::DataLossError("full"); })
                  .ok());
  const absl::Status status = pool.Run([] { return Fields{}; },
                                       [](const absl::StatusOr<Fields>&) {
                                         ADD_FAILURE() << "started";
                                         return absl::OkStatus();
                                       });
  EXPECT_EQ(status, absl::DataLossError("full"));
  EXPECT_TRUE(pool.Wait().ok());
}

TEST(ProcessPoolTest, TheDestructorKillsWhatStillRuns) {
  ProcessPool pool(1);
  ASSERT_TRUE(pool.Run(
                      []() -> absl::StatusOr<Fields> {
                        while (true) pause();
                      },
                      Ignore())
                  .ok());
}

TEST(ProcessPoolTest, ProcessesForIsBoundedByMemory) {
  EXPECT_GE(ProcessesFor(1), 1);
  EXPECT_EQ(ProcessesFor(size_t{1} << 62), 1);
}

}  // namespace
}  // namespace diopi
