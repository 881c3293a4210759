#include "cases/base/process_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/process.h"

namespace diopi {
namespace {

using ::testing::ElementsAre;
using Fields = ProcessPool::Fields;

ProcessPool::Done Ignore() {
  return [](const absl::StatusOr<Fields>&) { return absl::OkStatus(); };
}

// A pool without notes.
std::unique_ptr<ProcessPool> Pool(int children,
                                  const std::function<absl::StatusOr<Fields>(const Fields&)>& work) {
  return *ProcessPool::Start(
      children, [work](const Fields& request, const ProcessPool::Note&) { return work(request); });
}

// Larger than a message, in both directions.
TEST(ProcessPoolTest, EveryAnswerComesBackOnceAndWhole) {
  const auto pool = Pool(3, [](const Fields& request) { return request; });
  std::multiset<std::string> received;
  const std::string bytes("\0\n\xff", 3);
  for (int i = 0; i < 20; ++i) {
    const Fields fields = {absl::StrCat(i), "", bytes, std::string(static_cast<size_t>(i) * 20'000, 'x')};
    ASSERT_TRUE(pool->Run(fields,
                          [&received, fields](const absl::StatusOr<Fields>& answer) {
                            EXPECT_EQ(*answer, fields);
                            received.insert(answer->front());
                            return absl::OkStatus();
                          })
                    .ok());
  }
  EXPECT_GE(received.size(), 17U);
  EXPECT_TRUE(pool->Wait().ok());
  EXPECT_EQ(received.size(), 20U);
}

// The first child answers only when the second works beside it.
TEST(ProcessPoolTest, ChildrenWorkAtTheSameTime) {
  const absl::StatusOr<Pipe> pipe = MakePipe();
  ASSERT_TRUE(pipe.ok());
  const auto pool = Pool(2, [&](const Fields& request) -> absl::StatusOr<Fields> {
    char byte = 'a';
    const bool reads = request[0] == "read";
    const ssize_t count = reads ? read(pipe->read.get(), &byte, 1) : write(pipe->write.get(), &byte, 1);
    if (count != 1) return absl::DataLossError("nothing read or written");
    return Fields{std::string(1, byte)};
  });
  std::string received;
  ASSERT_TRUE(pool->Run({"read"},
                        [&](const absl::StatusOr<Fields>& answer) {
                          received = answer->front();
                          return absl::OkStatus();
                        })
                  .ok());
  ASSERT_TRUE(pool->Run({"write"}, Ignore()).ok());
  EXPECT_TRUE(pool->Wait().ok());
  EXPECT_EQ(received, "a");
}

TEST(ProcessPoolTest, AnErrorOrACrashConcernsItsOwnRequest) {
  const auto pool = Pool(1, [](const Fields& request) -> absl::StatusOr<Fields> {
    if (request[0] == "error") return absl::NotFoundError("no such file");
    if (request[0] == "crash") raise(SIGKILL);
    return Fields{};
  });
  std::vector<absl::Status> statuses;
  for (const char* request : {"error", "crash", "crash", "none"}) {
    ASSERT_TRUE(pool->Run({request},
                          [&](const absl::StatusOr<Fields>& answer) {
                            statuses.push_back(answer.status());
                            return absl::OkStatus();
                          })
                    .ok());
  }
  EXPECT_TRUE(pool->Wait().ok());
  const absl::Status crashed = absl::InternalError("its process ended with signal 9");
  EXPECT_THAT(statuses, ElementsAre(absl::NotFoundError("no such file"), crashed, crashed, absl::OkStatus()));
}

// A child that dies when it has nothing to do is replaced without a word.
TEST(ProcessPoolTest, ADeathBetweenRequestsConcernsNone) {
  const auto pool = Pool(1, [](const Fields&) { return Fields{absl::StrCat(getpid())}; });
  std::string first;
  const auto take = [](std::string* pid) {
    return [pid](const absl::StatusOr<Fields>& answer) {
      EXPECT_TRUE(answer.ok()) << answer.status();
      if (answer.ok()) *pid = answer->front();
      return absl::OkStatus();
    };
  };
  ASSERT_TRUE(pool->Run({}, take(&first)).ok());
  ASSERT_TRUE(pool->Wait().ok());
  const pid_t pid = std::stoi(first);
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ASSERT_GE(process.get(), 0);
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  pollfd ended = {process.get(), POLLIN, 0};
  ASSERT_EQ(poll(&ended, 1, 60'000), 1);
  std::string second;
  ASSERT_TRUE(pool->Run({}, take(&second)).ok());
  ASSERT_TRUE(pool->Wait().ok());
  EXPECT_NE(second, first);
}

TEST(ProcessPoolTest, NotesComeBeforeTheAnswer) {
  const auto pool = *ProcessPool::Start(1, [](const Fields& request, const ProcessPool::Note& note) {
    for (const std::string& field : request) note(field);
    return Fields{"end"};
  });
  Fields heard;
  ASSERT_TRUE(pool->Run(
                      {"a", "b"},
                      [&heard](const absl::StatusOr<Fields>& answer) {
                        heard.push_back(answer->front());
                        return absl::OkStatus();
                      },
                      [&heard](const std::string& note) { heard.push_back(note); })
                  .ok());
  EXPECT_TRUE(pool->Wait().ok());
  EXPECT_THAT(heard, ElementsAre("a", "b", "end"));
}

TEST(ProcessPoolTest, AnErrorOfDoneIsReturnedAndNothingIsHandedOutAfterIt) {
  const auto pool = Pool(1, [](const Fields& request) { return request; });
  ASSERT_TRUE(pool->Run({}, [](const absl::StatusOr<Fields>&) { return absl::DataLossError("full"); }).ok());
  const absl::Status status = pool->Run({}, [](const absl::StatusOr<Fields>&) {
    ADD_FAILURE() << "handed out";
    return absl::OkStatus();
  });
  EXPECT_EQ(status, absl::DataLossError("full"));
  EXPECT_TRUE(pool->Wait().ok());
}

TEST(ProcessPoolTest, TheDestructorKillsWhatStillWorks) {
  const auto pool = Pool(2, [](const Fields&) -> absl::StatusOr<Fields> {
    while (true) pause();
  });
  ASSERT_TRUE(pool->Run({}, Ignore()).ok());
}

TEST(ProcessPoolTest, ProcessesForIsBoundedByMemory) {
  EXPECT_GE(ProcessesFor(1), 1);
  EXPECT_EQ(ProcessesFor(size_t{1} << 62), 1);
}

}  // namespace
}  // namespace diopi
