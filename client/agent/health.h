// Whether a standing agent's device answers: the library loads in a worker, and a small call returns.
#ifndef CLIENT_AGENT_HEALTH_H_
#define CLIENT_AGENT_HEALTH_H_

#include "client/agent/options.h"
#include "diopi/v1/service.pb.h"

namespace diopi::agent {

// `facts` and `health` of the result are set; agent_id and run_id are the caller's. The case is the server's
// smallest of diopiAdd, called as the agent's runs call it (adaptor, variables, contracts, sandbox). The
// agent is healthy when the call returns, whatever it returns: a crash, a timeout or a failing stream are
// signs of a device that cannot be used, a wrong result is for a run to report, and the text says it too.
// When the server has no such case, the library no diopiAdd, or the profile leaves the case out, loading
// alone counts, and the text says so. Starts a worker process; the library is never loaded here.
v1::ServeRequest CheckHealth(const AgentOptions& options);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_HEALTH_H_
