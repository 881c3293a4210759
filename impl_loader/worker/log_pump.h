// Passes on to the log what a library prints.
#ifndef IMPL_LOADER_WORKER_LOG_PUMP_H_
#define IMPL_LOADER_WORKER_LOG_PUMP_H_

#include <cstdint>
#include <string>

#include "cases/base/descriptor.h"

namespace diopi::loader {

// Copies a pipe to `sink`, up to `limit` bytes over its whole life. Not thread-safe.
class LogPump {
 public:
  // `sink` is not owned.
  LogPump(int sink, int64_t limit) : sink_(sink), left_(limit) {}

  // The write end of a new pipe, for a child's standard output; the pipe replaces the last one.
  Descriptor Open();
  // -1: nothing to wait for, as there is no pipe or its writers have closed it.
  int descriptor() const { return pipe_.get(); }
  // Passes on what has arrived, without waiting.
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
