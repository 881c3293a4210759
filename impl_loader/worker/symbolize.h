// Stacks of a process, dead or alive, as functions and source lines. The only user of libdw.
#ifndef IMPL_LOADER_WORKER_SYMBOLIZE_H_
#define IMPL_LOADER_WORKER_SYMBOLIZE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace diopi::loader {

// One line a frame: "#0 diopiAdd at add.cc:12 (libdiopi_impl.so+0x1139)". `frames` run from the innermost
// outwards; the signal handler's own frames, before `pc`, are left out, and so is everything from libffi
// outwards, which belongs to the worker. `maps` is the text of /proc/PID/maps. A frame without a name is
// shown as an address.
std::string Symbolize(uint64_t pc, const std::vector<uint64_t>& frames, const std::string& maps);

// The stacks of all threads of a running child process, which is stopped meanwhile. First the thread that
// calls the library, as above; then the others under lines "thread 4711 (name):", one line for threads with
// the same stack. Empty when we may not trace the process.
std::string StacksOfThreads(pid_t pid);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SYMBOLIZE_H_
