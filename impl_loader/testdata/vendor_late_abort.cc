// Returns right results, but the first call leaves a thread behind, which aborts during a later call with
// alpha 2, or when the process gets SIGUSR1. If there is a file $DIOPI_TEST_ABORT_ONCE, loading the library
// removes the file and starts the thread.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

static std::atomic<bool> thread_left{false};
static std::atomic<bool> now{false};

static void AbortNow(int) {
  now = true;
}

static void LeaveThread() {
  if (thread_left.exchange(true)) return;
  std::thread([] {
    while (!now) std::this_thread::yield();
    std::abort();
  }).detach();
}

__attribute__((constructor)) static void LeaveThreadOnce() {
  const char* file = std::getenv("DIOPI_TEST_ABORT_ONCE");
  if (file != nullptr && unlink(file) == 0) LeaveThread();
}

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.alpha != 2) {
    if (std::getenv("DIOPI_TEST_ABORT_ON_SIGUSR1") != nullptr) signal(SIGUSR1, AbortNow);
    LeaveThread();
  }
  if (add.alpha == 2 && thread_left) {
    now = true;
    for (;;) std::this_thread::yield();
  }
  return diopiSuccess;
}
