#include "cases/base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace diopi {
namespace {

TEST(Process, ExitStatusAndEnvironment) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", "exit $CODE"};
  options.environment = {"CODE=7"};
  auto process = Process::Start(options);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(process->Wait().code, 7);
  EXPECT_EQ(process->Wait().Text(), "exit status 7");
}

TEST(Process, OutputThroughAPipe) {
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe.ok());
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", "echo hello"};
  options.descriptors = {{pipe->write.get(), STDOUT_FILENO}};
  auto process = Process::Start(options);
  ASSERT_TRUE(process.ok());
  pipe->write.Close();
  char text[16] = {};
  EXPECT_EQ(read(pipe->read.get(), text, sizeof(text)), 6);
  EXPECT_STREQ(text, "hello\n");
  EXPECT_EQ(process->Wait().code, 0);
}

TEST(Process, KillAndDeadline) {
  ProcessOptions options;
  options.command = {"/bin/sleep", "1000"};
  auto process = Process::Start(options);
  ASSERT_TRUE(process.ok());
  EXPECT_FALSE(process->WaitFor(std::chrono::milliseconds(1)).has_value());
  process->Signal(SIGKILL);
  const auto ended = process->WaitFor(std::chrono::seconds(60));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->signal, SIGKILL);
}

TEST(Process, DestructionEndsIt) {
  pid_t pid = -1;
  {
    ProcessOptions options;
    options.command = {"/bin/sleep", "1000"};
    auto process = Process::Start(options);
    ASSERT_TRUE(process.ok());
    pid = process->pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(Process, MissingProgram) {
  ProcessOptions options;
  options.command = {"/nonexistent/program"};
  const auto status = Process::Start(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(std::string(status.message()).find("/nonexistent/program"), std::string::npos);
}

}  // namespace
}  // namespace diopi
