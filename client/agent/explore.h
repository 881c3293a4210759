// diopi-agent --explore: calls a library at random until a number of calls or a time is reached, and stores
// statistics and causes on the server, but no verdicts.
#ifndef CLIENT_AGENT_EXPLORE_H_
#define CLIENT_AGENT_EXPLORE_H_

#include <ostream>

#include "cases/base/stop_signal.h"
#include "client/agent/options.h"
#include "client/setup/exit_code.h"

namespace diopi::agent {

// Prints causes and statistics to `out`, errors to `err`. `terminal`: whether `out` is one. Forks, so the
// calling thread must be the process's only one.
ExitCode ExploreLibrary(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                        std::ostream* err);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_EXPLORE_H_
