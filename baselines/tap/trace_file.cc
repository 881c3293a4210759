#include "baselines/tap/trace_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace diopi::tap {
namespace {

// Names of functions, shapes and types need no more.
std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

// The event that names the row of a thread as the host named the thread; empty for one that has ended.
std::string ThreadName(int64_t pid, int64_t thread) {
  std::ifstream file(absl::StrCat("/proc/self/task/", thread, "/comm"));
  std::string name;
  if (!std::getline(file, name)) return "";
  return absl::StrFormat(R"(,%s{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%s}})", "\n",
                         pid, thread, Quoted(name));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceFile>> TraceFile::Create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return absl::PermissionDeniedError(absl::StrCat(path, " cannot be written: ", std::strerror(errno)));
  }
  std::fprintf(file, "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":%s}}",
               static_cast<int>(getpid()), Quoted(program_invocation_short_name).c_str());
  return std::unique_ptr<TraceFile>(new TraceFile(path, file));
}

TraceFile::~TraceFile() {
  if (file_ != nullptr) std::fclose(file_);
}

// A complete event per call on the row of its thread, and a counter of the bytes that the thread's call works
// on.
void TraceFile::Add(const TraceEvent& event) {
  const auto pid = static_cast<int64_t>(getpid());
  std::string text =
      absl::StrFormat(R"({"ph":"X","cat":"diopi","name":%s,"pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f,)"
                      R"("args":{"stream":"0x%x","step":%d,"arguments":%s,"bytes":%d,"clock":"%s"}})",
                      Quoted(event.name), pid, event.thread, event.start_us, event.microseconds,
                      reinterpret_cast<uintptr_t>(event.stream), event.step, Quoted(event.arguments),
                      event.bytes, event.by_device ? "device" : "host");
  const auto counter = [&](double at, int64_t bytes) {
    absl::StrAppendFormat(&text,
                          ",\n{\"ph\":\"C\",\"name\":\"bytes of tensors in a call\",\"pid\":%d,\"id\":%d,"
                          "\"ts\":%.3f,\"args\":{\"bytes\":%d}}",
                          pid, event.thread, at, bytes);
  };
  counter(event.start_us, event.bytes);
  counter(event.start_us + event.microseconds, 0);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) return;
  if (named_.insert(event.thread).second) std::fputs(ThreadName(pid, event.thread).c_str(), file_);
  std::fputs(",\n", file_);
  std::fputs(text.c_str(), file_);
}

absl::Status TraceFile::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) return absl::OkStatus();
  std::fputs("\n]\n", file_);
  const bool good = std::ferror(file_) == 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (good && closed) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(path_, ": the trace is incomplete: ", std::strerror(errno)));
}

}  // namespace diopi::tap
