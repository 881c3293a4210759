#include "server/store/disk_room.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"

namespace diopi::server {
namespace {

constexpr size_t kPage = 4096;

absl::Status Failed(int error) {
  const std::string text =
      absl::StrCat(kRoomBytes >> 10, " KiB cannot be written beside the database: ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return absl::ResourceExhaustedError(text);
  return absl::ErrnoToStatus(error,
                             absl::StrCat(kRoomBytes >> 10, " KiB cannot be written beside the database"));
}

// A file without a name; where the file system has none, one whose name is removed at once.
int OpenNameless(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  const std::string path = absl::StrCat(folder, "/.room-", getpid(), ".tmp");  // left out of backups
  const int named = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (named >= 0) unlink(path.c_str());
  return named;
}

}  // namespace

absl::Status CheckRoom(const std::string& folder) {
  const Descriptor file(OpenNameless(folder));
  if (!file.valid()) return Failed(errno);
  if (const int error = posix_fallocate(file.get(), 0, kRoomBytes); error != 0) return Failed(error);
  static constexpr std::array<char, kPage> kBytes{};
  if (pwrite(file.get(), kBytes.data(), kPage, 0) != static_cast<ssize_t>(kPage)) return Failed(errno);
  return fdatasync(file.get()) == 0 ? absl::OkStatus() : Failed(errno);
}

}  // namespace diopi::server
