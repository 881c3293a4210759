// Records, from inside a dying worker, where it died.
#ifndef IMPL_LOADER_WORKER_CRASH_HANDLER_H_
#define IMPL_LOADER_WORKER_CRASH_HANDLER_H_

#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, and SIGTERM (the parent's way to end a call
// that does not return), write `report` and then end the process as they would have. `report` must stay
// mapped. Call it on the thread that will call the library, and again after loading a library, which may have
// installed handlers of its own.
void InstallCrashHandler(CrashReport* report);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_CRASH_HANDLER_H_
