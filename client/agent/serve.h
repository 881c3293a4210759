// diopi-agent --serve: waits for the runs that diopi-cli submit requests, and runs them.
//
// Every run is a diopi-agent process of its own (--resume RUN), and so is every health check: a failure in
// one does not affect the standing agent, and a run is the same as without --serve.
#ifndef CLIENT_AGENT_SERVE_H_
#define CLIENT_AGENT_SERVE_H_

#include <ostream>

#include "absl/status/status.h"
#include "cases/base/stop_signal.h"
#include "client/agent/options.h"
#include "client/setup/exit_code.h"

namespace diopi::agent {

// InvalidArgument when --serve lacks an option that it needs, or has one that belongs to diopi-cli submit.
absl::Status CheckServeOptions(const AgentOptions& options);

// Returns after a stop signal: the current run stops after its cases in flight, and a second signal ends it
// at once. kUsage or kOurs when the server refuses this agent permanently. Call it on the main thread: the
// agent's processes end with that thread.
ExitCode Serve(const AgentOptions& options, const StopSignal& stop, std::ostream* out, std::ostream* err);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_SERVE_H_
