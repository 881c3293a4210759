// Returns before its thread has written the output, and provides no function to wait for it.
#include <chrono>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  std::thread([add] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Add(add);
  }).detach();
  return diopiSuccess;
}
