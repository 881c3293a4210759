#include "impl_loader/worker/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace diopi::loader {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

ChildOptions Shell(const std::string& script) {
  ChildOptions options;
  options.program = "/bin/sh";
  options.args = {"-c", script};
  options.files = {-1, -1, -1};
  return options;
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[256];
  for (ssize_t n = read(fd, buffer, sizeof(buffer)); n > 0; n = read(fd, buffer, sizeof(buffer))) {
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

TEST(ChildProcess, ReportsHowItEnded) {
  const std::tuple<std::string, int, int> rows[] = {
      {"exit 0", 0, 0}, {"exit 7", 0, 7}, {"kill -SEGV $$", SIGSEGV, 0}};
  for (const auto& [script, signal, status] : rows) {
    auto child = ChildProcess::Spawn(Shell(script));
    ASSERT_TRUE(child.ok()) << child.status();
    const ChildExit exit = (*child)->Reap();
    EXPECT_TRUE(exit.known);
    EXPECT_EQ(exit.signal, signal) << script;
    EXPECT_EQ(exit.status, status) << script;
  }
}

TEST(ChildProcess, PassesFilesAndEnvironmentAndNothingElse) {
  int out[2];
  int other[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  ASSERT_EQ(pipe(other), 0);  // would be inherited
  ChildOptions options = Shell("echo $DIOPI_X >&3; ls /proc/self/fd | tr '\\n' ' ' >&3");
  options.files = {-1, -1, -1, out[1]};
  options.environment = {"DIOPI_X=old", "DIOPI_X=new"};
  auto child = ChildProcess::Spawn(options);
  ASSERT_TRUE(child.ok()) << child.status();
  close(out[1]);
  EXPECT_EQ((*child)->Reap().status, 0);
  EXPECT_EQ(ReadAll(out[0]).substr(0, 12), "new\n0 1 2 3 ");
  for (const int fd : {out[0], other[0], other[1]}) close(fd);
}

TEST(ChildProcess, ReplacesWhatIsNamedInTheEnvironmentAndKeepsTheRest) {
  ASSERT_EQ(setenv("DIOPI_X", "own", 1), 0);
  ASSERT_EQ(setenv("DIOPI_KEPT", "kept", 1), 0);
  int out[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  ChildOptions options;
  options.program = "/usr/bin/env";  // shows each entry, of the same name too
  options.environment = {"DIOPI_X=new"};
  options.files = {-1, out[1], -1};
  auto child = ChildProcess::Spawn(options);
  unsetenv("DIOPI_X");
  unsetenv("DIOPI_KEPT");
  ASSERT_TRUE(child.ok()) << child.status();
  close(out[1]);
  EXPECT_EQ((*child)->Reap().status, 0);
  const std::string shown = "\n" + ReadAll(out[0]);
  EXPECT_NE(shown.find("\nDIOPI_KEPT=kept\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\nDIOPI_X=new\n"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("\nDIOPI_X=own\n"), std::string::npos) << shown;
  close(out[0]);
}

TEST(ChildProcess, TerminatesPolitelyThenByForceWithItsGroup) {
  int out[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  // The grandchild holds the pipe open for as long as it lives.
  ChildOptions options = Shell("trap '' TERM; sleep 1000 & echo ready >&3; wait; while :; do :; done");
  options.files = {-1, -1, -1, out[1]};
  auto child = ChildProcess::Spawn(options);
  ASSERT_TRUE(child.ok()) << child.status();
  close(out[1]);
  char ready[6];
  ASSERT_EQ(read(out[0], ready, sizeof(ready)), 6);
  EXPECT_FALSE((*child)->WaitUntil(Clock::now()));
  EXPECT_FALSE((*child)->Terminate(milliseconds(50)));
  EXPECT_EQ((*child)->Reap().signal, SIGKILL);
  EXPECT_EQ(ReadAll(out[0]), "");  // ends: nobody holds it any more
  close(out[0]);

  auto polite = ChildProcess::Spawn(Shell("sleep 1000"));
  ASSERT_TRUE(polite.ok());
  EXPECT_TRUE((*polite)->Terminate(std::chrono::seconds(20)));
  EXPECT_EQ((*polite)->Reap().signal, SIGTERM);
}

TEST(ChildProcess, AMissingProgramIsAnErrorWithItsName) {
  ChildOptions options;
  options.program = "/does/not/exist";
  const auto child = ChildProcess::Spawn(options);
  EXPECT_EQ(child.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(child.status().message().find("/does/not/exist"), absl::string_view::npos);
}

}  // namespace
}  // namespace diopi::loader
