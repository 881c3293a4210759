// Addresses of a process that has ended, as functions and source lines. The only user of libdw.
#ifndef IMPL_LOADER_WORKER_SYMBOLIZE_H_
#define IMPL_LOADER_WORKER_SYMBOLIZE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace diopi::loader {

// One line a frame: "#0 diopiAdd at add.cc:12 (libdiopi_impl.so+0x1139)". `frames` run from the innermost
// outwards; the frames of the signal handler itself, before `pc`, are left out, and so is everything from
// libffi outwards: that is the worker, not the library. `maps` is the text of /proc/PID/maps. What cannot be
// named is given as an address.
std::string Symbolize(uint64_t pc, const std::vector<uint64_t>& frames, const std::string& maps);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SYMBOLIZE_H_
