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

// What one run's verdicts say that those of the run before did not: the count of cases that newly fail and
// newly pass, and a line for every case whose outcome is another. Cases that one of them lacks are left out.
std::string ChangesText(const std::map<std::string, v1::Verdict>& before,
                        const std::map<std::string, v1::Verdict>& now);

// Runs, and again at each change of options.impl_path until a stop signal comes; the agent's own server and
// the baselines stay. A file that is no library (half written), or the same bytes as before, is not run. The
// exit code of the last run that went to its end; kInterrupted when there is none. A first run that cannot
// start ends it all, with its own exit code.
ExitCode WatchAndRun(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                     std::ostream* err);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_WATCH_H_
