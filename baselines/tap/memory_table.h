// What a library requires of its host, and the memory that its calls leave behind.
#ifndef BASELINES_TAP_MEMORY_TABLE_H_
#define BASELINES_TAP_MEMORY_TABLE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "baselines/tap/vendor_watch.h"
#include "impl_loader/caller/memory_level.h"

namespace diopi::tap {

// Thread-safe. What calls leave behind is the growth of this process's heap during a call beyond what was
// required of the host, so with calls on several threads at once it is an estimate, and the table says so.
class MemoryTable final : public RequireObserver {
 public:
  // Call them around each call, on its thread.
  void Begin(const std::string& function);
  void End();
  // diopiRequireTensor or diopiRequireBuffer, with the stack of the call.
  void Required(int64_t bytes, bool buffer) override;

  // A table by function, with the stack of the largest request of each; empty when there was no call.
  std::string Text() const;

 private:
  struct Row {
    int64_t calls = 0;
    int64_t tensors = 0;
    int64_t buffers = 0;
    int64_t bytes = 0;
    int64_t largest = 0;
    std::vector<std::string> stack;  // of the largest, innermost frame first
    int64_t growing_calls = 0;
    int64_t left_behind = 0;  // bytes
  };

  mutable std::mutex mutex_;
  std::map<std::string, Row> rows_;
  int in_progress_ = 0;
  bool concurrent_ = false;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_MEMORY_TABLE_H_
