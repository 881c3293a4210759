// Checks whether a standing agent's device works: the library loads in a worker, and a small call returns.
#ifndef CLIENT_AGENT_HEALTH_H_
#define CLIENT_AGENT_HEALTH_H_

#include "client/agent/options.h"
#include "diopi/v1/service.pb.h"

namespace diopi::agent {

// Sets `facts` and `health` of the result; the caller sets agent_id and run_id. The case is the server's
// smallest of diopiAdd, called as the agent's runs call it (adaptor, variables, contracts, sandbox). The
// agent is healthy when the call returns, whatever it returns: a crash, a timeout or a failing stream shows
// an unusable device, whereas a wrong result is for a run to report (the text mentions it, too). When the
// server has no such case, the library has no diopiAdd, or the profile skips the case, loading alone counts,
// and the text says so. Starts a worker process; this process never loads the library.
v1::ServeRequest CheckHealth(const AgentOptions& options);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_HEALTH_H_
