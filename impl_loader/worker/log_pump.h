// What a library prints, on its way to the log.
#ifndef IMPL_LOADER_WORKER_LOG_PUMP_H_
#define IMPL_LOADER_WORKER_LOG_PUMP_H_

#include <cstdint>
#include <string>

#include "cases/base/descriptor.h"

namespace diopi::loader {

// Reads a pipe and passes it on, up to a limit over its whole life. Not thread-safe.
class LogPump {
 public:
  // `sink` is not owned.
  LogPump(int sink, int64_t limit) : sink_(sink), left_(limit) {}

  // The other end of a new pipe, for a child's standard output; replaces the last one.
  Descriptor Open();
  // -1 when there is nothing to wait for: no pipe, or its writers have closed it.
  int descriptor() const { return pipe_.get(); }
  // Passes on what has arrived. Does not wait.
  void Drain();
  void Close();

  // The last 2 KiB since the last call of StartCase.
  const std::string& tail() const { return tail_; }
  void StartCase() { tail_.clear(); }

 private:
  void Pass(const char* data, size_t bytes);

  int sink_;
  int64_t left_;
  Descriptor pipe_;
  std::string tail_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_LOG_PUMP_H_
