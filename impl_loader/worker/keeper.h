// Ends all that a worker has started when the worker ends, or its agent does.
#ifndef IMPL_LOADER_WORKER_KEEPER_H_
#define IMPL_LOADER_WORKER_KEEPER_H_

#include <sys/types.h>

#include <string>

namespace diopi::loader {

// How a worker's processes are kept together.
struct Keeping {
  // The worker and all that it starts are in a PID namespace of their own, in which they see no others, and
  // which the kernel ends as one. False: the keeper looks for them when the worker has ended.
  bool in_namespace = false;
  std::string words;  // for the record of the run
};

// Forks, and returns in the new process, which is the worker. The calling one is its keeper: it tells the
// worker's number, as this process's system sees it, on the descriptor `told` (a pid_t), ends when `agent`
// does, and otherwise ends as the worker did, when nothing that the worker has started is left. Call it while
// the process has one thread. It needs a handler for no signal, and closes every descriptor in the keeper.
Keeping ForkFromKeeper(pid_t agent, int told);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_KEEPER_H_
