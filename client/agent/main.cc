// diopi-agent: tests one vendor library on this machine.
#include <unistd.h>

#include <iostream>
#include <optional>

#include "client/agent/agent.h"
#include "client/agent/options.h"
#include "client/agent/stop_signal.h"

int main(int argc, char** argv) {
  using diopi::agent::ExitCode;
  diopi::agent::AgentOptions options;
  const std::optional<ExitCode> leave = diopi::agent::ParseAgentOptions(argc, argv, &options);
  if (leave.has_value()) return static_cast<int>(*leave);
  const auto stop = diopi::agent::StopSignal::Block();
  if (!stop.ok()) {
    std::cerr << "diopi-agent: " << stop.status().message() << "\n";
    return static_cast<int>(ExitCode::kOurs);
  }
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return static_cast<int>(diopi::agent::RunAgent(options, *stop, terminal, &std::cout, &std::cerr));
}
