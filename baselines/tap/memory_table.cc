#include "baselines/tap/memory_table.h"

#include <execinfo.h>

#include <array>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace diopi::tap {
namespace {

// The call in progress on this thread.
struct InProgress {
  std::string function;
  loader::MemoryLevel before;
  int64_t required = 0;  // bytes, which belong to the host
};
thread_local InProgress t_call;

// Frames of the library and of those who called it, without those of the tap.
std::vector<std::string> Stack() {
  constexpr size_t kShown = 8;
  std::array<void*, 48> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  std::vector<std::string> stack;
  char** texts = backtrace_symbols(frames.data(), count);
  for (int i = 0; texts != nullptr && i < count && stack.size() < kShown; ++i) {
    const std::string frame = texts[i];
    if (!absl::StrContains(frame, "libdiopi_tap")) stack.push_back(frame);
  }
  std::free(static_cast<void*>(texts));
  return stack;
}

}  // namespace

void MemoryTable::Begin(const std::string& function) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    concurrent_ = ++in_progress_ > 1 || concurrent_;
    ++rows_[function].calls;
  }
  t_call.function = function;
  t_call.required = 0;
  t_call.before = loader::CurrentMemoryLevel();
}

void MemoryTable::End() {
  const loader::MemoryLevel now = loader::CurrentMemoryLevel();
  const std::lock_guard<std::mutex> lock(mutex_);
  --in_progress_;
  const int64_t growth = now.allocated - t_call.before.allocated - t_call.required;
  if (growth > 0) {
    Row& row = rows_[t_call.function];
    ++row.growing_calls;
    row.left_behind += growth;
  }
  t_call.function.clear();
}

void MemoryTable::Required(int64_t bytes, bool buffer) {
  t_call.required += bytes;
  const std::lock_guard<std::mutex> lock(mutex_);
  Row& row = rows_[t_call.function.empty() ? "(outside of calls)" : t_call.function];
  ++(buffer ? row.buffers : row.tensors);
  row.bytes += bytes;
  if (bytes <= row.largest && !row.stack.empty()) return;
  row.largest = bytes;
  row.stack = Stack();
}

std::string MemoryTable::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (rows_.empty()) return "";
  std::string text = absl::StrFormat(
      "Memory by function%s\n%8s %8s %8s %14s %14s %14s %9s  %s\n",
      concurrent_ ? " (calls overlapped: what was left behind is an estimate)" : "", "calls", "tensors",
      "buffers", "required B", "largest B", "left behind B", "in calls", "function");
  for (const auto& [name, row] : rows_) {
    absl::StrAppendFormat(&text, "%8d %8d %8d %14d %14d %14d %9d  %s\n", row.calls, row.tensors, row.buffers,
                          row.bytes, row.largest, row.left_behind, row.growing_calls, name);
  }
  for (const auto& [name, row] : rows_) {
    if (row.stack.empty()) continue;
    absl::StrAppend(&text, "The largest request of ", name, ", ", row.largest, " bytes:\n");
    for (const std::string& frame : row.stack) absl::StrAppend(&text, "  ", frame, "\n");
  }
  return text;
}

}  // namespace diopi::tap
