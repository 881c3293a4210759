// Ends a worker while a library hangs. Every deadline is far beyond the test's own limit.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using Kind = CallOutcome::Kind;
using testing::HasSubstr;

constexpr double kDamages = 3;  // what vendor_crash_then_hang does with alpha
constexpr double kCrashesOrHangs = 2;

class WorkerEndTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mkfifo(gate_.c_str(), 0600), 0);
    WorkerOptions options = OptionsFor("crash_then_hang");
    options.case_timeout = std::chrono::hours(1);
    options.environment = {"DIOPI_TEST_GATE=" + gate_};
    auto worker = Worker::Start(options);
    ASSERT_TRUE(worker.ok()) << worker.status();
    worker_ = *std::move(worker);
  }
  void TearDown() override { std::filesystem::remove(gate_); }

  absl::Status Submit(double alpha) { return worker_->Submit(AddCase({4}, alpha), AddInputs({4}), 2); }
  // Returns when a call hangs.
  void WaitForTheHang() const {
    const int fd = open(gate_.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_GE(fd, 0);
    close(fd);
  }
  void ExpectEnded(const CallOutcome& outcome) {
    EXPECT_EQ(outcome.kind, Kind::kLost);
    EXPECT_THAT(outcome.Text(), HasSubstr("the worker was ended"));
    EXPECT_EQ(worker_->pid(), -1);
    EXPECT_EQ(Submit(1).code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(worker_->pid(), -1);
  }

  const std::string gate_ = testing::TempDir() + "/worker_end_gate_" + std::to_string(getpid());
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerEndTest, InTheMiddleOfACall) {
  ASSERT_TRUE(Submit(kCrashesOrHangs).ok());
  const pid_t pid = worker_->pid();
  CallOutcome outcome;
  std::thread waiting([&] { outcome = worker_->Wait(); });
  WaitForTheHang();
  worker_->End();
  waiting.join();
  ExpectEnded(outcome);
  EXPECT_NE(kill(pid, 0), 0) << "the process is still there";
}

TEST_F(WorkerEndTest, BeforeItIsWaitedFor) {
  ASSERT_TRUE(Submit(kCrashesOrHangs).ok());
  WaitForTheHang();
  worker_->End();
  ExpectEnded(worker_->Wait());
}

// The process has died of an earlier case, so that this one would run again, which End must prevent.
TEST_F(WorkerEndTest, BeforeTheCaseIsRunAgain) {
  ASSERT_TRUE(Submit(kDamages).ok());
  ASSERT_EQ(worker_->Wait().kind, Kind::kReplied);
  ASSERT_TRUE(Submit(kCrashesOrHangs).ok());
  WaitForEnd(worker_->pid());
  worker_->End();
  ExpectEnded(worker_->Wait());
}

// The case runs again, in a process started after the case was handed over.
TEST_F(WorkerEndTest, WhileTheCaseIsRunAgain) {
  ASSERT_TRUE(Submit(kDamages).ok());
  ASSERT_EQ(worker_->Wait().kind, Kind::kReplied);
  ASSERT_TRUE(Submit(kCrashesOrHangs).ok());
  CallOutcome outcome;
  std::thread waiting([&] { outcome = worker_->Wait(); });
  WaitForTheHang();
  worker_->End();
  waiting.join();
  ExpectEnded(outcome);
}

TEST_F(WorkerEndTest, IsSticky) {
  worker_->End();
  worker_->End();
  EXPECT_EQ(Submit(1).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace diopi::loader
