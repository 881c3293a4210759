#include "cases/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cases/base/file_error.h"

namespace diopi {
namespace {

// flock(2) cannot wait for a limited time.
constexpr absl::Duration kLookAgain = absl::Milliseconds(50);

}  // namespace

absl::StatusOr<FileLock> FileLock::Take(const std::string& path, absl::Duration limit,
                                        const std::function<void()>& on_wait) {
  Descriptor descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (descriptor.get() < 0) return WriteError(path, errno);
  const absl::Time deadline = absl::Now() + limit;
  for (bool waited = false; flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0; waited = true) {
    if (errno != EWOULDBLOCK && errno != EINTR) return WriteError(path, errno);
    if (absl::Now() >= deadline) {
      return absl::UnavailableError(absl::StrCat(path, " is locked: another diopi-cli gen is running there"));
    }
    if (!waited && on_wait) on_wait();
    absl::SleepFor(std::min(kLookAgain, deadline - absl::Now()));
  }
  return FileLock(std::move(descriptor));
}

}  // namespace diopi
