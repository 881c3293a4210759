// Waits for a thread that never ends.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

static void OnTheOtherThread() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  for (;;) never.wait(lock);
}

DIOPI_SPOILT_ADD {
  std::thread(OnTheOtherThread).join();
  return diopiSuccess;
}
