// diopi-agent --watch: runs again whenever the library's file changes.
#ifndef CLIENT_AGENT_WATCH_H_
#define CLIENT_AGENT_WATCH_H_

#include <map>
#include <ostream>
#include <string>

#include "cases/base/stop_signal.h"
#include "client/agent/options.h"
#include "client/setup/exit_code.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::agent {

// Compares a run's verdicts with those of the run before: counts the cases that newly fail and newly pass,
// and has a line for every case whose outcome changed. Leaves out cases that only one run has.
std::string ChangesText(const std::map<std::string, v1::Verdict>& before,
                        const std::map<std::string, v1::Verdict>& now);

// Runs once, and again at each change of options.impl_path until a stop signal; keeps the agent's own server
// and the baselines. Ignores a file that is not a library (half written) or has the same bytes as before.
// Returns the exit code of the last completed run, or kInterrupted when there is none. When the first run
// cannot start, returns its exit code at once.
ExitCode WatchAndRun(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                     std::ostream* err);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_WATCH_H_
