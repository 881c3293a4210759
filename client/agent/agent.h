// One run of diopi-agent, from options to exit status.
#ifndef CLIENT_AGENT_AGENT_H_
#define CLIENT_AGENT_AGENT_H_

#include <ostream>

#include "client/agent/exit_code.h"
#include "client/agent/options.h"
#include "client/agent/stop_signal.h"

namespace diopi::agent {

// --list-only: the ids of the cases that a run of these options would have.
ExitCode ListCases(const AgentOptions& options, std::ostream* out, std::ostream* err);

// Prints results on `out`, what went wrong on `err`. `terminal`: `out` is one.
ExitCode RunAgent(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                  std::ostream* err);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_AGENT_H_
