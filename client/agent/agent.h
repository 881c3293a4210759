// One run of diopi-agent, from options to exit status.
#ifndef CLIENT_AGENT_AGENT_H_
#define CLIENT_AGENT_AGENT_H_

#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "cases/base/stop_signal.h"
#include "client/agent/options.h"
#include "client/setup/exit_code.h"
#include "client/setup/server_process.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::agent {

// --list-only: prints the ids of the cases that a run with these options would have.
ExitCode ListCases(const AgentOptions& options, std::ostream* out, std::ostream* err);

// State that an agent keeps between its runs (--watch).
struct WatchState {
  std::unique_ptr<ServerProcess> server;        // started by the first run; null with --server
  std::map<std::string, v1::Verdict> verdicts;  // of the last completed run, by case
  bool completed = false;                       // whether the last run completed
  bool stopped = false;                         // whether a signal ended it
  std::string library_sha256;                   // of the library that it ran
};

// Prints results to `out` and errors to `err`. `terminal`: whether `out` is one.
ExitCode RunAgent(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                  std::ostream* err, WatchState* warm = nullptr);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_AGENT_H_
