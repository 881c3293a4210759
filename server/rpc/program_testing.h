// The program diopi-server as a process, for tests.
#ifndef SERVER_RPC_PROGRAM_TESTING_H_
#define SERVER_RPC_PROGRAM_TESTING_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "build_paths.h"

namespace diopi::server {

// Reads until the end of the file.
inline std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
}

// One server process; its ready line comes through a pipe. No file that it writes can grow beyond
// `largest_file` bytes: further writes fail, as on a full disk. `terminal`: the terminal of its session;
// null: it stays in this process's session.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> arguments, rlim_t largest_file = RLIM_INFINITY,
                         const char* terminal = nullptr) {
    EXPECT_EQ(pipe2(ready_.data(), O_CLOEXEC), 0);
    errors_ = std::tmpfile();  // not a pipe: nobody may be reading
    arguments.insert(arguments.begin(), std::string(DIOPI_BINARY_DIR) + "/bin/diopi-server");
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      if (largest_file != RLIM_INFINITY) {
        const rlimit limit{largest_file, largest_file};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);  // so that the write returns an error
      }
      if (terminal != nullptr && (setsid() < 0 || open(terminal, O_RDWR) < 0)) _exit(126);
      dup2(fileno(errors_), STDERR_FILENO);
      dup2(fileno(errors_), STDOUT_FILENO);
      // dup2 to the same number would leave it close-on-exec.
      if (ready_[1] == 9) fcntl(9, F_SETFD, 0);
      dup2(ready_[1], 9);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ready_[1]);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() {
    if (pid_ > 0) {
      Stop(SIGKILL);
    }
    close(ready_[0]);
    std::fclose(errors_);
  }

  // "ready ADDRESS\n", or empty when the process ended without it.
  std::string ReadyLine() { return ReadAll(ready_[0]); }
  std::string Address() {
    const std::string line = ReadyLine();
    return line.size() > 7 ? line.substr(6, line.find('\n') - 6) : "";
  }
  // All that it printed so far.
  std::string Printed() {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t count =
          pread(fileno(errors_), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
      if (count <= 0) return text;
      text.append(buffer.data(), static_cast<size_t>(count));
    }
  }
  pid_t pid() const { return pid_; }
  // All that it printed; waits for its end.
  std::string Errors() {
    Wait();
    lseek(fileno(errors_), 0, SEEK_SET);
    return ReadAll(fileno(errors_));
  }
  // Exit status, or minus the signal.
  int Wait() {
    if (pid_ <= 0) return exit_;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return exit_;
  }
  int Stop(int signal) {
    kill(pid_, signal);
    return Wait();
  }

 private:
  pid_t pid_ = -1;
  std::array<int, 2> ready_{};
  std::FILE* errors_ = nullptr;
  int exit_ = 0;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_PROGRAM_TESTING_H_
