// Returns right results, but the first call leaves a thread behind, which aborts during a later call with
// alpha 2.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

static std::atomic<bool> thread_left{false};
static std::atomic<bool> now{false};

DIOPI_SPOILT_ADD {
  Add(add);
  if (add.alpha != 2 && !thread_left.exchange(true)) {
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
