// A queue of leased cases between the prefetching thread and the workers' threads, bounded by bytes and
// count: the prefetcher waits for room before it requests the next lease.
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

  // Never waits, because the size of one lease is bounded. Drops the case after Close.
  void Push(rpc::LeasedCase leased);
  // Waits for a case; nullopt once the queue is closed and empty.
  std::optional<rpc::LeasedCase> Pop();
  // Nullopt when the queue is empty now.
  std::optional<rpc::LeasedCase> TryPop();

  // Waits until the queue holds less than the limits. False once it is closed.
  bool WaitForRoom();

  // Accepts no more cases; those in the queue are still handed out.
  void Close();
  // Closes the queue and drops its cases.
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
