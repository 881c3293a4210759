// diopi-agent: tests one vendor library on this machine.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <optional>

#include "cases/base/excerpt.h"
#include "cases/base/openssl_exit.h"
#include "cases/base/printable_stream.h"
#include "cases/base/private_process.h"
#include "cases/base/stop_signal.h"
#include "cases/base/temporary_folder.h"
#include "client/agent/agent.h"
#include "client/agent/explore.h"
#include "client/agent/health.h"
#include "client/agent/narrow_selection.h"
#include "client/agent/options.h"
#include "client/agent/serve.h"
#include "client/agent/watch.h"

namespace diopi::agent {
namespace {

// A standing agent that is killed ends its runs with it: their cases go to other agents. False when the
// parent has ended already; orphans are not always adopted by process 1.
bool DieWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent;
}

}  // namespace
}  // namespace diopi::agent

int main(int argc, char** argv) {
  using diopi::agent::ExitCode;
  diopi::MakeProcessPrivate();
  diopi::KeepOpenSslUntilProcessEnds();
  std::optional<diopi::PrintableStreams> printable(std::in_place);
  diopi::agent::AgentOptions options;
  options.credentials.token = diopi::TakeFromEnvironment("DIOPI_TOKEN");
  const std::optional<ExitCode> leave = diopi::agent::ParseAgentOptions(argc, argv, &options);
  if (leave.has_value()) return static_cast<int>(*leave);
  if (options.modes.list_only) {
    return static_cast<int>(diopi::agent::ListCases(options, &std::cout, &std::cerr));
  }
  const absl::Status serves = options.serve ? diopi::agent::CheckServeOptions(options) : absl::OkStatus();
  if (!serves.ok()) {
    std::cerr << "diopi-agent: " << serves.message() << "\n";
    return static_cast<int>(ExitCode::kUsage);
  }
  const auto stop = diopi::StopSignal::Block();
  if (!stop.ok()) {
    std::cerr << "diopi-agent: " << stop.status().message() << "\n";
    return static_cast<int>(ExitCode::kOurs);
  }
  // A closed output pipe (| head) must not end the run: its verdicts and the exit status still count.
  std::signal(SIGPIPE, SIG_IGN);
  if (options.parent != 0 && !diopi::agent::DieWith(options.parent)) return static_cast<int>(ExitCode::kOurs);
  if (options.health_check) {
    printable.reset();  // a message, not a text
    std::cout << diopi::agent::CheckHealth(options).SerializeAsString() << std::flush;
    return static_cast<int>(ExitCode::kOk);
  }
  diopi::TemporaryFolder::SweepAbandoned();  // of agents that were killed
  if (options.serve) {
    return static_cast<int>(diopi::agent::Serve(options, *stop, &std::cout, &std::cerr));
  }
  const absl::StatusOr<bool> narrowed = diopi::agent::NarrowSelection(&options, &std::cout);
  if (!narrowed.ok()) {
    std::cerr << "diopi-agent: " << diopi::WithShortLines(narrowed.status().message()) << "\n";
    return static_cast<int>(diopi::agent::ExitCodeFor(narrowed.status()));
  }
  if (!*narrowed) return static_cast<int>(ExitCode::kOk);
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (!options.explore.amount.empty()) {
    return static_cast<int>(diopi::agent::ExploreLibrary(options, *stop, terminal, &std::cout, &std::cerr));
  }
  if (options.watch) {
    return static_cast<int>(diopi::agent::WatchAndRun(options, *stop, terminal, &std::cout, &std::cerr));
  }
  return static_cast<int>(diopi::agent::RunAgent(options, *stop, terminal, &std::cout, &std::cerr));
}
