// Returns a right result, but leaves a thread behind that aborts during a later call.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

static std::atomic<int> calls{0};

DIOPI_SPOILT_ADD {
  const int mine = ++calls;
  Add(add);
  if (mine == 1) {
    std::thread([] {
      while (calls < 3) std::this_thread::yield();
      std::abort();
    }).detach();
  }
  // The third call waits for the end that the first has prepared.
  while (mine >= 3) std::this_thread::yield();
  return diopiSuccess;
}
