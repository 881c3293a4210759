// A trace in Chrome's format, which chrome://tracing and Perfetto open.
#ifndef BASELINES_TAP_TRACE_FILE_H_
#define BASELINES_TAP_TRACE_FILE_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::tap {

struct TraceEvent {
  std::string name;     // the function's
  double start_us = 0;  // since the process's first call
  double microseconds = 0;
  bool by_device = false;  // `microseconds` is by the device's clock
  int64_t thread = 0;      // the operating system's id
  void* stream = nullptr;
  int64_t step = 0;
  std::string arguments;  // shapes and element types, in words
  int64_t bytes = 0;      // of the call's tensors
};

// Writes event by event, so that a process that dies leaves a file that viewers still open. Thread-safe.
class TraceFile {
 public:
  // PermissionDenied, with the path and the reason.
  static absl::StatusOr<std::unique_ptr<TraceFile>> Create(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void Add(const TraceEvent& event);
  // Ends the file. ResourceExhausted when something could not be written, as on a full disk.
  absl::Status Close();

 private:
  TraceFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  const std::string path_;
  std::mutex mutex_;
  std::FILE* file_;          // null: closed
  std::set<int64_t> named_;  // threads whose rows have a name
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_TRACE_FILE_H_
