// Never returns, ignores SIGTERM and waits for a thread that waits for a lock it holds.
#include <csignal>
#include <mutex>
#include <thread>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  std::signal(SIGTERM, SIG_IGN);
  std::mutex mutex;
  mutex.lock();
  std::thread waiting([&] { mutex.lock(); });
  waiting.join();
  return diopiSuccess;
}
