// A run of only what matters now: the functions that changed, or the cases that failed.
#ifndef CLIENT_AGENT_NARROW_H_
#define CLIENT_AGENT_NARROW_H_

#include <ostream>

#include "absl/status/statusor.h"
#include "client/agent/options.h"

namespace diopi::agent {

// Puts --changed-functions, --changed-since and --rerun-failed into `options->selection`. False when nothing
// is left to run: `out` says why. InvalidArgument for a name that is no function, with file and line;
// NotFound for a run that is not there, in the data folder or at `options->server`; also what rpc::Client
// says.
absl::StatusOr<bool> NarrowSelection(AgentOptions* options, std::ostream* out);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_NARROW_H_
