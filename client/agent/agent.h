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

// --list-only: the ids of the cases that a run of these options would have.
ExitCode ListCases(const AgentOptions& options, std::ostream* out, std::ostream* err);

// What stays between the runs of one agent (--watch).
struct WatchState {
  std::unique_ptr<ServerProcess> server;        // the agent's own, from its first run on; null with --server
  std::map<std::string, v1::Verdict> verdicts;  // of the last run that went to its end, by case
  bool completed = false;                       // the last run did
  bool stopped = false;                         // or a signal ended it
  std::string library_sha256;                   // of what it ran
};

// Prints results on `out`, what went wrong on `err`. `terminal`: `out` is one.
ExitCode RunAgent(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                  std::ostream* err, WatchState* warm = nullptr);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_AGENT_H_
