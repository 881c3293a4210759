// Passes on to the log what a library prints.
#ifndef IMPL_LOADER_WORKER_LOG_PUMP_H_
#define IMPL_LOADER_WORKER_LOG_PUMP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "cases/base/descriptor.h"
#include "cases/base/text.h"

namespace diopi::loader {

// Copies a pipe to `sink`, line by line and printable (cases/base/text.h), until it has written `limit`
// bytes. A line that ends in CR counts as a line, a line without an end is written when the pipe closes, and
// one that is too long in parts. Not thread-safe.
class LogPump {
 public:
  // `sink` is not owned. `prefix` begins every line: what a library prints must not pass for a line of ours.
  LogPump(int sink, int64_t limit, std::string prefix = "")
      : sink_(sink), left_(limit), prefix_(std::move(prefix)) {}

  // The write end of a new pipe, for a child's standard output; the pipe replaces the last one.
  Descriptor Open();
  // -1: nothing to wait for, as there is no pipe or its writers have closed it.
  int descriptor() const { return pipe_.get(); }
  // Passes on what has arrived, without waiting.
  void Drain();
  void Close();

  // The last 2 KiB since the last call of StartCase, as they came.
  const std::string& tail() const { return tail_; }
  void StartCase() { tail_.clear(); }

 private:
  void Pass(std::string_view data);
  void EndLine(std::string* lines);
  void Finish();
  void Write(std::string_view lines);

  int sink_;
  int64_t left_;
  std::string prefix_;
  Descriptor pipe_;
  std::string tail_;
  PrintablePieces pieces_;
  std::string line_;           // what has arrived of the last line
  bool after_return_ = false;  // the last byte was a CR
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_LOG_PUMP_H_
