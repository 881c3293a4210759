// Programs that hold tokens, or judge what a stranger's code computes beside them.
#ifndef CASES_BASE_PRIVATE_PROCESS_H_
#define CASES_BASE_PRIVATE_PROCESS_H_

#include <string>

namespace diopi {

// For the start of main: no other process of the same user may read or trace this one, whose memory no core
// file shows. What it executes is not affected.
void MakeProcessPrivate();

// The value of an environment variable, empty when there is none, which leaves the environment and the memory
// that /proc/PID/environ shows.
std::string TakeFromEnvironment(const char* name);

}  // namespace diopi

#endif  // CASES_BASE_PRIVATE_PROCESS_H_
