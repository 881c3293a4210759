// Ends every process that a worker has started when the worker or its agent ends.
#ifndef IMPL_LOADER_WORKER_KEEPER_H_
#define IMPL_LOADER_WORKER_KEEPER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "diopi/v1/finding.pb.h"
#include "impl_loader/worker/device_files.h"
#include "impl_loader/worker/hidden_files.h"

namespace diopi::loader {

// What a worker is to be kept from, besides ending with its keeper.
struct KeeperOptions {
  HiddenFiles files;
  DeviceChoice devices = DeviceChoice::kNotHarmful;
  // The worker sees the shared memory and the sockets of the machine's other programs: drivers that have a
  // daemon talk to it there.
  bool share_with_daemons = false;
  uint64_t memory_bytes = 0;  // of all that it starts, where there are cgroups for that; 0: no limit
};

// How a worker's processes are kept together.
struct Keeping {
  // The worker and the processes it starts have a PID namespace of their own: they see no others, and the
  // kernel ends all of them together. False: the keeper searches for them when the worker has ended.
  bool in_namespace = false;
  v1::Finding kept;  // for the record of the run: TERM, as in the steps
  // What else the worker is kept from; whether the kernel allowed it; and what of the strict mode
  // (sandbox.cc) keeps it from this as well.
  enum class Otherwise { kNothing, kCalls, kFiles };
  struct Step {
    v1::Finding what;
    absl::Status status;
    Otherwise otherwise = Otherwise::kNothing;
  };
  std::vector<Step> steps;
  bool own_ipc = false;                   // an IPC namespace
  bool own_dev = false;                   // a /dev, and in it a /dev/shm, that no other program sees
  std::vector<std::string> device_files;  // all that the worker may open in /dev, besides /dev/shm
};

// Makes namespaces, forks, and returns in the new process, which is the worker. The calling process becomes
// its keeper: it writes the worker's pid, as seen from outside the namespace, to the descriptor `told` (a
// pid_t). It ends when `agent` does; otherwise it ends as the worker did, once nothing that the worker has
// started is left. Call it while the process has one thread and no signal handlers. The keeper closes its
// descriptors.
Keeping ForkFromKeeper(pid_t agent, int pid_pipe, const KeeperOptions& options);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_KEEPER_H_
