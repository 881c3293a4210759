#include "server/store/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/descriptor.h"
#include "cases/base/file_error.h"
#include "server/store/sqlite.h"

namespace diopi::server {
namespace {

// A writer holds the file for milliseconds; a recovery or a checkpoint takes longer.
constexpr int kAttempts = 1000;
constexpr absl::Duration kPause = absl::Milliseconds(10);

}  // namespace

absl::Status FlushToDisk(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid() && fsync(file.get()) == 0) return absl::OkStatus();
  return WriteError(path, errno);
}

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
  return FlushToDisk(to);
}

}  // namespace diopi::server
