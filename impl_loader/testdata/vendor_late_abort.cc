// Returns right results, but the first call leaves a thread behind, which aborts during a later call with
// alpha 2, or when the process gets SIGUSR1.
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

static std::atomic<bool> thread_left{false};
static std::atomic<bool> now{false};

static void AbortNow(int) {
  now = true;
}

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.alpha != 2 && !thread_left.exchange(true)) {
    if (std::getenv("DIOPI_TEST_ABORT_ON_SIGUSR1") != nullptr) signal(SIGUSR1, AbortNow);
    std::thread([] {
      while (!now) std::this_thread::yield();
      std::abort();
    }).detach();
  }
  if (add.alpha == 2 && thread_left) {
    now = true;
    for (;;) std::this_thread::yield();
  }
  return diopiSuccess;
}
