// Narrows a run to the functions that changed or the cases that failed.
#ifndef CLIENT_AGENT_NARROW_SELECTION_H_
#define CLIENT_AGENT_NARROW_SELECTION_H_

#include <ostream>

#include "absl/status/statusor.h"
#include "client/agent/options.h"

namespace diopi::agent {

// Puts --changed-functions, --changed-since and --rerun-failed into `options->selection`. Returns false when
// nothing is left to run, and prints the reason to `out`. InvalidArgument, with file and line, for a name
// that is not a function; NotFound for a run that is neither in the data folder nor at `options->server`;
// also the errors of rpc::Client.
absl::StatusOr<bool> NarrowSelection(AgentOptions* options, std::ostream* out);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_NARROW_SELECTION_H_
