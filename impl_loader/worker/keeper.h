// Ends every process that a worker has started when the worker or its agent ends.
#ifndef IMPL_LOADER_WORKER_KEEPER_H_
#define IMPL_LOADER_WORKER_KEEPER_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "impl_loader/worker/hidden_files.h"

namespace diopi::loader {

// How a worker's processes are kept together.
struct Keeping {
  // The worker and the processes it starts have a PID namespace of their own: they see no others, and the
  // kernel ends all of them together. False: the keeper searches for them when the worker has ended.
  bool in_namespace = false;
  std::string words;  // for the record of the run
  // Whether files are hidden from the worker (HideFiles); nullopt: there were none to hide.
  std::optional<absl::Status> hiding;
};

// Hides `files`, forks, and returns in the new process, which is the worker. The calling process becomes its
// keeper: it writes the worker's pid, as seen from outside the namespace, to the descriptor `told` (a pid_t).
// It ends when `agent` does; otherwise it ends as the worker did, once nothing that the worker has started is
// left. Call it while the process has one thread and no signal handlers. The keeper closes its descriptors.
Keeping ForkFromKeeper(pid_t agent, int told, const HiddenFiles& files);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_KEEPER_H_
