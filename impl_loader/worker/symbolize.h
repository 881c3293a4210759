// Where a process is or was, as functions and source lines. The only user of libdw.
#ifndef IMPL_LOADER_WORKER_SYMBOLIZE_H_
#define IMPL_LOADER_WORKER_SYMBOLIZE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace diopi::loader {

// One line a frame: "#0 diopiAdd at add.cc:12 (libdiopi_impl.so+0x1139)". `frames` run from the innermost
// outwards; the frames of the signal handler itself, before `pc`, are left out, and so is everything from
// libffi outwards: that is the worker, not the library. `maps` is the text of /proc/PID/maps. What cannot be
// named is given as an address.
std::string Symbolize(uint64_t pc, const std::vector<uint64_t>& frames, const std::string& maps);

// The stacks of all threads of a child process that still runs; it is stopped meanwhile. First the thread
// that calls the library, as above; then the others, each under a line "thread 4711 (name):", threads with
// the same stack under one. Empty when the process may not be looked at.
std::string StacksOfThreads(pid_t pid);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SYMBOLIZE_H_
