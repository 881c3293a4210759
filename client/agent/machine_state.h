// What this machine tells about itself: its processor, clocks, temperatures and throttling.
#ifndef CLIENT_AGENT_MACHINE_STATE_H_
#define CLIENT_AGENT_MACHINE_STATE_H_

#include <string>
#include <vector>

namespace diopi::agent {

// "Model name, 2 processors".
std::string ProcessorName();

// "processor clock 2.10 to 3.40 GHz", "thermal zone x86_pkg_temp 61 C", "throttled 3 times": what the kernel
// shows in /sys now, possibly nothing (in most virtual machines).
std::vector<std::string> MachineState();

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_MACHINE_STATE_H_
