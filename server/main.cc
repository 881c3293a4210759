// diopi-server: serves cases and references, hands out work, stores verdicts.
#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "server/rpc/server.h"

namespace diopi::server {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFault = 3;
// How long calls in flight may take after SIGTERM or SIGINT.
constexpr absl::Duration kGrace = absl::Seconds(5);

struct Flags {
  std::string data;                       // --data; empty: see DefaultDataFolder
  std::string listen = "127.0.0.1:7410";  // --listen
  double lease_s = 30;                    // --lease-s
  std::string log_level = "info";         // --log-level
  bool parent_pid_death = false;          // --parent-pid-death
  int ready_fd = -1;                      // --ready-fd; -1: none
};

const std::vector<std::string> kLogLevels = {"trace", "debug", "info", "warn", "error", "off"};

std::string DefaultDataFolder() {
  const char* folder = std::getenv("DIOPI_DATA");
  return folder != nullptr && *folder != '\0' ? folder : "diopi-data";
}

void AddFlags(CLI::App* app, Flags* flags) {
  app->add_option("--data", flags->data, "Data folder (default: $DIOPI_DATA, or ./diopi-data)");
  app->add_option("--listen", flags->listen, "HOST:PORT, port 0 for any free one, or unix:PATH")
      ->capture_default_str();
  app->add_option("--lease-s,--lease_s", flags->lease_s,
                  "Seconds after which the cases of an agent that went silent go to another")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  app->add_option("--log-level,--log_level", flags->log_level, "What is told on stderr")
      ->check(CLI::IsMember(kLogLevels))
      ->capture_default_str();
  app->add_flag("--parent-pid-death,--parent_pid_death", flags->parent_pid_death,
                "End when the process that started this one ends");
  app->add_option("--ready-fd,--ready_fd", flags->ready_fd,
                  "Write \"ready ADDRESS\" and a newline to this open descriptor when serving")
      ->check(CLI::Range(0, 1 << 20));
}

// Signals are waited for in main; threads inherit the mask, so this comes before any is made.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// False when the parent is gone already.
bool DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

bool WriteAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

// False when nobody reads it: who asked for it is gone.
bool SayReady(int fd, const std::string& address) {
  const bool written = WriteAll(fd, "ready " + address + "\n");
  if (fd > STDERR_FILENO) close(fd);
  return written;
}

int Fault(const std::string& what) {
  std::fprintf(stderr, "diopi-server: %s\n", what.c_str());
  return kExitFault;
}

int Serve(const Flags& flags) {
  const pid_t parent = getppid();
  const sigset_t signals = BlockSignals();
  if (flags.parent_pid_death && !DieWithParent(parent)) return Fault("the parent process is gone");
  if (flags.ready_fd >= 0 && fcntl(flags.ready_fd, F_GETFD) < 0) {
    std::fprintf(stderr, "diopi-server: --ready-fd %d is not an open descriptor\n", flags.ready_fd);
    return kExitUsage;
  }
  ServerOptions options;
  options.data_folder = flags.data.empty() ? DefaultDataFolder() : flags.data;
  options.listen = flags.listen;
  options.lease = absl::Seconds(flags.lease_s);
  const absl::StatusOr<std::unique_ptr<ConformanceServer>> server = ConformanceServer::Start(options);
  if (!server.ok()) {
    const int code = Fault(std::string(server.status().message()));
    return absl::IsInvalidArgument(server.status()) ? kExitUsage : code;
  }
  std::error_code ignored;
  spdlog::info("event=serving address={} data=\"{}\"", (*server)->address(),
               std::filesystem::absolute(options.data_folder, ignored).string());
  if (flags.ready_fd >= 0 && !SayReady(flags.ready_fd, (*server)->address())) {
    return Fault("nobody reads from --ready-fd: whoever started this server is gone");
  }
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("event=stopping signal={}", signal == SIGINT ? "SIGINT" : "SIGTERM");
  (*server)->Shutdown(kGrace);
  spdlog::info("event=stopped");
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Serves the cases of the DIOPI conformance suite and stores the verdicts.", "diopi-server");
  app.set_version_flag("--version", DIOPI_VERSION);
  Flags flags;
  AddFlags(&app, &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  spdlog::set_default_logger(spdlog::stderr_logger_mt("diopi-server"));
  spdlog::set_pattern("time=%Y-%m-%dT%H:%M:%S.%e%z level=%l %v");
  spdlog::set_level(spdlog::level::from_str(flags.log_level));
  return Serve(flags);
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  // The libraries below may throw (out of memory, CLI11's own setup); nothing of ours does.
  try {
    return diopi::server::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "diopi-server: %s\n", error.what());
    return diopi::server::kExitFault;
  }
}
