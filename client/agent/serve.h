// diopi-agent --serve: stands ready, and runs what diopi-cli submit asks for.
//
// Every run is a diopi-agent of its own (--resume RUN), and so is every health check: what goes wrong in one
// leaves the standing agent alone, and a run is exactly what it is without --serve.
#ifndef CLIENT_AGENT_SERVE_H_
#define CLIENT_AGENT_SERVE_H_

#include <ostream>

#include "absl/status/status.h"
#include "cases/base/stop_signal.h"
#include "client/agent/options.h"
#include "client/setup/exit_code.h"

namespace diopi::agent {

// InvalidArgument when --serve lacks what it needs, or has what belongs to diopi-cli submit.
absl::Status CheckServeOptions(const AgentOptions& options);

// Returns when a stop signal has come: the run in hand is stopped after its cases in flight, a second signal
// ends it at once. kUsage or kOurs when the server refuses this agent for good. Call it on the main thread,
// whose end the agent's processes do not survive.
ExitCode Serve(const AgentOptions& options, const StopSignal& stop, std::ostream* out, std::ostream* err);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_SERVE_H_
