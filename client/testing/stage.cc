#include "client/testing/stage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>

namespace diopi::testing {
namespace {

constexpr int kLimitMs = 120'000;  // for an event that must come; a test that reaches it fails

}  // namespace

Stage::Stage(const std::string& name) : name_(name) {
  EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(mkfifo((path_ + ".go").c_str(), 0600), 0);
  reached_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  go_ = open((path_ + ".go").c_str(), O_RDWR | O_CLOEXEC);  // keeps written bytes until they are read
  EXPECT_TRUE(reached_ >= 0 && go_ >= 0);
}

Stage::~Stage() {
  close(reached_);
  close(go_);
}

pid_t Stage::Await() {
  pollfd wait_for{reached_, POLLIN, 0};
  std::array<char, 32> line{};
  if (poll(&wait_for, 1, kLimitMs) != 1 || read(reached_, line.data(), line.size() - 1) <= 0) {
    ADD_FAILURE() << "nobody came to the stage " << name_;
    return 0;
  }
  return static_cast<pid_t>(std::stol(line.data()));
}

void Stage::Release() {
  // Enough for later programs, too, such as a worker that replaces a killed one.
  const std::string go(64, 'g');
  EXPECT_EQ(write(go_, go.data(), go.size()), static_cast<ssize_t>(go.size()));
}

void KillAndAwait(pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  ASSERT_GE(fd, 0) << pid;
  EXPECT_EQ(kill(pid, SIGKILL), 0);
  pollfd wait_for{fd, POLLIN, 0};
  EXPECT_EQ(poll(&wait_for, 1, kLimitMs), 1) << pid << " does not end";
  close(fd);
}

}  // namespace diopi::testing
