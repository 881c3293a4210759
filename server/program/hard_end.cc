#include "server/program/hard_end.h"

#include <unistd.h>

#include <string>

#include "cases/base/exit_code.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

// Waits are counted, not time: a process that is stopped (SIGSTOP, a machine that is suspended) cannot shut
// down meanwhile.
constexpr absl::Duration kSlice = absl::Milliseconds(100);

}  // namespace

HardEnd::HardEnd(absl::Duration limit)
    : thread_([this, limit] {
        std::unique_lock lock(mutex_);
        const auto ended = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ended_; };
        for (absl::Duration waited; waited < limit; waited += kSlice)
          if (wake_.wait_for(lock, absl::ToChronoMilliseconds(kSlice), ended)) return;
        Log(LogLevel::kError, "stopped_hard",
            {{"after", absl::FormatDuration(limit)}, {"during", step_.load()}});
        _exit(static_cast<int>(ExitCode::kEnvironment));
      }) {}

HardEnd::~HardEnd() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace diopi::server
