// Leased cases between the thread that prefetches them and the workers' threads. Bounded by bytes and count:
// the prefetcher waits for room before it asks for the next lease.
#ifndef CLIENT_AGENT_WORK_QUEUE_H_
#define CLIENT_AGENT_WORK_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "client/rpc/lease_assembler.h"

namespace diopi::agent {

// Thread-safe.
class WorkQueue {
 public:
  struct Limits {
    int64_t bytes = 32 << 20;  // ask for more below this many bytes of tensors ...
    int64_t cases = 64;        // ... and this many cases
  };
  explicit WorkQueue(const Limits& limits) : limits_(limits) {}

  // Never waits: what one lease may bring is bounded by the lease itself. After Close it is dropped.
  void Push(rpc::LeasedCase leased);
  // Waits for a case; nothing once the queue is closed and empty.
  std::optional<rpc::LeasedCase> Pop();
  // Nothing when there is none now.
  std::optional<rpc::LeasedCase> TryPop();

  // Waits until it holds less than the limits. False once it is closed.
  bool WaitForRoom();

  // No more cases will come; what is there is still handed out.
  void Close();
  // Close, and drop what is there.
  void Abort();

 private:
  std::optional<rpc::LeasedCase> TakeFront();

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<rpc::LeasedCase> cases_;
  int64_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_WORK_QUEUE_H_
