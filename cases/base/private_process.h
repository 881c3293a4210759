// Protects programs that hold tokens, or that judge untrusted code which runs beside them.
#ifndef CASES_BASE_PRIVATE_PROCESS_H_
#define CASES_BASE_PRIVATE_PROCESS_H_

#include <string>

namespace diopi {

// Call it at the start of main: other processes of the same user can then neither read nor trace this one,
// and it leaves no core file. Programs that it executes are not affected.
void MakeProcessPrivate();

// Returns the value of an environment variable, empty when there is none, and removes it from the environment
// and from the memory that /proc/PID/environ shows.
std::string TakeFromEnvironment(const char* name);

}  // namespace diopi

#endif  // CASES_BASE_PRIVATE_PROCESS_H_
