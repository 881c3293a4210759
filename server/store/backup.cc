#include "server/store/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

// A writer holds the file for milliseconds; one that is being recovered or checkpointed, longer.
constexpr int kAttempts = 1000;
constexpr absl::Duration kPause = absl::Milliseconds(10);

absl::Status Flush(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  return flushed ? absl::OkStatus() : absl::ErrnoToStatus(error, absl::StrCat("cannot flush ", path));
}

}  // namespace

absl::Status BackUpDatabase(const std::string& from, const std::string& to) {
  if (access(to.c_str(), F_OK) == 0) return absl::AlreadyExistsError(absl::StrCat(to, ": exists already"));
  const absl::StatusOr<std::unique_ptr<Connection>> source =
      Connection::Open(from, Connection::Mode::kReadOnly);
  if (!source.ok()) return source.status();
  {
    const absl::StatusOr<std::unique_ptr<Connection>> target =
        Connection::Open(to, Connection::Mode::kReadWrite);
    if (!target.ok()) return target.status();
    absl::Status status = absl::OkStatus();
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      // All pages in one step, which is one read transaction: the state of one moment.
      status = (*target)->CopyFrom(source->get());
      if (!absl::IsUnavailable(status)) break;
      absl::SleepFor(kPause);
    }
    if (!status.ok()) return status;
  }
  return Flush(to);
}

}  // namespace diopi::server
