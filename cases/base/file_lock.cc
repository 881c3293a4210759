#include "cases/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace diopi {

absl::StatusOr<FileLock> FileLock::Take(const std::string& path) {
  Descriptor descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (descriptor.get() < 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, ": ", std::error_code(errno, std::generic_category()).message()));
  }
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is locked: another diopi-cli gen is running there"));
  }
  return FileLock(std::move(descriptor));
}

}  // namespace diopi
